// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <string>

/// \file
/// Numbers as messages name them.

namespace synelix {

/// The shortest text that reads back as the number.
template <class Number>
std::string number_text(Number value) {
  char text[40] = {};
  const auto result = std::to_chars(text, text + sizeof(text), value);
  return {text, result.ptr};
}

}  // namespace synelix
