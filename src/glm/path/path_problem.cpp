// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/path_problem.hpp"

#include "glm/fit/fit_share.hpp"
#include "glm/rows/families.hpp"
#include "glm/solvers/search.hpp"
#include "glm/sweep/host_items.hpp"
#include "tile/select.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

namespace synelix {

double ratio_of(const PathOptions& path, const Penalty& penalty) {
  if (path.ratio > 0) return path.ratio;
  return std::holds_alternative<Ridge>(penalty) ? 1e-7 : 1e-3;
}

}  // namespace synelix

namespace synelix::glm {

namespace {

constexpr std::int64_t most_strengths = 10'000;

/// Right-hand sides that are solved together.
PathSide side_of(const FitProblem& problem, const std::vector<std::size_t>& blocks) {
  const bool is_shared = blocks.size() > 1;
  const Side& front = problem.sides[blocks.front()];
  PathSide side;
  side.penalty = glm::bind(problem.options.penalty, problem.shape(),
                           is_shared ? all_targets : front.rows.target);
  side.weight = front.facts.weight;
  side.gradient_scale = 0;
  side.is_settled = front.is_settled && !is_shared;
  bool has_centers = false;
  side.settled = front.settled;
  const std::int64_t coefficients = problem.columns * problem.classes;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const Side& part = problem.sides[blocks[block]];
    side.rows.push_back(part.rows);
    side.dispersion.push_back(part.dispersion);
    side.weight = std::min(side.weight, part.facts.weight);
    side.gradient_scale = std::max(side.gradient_scale, part.gradient_scale);
    side.centers.push_back(part.centers);
    has_centers = has_centers || part.centers != nullptr;
    side.is_beyond_double = side.is_beyond_double || part.is_beyond_double;
    side.null.insert(side.null.end(), static_cast<std::size_t>(coefficients), 0.0);
    side.null.insert(side.null.end(), part.null_intercepts.begin(), part.null_intercepts.end());
    if (std::count(part.is_zero.begin(), part.is_zero.end(), 1) == 0) continue;
    std::vector<std::uint8_t>& is_free = side.penalty.is_free;
    if (is_free.empty()) {
      is_free.assign(blocks.size() * static_cast<std::size_t>(coefficients), 1);
    }
    for (std::int64_t j = 0; j < coefficients; ++j) {
      if (part.is_zero[static_cast<std::size_t>(j / problem.classes)] == 0) continue;
      is_free[block * static_cast<std::size_t>(coefficients) + static_cast<std::size_t>(j)] = 0;
    }
  }
  if (!has_centers) side.centers.clear();
  return side;
}

/// With offsets, the mean of the targets does not determine the intercept, so it is searched.
void search_null_intercepts(PathProblem& path, const PathShape& shape, const FitOptions& options,
                            Walks& walks) {
  Lockstep lockstep(walks, static_cast<std::int64_t>(path.sides.size()), {nullptr, options.cancel});
  std::vector<PathSide*> searched;
  for (PathSide& side : path.sides) {
    if (side.is_settled) continue;
    searched.push_back(&side);
    SearchProblem problem;
    problem.columns = shape.columns;
    problem.classes = shape.classes;
    problem.blocks = static_cast<std::int64_t>(side.rows.size());
    problem.penalty.is_free.assign(shape.coefficients_of(side.null).size(), 0);
    problem.start = side.null;
    problem.gradient_scale = side.gradient_scale;
    problem.optimality_tolerance = 1e-3 * shape.optimality_tolerance;
    problem.standard_errors_tolerance = shape.standard_errors_tolerance;
    problem.most_evaluations = shape.most_evaluations;
    problem.rows = walks.pass().rows();
    problem.instruction_set = walks.pass().choice().instruction_set;
    lockstep.add({make_search(Solver::newton, std::move(problem)), side.rows, side.dispersion});
  }
  while (lockstep.round()) {
  }
  std::vector<std::string> inexact;
  for (std::size_t i = 0; i < searched.size(); ++i) {
    const Search& search = *lockstep.job(i).search;
    const std::span<const double> found = search.parameters();
    searched[i]->null.assign(found.begin(), found.end());
    const RowsOf& rows = searched[i]->rows.front();
    const bool is_exact =
        search.stop() == Stop::converged || search.optimality() <= shape.optimality_tolerance;
    if (!search.is_done() || is_exact || rows.folds != RowsOf::Fold::all) continue;
    inexact.push_back(std::to_string(rows.target));
  }
  if (inexact.empty()) return;
  path.warnings.push_back(
      "the intercept of the model without features was not found within most_evaluations, so that "
      "strength_max is near what it should be: targets " +
      listed(inexact));
}

/// Largest strengths of the sides of all rows, by one walk.
std::vector<double> find_largest(const std::vector<PathSide>& sides, std::size_t units,
                                 const PathShape& shape, Walks& walks) {
  std::vector<Request> requests;
  std::vector<std::size_t> owner;
  std::vector<std::size_t> block_of;
  for (std::size_t i = 0; i < units; ++i) {
    for (std::size_t block = 0; block < sides[i].rows.size(); ++block) {
      Request request;
      request.parameters =
          sides[i].null.data() + static_cast<std::int64_t>(block) * shape.parameters();
      request.rows = sides[i].rows[block];
      request.dispersion = sides[i].dispersion[block];
      requests.push_back(request);
      owner.push_back(i);
      block_of.push_back(block);
    }
  }
  std::vector<std::vector<double>> gradients(units);
  walks.all(requests, {}, [&](std::size_t k, Sums& sums) {
    divide_by_weight(sums);
    const BlockCenters& centers = sides[owner[k]].centers;
    if (!centers.empty()) center(centers[block_of[k]], sums, shape.classes);
    std::vector<double>& gradient = gradients[owner[k]];
    gradient.insert(gradient.end(), sums.gradient.begin(), sums.gradient.end());
  });
  std::vector<double> found(units);
  for (std::size_t i = 0; i < units; ++i) {
    found[i] = sides[i].is_settled
                   ? 0.0
                   : largest_strength(sides[i].penalty, shape.coefficients_of(gradients[i]));
  }
  return found;
}

std::vector<double> strengths_from(double largest, const PathOptions& path,
                                   const Penalty& penalty) {
  std::vector<double> strengths = path.strengths;
  if (!strengths.empty()) {
    std::sort(strengths.begin(), strengths.end(), std::greater<>());
    return strengths;
  }
  // If a side has no gradient, its models are all the same.
  const double first = largest > 0 ? largest : 1.0;
  const double ratio = ratio_of(path, penalty);
  for (std::int64_t i = 0; i < path.count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(path.count - 1);
    strengths.push_back(first * std::pow(ratio, share));
  }
  return strengths;
}

}  // namespace

