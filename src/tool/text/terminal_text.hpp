// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// Text of files and of the command line, as it may reach a terminal, and warnings on stderr. A
/// name in a file may hold sequences that clear the screen, set the window's title or reverse the
/// order of letters.

namespace synelix::tool {

/// What becomes of the ends of lines.
enum class Lines : std::uint8_t { kept, escaped };

/// The text with control characters (C0 but the tab, DEL and C1), characters that change the
/// direction of writing, line separators and bytes that are no UTF-8 written as \n, \x1b or \u202e.
std::string terminal_text(std::string_view text, Lines lines = Lines::kept);

/// A message without line breaks, and without what would steer a terminal.
std::string one_line(std::string text);

/// From now on warnings begin with this, and are new ones: what a line of a list warns of, another
/// may warn of too. Empty: with nothing.
void set_warning_place(const std::string& place);

/// Prints a warning once: a path and its final fit may both find the same. Call it in place of
/// `warn` where data is dropped: --quiet leaves out only what `warn` says.
void print_warning(std::string_view message);

}  // namespace synelix::tool
