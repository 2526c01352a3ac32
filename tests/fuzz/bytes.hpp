// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// The bytes of a fuzzer, taken in turn; after the last come zeros.

namespace fuzz {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : m_data(data), m_left(size) {}

  [[nodiscard]] bool empty() const { return m_left == 0; }
  [[nodiscard]] std::size_t left() const { return m_left; }

  std::uint8_t one() {
    if (m_left == 0) return 0;
    --m_left;
    return *m_data++;
  }
  /// A number below n.
  std::size_t below(std::size_t n) { return one() % n; }
  std::uint32_t four() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | one();
    return value;
  }
  /// One of a list.
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  const std::uint8_t* m_data;
  std::size_t m_left;
};

}  // namespace fuzz