std::vector<RowsOf> rows_of_path(std::int64_t targets, int folds) {
  std::vector<RowsOf> rows;
  for (int fold = -1; fold < folds; ++fold) {
    for (std::int64_t i = 0; i < targets; ++i) {
      rows.push_back({i, fold < 0 ? RowsOf::Fold::all : RowsOf::Fold::without, std::max(fold, 0)});
    }
  }
  return rows;
}

void check_path(const FitOptions& options, const PathOptions& path) {
  if (!options.fit_intercept && !has_mean_at_0(resolved(options.loss))) {
    const Loss loss = resolved(options.loss);
    throw Error("fit_intercept",
                std::string("a path begins at the model without features, and without an intercept "
                            "its predictors are 0, which give no mean of ") +
                    name_of(loss.family) + " with the inverse link " + name_of(loss.inverse_link),
                "Fit an intercept, use the inverse link exp, or fit one strength with fit");
  }
  if (std::holds_alternative<NoPenalty>(options.penalty)) {
    throw Error("penalty", "a path without a penalty has one model",
                "Use Ridge, Lasso, ElasticNet or GroupLasso, or fit");
  }
  if (options.standard_errors) {
    throw Error("standard_errors", "a path has none",
                "Fit the model of one strength, or leave them out");
  }
  if (options.estimate_dispersion) {
    throw Error("estimate_dispersion", "a path has one dispersion for all strengths",
                "Fit one model, and give its dispersion as loss.dispersion");
  }
  for (const double strength : path.strengths) {
    if (std::isfinite(strength) && strength >= 0) continue;
    throw Error("strengths", number_text(strength) + " is not a number from 0 on",
                "Give 0 or more");
  }
  const auto given = static_cast<std::int64_t>(path.strengths.size());
  if (given > most_strengths) {
    throw Error("strengths", std::to_string(given) + " strengths are too many",
                "Give 10000 or fewer");
  }
  if (given > 0) return;
  if (path.count < 2 || path.count > most_strengths) {
    throw Error("count", std::to_string(path.count) + " strengths make no path", "Use 2 to 10000");
  }
  if (!(path.ratio >= 0 && path.ratio < 1)) {
    throw Error("ratio", number_text(path.ratio) + " is not between 0 and 1", "Use 1e-3");
  }
}

