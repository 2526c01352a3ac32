// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/product.hpp"
#include "glm/fit/column_centers.hpp"
#include "glm/penalty/bound_penalty.hpp"
#include "glm/rows/observed.hpp"
#include "glm/solvers/free_parameters.hpp"

#include <synelix/types/glm.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

/// \file
/// The parts of a path: sides, which are right-hand sides without a strength, and the answers for
/// each strength.

namespace synelix::glm {

/// The model of a side and a strength.
struct PathAnswer {
  std::vector<double> parameters = {};
  std::vector<double> losses = {};  ///< mean loss of each block; empty: never evaluated
  double optimality = std::numeric_limits<double>::infinity();
  double standard_errors_away = std::numeric_limits<double>::quiet_NaN();
  Stop stop = Stop::cancelled;
  std::int64_t evaluations = 0;
};

/// A path to solve: a target on some rows, or all targets if groups span them.
struct PathSide {
  std::vector<RowsOf> rows = {};  ///< of each block of parameters
  std::vector<double> dispersion = {};
  double weight = 1;                   ///< sum of the row weights, the least of all blocks
  BoundPenalty penalty = {};           ///< of strength 1
  std::vector<double> null = {};       ///< parameters of the model without features
  double gradient_scale = 1;           ///< as SearchProblem
  BlockCenters centers = {};           ///< coordinates of its search
  bool is_beyond_double = false;       ///< as Side
  std::vector<double> strengths = {};  ///< descending
  /// The side whose Hessians this one uses: folds of a target use those of all rows.
  std::size_t curvature_of = 0;
  /// Whether the model without features is the answer at any strength, and the reason.
  bool is_settled = false;
  Stop settled = Stop::converged;

  /// The answer before any search: the model without features, unfinished unless it is settled.
  [[nodiscard]] PathAnswer first_answer() const {
    PathAnswer answer;
    answer.parameters = null;
    if (is_settled) {
      answer.stop = settled;
      answer.optimality = 0;
    }
    return answer;
  }
};

/// What all sides of a path have in common.
struct PathShape {
  const Tiles& tiles;
  std::int64_t columns = 0;
  std::int64_t classes = 1;
  bool has_intercept = true;
  double optimality_tolerance = 1e-6;
  double standard_errors_tolerance = 1e-3;
  std::int64_t most_evaluations = 500;

  /// Parameters of a block.
  [[nodiscard]] std::int64_t parameters() const { return (columns + 1) * classes; }
  [[nodiscard]] FreeParameters free_of(const PathSide& side, const BoundPenalty& penalty) const {
    const auto blocks = static_cast<std::int64_t>(side.rows.size());
    return {{columns, classes, blocks}, has_intercept, penalty};
  }
  /// The coefficients among parameters, without intercepts: (blocks, columns, classes).
  [[nodiscard]] std::vector<double> coefficients_of(std::span<const double> parameters) const;
  /// Largest violation of the conditions of an optimum.
  [[nodiscard]] double violation(const BoundPenalty& penalty, std::span<const double> parameters,
                                 std::span<const double> gradient) const;
};

/// A penalty times a number. Parts that become 0 are absent, as in `bind`.
BoundPenalty times(const BoundPenalty& penalty, double strength);

/// Whether a free coefficient has no penalty.
bool leaves_any_out(const BoundPenalty& penalty, std::int64_t coefficients);

/// Smallest strength at which all coefficients with a penalty are 0, from the gradient of the model
/// without features; for Ridge 1000 times the largest gradient. 0 if no gradient is above 0.
double largest_strength(const BoundPenalty& penalty, std::span<const double> gradient);

/// A quadratic model of a mean loss near a point. Its Hessian may be that of another model.
struct PathModel {
  std::span<const double> hessian;   ///< of free parameters
  std::span<const double> gradient;  ///< of all parameters, at the center
  std::span<const double> center;    ///< all parameters
};

/// Overwrites parameters with the minimum of model and penalty.
/// \return the distance from the center to the minimum in standard errors; NaN if the penalty is
///         not smooth
double minimize(const PathShape& shape, const PathSide& side, const BoundPenalty& penalty,
                const PathModel& model, std::vector<double>& parameters);

}  // namespace synelix::glm
