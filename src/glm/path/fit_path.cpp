// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/fit/fit_choice.hpp"
#include "glm/fit/fit_rows.hpp"
#include "glm/path/path_problem.hpp"
#include "glm/path/quadratic_path.hpp"
#include "launch/region.hpp"
#include "types/missing.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm_path.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

namespace synelix {

namespace glm {

namespace {

/// Writes the answers of a side into a result.
class PathWriter {
 public:
  PathWriter(const FitProblem& problem, const PathShape& shape, PathResult& result)
      : m_problem(problem), m_shape(shape), m_result(result) {}

  void write(const PathSide& side, std::size_t r, const PathAnswer& answer) {
    const BoundPenalty penalty = times(side.penalty, side.strengths[r]);
    const double of_penalty = penalty.value(m_shape.coefficients_of(answer.parameters));
    for (std::size_t block = 0; block < side.rows.size(); ++block) {
      const std::int64_t target = side.rows[block].target;
      const std::size_t at =
          r * static_cast<std::size_t>(m_result.targets) + static_cast<std::size_t>(target);
      m_result.strengths[at] = side.strengths[r];
      // As in `fit`, a target gets the loss of its own rows, and the penalty of the entire side. A
      // cancelled search only has the sum of several losses.
      const bool has_own = answer.losses.size() == side.rows.size();
      m_result.mean_loss[at] = has_own ? answer.losses[block] : missing;
      m_result.objective[at] = m_result.mean_loss[at] + of_penalty;
      m_result.optimality[at] = answer.optimality;
      m_result.standard_errors_away[at] = answer.standard_errors_away;
      m_result.stop[at] = answer.stop;
      m_result.evaluations[at] = answer.evaluations;
      m_result.nonzero[at] = write_parameters(answer, block, r, target);
    }
  }

 private:
  std::int64_t write_parameters(const PathAnswer& answer, std::size_t block, std::size_t r,
                                std::int64_t target) {
    const std::int64_t classes = m_problem.classes;
    const double* const from =
        answer.parameters.data() + static_cast<std::int64_t>(block) * m_problem.parameters();
    const auto strength = static_cast<std::int64_t>(r);
    std::int64_t nonzero = 0;
    for (std::int64_t j = 0; j <= m_problem.columns; ++j) {
      const bool is_intercept = j == m_problem.columns;
      for (std::int64_t k = 0; k < classes; ++k) {
        const double value = from[j * classes + k];
        const std::int64_t row = is_intercept ? strength : strength * m_problem.columns + j;
        auto& to = is_intercept ? m_result.intercepts : m_result.coefficients;
        to[static_cast<std::size_t>((row * m_problem.targets + target) * classes + k)] = value;
        nonzero += !is_intercept && value != 0 ? 1 : 0;
      }
    }
    return nonzero;
  }

