// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_problem.hpp"

#include "glm/fit/fit_choice.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::glm {
namespace {

void require_size(const char* argument, std::size_t found, std::int64_t wanted,
                  const std::string& shape) {
  if (found == 0 || found == static_cast<std::size_t>(wanted)) return;
  throw Error(
      argument,
      std::to_string(found) + " values are not the " + std::to_string(wanted) + " of " + shape,
      "Give one value for each, row-major, or none");
}

void require_finite(const char* argument, const std::vector<double>& values) {
  const auto bad = std::find_if_not(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad == values.end()) return;
  throw Error(argument, "value " + std::to_string(bad - values.begin()) + " is not finite",
              "Give finite values");
}

void require_tolerance(const char* argument, double value) {
  if (value > 0 && std::isfinite(value)) return;
  throw Error(argument, std::to_string(value) + " is not a tolerance",
              "Give a number above 0, such as 1e-6");
}

void check_feature_mask(const FitProblem& problem) {
  const std::vector<std::uint8_t>& mask = problem.options.feature_mask;
  require_size("feature_mask", mask.size(), problem.columns * problem.targets,
               std::to_string(problem.columns) + " columns and " + std::to_string(problem.targets) +
                   " targets");
  const auto bad = std::find_if(mask.begin(), mask.end(), [](std::uint8_t v) { return v > 1; });
  if (bad == mask.end()) return;
  const std::int64_t index = bad - mask.begin();
  throw Error("feature_mask",
              "column " + std::to_string(index / problem.targets) + " of target " +
                  std::to_string(index % problem.targets) + " is " + std::to_string(*bad),
              "Use 1 for columns that a target uses, and 0 for others");
}

void check_starts(const FitProblem& problem) {
  const FitOptions& options = problem.options;
  const std::string classes =
      problem.classes > 1 ? " and " + std::to_string(problem.classes) + " classes" : "";
  require_size("start_coefficients", options.start_coefficients.size(),
               problem.columns * problem.targets * problem.classes,
               std::to_string(problem.columns) + " columns, " + std::to_string(problem.targets) +
                   " targets" + classes);
  require_size("start_intercepts", options.start_intercepts.size(),
               problem.targets * problem.classes,
               std::to_string(problem.targets) + " targets" + classes);
  require_finite("start_coefficients", options.start_coefficients);
  require_finite("start_intercepts", options.start_intercepts);
}

void check_penalty(const FitProblem& problem) {
  const FitOptions& options = problem.options;
  const bool is_shared = reaches_across_targets(options.penalty, problem.shape());
  bool is_smooth = true;
  for (std::int64_t i = is_shared ? all_targets : 0; i < (is_shared ? 0 : problem.targets); ++i) {
    is_smooth = glm::bind(options.penalty, problem.shape(), i).is_smooth() && is_smooth;
  }
  if (is_smooth) return;
  if (options.solver == Solver::newton || options.solver == Solver::lbfgs) {
    throw Error(
        "solver",
        std::string(name_of(options.solver)) + " needs a penalty with a gradient everywhere",
        "Use proximal_newton or automatic for Lasso, ElasticNet and GroupLasso");
  }
  if (options.standard_errors) {
    throw Error("standard_errors", "coefficients that a penalty sets to 0 have none",
                "Use no penalty or Ridge, or leave standard errors out");
  }
}

void check_fit_options(const FitProblem& problem) {
  const FitOptions& options = problem.options;
  if (problem.observed.rows() != problem.pass.rows()) {
    throw Error("targets",
                std::to_string(problem.observed.rows()) + " rows are not the " +
                    std::to_string(problem.pass.rows()) + " of the design",
                "Give one value for each row of the design");
  }
  require_tolerance("optimality_tolerance", options.optimality_tolerance);
  require_tolerance("standard_errors_tolerance", options.standard_errors_tolerance);
  if (options.most_evaluations < 1) {
    throw Error("most_evaluations",
                std::to_string(options.most_evaluations) + " evaluations find no optimum",
                "Allow 1 or more");
  }
  if (options.estimate_dispersion && !family_row(problem.loss.loss.family).has_dispersion) {
    throw Error("estimate_dispersion",
                std::string(name_of(problem.loss.loss.family)) + " has no dispersion",
                "Use the family negative_binomial, or leave estimate_dispersion out");
  }
  require_known("solver", options.solver);
  check_feature_mask(problem);
  check_starts(problem);
  check_penalty(problem);
}

/// Settles a right-hand side that needs no search.
void settle(const FitProblem& problem, Side& side) {
  if (!problem.options.fit_intercept) return;
  const Loss& loss = problem.loss.loss;
  if (has_no_events(loss, side.facts)) {
    side.is_settled = true;
    side.settled = Stop::no_events;
  } else if (null_is_optimum(loss, side.facts, problem.observed.has_offset())) {
    side.is_settled = true;
    side.settled = Stop::converged;
  }
}

}  // namespace