FitOptions without_starts(const FitOptions& options) {
  FitOptions found = options;
  found.start_coefficients.clear();
  found.start_intercepts.clear();
  found.solver = Solver::automatic;
  return found;
}

PathShape shape_of(const FitProblem& problem) {
  const InstructionSet set = tile::select_set(problem.pass.choice().instruction_set);
  PathShape shape{tile::table_of<double>(set)};
  shape.columns = problem.columns;
  shape.classes = problem.classes;
  shape.has_intercept = problem.options.fit_intercept;
  shape.optimality_tolerance = problem.options.optimality_tolerance;
  shape.standard_errors_tolerance = problem.options.standard_errors_tolerance;
  shape.most_evaluations = problem.options.most_evaluations;
  return shape;
}

PathProblem make_path_problem(const FitProblem& problem, Walks& walks, const PathShape& shape,
                              const PathOptions& options) {
  PathProblem path;
  path.is_quadratic = is_quadratic_path(problem);
  const bool is_shared = reaches_across_targets(problem.options.penalty, problem.shape());
  const auto targets = static_cast<std::size_t>(problem.targets);
  const std::size_t each = is_shared ? targets : 1;
  path.units = targets / each;
  for (std::size_t first = 0; first < problem.sides.size(); first += each) {
    std::vector<std::size_t> blocks(each);
    for (std::size_t block = 0; block < each; ++block) blocks[block] = first + block;
    path.sides.push_back(side_of(problem, blocks));
    path.sides.back().curvature_of = (path.sides.size() - 1) % path.units;
  }
  // The columns of zeros of a fold are taken from all rows, because Hessians are shared. The
  // coefficient of a column that is zero only in the fold has no gradient.
  for (PathSide& side : path.sides)
    side.penalty.is_free = path.sides[side.curvature_of].penalty.is_free;
  if (problem.observed.has_offset() && shape.has_intercept) {
    search_null_intercepts(path, shape, problem.options, walks);
  }
  // Strengths that the library chooses are above 0. Only given ones can be 0.
  const std::vector<double>& given = options.strengths;
  const bool has_0 = std::find(given.begin(), given.end(), 0.0) != given.end();
  if (has_0) require_rows_at_strength_0(problem);
  path.strength_max = find_largest(path.sides, path.units, shape, walks);
  for (std::size_t i = 0; i < path.sides.size(); ++i) {
    path.sides[i].strengths =
        strengths_from(path.strength_max[i % path.units], options, problem.options.penalty);
    // A settled side has no Hessians for others, so its folds use their own.
    if (path.sides[path.sides[i].curvature_of].is_settled) path.sides[i].curvature_of = i;
  }
  return path;
}

bool is_quadratic_path(const FitProblem& problem) {
  return is_quadratic(problem.loss.loss) && !problem.has_centers();
}

