// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/read_words.hpp"
#include "tool/options/request.hpp"

#include <optional>
#include <string>
#include <vector>

/// \file
/// Converts the words of a command line to a request. Needs no running Kokkos.

namespace synelix::tool {

/// The result for a command line: a request, or an exit code if everything was already printed.
struct Parsed {
  std::optional<Request> request;
  int exit_code = exit_success;
};

/// Reads the words after the program's name. Help and versions go to stdout, usage errors to
/// stderr.
Parsed parse_command_line(std::vector<std::string> words);

}  // namespace synelix::tool
