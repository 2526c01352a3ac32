// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/fit/fit_rows.hpp"
#include "glm/path/cross_validation.hpp"
#include "glm/path/folded_rows.hpp"
#include "glm/path/path_problem.hpp"
#include "glm/path/quadratic_path.hpp"
#include "glm/sweep/host_items.hpp"
#include "launch/region.hpp"
#include "types/missing.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm_path.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace synelix {

namespace glm {

namespace {

/// The numbers that turn losses of test rows into scores, (folds, targets).
std::vector<HeldOut> read_test_rows(const FitProblem& problem, const FoldedRows& folded) {
  const auto count = folded.count() * problem.targets;
  std::vector<HeldOut> found(static_cast<std::size_t>(count));
  const std::span<const std::uint64_t> valid = problem.pass.valid();
  folded.begin({0, folded.rows()});
  sweep::run_host_loop("synelix::cross_validate::test_rows", count, [&](std::int64_t item) {
    const ScoredRows rows{folded, valid, RowsOf::Fold::only,
                          static_cast<int>(item / problem.targets)};
    const std::int64_t target = item % problem.targets;
    found[static_cast<std::size_t>(item)] = read_held_out(rows, target, problem.loss.loss);
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].weight > 0) continue;
    const auto targets = static_cast<std::size_t>(problem.targets);
    throw Error("folds",
                "fold " + std::to_string(i / targets) + " has no row of target " +
                    std::to_string(i % targets) + " that counts",
                "Use fewer folds, or give fold_of_row");
  }
  return found;
}

/// Which folds have a score for a target, (folds, targets), and why others have none.
class ScoredFolds {
 public:
  ScoredFolds(const FitProblem& problem, const std::vector<HeldOut>& test_rows, ScoreKind score)
      : m_targets(static_cast<std::size_t>(problem.targets)), m_score(score) {
    for (const HeldOut& rows : test_rows) m_counts.push_back(rows.has(score) ? 1 : 0);
    for (std::size_t i = 0; i < m_targets; ++i) {
      // For a target that needs no search, all strengths have the same model.
      if (!problem.sides[i].is_settled) require_fold(i);
    }
  }

  [[nodiscard]] const std::vector<std::uint8_t>& counts() const { return m_counts; }
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> left_out;
    for (std::size_t at = 0; at < m_counts.size(); ++at) {
      if (m_counts[at]) continue;
      left_out.push_back("fold " + std::to_string(at / m_targets) + " of target " +
                         std::to_string(at % m_targets));
    }
    if (left_out.empty()) return {};
    return {std::string(name_of(m_score)) +
            " is not defined where the targets of a fold do not vary, and such folds are left out "
            "of its mean: " +
            listed(left_out)};
  }

 private:
  void require_fold(std::size_t target) const {
    for (std::size_t at = target; at < m_counts.size(); at += m_targets) {
      if (m_counts[at]) return;
    }
    throw Error("score",
                std::string(name_of(m_score)) + " is not defined for target " +
                    std::to_string(target) + ", which does not vary within any fold",
                "Use deviance, or folds in which the target varies");
  }

  std::size_t m_targets;
  ScoreKind m_score;
  std::vector<std::uint8_t> m_counts;
};

/// Targets that are compared, but that have no finite score for any strength.
std::vector<std::string> unscored(const FitProblem& problem, const CrossValidationResult& found) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < found.chosen.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(found.chosen[i]) * found.chosen.size() + i;
    const bool is_number = std::isfinite(found.mean[at]);
    if (!is_number && !problem.sides[i].is_settled) names.push_back(std::to_string(i));
  }
  return names;
}

/// Says how many models have no finite score, and are never chosen.
std::vector<std::string> warnings_of_infinite(const CrossValidationResult& found,
                                              std::size_t scored) {
  const auto infinite = std::count_if(found.scores.begin(), found.scores.end(),
                                      [](double score) { return std::isinf(score); });
  if (infinite == 0) return {};
  return {std::to_string(infinite) + " of " + std::to_string(scored) +
          " models give a row of their fold a mean that the family cannot have: their score is "
          "infinite, and their strength is not chosen unless no other has a finite mean score"};
}