PathNeeds needs_of_path(const FitProblem& problem, const PathOptions& path, int folds,
                        bool has_gaps, bool is_quadratic) {
  constexpr auto number = static_cast<std::int64_t>(sizeof(double));
  const bool is_shared = reaches_across_targets(problem.options.penalty, problem.shape());
  const std::int64_t blocks = is_shared ? problem.targets : 1;
  const auto sides = static_cast<std::int64_t>(problem.sides.size());
  const auto given = static_cast<std::int64_t>(path.strengths.size());
  const std::int64_t strengths = given > 0 ? given : path.count;
  FitNeeds search;
  count_search(problem, Solver::newton, blocks, search);
  PathNeeds needs;
  needs.memory.vector = problem.parameters() * number;
  needs.memory.matrix = problem.parameters() * needs.memory.vector;
  needs.memory.search = search.search + search.sums;
  // Answers of all sides, and the result.
  needs.fixed = problem.observed.held_bytes() + bytes_of_sides(problem) +
                (sides + problem.targets) * strengths * needs.memory.vector;
  const std::int64_t hessian_owners = is_shared ? 1 : problem.targets;
  const std::int64_t members = folds + 1;
  if (is_quadratic) {
    std::int64_t own_rows = 0;
    for (std::int64_t i = 0; i < problem.targets; ++i) {
      own_rows +=
          problem.sides[static_cast<std::size_t>(i)].same_rows == static_cast<std::size_t>(i) ? 1
                                                                                              : 0;
    }
    const std::int64_t parts = folds == 0 ? 1 : 2 * (folds + 1) + (has_gaps ? folds : 0) + 1;
    const std::int64_t threads = sweep::host_threads();
    const std::int64_t minimized = std::min(threads, members * hessian_owners) * 3 * blocks;
    const std::int64_t copies = problem.pass.copies_of_sums();
    needs.least = needs.fixed + (parts * own_rows + minimized + copies) * needs.memory.matrix;
    needs.most = needs.least + parts * own_rows * needs.memory.matrix;
    return needs;
  }
  const std::int64_t of_hessian_owner = needs.memory.of_hessian_owner(blocks, members);
  needs.least = needs.fixed + of_hessian_owner + needs.memory.search;
  needs.most = needs.fixed + hessian_owners * of_hessian_owner +
               members * hessian_owners * needs.memory.search;
  return needs;
}

PathNeeds needs_of_either_path(const FitProblem& problem, const PathOptions& path, int folds,
                               bool has_gaps) {
  PathNeeds needs = needs_of_path(problem, path, folds, has_gaps, false);
  if (!is_quadratic_path(problem)) return needs;
  const PathNeeds quadratic = needs_of_path(problem, path, folds, has_gaps, true);
  return quadratic.least > needs.least ? quadratic : needs;
}

void require_share_of_path(Pass& pass, const RowLoss& loss, const FitProblem& problem,
                           const PathOptions& path, int folds, bool has_gaps,
                           std::int64_t at_least) {
  const PathNeeds needs = needs_of_either_path(problem, path, folds, has_gaps);
  static_cast<void>(
      FitShare(pass, loss, std::max(needs.least, at_least), std::max(needs.most, at_least)));
}

PathAnswers open_answers(const PathProblem& path) {
  PathAnswers answers;
  for (const PathSide& side : path.sides) {
    answers.emplace_back(side.strengths.size(), side.first_answer());
  }
  return answers;
}

PathAnswers solve_path(const FitProblem& problem, const PathProblem& path, const PathShape& shape,
                       Walks& walks, const PathNeeds& needs, std::int64_t share) {
  // A third is for models that are searched separately, and for sums of walks.
  const std::int64_t free = share - needs.fixed;
  walks.set_share(std::max(needs.memory.search, (free - needs.memory.search) / 3));
  PathMemory memory = needs.memory;
  memory.batch = free - walks.share();
  const bool may_use_float =
      problem.pass.rows() * problem.columns >= features_for_float && !problem.has_centers();
  PathSolver solver(walks, shape, {&problem.options.progress, problem.options.cancel},
                    may_use_float, memory);
  PathAnswers answers = solver.solve(path.sides);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const PathSide& side = path.sides[i];
    for (PathAnswer& answer : answers[i]) {
      to_given(side.centers, answer.parameters, shape.classes);
      const bool is_false = answer.stop == Stop::converged && side.is_beyond_double;
      if (is_false && !side.is_settled) answer.stop = Stop::no_decrease;
      const bool is_finite = std::all_of(answer.losses.begin(), answer.losses.end(),
                                         [](double loss) { return std::isfinite(loss); });
      if (!is_finite && answer.stop != Stop::cancelled) answer.stop = Stop::no_decrease;
    }
  }
  return answers;
}

}  // namespace synelix::glm
