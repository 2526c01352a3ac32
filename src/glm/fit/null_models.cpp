// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_problem.hpp"
#include "glm/rows/families.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>

namespace synelix::glm {
namespace {

/// Reads the sums of one side. Returns false if they are not finite.
bool take_scale(const FitProblem& problem, Side& side, const Sums& sums) {
  const double weight = sums.weight;
  double most = 0;
  side.is_zero.assign(static_cast<std::size_t>(problem.columns), 1);
  side.scales.assign(static_cast<std::size_t>(problem.columns) + 1, 0);
  for (std::size_t i = 0; i < sums.scale.size(); ++i) {
    double& own = side.scales[i / static_cast<std::size_t>(problem.classes)];
    own = std::max(own, sums.scale[i] / weight);
  }
  for (std::int64_t j = 0; j < problem.columns; ++j) {
    for (std::int64_t k = 0; k < problem.classes; ++k) {
      const double scale = sums.scale[static_cast<std::size_t>(j * problem.classes + k)];
      if (scale != 0) side.is_zero[static_cast<std::size_t>(j)] = 0;
      // A column that the target does not use does not affect its optimum, whatever its size.
      if (!problem.uses(j, side.rows.target)) continue;
      if (!std::isfinite(scale)) return false;
      most = std::max(most, scale / weight);
    }
  }
  if (!std::isfinite(sums.loss)) return false;
  // If all columns are zero, the scale is that of the intercept; for a perfect null model it is 0.
  for (std::int64_t k = 0; k < problem.classes && most == 0; ++k) {
    const auto at = static_cast<std::size_t>(problem.columns * problem.classes + k);
    most = std::max(most, sums.scale[at] / weight);
  }
  side.gradient_scale = most > 0 ? most : 1;
  return true;
}

/// One walk for the given sides. Returns the sides whose loss is not finite.
std::vector<std::size_t> walk_sides(FitProblem& problem, Walks& walks,
                                    const std::vector<std::size_t>& sides, bool at_start) {
  std::vector<std::vector<double>> points;
  for (const std::size_t i : sides) {
    const Side& side = problem.sides[i];
    points.push_back(at_start ? problem.start_of(side) : null_point(problem, side));
  }
  std::vector<Request> requests;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Side& side = problem.sides[sides[i]];
    Request request;
    request.parameters = points[i].data();
    request.rows = side.rows;
    request.dispersion = side.dispersion;
    request.wants_scale = true;
    requests.push_back(request);
  }
  std::vector<std::size_t> failed;
  walks.all(requests, {}, [&](std::size_t i, const Sums& sums) {
    if (!take_scale(problem, problem.sides[sides[i]], sums)) failed.push_back(sides[i]);
  });
  return failed;
}

/// If all products of a column with the residuals are 0, the column is zero, or the residuals are 0
/// wherever it is not. The Gram matrix distinguishes the two.
void confirm_zero_columns(FitProblem& problem) {
  const std::int64_t size = problem.columns + 1;
  for (std::size_t first = 0; first < problem.sides.size(); ++first) {
    if (problem.sides[first].same_rows != first) continue;
    std::vector<std::uint8_t> is_candidate(static_cast<std::size_t>(problem.columns), 0);
    for (const Side& side : problem.sides) {
      if (side.same_rows != first || side.is_zero.empty()) continue;
      for (std::size_t j = 0; j < is_candidate.size(); ++j) is_candidate[j] |= side.is_zero[j];
    }
    std::int64_t begin = 0;
    while (begin < problem.columns) {
      std::int64_t end = begin;
      while (end < problem.columns && is_candidate[static_cast<std::size_t>(end)]) ++end;
      if (end > begin) {
        std::vector<double> gram(static_cast<std::size_t>((end - begin) * size));
        problem.pass.gram_rows(problem.observed, problem.sides[first].rows, {begin, end},
                               gram.data());
        for (std::int64_t j = begin; j < end; ++j) {
          const double diagonal = gram[static_cast<std::size_t>((j - begin) * size + j)];
          if (diagonal != 0) is_candidate[static_cast<std::size_t>(j)] = 0;
        }
      }
      begin = end + 1;
    }
    for (Side& side : problem.sides) {
      if (side.same_rows == first) side.is_zero = is_candidate;
    }
  }
}

void warn_of_zero_columns(FitProblem& problem) {
  for (std::size_t first = 0; first < problem.sides.size(); ++first) {
    const Side& side = problem.sides[first];
    if (side.same_rows != first) continue;
    std::vector<std::string> names;
    for (std::int64_t j = 0; j < problem.columns; ++j) {
      if (side.is_zero[static_cast<std::size_t>(j)]) {
        names.push_back(name_of_column(problem.pass.terms(), j));
      }
    }
    if (names.empty()) continue;
    const std::string where =
        first == 0 ? "" : " in the rows of target " + std::to_string(side.rows.target);
    problem.warnings.push_back(std::to_string(names.size()) + " columns are 0 in all rows" + where +
                               ", and their coefficients stay 0: " + listed(names));
  }
}

/// Counts the coefficients of a target without any penalty, and its intercepts.
std::int64_t count_unpenalized(const FitProblem& problem, const Side& side,
                               const BoundPenalty& penalty, std::int64_t block) {
  std::int64_t count = problem.options.fit_intercept ? 1 : 0;
  for (std::int64_t j = 0; j < problem.columns; ++j) {
    if (!problem.uses(j, side.rows.target) || side.is_zero[static_cast<std::size_t>(j)]) continue;
    const auto at = static_cast<std::size_t>((block * problem.columns + j) * problem.classes);
    const bool has_ridge = !penalty.ridge.empty() && penalty.ridge[at] > 0;
    const bool has_l1 = !penalty.l1.empty() && penalty.l1[at] > 0;
    const bool has_group =
        !penalty.groups.empty() && penalty.groups[at] >= 0 &&
        penalty.group_strengths[static_cast<std::size_t>(penalty.groups[at])] > 0;
    if (!has_ridge && !has_l1 && !has_group) ++count;
  }
  return count;
}

/// Refuses a right-hand side that has more parameters without a penalty than rows, under the
/// penalty `used`. `argument` and `remedy` are those of the Error.
void require_rows(const FitProblem& problem, const Penalty& used, const char* argument,
                  const char* remedy) {
  const PenaltyShape shape = problem.shape();
  const bool is_shared = reaches_across_targets(used, shape);
  BoundPenalty penalty;
  if (is_shared) penalty = glm::bind(used, shape, all_targets);
  for (const Side& side : problem.sides) {
    if (!is_shared) penalty = glm::bind(used, shape, side.rows.target);
    const std::int64_t count =
        count_unpenalized(problem, side, penalty, is_shared ? side.rows.target : 0);
    if (count <= side.facts.rows) continue;
    const bool has_fold = side.rows.folds == RowsOf::Fold::without;
    const std::string fold = has_fold ? " outside of fold " + std::to_string(side.rows.fold) : "";
    throw Error(argument,
                "target " + std::to_string(side.rows.target) + " has " +
                    std::to_string(side.facts.rows) + " rows that count" + fold + ", and " +
                    std::to_string(count) + " parameters without a penalty",
                remedy);
  }
}

}  // namespace

