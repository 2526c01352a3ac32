// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_share.hpp"

#include "glm/fit/fit_choice.hpp"
#include "glm/fit/predictor_walk.hpp"
#include "glm/rows/families.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace synelix::glm {
namespace {

constexpr auto number_bytes = static_cast<std::int64_t>(sizeof(double));
/// Vectors of parameters that a search holds: its points and gradients, its penalty twice, and the
/// indices of its free parameters.
constexpr std::int64_t vectors_of_search = 24;
/// Vectors that L-BFGS holds in addition: three lists of 30 steps.
constexpr std::int64_t vectors_of_steps = 90;
/// Vectors of parameters of each right-hand side: start, answer, null model, result, errors.
constexpr std::int64_t vectors_of_side = 8;
/// Matrices in memory while a model is factored: the model with its ridge, the scaled model, the
/// factor, a null space.
constexpr std::int64_t matrices_of_factor = 4;

/// Bound on the evaluations of L-BFGS before Newton's method takes over, as a multiple of the
/// evaluations that Newton's method would need for the entire fit. With heavy-tailed columns L-BFGS
/// needs far more than its usual 10 evaluations, or does not converge.
constexpr double most_newton_fits = 2;
constexpr double least_patience = 30;

std::int64_t squared_bytes(std::int64_t size) { return size * size * number_bytes; }

bool has_rows_of_its_own(const FitProblem& problem) {
  return std::any_of(problem.sides.begin(), problem.sides.end(),
                     [](const Side& side) { return side.same_rows != 0; });
}

/// Bytes of a walk that certifies one answer, and of the certificate.
std::int64_t certificate_bytes(const FitProblem& problem, Solver solver) {
  const std::int64_t vectors = vectors_of_search * problem.parameters() * number_bytes;
  const auto evaluations = static_cast<double>(problem.options.most_evaluations);
  const bool may_have_hessian = solver == Solver::newton || problem.options.standard_errors ||
                                problem.pass.cost().hessian_in_gradients <= evaluations;
  const std::int64_t matrices =
      may_have_hessian ? problem.pass.copies_of_sums() + matrices_of_factor : 0;
  return matrices * squared_bytes(problem.parameters()) + vectors;
}

/// Bytes of walks over predictors, for dispersions, Pearson's statistic, and rows at a border.
std::int64_t predictor_bytes(const FitProblem& problem) {
  const Loss& loss = problem.loss.loss;
  const bool needs_predictors = problem.options.estimate_dispersion ||
                                family_row(loss.family).scale == ScaleKind::pearson ||
                                has_border(loss);
  if (!needs_predictors) return 0;
  return predictor_walk_bytes(problem.columns, static_cast<std::int64_t>(problem.sides.size()));
}

}  // namespace

std::int64_t bytes_of_sides(const FitProblem& problem) {
  const auto sides = static_cast<std::int64_t>(problem.sides.size());
  return sides * (vectors_of_side * problem.parameters() * number_bytes + problem.columns);
}

void count_search(const FitProblem& problem, Solver solver, std::int64_t blocks, FitNeeds& needs) {
  const std::int64_t size = problem.parameters();
  const std::int64_t vector = blocks * size * number_bytes;
  const std::int64_t matrix = squared_bytes(size);
  needs.search = vectors_of_search * vector;
  const std::int64_t copies = problem.pass.copies_of_sums();
  needs.sums = copies * 2 * vector;
  if (solver == Solver::lbfgs) {
    needs.search += vectors_of_steps * vector;
    return;
  }
  // The model of each block and its factor. Answers of several blocks are concatenated.
  needs.search += (blocks > 1 ? 3 : 2) * blocks * matrix + matrices_of_factor * matrix;
  needs.sums += copies * blocks * matrix;
}

FitNeeds needs_of_fit(const FitProblem& problem, Solver solver, bool is_shared) {
  FitNeeds needs;
  const auto sides = static_cast<std::int64_t>(problem.sides.size());
  needs.searches = is_shared ? 1 : sides;
  needs.fixed = problem.observed.held_bytes() + bytes_of_sides(problem);
  count_search(problem, solver, is_shared ? sides : 1, needs);
  const std::int64_t gram = squared_bytes(problem.columns + 1);
  if (solver != Solver::newton && problem.classes == 1 && !is_shared) {
    // For lbfgs with its factor, and the matrices in memory while it is made.
    const std::int64_t model = solver == Solver::lbfgs ? gram * (1 + matrices_of_factor) : gram;
    needs.shared = model;
    // With a ridge, targets of different curvature have different factors, but few.
    constexpr std::int64_t most_factors = 4;
    if (solver == Solver::lbfgs && !std::holds_alternative<NoPenalty>(problem.options.penalty)) {
      needs.shared += gram * (std::min(sides, most_factors) - 1);
    }
    const bool has_own_factor = solver == Solver::lbfgs && !problem.options.feature_mask.empty();
    if (has_rows_of_its_own(problem)) {
      needs.search += model;
    } else if (has_own_factor) {
      needs.search += gram;
    }
  }
  // Rows of the Gram matrix confirm columns of zeros; its rank gives the degrees of freedom.
  const bool needs_rank = std::holds_alternative<NoPenalty>(problem.options.penalty);
  needs.last =
      std::max((needs_rank ? matrices_of_factor : 2) * gram, certificate_bytes(problem, solver));
  // A Gram matrix is computed together with the nodes of its sum, before searches allocate memory.
  needs.last = std::max(needs.last, (1 + problem.pass.copies_of_sums()) * gram);
  needs.last = std::max(needs.last, predictor_bytes(problem));
  if (may_hand_over(problem, solver)) {
    // A search of newton, after the Gram matrix and its factors are freed.
    FitNeeds newton;
    count_search(problem, Solver::newton, is_shared ? sides : 1, newton);
    needs.last = std::max(needs.last, newton.search + newton.sums - needs.shared);
  }
  return needs;
}

SearchPlan first_plan(const FitProblem& problem, Solver chosen, const FitNeeds& needs,
                      std::int64_t free) {
  SearchPlan plan;
  plan.solver = chosen;
  plan.most_open = static_cast<std::size_t>(
      std::max<std::int64_t>(1, (free - needs.shared) / (needs.search + needs.sums)));
  plan.bytes_of_sums = static_cast<std::int64_t>(plan.most_open) * needs.sums;
  plan.most_evaluations = problem.options.most_evaluations;
  if (may_hand_over(problem, chosen)) {
    const double newton = newton_evaluations(problem.pass.cost().hessian_in_evaluations);
    const double patience = std::max(least_patience, most_newton_fits * newton);
    if (patience < static_cast<double>(plan.most_evaluations)) {
      plan.most_evaluations = static_cast<std::int64_t>(patience);
    }
  }
  return plan;
}

SearchPlan last_plan(const FitProblem& problem, bool is_shared, std::int64_t free) {
  FitNeeds newton;
  count_search(problem, Solver::newton, is_shared ? problem.targets : 1, newton);
  SearchPlan plan;
  plan.most_open =
      static_cast<std::size_t>(std::max<std::int64_t>(1, free / (newton.search + newton.sums)));
  plan.bytes_of_sums = static_cast<std::int64_t>(plan.most_open) * newton.sums;
  plan.most_evaluations = problem.options.most_evaluations;
  plan.goes_on = true;
  return plan;
}

}  // namespace synelix::glm
