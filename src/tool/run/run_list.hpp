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

/// What the lines have in common for the loop.
struct ListRun {
  std::optional<PartWish> part;  ///< of the lines: this process takes every N-th one
  bool dry_run = false;
  Messages messages;
};

/// Runs one line. Throws Error where it fails, and Cancelled where a signal ends the program.
using RunLine = std::function<LineState(const ListLine& line)>;

/// Runs each line of this process, whichever fail, and says at the end what has failed.
/// \return the exit code: that of an error where a line has failed
/// \throws Cancelled where a signal has come, with what is left
int run_list(const RecordingList& list, const ListRun& how, const RunLine& run_line);

/// What the history of a line's output says: the command with the line that it was.
std::string history_of(const std::string& command_line, const ListLine& line);

}  // namespace synelix::tool
