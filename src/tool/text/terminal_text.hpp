// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// Text of files and of the command line, as it may reach a terminal. A name in a file may hold
/// sequences that clear the screen, set the window's title or reverse the order of letters.

namespace synelix::tool {

/// What becomes of the ends of lines.
enum class Lines : std::uint8_t { kept, escaped };

/// The text with control characters (C0 but the tab, DEL and C1), characters that change the
/// direction of writing, line separators and bytes that are no UTF-8 written as \n, \x1b or \u202e.
std::string terminal_text(std::string_view text, Lines lines = Lines::kept);

}  // namespace synelix::tool