/// An answer, and the test rows on which it is scored.
struct Scored {
  std::size_t side;
  std::size_t block;
  std::size_t strength;
  std::size_t fold;
  std::size_t target;
};

/// The models that leave out a fold. Those that a cancelled path left open have no score.
std::vector<Scored> all_scored(const PathProblem& path, const PathAnswers& answers) {
  std::vector<Scored> all;
  for (std::size_t i = path.units; i < path.sides.size(); ++i) {
    const PathSide& side = path.sides[i];
    for (std::size_t r = 0; r < side.strengths.size(); ++r) {
      if (answers[i][r].stop == Stop::cancelled) continue;
      for (std::size_t block = 0; block < side.rows.size(); ++block) {
        all.push_back(
            {i, block, r, i / path.units - 1, static_cast<std::size_t>(side.rows[block].target)});
      }
    }
  }
  return all;
}

/// Sums of losses of the test rows by a walk, in the order of `scored`.
std::vector<double> walk_test_losses(const std::vector<Scored>& scored, const PathProblem& path,
                                     const PathShape& shape, const PathAnswers& answers,
                                     Walks& walks) {
  std::vector<Request> requests;
  for (const Scored& one : scored) {
    const PathSide& side = path.sides[one.side];
    Request request;
    request.parameters = answers[one.side][one.strength].parameters.data() +
                         static_cast<std::int64_t>(one.block) * shape.parameters();
    request.rows = side.rows[one.block];
    request.rows.folds = RowsOf::Fold::only;
    request.dispersion = side.dispersion[one.block];
    requests.push_back(request);
  }
  std::vector<double> losses(scored.size());
  walks.all(requests, {}, [&](std::size_t k, Sums& sums) { losses[k] = sums.loss; });
  return losses;
}

/// The same without a walk.
std::vector<double> quadratic_test_losses(const std::vector<Scored>& scored,
                                          const FitProblem& problem, const PathShape& shape,
                                          const PathAnswers& answers,
                                          const QuadraticLosses& quadratic) {
  std::vector<double> losses(scored.size());
  const auto size = static_cast<std::size_t>(shape.parameters());
  for (std::size_t k = 0; k < scored.size(); ++k) {
    const Scored& one = scored[k];
    const std::vector<double>& parameters = answers[one.side][one.strength].parameters;
    const std::span<const double> point(parameters.data() + one.block * size, size);
    const std::size_t at = one.fold * static_cast<std::size_t>(problem.targets) + one.target;
    losses[k] = quadratic.test[at].sum_at(point);
  }
  return losses;
}

/// Fits the model of each target at its strength on all rows, starting from the answer of the path.
FitResult fit_chosen(Pass& pass, const Observed& observed, const RowLoss& loss,
                     const FitOptions& options, const CrossValidationResult& found) {
  const PathResult& path = found.path;
  FitOptions refit = options;
  std::vector<double> strengths;
  refit.start_coefficients.resize(
      static_cast<std::size_t>(path.columns * path.targets * path.classes));
  refit.start_intercepts.resize(static_cast<std::size_t>(path.targets * path.classes));
  for (std::int64_t i = 0; i < path.targets; ++i) {
    const std::int64_t r = found.chosen[static_cast<std::size_t>(i)];
    strengths.push_back(path.strengths[static_cast<std::size_t>(r * path.targets + i)]);
    for (std::int64_t j = 0; j <= path.columns; ++j) {
      const bool is_intercept = j == path.columns;
      const auto& from = is_intercept ? path.intercepts : path.coefficients;
      auto& to = is_intercept ? refit.start_intercepts : refit.start_coefficients;
      const std::int64_t to_row = is_intercept ? 0 : j;
      const std::int64_t from_row = is_intercept ? r : r * path.columns + j;
      for (std::int64_t k = 0; k < path.classes; ++k) {
        to[static_cast<std::size_t>((to_row * path.targets + i) * path.classes + k)] =
            from[static_cast<std::size_t>((from_row * path.targets + i) * path.classes + k)];
      }
    }
  }
  refit.penalty = chosen_penalty(options.penalty, path.columns, strengths);
  return fit_rows(pass, observed, loss, refit);
}

