// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// \file
/// The progress of a run on stderr: a bar that is redrawn, lines, or one JSON object for each
/// update; and an estimate of the progress of a fit.

namespace synelix::tool {

/// The progress of a run.
struct Advance {
  std::int64_t block = 0;
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;    ///< written so far
  double fraction = 0;       ///< 0 to 1
  double seconds = 0;        ///< since the start
  std::string parts = {};    ///< instead of blocks and bytes: "3 of 10 targets, pass 12"
  std::string json = {};     ///< the same as members of a JSON object
  bool is_estimate = false;  ///< the fraction is estimated, so the remaining time is approximate

  /// Remaining seconds if the rest takes as long as the finished part in proportion; nothing at the
  /// start and the end.
  [[nodiscard]] std::optional<double> seconds_left() const;
};

/// Shows a run's progress, and ends the terminal's line at its end.
class ProgressDisplay {
 public:
  /// `verb` precedes the bar. `automatic` is resolved here: a bar if stderr is a terminal that can
  /// redraw a line, otherwise lines. \param line  of a list: its number and input are printed, too
  ProgressDisplay(ProgressStyle style, std::string verb,
                  const std::optional<ListLine>& line = std::nullopt);
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay();

  /// Shows the progress if it is due: a bar and JSON ten times a second, lines every 10 % or 30 s,
  /// and each of them at the end.
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
  bool m_is_open = false;       ///< whether the cursor is after a bar
  double m_shown_seconds = -1;  ///< time of the last output; -1: never
  int m_shown_tenth = 0;
};

/// The progress that a fit reports between two passes.
struct FitState {
  std::int64_t targets_done = 0;
  std::int64_t targets = 0;
  double worst_optimality = 0;  ///< of the unfinished ones; 0 or not finite: unknown
};

/// Finished targets count fully. The others count by the worst of them: the part of the way from
/// the largest observed optimality to the tolerance, on a logarithmic scale. Newton's last steps
/// are faster than that, and first-order steps are about like it. Unfinished models of a path count
/// as zero, since most of them have not begun.
class FitEstimate {
 public:
  /// \param targets  of the model that is written. A path and folds have more, and precede it.
  FitEstimate(double tolerance, std::int64_t targets)
      : m_tolerance(tolerance), m_targets(targets) {}

  /// 0 to 1, never decreasing. It is 1 only if all targets of the model are done.
  double fraction(const FitState& state);

 private:
  double m_tolerance;
  std::int64_t m_targets;
  double m_largest = 0;
  double m_fraction = 0;
};

}  // namespace synelix::tool
