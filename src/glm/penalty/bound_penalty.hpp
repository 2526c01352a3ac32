// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/penalty.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `BoundPenalty`: the penalty of one search with a strength for each coefficient, for any kind of
/// penalty: sum_j ridge_j / 2 b_j^2 + l1_j |b_j| + sum_g strength_g ||b_g||.

namespace synelix::glm {

/// The penalty of the coefficients of one search. Arrays have one entry for each coefficient of the
/// search (intercepts excluded), or are empty if that part is absent.
struct BoundPenalty {
  std::vector<double> ridge = {};
  std::vector<double> l1 = {};
  std::vector<std::int64_t> groups = {};     ///< group of each coefficient, -1: none
  std::vector<double> group_strengths = {};  ///< of each group, including the root of its size
  std::vector<std::uint8_t> is_free = {};    ///< 0: the coefficient stays 0 (mask). Empty: all free

  /// Whether the penalty has a gradient everywhere. Parts of strength 0 do not count.
  [[nodiscard]] bool is_smooth() const;
  /// The penalty of these coefficients.
  [[nodiscard]] double value(std::span<const double> coefficients) const;
  /// The largest distance, over coefficients and groups, of -gradient (of the mean loss) to the
  /// subdifferential of the penalty.
  [[nodiscard]] double violation(std::span<const double> coefficients,
                                 std::span<const double> gradient) const;
};

/// The sizes and the mask that a penalty is bound to.
struct PenaltyShape {
  std::int64_t columns = 0;
  std::int64_t targets = 1;
  std::int64_t classes = 1;
  /// Which columns each target uses, (columns, targets), row-major, 0 or 1. Empty: all.
  std::span<const std::uint8_t> mask = {};
};

/// All targets in one search, as blocks.
inline constexpr std::int64_t all_targets = -1;

/// Whether a group holds coefficients of several targets, which are then searched together.
bool reaches_across_targets(const Penalty& penalty, const PenaltyShape& shape);

/// The penalty of a target, or of all of them, with its numbers checked.
///
/// A group holds the coefficients of its columns for all classes; their number n_g includes those
/// that the mask leaves out, as in NeMoS. Parts of strength 0 are absent.
/// \param target  the target, or `all_targets`: coefficients are then (targets, columns, classes)
/// \throws Error for a strength that is negative or not finite, a ratio outside (0, 1], arrays of
///         another length, a mask that is not 0 or 1, groups that are not 0, 1, ... or -1, and for
///         a single target if groups span targets
BoundPenalty bind(const Penalty& penalty, const PenaltyShape& shape, std::int64_t target);

}  // namespace synelix::glm