std::vector<RowsOf> sides_of_targets(const Observed& observed) {
  std::vector<RowsOf> sides(static_cast<std::size_t>(observed.targets()));
  for (std::size_t i = 0; i < sides.size(); ++i) sides[i].target = static_cast<std::int64_t>(i);
  return sides;
}

FitProblem make_fit_problem(Pass& pass, const Observed& observed, const RowLoss& loss,
                            const FitOptions& options, const std::vector<RowsOf>& sides) {
  FitProblem problem{pass,           observed, loss, options, pass.columns(), observed.targets(),
                     loss.classes(), {},       {}};
  check_fit_options(problem);
  const std::vector<TargetFacts> facts = read_facts(loss.loss, observed, pass.valid(), sides);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Side side;
    side.rows = sides[i];
    side.facts = facts[i];
    side.dispersion = loss.loss.dispersion;
    side.same_rows = i;
    for (std::size_t k = 0; k < i && side.same_rows == i; ++k) {
      const bool is_first = problem.sides[k].same_rows == k;
      if (is_first && facts[k].has_rows_of(facts[i])) side.same_rows = k;
    }
    side.null_intercepts = options.fit_intercept
                               ? null_intercepts(loss.loss, facts[i])
                               : std::vector<double>(static_cast<std::size_t>(problem.classes), 0);
    settle(problem, side);
    problem.sides.push_back(std::move(side));
  }
  return problem;
}

std::vector<double> FitProblem::start_of(const Side& side) const {
  if (!side.start.empty()) return side.start;
  std::vector<double> start(static_cast<std::size_t>(parameters()), 0);
  const std::int64_t target = side.rows.target;
  const std::vector<double>& given = options.start_coefficients;
  for (std::int64_t j = 0; j < columns && !given.empty(); ++j) {
    if (!uses(j, target) || (!side.is_zero.empty() && side.is_zero[static_cast<std::size_t>(j)])) {
      continue;
    }
    for (std::int64_t k = 0; k < classes; ++k) {
      start[static_cast<std::size_t>(j * classes + k)] =
          given[static_cast<std::size_t>((j * targets + target) * classes + k)];
    }
  }
  for (std::int64_t k = 0; k < classes; ++k) {
    start[static_cast<std::size_t>(columns * classes + k)] =
        options.start_intercepts.empty()
            ? side.null_intercepts[static_cast<std::size_t>(k)]
            : options.start_intercepts[static_cast<std::size_t>(target * classes + k)];
  }
  return start;
}

std::string name_of_column(const std::vector<Term>& terms, std::int64_t column) {
  std::string number = "column " + std::to_string(column);
  for (const Term& term : terms) {
    if (column < term.columns.begin || column >= term.columns.end || term.bases == 0) continue;
    const std::int64_t place = column - term.columns.begin;
    return number + " (" + term.label + ", channel " + std::to_string(place / term.bases) +
           ", basis " + std::to_string(place % term.bases) + ")";
  }
  return number;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace synelix::glm
