// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// FNV-1a, 64 bits: detects accidental differences of bytes.

namespace synelix::stream {

class Checksum {
 public:
  Checksum& add(const void* bytes, std::size_t size);
  template <class Value>
  Checksum& add(const std::vector<Value>& values) {
    return add(values.data(), values.size() * sizeof(Value));
  }
  [[nodiscard]] std::uint64_t value() const { return m_value; }
  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t m_value = 0xcbf29ce484222325U;
};

std::uint64_t checksum_of(std::string_view text);

}  // namespace synelix::stream
