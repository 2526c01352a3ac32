// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/fit/fit_choice.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

namespace synelix {

const char* name_of(Solver solver) { return known_name(solver); }
const char* name_of(Stop stop) { return known_name(stop); }

}  // namespace synelix

namespace synelix::glm {
namespace {

/// The work of a solver until it converges, in walks over all rows.
struct SolverCounts {
  Solver solver;
  double gradients;  ///< of each right-hand side
  double hessians;   ///< of each right-hand side
  double grams;      ///< shared by all
  double factors;    ///< of each right-hand side, size^3 / 3
  double solves;     ///< of each right-hand side, 2 size^2
};

/// Measured on 60 random problems of 3 to 700 columns and 1 to 195 targets (perf/NOTES.md, "The
/// choice of a solver"). proximal_newton: 3 sweeps of coordinate descent for each of 8 models, and
/// factors of the active sets, which are smaller.
constexpr std::array<SolverCounts, 3> counts_of_solvers{{
    {Solver::newton, 6, 4.2, 0, 6, 10},
    {Solver::lbfgs, 9.5, 0, 1, 0, 30},
    {Solver::proximal_newton, 10, 4, 0, 4, 40},
}};
/// The same for a quadratic loss, whose Hessian is the Gram matrix.
constexpr std::array<SolverCounts, 3> counts_of_quadratic{{
    {Solver::newton, 2, 1, 0, 1, 2},
    {Solver::lbfgs, 4, 0, 1, 0, 6},
    {Solver::proximal_newton, 4, 1, 0, 4, 40},
}};
/// lbfgs is chosen below this fraction of the other costs, because its number of evaluations varies
/// more with the columns.
constexpr double least_gain_of_lbfgs = 0.8;

/// From this many rows on, a start on every eighth block of rows pays off: then most evaluations
/// and Hessians of newton use only a part of the rows.
constexpr std::int64_t many_rows = 200'000;
constexpr double gradients_of_part = 0.65;  ///< fraction of the counts above that remains
constexpr double hessians_of_part = 0.4;
/// Floating-point operations per second of one thread: for factors, which run on tiles, and for
/// solves and sweeps, which read the matrix once.
constexpr double factor_rate = 2e10;
constexpr double solve_rate = 4e9;

/// The seconds of a walk that right-hand sides share, and those that each of them adds.
struct Seconds {
  double shared = 0;
  double side = 0;
};

SolverCounts counts_of(std::size_t solver, const FitSize& size) {
  if (size.is_quadratic) return counts_of_quadratic[solver];
  SolverCounts counts = counts_of_solvers[solver];
  if (size.rows >= many_rows && counts.solver != Solver::lbfgs) {
    counts.gradients *= gradients_of_part;
    counts.hessians *= hessians_of_part;
  }
  return counts;
}

Seconds seconds_of(const SolverCounts& solver, const FitSize& size, const PassCost& cost) {
  const auto parameters = static_cast<double>((size.columns + 1) * size.classes);
  const auto classes = static_cast<double>(size.classes);
  const double factor = parameters * parameters * parameters * 2 / 3 / factor_rate;
  Seconds seconds;
  seconds.shared = (solver.gradients + solver.hessians + solver.grams) * cost.rows +
                   solver.grams * (cost.gram + factor);
  seconds.side = solver.gradients * cost.gradient * classes +
                 solver.hessians * cost.hessian * classes * classes + solver.factors * factor +
                 solver.solves * 2 * parameters * parameters / solve_rate;
  return seconds;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", value);
  return text.data();
}

std::string candidate_text(const std::pair<Solver, double>& candidate) {
  return std::string(name_of(candidate.first)) + " " + number(candidate.second) + " s";
}

std::string reason_of(const FitSize& size, const FitChoice& choice, Solver wanted) {
  const std::string what = "predicted for " + std::to_string(size.sides) + " right-hand sides of " +
                           std::to_string((size.columns + 1) * size.classes) + " parameters on " +
                           std::to_string(size.rows) + " rows: ";
  std::string all;
  for (const auto& candidate : choice.candidates) {
    all += (all.empty() ? "" : ", ") + candidate_text(candidate);
  }
  if (wanted != Solver::automatic) return "asked for; " + what + all;
  if (!size.is_smooth) {
    return "the penalty has no gradient at 0, which only proximal_newton takes; " + what + all;
  }
  for (const auto& candidate : choice.candidates) {
    if (candidate.second >= choice.seconds) continue;
    return std::string("costs little more than ") + name_of(candidate.first) +
           ", whose evaluations vary more; " + what + all;
  }
  return "costs least; " + what + all;
}

}  // namespace

double newton_evaluations(double hessian) {
  const SolverCounts& newton = counts_of_solvers.front();
  return newton.gradients + newton.hessians * hessian;
}

FitChoice choose_solver(const FitSize& size, const PassCost& cost, Solver wanted) {
  FitChoice choice;
  for (std::size_t i = 0; i < counts_of_solvers.size(); ++i) {
    const SolverCounts solver = counts_of(i, size);
    if (!size.is_smooth && solver.solver != Solver::proximal_newton) continue;
    const Seconds seconds = seconds_of(solver, size, cost);
    const double all = seconds.shared + static_cast<double>(size.sides) * seconds.side;
    choice.candidates.emplace_back(solver.solver, all);
    // The choice depends on all right-hand sides, because all of them run. So a target may get
    // another solver than in a fit of its own, and then the results differ within the tolerances.
    const double least = solver.solver == Solver::lbfgs ? least_gain_of_lbfgs : 1;
    const bool is_least = choice.solver == Solver::automatic || all < least * choice.seconds;
    if (wanted == Solver::automatic ? !is_least : solver.solver != wanted) continue;
    choice.solver = solver.solver;
    choice.seconds = all;
  }
  choice.reason = reason_of(size, choice, wanted);
  return choice;
}

}  // namespace synelix::glm
