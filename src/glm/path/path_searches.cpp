// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/path_solver.hpp"
#include "glm/solvers/search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// \file
/// The part of `PathSolver` for models that do not reach the optimum with the Hessian of their
/// group: each gets its own search.

namespace synelix::glm {

/// Runs searches with their own Hessians, for models that do not reach the optimum with the group's
/// Hessian: as many at a time as the memory allows.
void PathSolver::search_the_rest() {
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < m_open.size(); ++k) {
    if (!m_open[k].is_optimal) left.push_back(k);
  }
  const auto most = static_cast<std::size_t>(
      std::max<std::int64_t>(1, m_walks.share() / std::max<std::int64_t>(1, m_memory.search)));
  for (std::size_t first = 0; first < left.size() && !m_is_cancelled; first += most) {
    const std::size_t count = std::min(most, left.size() - first);
    m_is_cancelled = !search_some(std::span(left).subspan(first, count));
  }
}

/// Returns false if it was cancelled.
bool PathSolver::search_some(std::span<const std::size_t> searched) {
  Lockstep lockstep(m_walks, m_all, {nullptr, m_listener.cancel});
  for (const std::size_t k : searched) {
    const Open& open = m_open[k];
    const PathSide& side = (*m_sides)[open.side];
    SearchProblem problem;
    problem.columns = m_shape.columns;
    problem.classes = m_shape.classes;
    problem.blocks = static_cast<std::int64_t>(side.rows.size());
    problem.has_intercept = m_shape.has_intercept;
    problem.penalty = open.penalty;
    problem.start = open.point;
    problem.gradient_scale = side.gradient_scale;
    problem.optimality_tolerance = m_shape.optimality_tolerance;
    problem.standard_errors_tolerance = m_shape.standard_errors_tolerance;
    problem.most_evaluations =
        std::max<std::int64_t>(1, m_shape.most_evaluations - open.evaluations);
    problem.rows = m_walks.pass().rows();
    problem.hessian_cost = m_walks.pass().cost().hessian_in_evaluations;
    problem.instruction_set = m_walks.pass().choice().instruction_set;
    const Solver solver = open.penalty.is_smooth() ? Solver::newton : Solver::proximal_newton;
    lockstep.add(
        {make_search(solver, std::move(problem)), side.rows, side.dispersion, side.centers});
  }
  while (lockstep.round()) report();
  for (std::size_t j = 0; j < searched.size(); ++j) {
    Open& open = m_open[searched[j]];
    const Search& search = *lockstep.job(j).search;
    PathAnswer& answer = m_answers[open.side][open.strength];
    answer.stop = search.is_done() ? search.stop() : Stop::cancelled;
    if (search.evaluations() == 0) continue;
    const std::span<const double> found = search.parameters();
    open.point.assign(found.begin(), found.end());
    open.gradient.clear();
    open.objective = search.objective();
    open.losses = {open.objective - open.penalty.value(m_shape.coefficients_of(open.point))};
    open.optimality = search.optimality();
    open.standard_errors_away = search.standard_errors_away();
    open.evaluations += search.evaluations();
    open.is_left = true;
  }
  if (lockstep.is_cancelled()) return false;
  return finishes_walks([&] { read_losses(searched); });
}

/// A search of several blocks only has the sum of their losses. A walk computes each of them.
void PathSolver::read_losses(std::span<const std::size_t> searched) {
  m_points.clear();
  std::vector<Request> requests;
  std::vector<std::size_t> owner;
  for (const std::size_t k : searched) {
    const PathSide& side = (*m_sides)[m_open[k].side];
    if (side.rows.size() == 1) continue;
    for (std::size_t block = 0; block < side.rows.size(); ++block) {
      requests.push_back(request_of(side, block, m_open[k].point));
      owner.push_back(k);
    }
  }
  std::vector<std::vector<double>> losses(m_open.size());
  m_walks.all(requests, {}, [&](std::size_t r, const Sums& sums) {
    losses[owner[r]].push_back(sums.loss / sums.weight);
  });
  for (const std::size_t k : owner) m_open[k].losses = losses[k];
}

}  // namespace synelix::glm
