// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// FNV-1a, 64 bits: tells bytes apart that differ by accident.

namespace synelix::stream {

class Checksum {
 public:
  Checksum& add(const void* bytes, std::size_t size) {
    const auto* next = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < size; ++i) {
      m_value = (m_value ^ next[i]) * 0x100000001b3U;
    }
    return *this;
  }
  template <class Value>
  Checksum& add(const std::vector<Value>& values) {
    return add(values.data(), values.size() * sizeof(Value));
  }
  [[nodiscard]] std::uint64_t value() const { return m_value; }
  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const {
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
      digits += "0123456789abcdef"[(m_value >> shift) & 15U];
    }
    return digits;
  }

 private:
  std::uint64_t m_value = 0xcbf29ce484222325U;
};

inline std::uint64_t checksum_of(std::string_view text) {
  return Checksum().add(text.data(), text.size()).value();
}

}  // namespace synelix::stream
