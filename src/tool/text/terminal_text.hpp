// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// Makes text of files and of the command line safe for a terminal, prints warnings on stderr, and
/// reads files of text. A name in a file may contain sequences that clear the screen, set the
/// window's title or reverse the order of letters.

namespace synelix::tool {

/// How the ends of lines are written.
enum class Lines : std::uint8_t { kept, escaped };

/// The text with these characters written as \n, \x1b or \u202e: control characters (C0 except the
/// tab, DEL and C1), characters that change the direction of writing, line separators, and bytes
/// that are not UTF-8.
std::string terminal_text(std::string_view text, Lines lines = Lines::kept);

/// A message without line breaks and terminal control sequences.
std::string one_line(std::string text);

/// Later warnings begin with this, and count as new: another line of a list may give the same
/// warning. Empty: no prefix.
void set_warning_place(const std::string& place);

/// Prints a warning once, because a path and its final fit may both give it. Call it instead of
/// `warn` if data are dropped: --quiet suppresses only warnings of `warn`.
void print_warning(std::string_view message);

/// \throws Error if the file is not regular, since it may have no end, or larger than 1 MiB
void require_text_file(const std::string& file);

/// The entire text of a file. \throws Error as require_text_file, and if it cannot be read
std::string read_text_file(const std::string& file);

}  // namespace synelix::tool
