// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/option_rows.hpp"
#include "tool/options/request.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Turns the words of a command line into a request. Needs no running Kokkos.

namespace synelix::tool {

/// Exit codes of the program; a signal gives 128 + its number, where SIGUSR1 counts as SIGTERM.
inline constexpr int exit_success = 0;
inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;

/// The word that prints all options as JSON; it is used instead of all options. The page
/// reference/command_line of the documentation is made from it. It is not an option, and --help
/// does not list it.
inline constexpr std::string_view describe_options_word = "--describe-options";

/// Reads the words after the name of the command: each row takes its values, in the order of the
/// rows. Then it calls `finish` with the file of --config (empty: none); a UsageError of `finish`
/// is reported like those of the rows. Prints help, a version, the options as JSON, or the fault.
/// \return the exit code; if something else was printed, `finish` has not returned
int read_words(const CommandRows& command, std::vector<std::string> words,
               const std::function<void(const std::string& config)>& finish);

/// The result for a command line: a request, or an exit code if everything was already printed.
struct Parsed {
  std::optional<Request> request;
  int exit_code = exit_success;
};

/// Reads the words after the program's name. Help and versions go to stdout, usage errors to
/// stderr.
Parsed parse_command_line(std::vector<std::string> words);

}  // namespace synelix::tool
