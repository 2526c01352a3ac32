// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/column_centers.hpp"
#include "glm/fit/lockstep.hpp"
#include "glm/fit/target_facts.hpp"
#include "glm/pass/pass.hpp"
#include "glm/penalty/bound_penalty.hpp"

#include <synelix/types/glm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// \file
/// `FitProblem`: the checked input of a fit: targets, options, and the model without features.

namespace synelix::glm {

/// Below this many features, products in float are not significantly faster.
inline constexpr std::int64_t features_for_float = std::int64_t{1} << 22;

/// One right-hand side: a target on some rows.
struct Side {
  RowsOf rows = {};
  TargetFacts facts = {};
  /// The first right-hand side on the same rows with the same weights.
  std::size_t same_rows = 0;
  std::vector<double> null_intercepts = {};  ///< of the model without features; 0 without intercept
  std::vector<double> start = {};            ///< parameters instead of those of the options
  double gradient_scale = 1;                 ///< SearchProblem::gradient_scale, of columns in use
  double dispersion = 1;                     ///< of negative_binomial
  std::vector<std::uint8_t> is_zero = {};    ///< columns of zeros
  /// Mean |x r0| of each column and of the intercept; only set while null models are read.
  std::vector<double> scales = {};
  SharedCenters centers = {};  ///< columns that are centered while it is searched
  /// Whether rounding of a gradient exceeds the tolerance, so that no point counts as converged.
  bool is_beyond_double = false;
  /// Whether the model without features is the answer, and the reason.
  bool is_settled = false;
  Stop settled = Stop::converged;
};

/// A fit before its first search.
struct FitProblem {
  Pass& pass;
  const Observed& observed;
  const RowLoss& loss;
  const FitOptions& options;
  std::int64_t columns = 0;
  std::int64_t targets = 0;
  std::int64_t classes = 1;
  std::vector<Side> sides = {};
  std::vector<std::string> warnings = {};

  /// Parameters of one right-hand side.
  [[nodiscard]] std::int64_t parameters() const { return (columns + 1) * classes; }
  [[nodiscard]] PenaltyShape shape() const {
    return {columns, targets, classes, options.feature_mask};
  }
  /// Whether a target uses a column.
  [[nodiscard]] bool uses(std::int64_t column, std::int64_t target) const {
    return options.feature_mask.empty() ||
           options.feature_mask[static_cast<std::size_t>(column * targets + target)] != 0;
  }
  /// Whether any right-hand side has columns that are centered.
  [[nodiscard]] bool has_centers() const {
    return std::any_of(sides.begin(), sides.end(),
                       [](const Side& side) { return side.centers != nullptr; });
  }
  /// The parameters at which a right-hand side starts.
  [[nodiscard]] std::vector<double> start_of(const Side& side) const;
};

/// Checks options and targets, and reads the facts of each right-hand side that follow from targets
/// alone. All references must outlive the result.
/// \throws Error as fit
FitProblem make_fit_problem(Pass& pass, const Observed& observed, const RowLoss& loss,
                            const FitOptions& options, const std::vector<RowsOf>& sides);

/// All targets on all rows.
std::vector<RowsOf> sides_of_targets(const Observed& observed);

/// Finds the columns of each right-hand side whose mean is so large relative to their spread that
/// they must be centered, and removes the means from scales of gradients. Needs `Side::scales`.
/// \param share  bytes that the sums of a walk may take
void find_column_centers(FitProblem& problem, std::int64_t share);

/// The point of the null model of a side: coefficients of 0, and the intercepts of the model
/// without features. Without an intercept these are 0, if a predictor of 0 has a mean.
std::vector<double> null_point(const FitProblem& problem, const Side& side);

/// One walk at the models without features: scales of gradients, and columns of zeros. Then
/// `find_column_centers`.
/// \throws Error if the loss is not finite, or a right-hand side has more parameters without a
///         penalty than rows
void read_null_models(FitProblem& problem, Walks& walks);

/// Replaces starts at which the loss is infinite, if not every predictor has a mean. The new start
/// is the model without features or, without an intercept, coefficients that give each row a mean.
/// Call it after `read_null_models`.
/// \throws Error if no such coefficients are found
void move_starts_inside(FitProblem& problem, Walks& walks);

/// Refuses strength 0 of a path, if a right-hand side has more parameters than rows. Call it after
/// `read_null_models`, which counts both. \throws Error naming the target and both numbers
void require_rows_at_strength_0(const FitProblem& problem);

/// "column 3 (counts, channel 1, basis 0)"
std::string name_of_column(const std::vector<Term>& terms, std::int64_t column);

/// The first few names as text: "a, b, c and 12 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace synelix::glm
