// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>

/// \file
/// Numbers in messages.

namespace synelix {

/// The shortest text that reads back as the number.
template <class Number>
std::string number_text(Number value) {
  char text[40] = {};
  const auto result = std::to_chars(text, text + sizeof(text), value);
  return {text, result.ptr};
}

/// Extents or strides in the form of NumPy: "(3, 4, 5)", "(3,)", "()".
inline std::string extents_text(std::span<const std::int64_t> extents) {
  std::string text = "(";
  for (const std::int64_t extent : extents) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  }
  return text + (extents.size() == 1 ? ",)" : ")");
}

}  // namespace synelix
