// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `BoundPenalty`: the penalty of one search with a strength for each coefficient, whichever kind
/// it was: sum_j ridge_j / 2 b_j^2 + l1_j |b_j| + sum_g strength_g ||b_g||.

namespace synelix::glm {

/// The penalty of the coefficients of one search. Arrays have one entry for each coefficient of the
/// search (intercepts are none), or are empty where that part is absent.
struct BoundPenalty {
  std::vector<double> ridge = {};
  std::vector<double> l1 = {};
  std::vector<std::int64_t> groups = {};     ///< group of each coefficient, -1: none
  std::vector<double> group_strengths = {};  ///< of each group, the root of its size included
  std::vector<std::uint8_t> is_free = {};    ///< 0: the coefficient stays 0 (mask). Empty: all free

  /// Whether the penalty has a gradient everywhere. Parts of strength 0 are no parts.
  [[nodiscard]] bool is_smooth() const;
  /// The penalty of these coefficients.
  [[nodiscard]] double value(std::span<const double> coefficients) const;
  /// The largest distance, over coefficients and groups, of -gradient (of the mean loss) to the
  /// subdifferential of the penalty.
  [[nodiscard]] double violation(std::span<const double> coefficients,
                                 std::span<const double> gradient) const;
};

}  // namespace synelix::glm