/// A result without its model.
struct ScoredPath {
  CrossValidationResult result;
  std::vector<std::string> warnings;
};

/// Computes everything except the chosen model. The memory of folds and paths is freed at its end.
ScoredPath score_folds(Pass& pass, const Observed& observed, const RowLoss& loss,
                       const FitOptions& options, const CrossValidationOptions& validation) {
  check_path(options, validation.path);
  check_score(loss.loss, validation.score);
  const FoldedRows folded(observed, folds_of_rows(pass.rows(), validation), validation.gap);
  FitOptions used = without_starts(options);
  used.solver = options.solver;  // of the final fit: it must support the penalty
  FitProblem problem =
      make_fit_problem(pass, folded, loss, used, rows_of_path(folded.targets(), folded.count()));
  const std::vector<HeldOut> test_rows = read_test_rows(problem, folded);
  PathNeeds needs =
      needs_of_either_path(problem, validation.path, folded.count(), validation.gap > 0);
  // A budget that is too small for the final fit is refused here, before the folds are computed.
  const std::int64_t of_fit = choose_fit_rows(pass, observed, loss, options).needs.least();
  std::optional<FitShare> share(std::in_place, pass, loss, std::max(needs.least, of_fit),
                                std::max(needs.most, of_fit));
  const ScoredFolds folds(problem, test_rows, validation.score);
  Walks walks(pass, loss, folded);
  walks.set_share((share->bytes() - needs.fixed) / 4);
  read_null_models(problem, walks);
  needs = needs_of_path(problem, validation.path, folded.count(), validation.gap > 0,
                        is_quadratic_path(problem));
  share.emplace(pass, loss, needs.least, needs.most);
  walks.set_share((share->bytes() - needs.fixed) / 4);
  const PathShape shape = shape_of(problem);
  const PathProblem path = make_path_problem(problem, walks, shape, validation.path);
  PathAnswers answers;
  std::vector<Scored> scored;
  std::vector<double> losses;
  if (is_cancelled(options)) {
    answers = open_answers(path);
  } else if (path.is_quadratic) {
    answers = open_answers(path);
    finishes(options.cancel, [&] {
      const QuadraticLosses quadratic = read_quadratic(problem, path, walks, &folded);
      answers = solve_quadratic(problem, path, shape, quadratic);
      scored = all_scored(path, answers);
      losses = quadratic_test_losses(scored, problem, shape, answers, quadratic);
    });
  } else {
    answers = solve_path(problem, path, shape, walks, needs, share->bytes());
    scored = all_scored(path, answers);
    const bool is_scored = finishes(
        options.cancel, [&] { losses = walk_test_losses(scored, path, shape, answers, walks); });
    if (!is_scored) scored.clear();
  }
  CrossValidationResult result;
  result.folds = folded.count();
  result.path = result_of(problem, path, shape, answers, walks.count());
  result.scores.assign(result.path.strengths.size() * static_cast<std::size_t>(folded.count()),
                       std::numeric_limits<double>::quiet_NaN());
  const auto targets = static_cast<std::size_t>(problem.targets);
  for (std::size_t k = 0; k < scored.size(); ++k) {
    const Scored& one = scored[k];
    const std::size_t at = one.fold * targets + one.target;
    if (!folds.counts()[at]) continue;
    result.scores[one.fold * result.path.strengths.size() + one.strength * targets + one.target] =
        test_rows[at].score(validation.score, losses[k]);
  }
  choose_strengths(validation, folds.counts(), result);
  ScoredPath found{std::move(result), folds.warnings()};
  for (std::string& text : warnings_of_infinite(found.result, scored.size())) {
    found.warnings.push_back(std::move(text));
  }
  const std::vector<std::string> names = unscored(problem, found.result);
  if (!is_cancelled(options)) {
    std::vector<bool> has_choice(static_cast<std::size_t>(problem.targets));
    for (std::size_t i = 0; i < has_choice.size(); ++i) {
      has_choice[i] = !problem.sides[i].is_settled;
    }
    for (std::string& text : warnings_of_ends(validation, has_choice, found.result)) {
      found.warnings.push_back(std::move(text));
    }
  }
  if (!names.empty() && !is_cancelled(options)) {
    found.warnings.push_back(
        "no strength has a finite mean score, so that the largest is chosen: targets " +
        listed(names));
  }
  return found;
}

