// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <optional>
#include <string>
#include <vector>

/// \file
/// From the words of a command line to a request. Needs no running Kokkos.

namespace synelix::tool {

/// Exit codes of the program; a signal gives 128 + its number, SIGUSR1 counting as SIGTERM.
inline constexpr int exit_success = 0;
inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;

/// What came of a command line: a request, or an exit code where all is said already.
struct Parsed {
  std::optional<Request> request;
  int exit_code = exit_success;
};

/// Reads the words after the program's name. Help and versions go to stdout, usage errors to
/// stderr.
Parsed parse_command_line(std::vector<std::string> words);

}  // namespace synelix::tool
