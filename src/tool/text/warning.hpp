// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

/// \file
/// Warnings on stderr.

namespace synelix::tool {

/// A message without line breaks, and without what would steer a terminal.
std::string one_line(std::string text);

/// From now on warnings begin with this, and are new ones: what a line of a list warns of, another
/// may warn of too. Empty: with nothing.
void set_warning_place(const std::string& place);

/// Prints a warning once: a path and its final fit may both find the same. Call it in place of
/// `warn` where data is dropped: --quiet leaves out only what `warn` says.
void print_warning(std::string_view message);

}  // namespace synelix::tool
