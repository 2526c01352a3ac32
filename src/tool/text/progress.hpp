// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// \file
/// How far a run is, on stderr: a bar that is redrawn, lines, or one JSON object a line.

namespace synelix::tool {

/// How far a run is.
struct Advance {
  std::int64_t block = 0;
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;    ///< written so far
  double fraction = 0;       ///< 0 to 1
  double seconds = 0;        ///< since the start
  std::string parts = {};    ///< in place of blocks and bytes: "3 of 10 targets, pass 12"
  std::string json = {};     ///< the same as members of a JSON object
  bool is_estimate = false;  ///< the fraction: the time that is left is about that

  /// Seconds that are left if the rest goes on like what is done; nothing at the start and the end.
  [[nodiscard]] std::optional<double> seconds_left() const;
};

/// Shows a run's progress, and leaves the terminal's line free at its end.
class ProgressDisplay {
 public:
  /// `verb` stands before the bar. `automatic` is resolved here: a bar where stderr is a terminal
  /// that can redraw a line, else lines. \param line  of a list: its number and input are said too
  ProgressDisplay(ProgressStyle style, std::string verb,
                  const std::optional<ListLine>& line = std::nullopt);
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay();

  /// Shows this where it is due: a bar and JSON ten times a second, lines every 10 % or 30 s, and
  /// each of them at the end.
  void show(const Advance& advance);

 private:
  void draw_bar(const Advance& advance);
  void print_line(const Advance& advance) const;
  void print_json(const Advance& advance) const;

  ProgressStyle m_style;
  std::string m_verb;
  std::string m_place;    ///< " line 3 (in.h5:/x)" of a list
  std::string m_members;  ///< the same, as members of a JSON object
  bool m_has_color;
  bool m_is_open = false;       ///< whether the cursor stands behind a bar
  double m_shown_seconds = -1;  ///< when something was shown last; -1: never
  int m_shown_tenth = 0;
};

}  // namespace synelix::tool
