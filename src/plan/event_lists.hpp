// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"
#include "sweep/events.hpp"

#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

/// \file
/// Events of a range of channels and samples in one piece of memory, so that they cross to a
/// device in one copy: begins, samples, counts.

namespace synelix::plan {

/// The entries of a channel whose samples lie in a range.
inline Range entries_of(const Events& events, std::int64_t channel, Range samples) {
  const pack::EventSource all{events.begins(), events.sample_indices(), events.counts()};
  const std::int64_t begin = all.begins[channel];
  const std::int64_t end = all.begins[channel + 1];
  const std::int64_t first = pack::first_event_from(all, begin, end, samples.begin);
  return {first, pack::first_event_from(all, first, end, samples.end)};
}

inline std::int64_t count_events(const Events& events, Range samples, Range channels) {
  std::int64_t count = 0;
  for (std::int64_t c = channels.begin; c < channels.end; ++c) {
    count += entries_of(events, c, samples).size();
  }
  return count;
}

/// Where the lists of so many channels and events lie, from the begin of their memory.
class EventLists {
 public:
  EventLists(std::int64_t channels, std::int64_t events, bool has_counts)
      : m_samples(index::round_up((channels + 1) * 8, line)),
        m_counts(m_samples + index::round_up(events * 8, line)),
        m_bytes(has_counts ? m_counts + events * 4 : m_samples + events * 8),
        m_has_counts(has_counts) {}

  [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

  /// The lists as a kernel sees them, whose first channel is the given one.
  [[nodiscard]] pack::EventSource source(const std::byte* memory,
                                         std::int64_t first_channel) const {
    return {reinterpret_cast<const std::int64_t*>(memory) - first_channel,
            reinterpret_cast<const std::int64_t*>(memory + m_samples),
            m_has_counts ? reinterpret_cast<const float*>(memory + m_counts) : nullptr};
  }

  /// Puts the events of the range into memory of the host.
  void gather(const Events& events, Range samples, Range channels, std::byte* memory) const {
    auto* const begins = reinterpret_cast<std::int64_t*>(memory);
    auto* const times = reinterpret_cast<std::int64_t*>(memory + m_samples);
    auto* const counts = reinterpret_cast<float*>(memory + m_counts);
    std::int64_t filled = 0;
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      begins[c - channels.begin] = filled;
      const Range entries = entries_of(events, c, samples);
      std::copy_n(events.sample_indices() + entries.begin, entries.size(), times + filled);
      if (m_has_counts) {
        std::copy_n(events.counts() + entries.begin, entries.size(), counts + filled);
      }
      filled += entries.size();
    }
    begins[channels.size()] = filled;
  }

  /// Copies all events to memory of a device.
  template <class ExecutionSpace, class Memory>
  void copy(const ExecutionSpace& exec, const Events& events, const Memory& memory) const {
    const auto part = [&](const void* from, std::int64_t at, std::int64_t bytes) {
      if (bytes == 0) return;
      using Host = Kokkos::View<const std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
      const auto size = static_cast<std::size_t>(bytes);
      const auto begin = static_cast<std::size_t>(at);
      Kokkos::deep_copy(exec, Kokkos::subview(memory, std::pair(begin, begin + size)),
                        Host(static_cast<const std::byte*>(from), size));
    };
    const SeriesShape& shape = events.shape();
    part(events.begins(), 0, (shape.channels + 1) * 8);
    part(events.sample_indices(), m_samples, shape.events * 8);
    if (m_has_counts) part(events.counts(), m_counts, shape.events * 4);
  }

 private:
  static constexpr std::int64_t line = 64;
  std::int64_t m_samples;
  std::int64_t m_counts;
  std::int64_t m_bytes;
  bool m_has_counts;
};

}  // namespace synelix::plan
