// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/penalty/bound_penalty.hpp"
#include "glm/solvers/hessian_models.hpp"

#include <synelix/alignment.hpp>
#include <synelix/choice.hpp>
#include <synelix/types/glm.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// \file
/// A solver requests evaluations and receives their results: it computes none itself. So one walk
/// over the rows serves the solvers of all right-hand sides (targets, folds, strengths), and a
/// store of answers suffices to resume a fit: a solver asks the same questions again.

namespace synelix::glm {

/// The mean loss at a point. Sizes are those of `Sums`.
struct Point {
  double loss = 0;
  double weight = 0;                 ///< sum of row weights of the means
  std::span<const double> gradient;  ///< of the mean loss, without the penalty
  std::span<const double> hessian;   ///< of the mean loss; empty if not requested
};

/// The next evaluation that a solver needs.
struct Question {
  std::span<const double> parameters;
  bool wants_hessian = false;
  bool wants_double = true;  ///< products in double
  std::int64_t every = 1;    ///< as Pass::evaluate
};

/// The search for the optimum of one right-hand side, or of targets that share groups.
class Search {
 public:
  virtual ~Search() = default;
  /// The point to evaluate next. Not called once `is_done`.
  [[nodiscard]] virtual Question ask() const = 0;
  /// The answer to `ask`.
  virtual void tell(const Point& point) = 0;
  [[nodiscard]] virtual bool is_done() const = 0;
  [[nodiscard]] virtual Stop stop() const = 0;
  /// The best point so far.
  [[nodiscard]] virtual std::span<const double> parameters() const = 0;
  [[nodiscard]] virtual double objective() const = 0;
  [[nodiscard]] virtual double optimality() const = 0;
  [[nodiscard]] virtual double standard_errors_away() const = 0;
  [[nodiscard]] virtual std::int64_t evaluations() const = 0;
  [[nodiscard]] virtual std::int64_t hessians() const = 0;
  /// Columns of the design whose rows of the Hessian at `parameters` the search needs before it
  /// asks again. Empty: it needs none.
  [[nodiscard]] virtual Range wants_rows() const { return {}; }
  /// The answer to `wants_rows`: (columns.size(), all columns + 1), of the mean loss.
  virtual void take_rows(std::span<const double> /*hessian*/) {}
};

/// The problem of a search. Parameters are `blocks` blocks of (columns + 1, classes) values,
/// row-major: the coefficients, then the intercepts. There are several blocks if groups of a
/// penalty span targets. The loss is then the sum of the targets' losses, and a Hessian is `blocks`
/// square matrices, one after the other.
struct SearchProblem {
  std::int64_t columns = 0;
  std::int64_t classes = 1;
  std::int64_t blocks = 1;
  bool has_intercept = true;       ///< else intercepts stay at their start
  BoundPenalty penalty = {};       ///< (blocks, columns, classes) coefficients, row-major
  std::vector<double> start = {};  ///< as parameters
  /// The scale of violations: largest mean |x_j r0|, with r0 the residual without features.
  double gradient_scale = 1;
  double optimality_tolerance = 1e-6;
  double standard_errors_tolerance = 1e-3;
  std::int64_t most_evaluations = 500;
  /// Whether products in float are worthwhile for the first steps.
  bool may_use_float = false;
  /// Rows that count, and their weight. With many rows, a search may start on a part of them if the
  /// part has its share of the weight. Weight 0: not known.
  std::int64_t rows = 0;
  double weight = 0;
  /// Cost of a Hessian, in evaluations of loss and gradient. It depends only on the problem.
  double hessian_cost = 4;
  /// Shared by the searches of a fit; null for none.
  std::shared_ptr<const GramModel> gram = {};
  /// For lbfgs: the factor of that Gram matrix in the free parameters of the search; null for none.
  std::shared_ptr<const GramFactor> gram_factor = {};
  /// Mean curvature of the loss at the start: times the Gram matrix, it is the first model of
  /// proximal_newton and of lbfgs. 0: not known, and the Gram matrix is not used.
  double curvature = 0;
  /// Whether the loss is quadratic in the parameters (gaussian, identity): one Hessian suffices.
  bool is_quadratic = false;
  /// For lbfgs: columns that belong together, such as the filters of one channel. The search may
  /// request the rows of the Hessian of one of these ranges (Search::wants_rows). Empty: it does
  /// not.
  std::vector<Range> channels = {};
  /// The result of `tile::select_set`, or automatic.
  InstructionSet instruction_set = InstructionSet::automatic;
};

/// \throws Error if the solver does not support the penalty (newton and lbfgs: only smooth ones)
std::unique_ptr<Search> make_search(Solver solver, SearchProblem problem);

}  // namespace synelix::glm
