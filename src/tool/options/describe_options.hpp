// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

/// \file
/// The options of a command as JSON. The page reference/command_line of the documentation is made
/// from it.

namespace synelix::tool {

/// The word that asks for it, in place of all options. It is no option, and --help does not list
/// it.
inline constexpr std::string_view describe_options_word = "--describe-options";

/// One object in one line: the command's name and description, its subcommands, its options in the
/// order of --help, and what --help says behind them. Hidden options are left out.
std::string describe_options(const CLI::App& app);

}  // namespace synelix::tool