std::vector<double> null_point(const FitProblem& problem, const Side& side) {
  std::vector<double> point(static_cast<std::size_t>(problem.parameters()), 0);
  const Loss& loss = problem.loss.loss;
  // The scale of gradients is then that of the mean of the targets.
  const bool is_outside = !problem.options.fit_intercept && !has_mean_at_0(loss);
  const std::vector<double> intercepts =
      is_outside ? null_intercepts(loss, side.facts) : side.null_intercepts;
  std::copy(intercepts.begin(), intercepts.end(), point.end() - problem.classes);
  return point;
}

void read_null_models(FitProblem& problem, Walks& walks) {
  std::vector<std::size_t> all(problem.sides.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<std::size_t> failed = walk_sides(problem, walks, all, false);
  // Rows whose loss is not finite have no residual. So that walk cannot find columns of zeros, and
  // the start keeps the coefficients of all columns.
  for (const std::size_t i : failed) problem.sides[i].is_zero.clear();
  if (!failed.empty()) failed = walk_sides(problem, walks, failed, true);
  if (!failed.empty()) {
    throw Error("start_intercepts",
                "the loss of target " + std::to_string(problem.sides[failed.front()].rows.target) +
                    " is not finite at the start",
                "Give start values where the mean of each row is one that the family can have. If "
                "no start values help, targets or offsets are too large: scale them down");
  }
  confirm_zero_columns(problem);
  warn_of_zero_columns(problem);
  require_rows(problem, problem.options.penalty, "targets",
               "Give more rows, or a penalty such as Ridge");
  walks.release();
  find_column_centers(problem, walks.share());
  for (Side& side : problem.sides) side.scales = {};
}

void require_rows_at_strength_0(const FitProblem& problem) {
  require_rows(problem, NoPenalty{}, "strengths", "Give more rows, or leave strength 0 out");
}

}  // namespace synelix::glm
