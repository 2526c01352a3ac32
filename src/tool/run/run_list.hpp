// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/text/report.hpp"

#include <cstdint>
#include <functional>
#include <string>

/// \file
/// The loop over the lines of --list.

namespace synelix::tool {

/// The result of a line.
enum class LineState : std::uint8_t {
  planned,        ///< of a dry run
  done,           ///< its output was written
  already_whole,  ///< --resume found its output finished
  failed
};

/// Prints a tree: unchanged, or as one line on the line of a list.
void print_tree(const Messages& messages, LineState state, const Json& tree);

/// Runs one line. Throws Error if it fails, and Cancelled if a signal ends the program.
using RunLine = std::function<LineState(const ListLine& line, const std::string& history)>;

/// Runs each line of the list that belongs to this process, even if some fail, and reports the
/// failures at the end. With --part, a process runs every N-th line. The history of a line's output
/// is the command with its line.
/// \return the exit code: that of an error if a line has failed
/// \throws Cancelled with the remaining lines if a signal was received
int run_list(const FeaturesOutput& request, const Messages& messages,
             const std::string& command_line, const RunLine& run_line);

}  // namespace synelix::tool
