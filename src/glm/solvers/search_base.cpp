// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/search_base.hpp"

#include "glm/solvers/lbfgs_search.hpp"
#include "glm/solvers/newton_search.hpp"
#include "tile/select.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace synelix::glm {
namespace {

ParameterShape parameter_shape_of(const SearchProblem& problem) {
  return {problem.columns, problem.classes, problem.blocks};
}

}  // namespace

SearchBase::SearchBase(SearchProblem problem)
    : m_problem(std::move(problem)),
      m_free(parameter_shape_of(m_problem), m_problem.has_intercept, m_problem.penalty),
      m_tiles(&tile::table_of<double>(tile::select_set(m_problem.instruction_set))) {
  m_asked = m_problem.start;
  m_asked.resize(parameter_shape_of(m_problem).size(), 0.0);
  m_free.gather(m_asked, m_trial);
  // A mask holds coefficients at 0, for any start.
  const std::vector<std::uint8_t>& is_free = m_problem.penalty.is_free;
  const std::int64_t coefficients = m_problem.columns * m_problem.classes;
  for (std::size_t j = 0; j < is_free.size(); ++j) {
    const auto i = static_cast<std::int64_t>(j);
    if (is_free[j] == 0)
      m_asked[i / coefficients * parameter_shape_of(m_problem).of_block() + i % coefficients] = 0;
  }
  m_answer = m_asked;
  m_best = m_start = m_trial;
  m_objective = m_optimality = std::numeric_limits<double>::infinity();
  m_away = std::numeric_limits<double>::quiet_NaN();
}

Question SearchBase::ask() const { return {m_asked, m_wants_hessian, m_is_double, m_every}; }

void SearchBase::tell(const Point& point) {
  ++m_evaluations;
  if (!point.hessian.empty()) ++m_hessians;
  Answer answer{point.loss + penalty().value(m_trial), {}, point.hessian, true};
  m_free.gather(point.gradient, answer.gradient);
  answer.is_finite = std::isfinite(answer.objective);
  for (const double value : answer.gradient) {
    answer.is_finite = answer.is_finite && std::isfinite(value);
  }
  if (!answer.is_finite) answer.objective = std::numeric_limits<double>::infinity();
  m_weight = point.weight;
  take(std::move(answer));
}

void SearchBase::ask_trial(bool wants_hessian) {
  m_free.scatter(m_trial, m_asked);
  m_wants_hessian = wants_hessian;
}

void SearchBase::accept(Answer answer) {
  m_best = m_trial;
  m_gradient = std::move(answer.gradient);
  m_objective = answer.objective;
  m_best_is_double = m_is_double;
  m_answer = m_asked;
  const double scale = m_problem.gradient_scale > 0 ? m_problem.gradient_scale : 1.0;
  m_optimality = violation() / scale;
}

void SearchBase::return_to_start(bool wants_hessian) {
  const bool was_asked = m_trial == m_start && m_every == 1 && m_is_double;
  m_every = 1;
  m_is_double = true;
  m_best_is_double = false;
  m_trial = m_best = m_start;
  m_gradient.clear();
  m_objective = m_optimality = std::numeric_limits<double>::infinity();
  m_away = std::numeric_limits<double>::quiet_NaN();
  ask_trial(wants_hessian);
  m_answer = m_asked;
  if (was_asked) return finish(Stop::no_decrease);
  if (is_out_of_evaluations()) finish(Stop::iterations);
}

void SearchBase::finish(Stop stop) {
  m_is_done = true;
  m_stop = stop;
}

double SearchBase::violation() const { return penalty().violation(m_best, m_gradient); }

double SearchBase::allowance(double objective) const {
  constexpr double of_double = 1e-13;
  constexpr double of_float = 1e-6;
  const double size = std::max(std::fabs(objective), std::fabs(m_objective));
  return (m_is_double && m_best_is_double ? of_double : of_float) * size;
}

double SearchBase::norm_of(const std::vector<double>& values) const {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += m_reference[i] * values[i] * values[i];
  return std::sqrt(sum);
}

std::unique_ptr<Search> make_search(Solver solver, SearchProblem problem) {
  const bool is_smooth = problem.penalty.is_smooth();
  if (!is_smooth && solver != Solver::proximal_newton) {
    throw Error("solver", "it cannot take a penalty that has no gradient at 0",
                "Use Solver::proximal_newton or Solver::automatic");
  }
  if (!problem.penalty.l1.empty() && !problem.penalty.groups.empty()) {
    throw Error("penalty", "l1 and groups cannot be combined", "Use one of them");
  }
  if (solver == Solver::lbfgs) return std::make_unique<LbfgsSearch>(std::move(problem));
  return std::make_unique<NewtonSearch>(std::move(problem));
}

}  // namespace synelix::glm
