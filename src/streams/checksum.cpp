// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/checksum.hpp"

namespace synelix::stream {

Checksum& Checksum::add(const void* bytes, std::size_t size) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) {
    m_value = (m_value ^ next[i]) * 0x100000001b3U;
  }
  return *this;
}

std::string Checksum::text() const {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(m_value >> shift) & 15U];
  }
  return digits;
}

std::uint64_t checksum_of(std::string_view text) {
  return Checksum().add(text.data(), text.size()).value();
}

}  // namespace synelix::stream
