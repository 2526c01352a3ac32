// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// An estimate of the progress of a fit.

namespace synelix::tool {

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
