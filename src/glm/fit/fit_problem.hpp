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
/// `FitProblem`: what is fitted, checked: targets, options, and the model without features.

namespace synelix::glm {

/// Below this many features, products in float are not faster by anything that counts.
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
  /// Of each column, mean |x r0|, and of the intercept; only while null models are read.
  std::vector<double> scales = {};
  SharedCenters centers = {};  ///< columns that are centered while it is searched
  /// Rounding of a gradient exceeds the tolerance, so that no point can be called converged.
  bool is_beyond_double = false;
  /// The model without features is the answer, for this reason.
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

  /// Of one right-hand side.
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
  /// Where a right-hand side starts: as parameters.
  [[nodiscard]] std::vector<double> start_of(const Side& side) const;
};

/// Checks options and targets, and reads what is known of each right-hand side from targets alone.
/// All references have to outlive the result.
/// \throws Error as fit
FitProblem make_fit_problem(Pass& pass, const Observed& observed, const RowLoss& loss,
                            const FitOptions& options, const std::vector<RowsOf>& sides);

/// All targets on all rows.
std::vector<RowsOf> sides_of_targets(const Observed& observed);

/// Finds the columns of each right-hand side whose mean is so large beside their spread that they
/// have to be centered, and takes the means out of scales of gradients. Needs `Side::scales`.
/// \param share  bytes that the sums of a walk may take
void find_column_centers(FitProblem& problem, std::int64_t share);

/// Where the null model of a side is evaluated: no coefficients, and the intercepts of the model
/// without features. Without an intercept these are 0, if a predictor of 0 has a mean.
std::vector<double> null_point(const FitProblem& problem, const Side& side);

/// One walk at the models without features: scales of gradients, and columns of zeros. Then
/// `find_column_centers`.
/// \throws Error where the loss is not finite, or a right-hand side has more parameters without a
///         penalty than rows
void read_null_models(FitProblem& problem, Walks& walks);

/// Replaces starts at which the loss is infinite, if not every predictor has a mean: by the model
/// without features, and without an intercept by coefficients that give each row a mean. Call it
/// after `read_null_models`.
/// \throws Error where no such coefficients are found
void move_starts_inside(FitProblem& problem, Walks& walks);

/// Refuses strength 0 of a path, if a right-hand side has more parameters than rows there. Call it
/// after `read_null_models`, which counts both. \throws Error naming the target and both numbers
void require_rows_at_strength_0(const FitProblem& problem);

/// "column 3 (counts, channel 1, basis 0)"
std::string name_of_column(const std::vector<Term>& terms, std::int64_t column);

/// The lists of names, the first few of them: "a, b, c and 12 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace synelix::glm