  const FitProblem& m_problem;
  const PathShape& m_shape;
  PathResult& m_result;
};

/// Counts the models that are not at their optimum, and names the first in a warning.
void tell_not_optimal(const PathProblem& path, const PathAnswers& answers, PathResult& result) {
  std::string first;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const PathSide& side = path.sides[i];
    all += std::ssize(answers[i]);
    for (std::size_t r = 0; r < answers[i].size(); ++r) {
      const Stop stop = answers[i][r].stop;
      if (stop != Stop::iterations && stop != Stop::no_decrease) continue;
      if (result.not_optimal++ > 0) continue;
      const RowsOf& rows = side.rows.front();
      first = "target " + std::to_string(rows.target);
      if (rows.folds == RowsOf::Fold::without) {
        first += " outside of fold " + std::to_string(rows.fold);
      }
      first += ", strength " + number_text(side.strengths[r]) + ": " + name_of(stop);
    }
  }
  if (result.not_optimal == 0) return;
  result.warnings.push_back(std::to_string(result.not_optimal) + " of " + std::to_string(all) +
                            " models did not reach the optimum. The first is of " + first);
}

/// An empty result of these sizes: parameters are 0, measured values are NaN, and every model
/// counts as cancelled.
PathResult empty_path_result(std::int64_t columns, std::int64_t targets, const RowLoss& loss,
                             std::size_t count) {
  PathResult result;
  result.count = static_cast<std::int64_t>(count);
  result.columns = columns;
  result.targets = targets;
  result.classes = loss.classes();
  result.loss = loss.loss;
  const std::size_t each = count * static_cast<std::size_t>(targets);
  result.strength_max.assign(static_cast<std::size_t>(targets), missing);
  result.intercepts.assign(each * static_cast<std::size_t>(result.classes), 0);
  result.coefficients.assign(result.intercepts.size() * static_cast<std::size_t>(columns), 0);
  for (auto* numbers : {&result.strengths, &result.mean_loss, &result.objective, &result.optimality,
                        &result.standard_errors_away}) {
    numbers->assign(each, missing);
  }
  result.stop.assign(each, Stop::cancelled);
  result.evaluations.assign(each, 0);
  result.nonzero.assign(each, 0);
  return result;
}

}  // namespace

PathResult result_of(const FitProblem& problem, const PathProblem& path, const PathShape& shape,
                     const PathAnswers& answers, std::int64_t walks) {
  const std::size_t count = path.sides.front().strengths.size();
  PathResult result = empty_path_result(problem.columns, problem.targets, problem.loss, count);
  result.walks = walks;
  // With folds, the warnings of a problem are also about the rows without a fold.
  if (path.sides.size() == path.units) result.warnings = problem.warnings;
  result.warnings.insert(result.warnings.end(), path.warnings.begin(), path.warnings.end());
  PathWriter writer(problem, shape, result);
  for (std::size_t i = 0; i < path.units; ++i) {
    for (const RowsOf& rows : path.sides[i].rows) {
      result.strength_max[static_cast<std::size_t>(rows.target)] = path.strength_max[i];
    }
    for (std::size_t r = 0; r < count; ++r) writer.write(path.sides[i], r, answers[i][r]);
  }
  tell_not_optimal(path, answers, result);
  return result;
}

PathResult unsearched_path(const Pass& pass, const Observed& observed, const RowLoss& loss,
                           const PathOptions& path) {
  std::vector<double> strengths = path.strengths;
  if (strengths.empty()) strengths.assign(static_cast<std::size_t>(path.count), missing);
  std::sort(strengths.begin(), strengths.end(), std::greater<>());
  PathResult result = empty_path_result(pass.columns(), observed.targets(), loss, strengths.size());
  const auto targets = static_cast<std::size_t>(result.targets);
  for (std::size_t i = 0; i < result.strengths.size(); ++i) {
    result.strengths[i] = strengths[i / targets];
  }
  return result;
}

namespace {

PathResult fit_path_watched(Pass& pass, const Observed& observed, const RowLoss& loss,
                            const FitOptions& options, const PathOptions& path_options) {
  check_path(options, path_options);
  require_known("solver", options.solver);
  if (options.solver != Solver::automatic) {
    throw Error("solver",
                std::string(name_of(options.solver)) +
                    " fits a single model, and a path has its own solver",
                "Use automatic, or fit one strength with fit", Remedy::automatic);
  }
  const FitOptions used = without_starts(options);
  FitProblem problem =
      make_fit_problem(pass, observed, loss, used, rows_of_path(observed.targets(), 0));
  PathNeeds needs = needs_of_either_path(problem, path_options, 0, false);
  std::optional<FitShare> share(std::in_place, pass, loss, needs.least, needs.most);
  Walks walks(pass, loss, observed);
  walks.set_share((share->bytes() - needs.fixed) / 4);
  read_null_models(problem, walks);
  needs = needs_of_path(problem, path_options, 0, false, is_quadratic_path(problem));
  share.emplace(pass, loss, needs.least, needs.most);
  walks.set_share((share->bytes() - needs.fixed) / 4);
  const PathShape shape = shape_of(problem);
  const PathProblem path = make_path_problem(problem, walks, shape, path_options);
  PathAnswers answers;
  if (is_cancelled(options)) {
    answers = open_answers(path);
  } else if (path.is_quadratic) {
    answers = open_answers(path);
    finishes(options.cancel, [&] {
      answers =
          solve_quadratic(problem, path, shape, read_quadratic(problem, path, walks, nullptr));
    });
  } else {
    answers = solve_path(problem, path, shape, walks, needs, share->bytes());
  }
  return result_of(problem, path, shape, answers, walks.count());
}

}  // namespace

PathResult fit_path_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                         const FitOptions& options, const PathOptions& path_options) {
  const WatchedWalks watched(pass, options);
  PathResult result;
  const bool is_whole = finishes(options.cancel, [&] {
    result = fit_path_watched(pass, observed, loss, options, path_options);
  });
  return is_whole ? result : unsearched_path(pass, observed, loss, path_options);
}

}  // namespace glm

PathResult fit_path(const DesignMatrix& design, const Observations& observations,
                    const FitOptions& options, const PathOptions& path) {
  const plan::Region region("synelix::fit_path");
  PathResult result = glm::with_bound(
      design, observations, options,
      [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss) {
        return glm::fit_path_rows(pass, observed, loss, options, path);
      });
  for (const std::string& warning : result.warnings) warn(warning);
  return result;
}

void require_budget(const DesignMatrix& design, const Observations& observations,
                    const FitOptions& options, const PathOptions& path) {
  glm::with_bound(design, observations, options,
                  [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss) {
                    glm::check_path(options, path);
                    const FitOptions used = glm::without_starts(options);
                    const glm::FitProblem problem = glm::make_fit_problem(
                        pass, observed, loss, used, glm::rows_of_path(observed.targets(), 0));
                    glm::require_share_of_path(pass, loss, problem, path, 0, false, 0);
                  });
}

FitResult PathResult::model(std::int64_t strength) const {
  if (strength < 0 || strength >= count) {
    throw Error("strength", std::to_string(strength) + " is out of range",
                "Use a number within [0, " + std::to_string(count) + ")");
  }
  FitResult found;
  found.columns = columns;
  found.targets = targets;
  found.classes = classes;
  found.loss = loss;
  const std::int64_t intercepts_each = targets * classes;
  const auto rows_of = [&](const auto& from, std::int64_t each) {
    const auto first = from.begin() + strength * each;
    return std::vector(first, first + each);
  };
  found.coefficients = rows_of(coefficients, columns * intercepts_each);
  found.intercepts = rows_of(intercepts, intercepts_each);
  found.mean_loss = rows_of(mean_loss, targets);
  found.objective = rows_of(objective, targets);
  found.optimality = rows_of(optimality, targets);
  found.standard_errors_away = rows_of(standard_errors_away, targets);
  found.stop = rows_of(stop, targets);
  found.evaluations = rows_of(evaluations, targets);
  found.warnings = warnings;
  return found;
}

}  // namespace synelix
