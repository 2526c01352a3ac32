// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/series.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// How lists of events lie in one piece of memory, so that they cross to a device in one copy.

namespace synelix {

/// Begins, samples and counts of so many channels and events, each from a cache line on.
class EventLists {
 public:
  constexpr EventLists(std::int64_t channels, std::int64_t events, bool has_counts)
      : m_samples(whole_lines((channels + 1) * 8)),
        m_counts(m_samples + whole_lines(events * 8)),
        m_bytes(has_counts ? m_counts + whole_lines(events * 4) : m_counts),
        m_has_counts(has_counts) {}

  [[nodiscard]] constexpr std::int64_t bytes() const { return m_bytes; }

  /// The lists in memory of `bytes()`, const or not.
  template <class Byte>
  [[nodiscard]] auto* begins(Byte* memory) const {
    return as<std::int64_t>(memory);
  }
  template <class Byte>
  [[nodiscard]] auto* samples(Byte* memory) const {
    return as<std::int64_t>(memory + m_samples);
  }
  /// Null where all counts are 1.
  template <class Byte>
  [[nodiscard]] auto* counts(Byte* memory) const {
    return m_has_counts ? as<float>(memory + m_counts) : nullptr;
  }

 private:
  static constexpr std::int64_t whole_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  template <class T, class Byte>
  static auto* as(Byte* memory) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<Byte>, const T, T>*>(memory);
  }

  std::int64_t m_samples;
  std::int64_t m_counts;
  std::int64_t m_bytes;
  bool m_has_counts;
};

/// \throws Error where the host does not reach the lists
void require_on_host(const Events& events);

}  // namespace synelix
