// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/process/scheduler_part.hpp"
#include "tool/text/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The reports of a run over a list, for each line and at its end.

namespace synelix::tool {

/// The result of a line.
enum class LineState : std::uint8_t {
  planned,        ///< of a dry run
  done,           ///< its output was written
  already_whole,  ///< --resume found its output finished
  failed
};

/// A line whose run has failed.
struct LineFailure {
  ListLine line;
  std::string message;
};

/// The result of a list.
struct ListReport {
  std::string name;            ///< of the list
  std::int64_t lines = 0;      ///< of the entire list
  std::int64_t own_lines = 0;  ///< of this part
  std::optional<SchedulerPart> part;
  std::int64_t planned = 0;
  std::int64_t done = 0;
  std::int64_t already_whole = 0;
  std::vector<LineFailure> failures;

  void count(LineState state);
  /// Lines that this part has not reached, or not finished.
  [[nodiscard]] std::int64_t left() const;
};

/// "line 3 (in.h5:/x)".
std::string name_of(const ListLine& line);
/// "57 of 60 lines of recordings.txt".
std::string left_text(const ListReport& list);

/// The finished lines, and a table of the failures; each line ends with a newline.
std::string list_text(const ListReport& list);

/// The tree of a line.
/// \param report  what a run of only this line prints
Json line_tree(const ListLine& line, LineState state, const Json& report);
/// The tree of a line that has failed, and that of the list.
Json failure_tree(const LineFailure& failure);
Json list_tree(const ListReport& list);

/// "\"line\": 3, \"input\": \"in.h5:/x\"": members for an object that is made elsewhere.
std::string json_members(const ListLine& line);

}  // namespace synelix::tool
