// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/text/list_report.hpp"

#include <functional>
#include <optional>
#include <string>

/// \file
/// The loop over the lines of --list.

namespace synelix::tool {

/// The common settings of the lines for the loop.
struct ListRun {
  std::optional<PartWish> part;  ///< of the lines: this process runs every N-th one
  bool dry_run = false;
  Messages messages;
};

/// Runs one line. Throws Error if it fails, and Cancelled if a signal ends the program.
using RunLine = std::function<LineState(const ListLine& line)>;

/// Runs each line of this process, even if some fail, and reports the failures at the end.
/// \return the exit code: that of an error if a line has failed
/// \throws Cancelled with the remaining lines if a signal was received
int run_list(const RecordingList& list, const ListRun& how, const RunLine& run_line);

/// The history of a line's output: the command with its line.
std::string history_of(const std::string& command_line, const ListLine& line);

}  // namespace synelix::tool
