// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/fit/fit_choice.hpp"

#include <array>
#include <cstdio>

namespace synelix {

const char* name_of(Solver solver) { return known_name(solver); }
const char* name_of(Stop stop) { return known_name(stop); }

}  // namespace synelix

namespace synelix::glm {
namespace {

/// What a solver needs until it has converged, counted in walks over all rows. Measured on designs
/// of 24 to 5600 columns with Poisson and Bernoulli targets.
struct SolverCounts {
  Solver solver;
  double gradients;  ///< of each right-hand side
  double hessians;   ///< of each right-hand side, on few rows
  double hessians_of_many_rows;
  double grams;    ///< shared by all
  double factors;  ///< of each right-hand side, size^3 / 3
  double solves;   ///< of each right-hand side, 2 size^2
};

/// proximal_newton: 3 sweeps of coordinate descent for each of 8 models, and factors of the active
/// sets, which are smaller.
constexpr std::array<SolverCounts, 3> counts_of_solvers{{
    {Solver::newton, 8, 4, 1.6, 0, 6, 10},
    {Solver::lbfgs, 40, 0, 0, 1, 0, 60},
    {Solver::proximal_newton, 10, 4, 2, 0, 4, 40},
}};

/// From here on a start on each eighth block of rows pays.
constexpr std::int64_t many_rows = 1 << 17;
/// Floating-point operations a second of one thread in factors, which run on tiles, and in solves
/// and sweeps, which read the matrix once.
constexpr double factor_rate = 2e10;
constexpr double solve_rate = 4e9;

/// What one walk shares between right-hand sides, and what each of them adds.
struct Seconds {
  double shared = 0;
  double side = 0;
};

Seconds seconds_of(const SolverCounts& solver, const FitSize& size, const PassCost& cost) {
  const auto parameters = static_cast<double>((size.columns + 1) * size.classes);
  const auto classes = static_cast<double>(size.classes);
  const double hessians = size.rows >= many_rows ? solver.hessians_of_many_rows : solver.hessians;
  const double factor = parameters * parameters * parameters * 2 / 3 / factor_rate;
  Seconds seconds;
  seconds.shared = (solver.gradients + hessians + solver.grams) * cost.rows +
                   solver.grams * (cost.gram + factor);
  seconds.side = solver.gradients * cost.gradient * classes +
                 hessians * cost.hessian * classes * classes + solver.factors * factor +
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
  return "costs least; " + what + all;
}

}  // namespace

FitChoice choose_solver(const FitSize& size, const PassCost& cost, Solver wanted) {
  FitChoice choice;
  for (const SolverCounts& solver : counts_of_solvers) {
    if (!size.is_smooth && solver.solver != Solver::proximal_newton) continue;
    const Seconds seconds = seconds_of(solver, size, cost);
    const double all = seconds.shared + static_cast<double>(size.sides) * seconds.side;
    choice.candidates.emplace_back(solver.solver, all);
    // All right-hand sides decide, because all of them run. So a target of many may get another
    // solver than it gets alone, and then differs from it within the tolerances.
    const bool is_least = choice.solver == Solver::automatic || all < choice.seconds;
    if (wanted == Solver::automatic ? !is_least : solver.solver != wanted) continue;
    choice.solver = solver.solver;
    choice.seconds = all;
  }
  choice.reason = reason_of(size, choice, wanted);
  return choice;
}

}  // namespace synelix::glm
