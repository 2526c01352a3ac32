// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_problem.hpp"
#include "glm/fit/lockstep.hpp"
#include "glm/path/path_side.hpp"
#include "glm/path/path_solver.hpp"

#include <synelix/types/glm_path.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// From right-hand sides to paths, and from paths to the public result.

namespace synelix::glm {

/// The right-hand sides of a path: first on all rows, then without each fold; each time one for
/// each target.
std::vector<RowsOf> rows_of_path(std::int64_t targets, int folds);

/// Checks the options before any walk.
/// \throws Error as fit_path
void check_path(const FitOptions& options, const PathOptions& path);

/// The options with start values left out: a path begins at the model without features.
FitOptions without_starts(const FitOptions& options);

/// The sides of a path, and their common data.
struct PathProblem {
  std::vector<PathSide> sides;       ///< those of all rows, then those of each fold
  std::size_t units = 0;             ///< sides of all rows: targets, or 1 if groups span them
  std::vector<double> strength_max;  ///< of each unit
  bool is_quadratic = false;         ///< is_quadratic_path
  std::vector<std::string> warnings = {};
};

/// Sides with their penalties, strengths and models without features. Walks over the rows.
/// \param problem  of `rows_of_path`, after `read_null_models`
/// \throws Error for strength 0 if a right-hand side has more parameters than rows
PathProblem make_path_problem(const FitProblem& problem, Walks& walks, const PathShape& shape,
                              const PathOptions& path);

/// What the sides of a fit have in common.
PathShape shape_of(const FitProblem& problem);

/// Bytes of a path of a problem: what its sides hold, then the least and the most in total.
struct PathNeeds {
  std::int64_t fixed = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  PathMemory memory = {};
};

/// Whether the sums of one walk suffice for all models: gaussian with the identity. If columns are
/// centered, these sums have too few digits, and each model needs its own walks.
bool is_quadratic_path(const FitProblem& problem);

/// \param folds         of the observations; 0 for none
/// \param is_quadratic  `is_quadratic_path` of the problem
PathNeeds needs_of_path(const FitProblem& problem, const PathOptions& path, int folds,
                        bool has_gaps, bool is_quadratic);

/// The larger needs of both ways to solve a path. The way depends on whether columns are centered,
/// which is only known after a walk.
PathNeeds needs_of_either_path(const FitProblem& problem, const PathOptions& path, int folds,
                               bool has_gaps);

/// Refuses a budget that is too small for a path, before any walk.
/// \param at_least  bytes of the steps after the path; 0 for none
/// \throws BudgetError
void require_share_of_path(Pass& pass, const RowLoss& loss, const FitProblem& problem,
                           const PathOptions& path, int folds, bool has_gaps,
                           std::int64_t at_least);

/// The answers before any walk: models without features, unfinished unless their side is settled.
PathAnswers open_answers(const PathProblem& path);

/// Answers of all sides of a problem.
/// \param share  bytes that the path may take in all
PathAnswers solve_path(const FitProblem& problem, const PathProblem& path, const PathShape& shape,
                       Walks& walks, const PathNeeds& needs, std::int64_t share);

/// The public result of the sides of all rows.
PathResult result_of(const FitProblem& problem, const PathProblem& path, const PathShape& shape,
                     const PathAnswers& answers, std::int64_t walks);

/// The result of a path that was cancelled before its first search. Strengths that follow from the
/// targets are NaN.
PathResult unsearched_path(const Pass& pass, const Observed& observed, const RowLoss& loss,
                           const PathOptions& path);

/// `fit_path` on a pass.
PathResult fit_path_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                         const FitOptions& options, const PathOptions& path);

}  // namespace synelix::glm
