// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/fit_model.hpp"

#include "tool/options/option_words.hpp"
#include "tool/run/inputs.hpp"

#include <synelix/glm_path.hpp>
#include <synelix/glm_score.hpp>
#include <synelix/hdf5.hpp>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

std::vector<std::uint8_t> read_mask(const DatasetPath& path, std::int64_t columns,
                                    std::int64_t targets) {
  const Matrix matrix = read_matrix(file_path(path));
  if (matrix.rows != columns || matrix.columns != targets) {
    throw Error("--mask",
                path.text() + " has extents (" + std::to_string(matrix.rows) + ", " +
                    std::to_string(matrix.columns) + "), but there are " + std::to_string(columns) +
                    " columns and " + std::to_string(targets) + " targets",
                "Give a dataset (columns, targets)");
  }
  std::vector<std::uint8_t> mask;
  mask.reserve(matrix.values.size());
  for (const double value : matrix.values) {
    if (value != 0 && value != 1) {
      throw Error("--mask", path.text() + " holds the value " + format_number(value),
                  "Give 0 where a target does not use a column, and 1 where it does");
    }
    mask.push_back(value == 0 ? 0 : 1);
  }
  return mask;
}

/// The model of the weakest strengths, from the answer of the path on. A path has no phi and no
/// degrees of freedom; a fit has, and scores need them.
FitResult fit_weakest(const DesignMatrix& design, const Observations& observations,
                      const FitSettings& settings, const FitOptions& options,
                      const PathResult& path) {
  FitResult last = path.model(path.count - 1);
  const bool is_cancelled =
      std::find(last.stop.begin(), last.stop.end(), Stop::cancelled) != last.stop.end();
  if (is_cancelled) return last;
  FitOptions refit = options;
  refit.start_coefficients = std::move(last.coefficients);
  refit.start_intercepts = std::move(last.intercepts);
  const auto weakest = path.strengths.end() - path.targets;
  refit.penalty = penalty_of(settings.penalty, design.terms(),
                             Strength({weakest, path.strengths.end()}, Strength::Per::target));
  return fit(design, observations, refit);
}

}  // namespace

Penalty penalty_of(const PenaltyWords& words, const std::vector<Term>& terms,
                   const Strength& strength) {
  const Strength wanted = words.strength ? Strength(*words.strength) : strength;
  switch (words.kind) {
    case PenaltyWords::Kind::none:
      break;
    case PenaltyWords::Kind::ridge:
      return Ridge{wanted};
    case PenaltyWords::Kind::lasso:
      return Lasso{wanted};
    case PenaltyWords::Kind::elastic_net:
      return ElasticNet{wanted, words.ratio};
    case PenaltyWords::Kind::group_lasso:
      return GroupLasso{wanted, groups_of_channels(terms)};
  }
  return NoPenalty{};
}

Solver solver_of(FitSolver solver) {
  switch (solver) {
    case FitSolver::newton:
      return Solver::newton;
    case FitSolver::lbfgs:
      return Solver::lbfgs;
    case FitSolver::proximal_newton:
      return Solver::proximal_newton;
    case FitSolver::automatic:
      break;
  }
  return Solver::automatic;
}

FitOptions fit_options(const FitSettings& settings, const std::vector<Term>& terms,
                       std::int64_t targets) {
  FitOptions options;
  options.loss = settings.loss;
  options.penalty = penalty_of(settings.penalty, terms);
  options.solver = solver_of(settings.solver);
  options.fit_intercept = settings.has_intercept;
  options.estimate_dispersion = settings.estimates_dispersion;
  options.optimality_tolerance = settings.tolerance;
  options.most_evaluations = settings.most_evaluations;
  options.standard_errors = settings.wants_errors;
  if (settings.mask) {
    std::int64_t columns = 0;
    for (const Term& term : terms) columns += term.columns.size();
    options.feature_mask = read_mask(*settings.mask, columns, targets);
  }
  return options;
}

FitFile fitted(const DesignMatrix& design, const Observations& observations,
               const FitSettings& settings, const FitOptions& options) {
  FitFile model;
  PathOptions path;
  path.count = settings.strengths;
  path.ratio = settings.path_ratio;
  if (settings.strengths == 0) path.strengths.push_back(1.0);
  if (settings.folds > 0) {
    const Choose choose =
        settings.choice == PathChoice::least ? Choose::best : Choose::one_standard_error;
    CrossValidationResult found = cross_validate(
        design, observations, options,
        {.folds = settings.folds, .gap = settings.gap, .path = std::move(path), .choose = choose});
    model.result = std::move(found.model);
    model.path = FitPathRecord{.path = std::move(found.path),
                               .chosen = std::move(found.chosen),
                               .folds = found.folds,
                               .scores = std::move(found.scores),
                               .mean = std::move(found.mean),
                               .standard_error = std::move(found.standard_error),
                               .score = name_of(ScoreKind::deviance),
                               .choose = name_of(choose)};
  } else if (settings.strengths > 0) {
    FitOptions of_path = options;
    of_path.solver = Solver::automatic;  // the final fit takes the one that was asked for
    PathResult found = fit_path(design, observations, of_path, path);
    model.result = fit_weakest(design, observations, settings, options, found);
    model.path =
        FitPathRecord{.path = std::move(found),
                      .chosen = std::vector<std::int64_t>(
                          static_cast<std::size_t>(model.result.targets), settings.strengths - 1)};
  } else {
    model.result = fit(design, observations, options);
  }
  return model;
}

std::string settings_text(const FitSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  };
  add("family", name_of(settings.loss.family));
  add("link", name_of(resolved(settings.loss).inverse_link));
  add("dispersion",
      settings.estimates_dispersion ? "estimate" : format_number(settings.loss.dispersion));
  add("classes", std::to_string(settings.loss.classes));
  add("penalty", settings.penalty.text());
  add("solver", std::string(word_of(std::span<const SolverWord>(solvers), settings.solver)));
  add("intercept", settings.has_intercept ? "yes" : "no");
  add("errors", settings.wants_errors ? "yes" : "no");
  add("path", std::to_string(settings.strengths));
  add("path-ratio", format_number(settings.path_ratio));
  add("folds", std::to_string(settings.folds));
  add("gap", std::to_string(settings.gap));
  add("choose", std::string(word_of(std::span<const ChoiceWord>(choices), settings.choice)));
  add("tolerance", format_number(settings.tolerance));
  add("evaluations", std::to_string(settings.most_evaluations));
  return text;
}

}  // namespace synelix::tool