/// The result of a cross-validation that was cancelled before its first search.
CrossValidationResult unsearched_folds(const Pass& pass, const Observed& observed,
                                       const RowLoss& loss, const FitOptions& options,
                                       const CrossValidationOptions& validation) {
  CrossValidationResult result;
  const FoldedRows folded(observed, folds_of_rows(pass.rows(), validation), validation.gap);
  result.folds = folded.count();
  result.path = unsearched_path(pass, observed, loss, validation.path);
  const std::size_t each = result.path.strengths.size();
  result.scores.assign(each * static_cast<std::size_t>(result.folds), missing);
  result.mean.assign(each, missing);
  result.standard_error.assign(each, missing);
  result.chosen.assign(static_cast<std::size_t>(result.path.targets), 0);
  result.model = unsearched(pass, observed, loss, without_starts(options));
  return result;
}

}  // namespace

CrossValidationResult cross_validate_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                                          const FitOptions& options,
                                          const CrossValidationOptions& validation) {
  ScoredPath found;
  const bool is_whole = finishes(options.cancel, [&] {
    const WatchedWalks watched(pass, options);
    found = score_folds(pass, observed, loss, options, validation);
  });
  if (!is_whole) return unsearched_folds(pass, observed, loss, options, validation);
  found.result.model = fit_chosen(pass, observed, loss, options, found.result);
  std::vector<std::string>& warnings = found.result.model.warnings;
  warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
  for (const std::string& text : found.result.path.warnings) {
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
      warnings.push_back(text);
    }
  }
  return std::move(found.result);
}

}  // namespace glm

void require_budget(const DesignMatrix& design, const Observations& observations,
                    const FitOptions& options, const CrossValidationOptions& validation) {
  glm::with_bound(design, observations, options,
                  [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss) {
                    glm::check_path(options, validation.path);
                    const glm::FoldedRows folded(
                        observed, glm::folds_of_rows(pass.rows(), validation), validation.gap);
                    const FitOptions used = glm::without_starts(options);
                    const glm::FitProblem problem =
                        glm::make_fit_problem(pass, folded, loss, used,
                                              glm::rows_of_path(folded.targets(), folded.count()));
                    glm::require_share_of_path(
                        pass, loss, problem, validation.path, folded.count(), validation.gap > 0,
                        glm::choose_fit_rows(pass, observed, loss, options).needs.least());
                  });
}

CrossValidationResult cross_validate(const DesignMatrix& design, const Observations& observations,
                                     const FitOptions& options,
                                     const CrossValidationOptions& validation) {
  const plan::Region region("synelix::cross_validate");
  CrossValidationResult result = glm::with_bound(
      design, observations, options,
      [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss) {
        return glm::cross_validate_rows(pass, observed, loss, options, validation);
      });
  for (const std::string& warning : result.model.warnings) warn(warning);
  return result;
}

}  // namespace synelix
