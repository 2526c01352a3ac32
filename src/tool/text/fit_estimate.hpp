// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// How much of a fit is done, estimated.

namespace synelix::tool {

/// What a fit says between two walks.
struct FitState {
  std::int64_t targets_done = 0;
  std::int64_t targets = 0;
  double worst_optimality = 0;  ///< of those that are not done; 0 or not finite: not known
};

/// Targets that are done count as a whole. The others count by the worst of them: by the part of
/// the way from the largest optimality that was seen down to the tolerance, on a scale of
/// logarithms. Newton's last steps are faster than that, and first-order steps are about like it.
/// Models of a path that are not done count as nothing: most of them have not begun.
class FitEstimate {
 public:
  /// \param targets  of the model that is written. A path and folds have more, and come before it.
  FitEstimate(double tolerance, std::int64_t targets)
      : m_tolerance(tolerance), m_targets(targets) {}

  /// 0 to 1, and never less than before. 1 only where all targets of the model are done.
  double fraction(const FitState& state);

 private:
  double m_tolerance;
  std::int64_t m_targets;
  double m_largest = 0;
  double m_fraction = 0;
};

}  // namespace synelix::tool
