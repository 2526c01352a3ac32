// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/newton_search.hpp"

#include "glm/algebra/cholesky.hpp"
#include "glm/solvers/solve_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace synelix::glm {
namespace {

constexpr std::int64_t sampling_rows = 200000;    ///< from here on, start on a part of the rows
constexpr std::int64_t sampled_every = 8;         ///< one block of this many is in the part
constexpr std::int64_t sampling_parameters = 50;  ///< rows of the part for each parameter
constexpr std::int64_t most_sampled_steps = 12;   ///< a part may have no optimum
constexpr double least_share = 0.5;               ///< of the weight that the part should have
constexpr double sampled_distance = 0.1;          ///< n times decrement, for each parameter
constexpr double reliable_contraction = 0.25;     ///< of the decrement
constexpr double cheap_hessian = 4;               ///< in evaluations, if the contraction is unknown
constexpr double float_rank_tolerance = 1e-6;     ///< of Hessians of products in float
constexpr std::int64_t most_halvings = 30;
constexpr std::int64_t most_halvings_to_best = 4;  ///< to a point found on a part of the rows
constexpr std::int64_t stalls_to_refresh = 2;
constexpr std::int64_t most_newton_stalls = 5;
constexpr std::int64_t most_even_steps = 8;

}  // namespace

NewtonSearch::NewtonSearch(SearchProblem given) : SearchBase(std::move(given)) {
  m_is_double = !problem().may_use_float;
  if (!penalty().is_smooth()) m_unbounded = unbounded();
  const bool pays = problem().rows > sampling_rows &&
                    problem().rows / sampled_every >= sampling_parameters * size();
  m_every = pays && !problem().is_quadratic ? sampled_every : 1;
  if (!penalty().is_smooth() && problem().gram != nullptr && problem().curvature > 0) {
    free().gather_gram(problem().gram->gram, problem().curvature, m_hessian);
    m_has_model = true;
    m_model_is_double = true;
    m_model_age = 1;
    use_model();
  }
  ask_trial(!m_has_model);
}

/// Whether the part of the rows is representative of all. It is not if the rows that count are
/// clustered, as in a short session of a long recording.
bool NewtonSearch::is_fair_part() const {
  const double weight = m_weight * static_cast<double>(m_every);
  return m_weight > 0 && weight >= least_share * problem().weight;
}

void NewtonSearch::take(Answer answer) {
  if (m_every > 1 && !is_fair_part()) {
    m_every = 1;
    return ask_trial(!m_has_model);
  }
  // An infinite objective has an infinite allowance: it is not compared.
  if (!answer.is_finite) {
    return m_accepts_any ? leave_outside() : retreat(answer.objective);
  }
  const double promised = m_objective + sufficient * m_length * m_slope;
  if (!m_accepts_any && answer.objective > promised + allowance(answer.objective)) {
    return retreat(answer.objective);
  }
  const double gain =
      m_accepts_any ? std::numeric_limits<double>::infinity() : m_objective - answer.objective;
  const std::span<const double> hessian = answer.hessian;
  accept(std::move(answer));
  m_accepts_any = false;
  m_halvings = 0;
  ++m_model_age;
  if (!hessian.empty()) take_hessian(hessian);
  if (m_needs_double_hessian) {
    m_needs_double_hessian = false;
    m_is_double = true;
    return ask_again();
  }
  if (!m_has_model) return ask_again();
  propose(gain);
}

/// Takes a shorter step. Requests its Hessian, because the model has failed.
void NewtonSearch::retreat(double objective) {
  ++m_halvings;
  const bool is_stale = m_model_age > 0 && !(problem().is_quadratic && m_model_is_exact);
  if (is_stale && m_halvings > 1) return ask_again();
  // A best point found with products in float may have no finite objective in double.
  const bool is_doubtful = !std::isfinite(objective) && !m_best_is_double && m_is_double;
  if (is_doubtful && m_halvings > most_halvings_to_best) return ask_again();
  if (m_halvings > most_halvings) return finish(Stop::no_decrease);
  double part = 0.25;
  if (std::isfinite(objective)) {  // the minimum of the parabola through the known values
    const double bend = (objective - m_objective) / m_length - m_slope;
    part = std::clamp(bend > 0 ? -m_slope / (2 * bend) : 0.5, 0.1, 0.5);
  }
  m_length *= part;
  step();
}

/// The first answer of a stage is not finite, so there is nothing to compare with. The next trials
/// are closer to the best point of the previous stage. If they fail, too, that stage is discarded.
void NewtonSearch::leave_outside() {
  if (m_trial == m_best || ++m_halvings > most_halvings_to_best) return begin_anew();
  m_length /= 4;
  step();
}

void NewtonSearch::begin_anew() {
  m_accepts_any = true;
  m_halvings = m_stalls = m_even_steps = 0;
  m_has_model = m_model_is_exact = false;
  m_model_age = 0;
  m_is_suspect = m_needs_double_hessian = false;
  m_progress = m_step_norm = 0;
  m_contraction = m_last_progress = m_least_progress = -1;
  return_to_start(true);
}

void NewtonSearch::take_hessian(std::span<const double> hessian) {
  free().gather_hessian(hessian, m_hessian);
  m_has_model = true;
  m_model_age = 0;
  m_model_is_exact = m_every == 1;
  m_model_is_double = m_is_double;
  if (!penalty().is_smooth()) make_convex(tiles(), free(), m_hessian);
  use_model();
}

void NewtonSearch::use_model() {
  if (m_reference.empty()) {
    for (std::int64_t block = 0; block < free().blocks(); ++block) {
      const std::int64_t n = free().size_of(block);
      const double* const from = m_hessian.data() + free().hessian_begin(block);
      for (std::int64_t i = 0; i < n; ++i) m_reference.push_back(std::fabs(from[i * n + i]));
    }
  }
  if (!penalty().is_smooth()) return;
  const bool is_double = m_model_is_double;
  const double tolerance = is_double ? numeric_rank_tolerance(size()) : float_rank_tolerance;
  const Definite kind = m_smooth.factor(tiles(), free(), m_hessian, tolerance);
  // Products in float cannot distinguish a null direction from one of little curvature.
  if (!is_double && kind != Definite::positive) m_needs_double_hessian = true;
}

void NewtonSearch::make_direction() {
  if (penalty().is_smooth()) {
    const std::vector<double>& ridge = penalty().ridge;
    m_direction = m_gradient;
    for (std::size_t j = 0; j < ridge.size(); ++j) m_direction[j] += ridge[j] * m_best[j];
    const std::vector<double> slope = m_direction;
    m_smooth.solve(m_direction);
    for (double& value : m_direction) value = -value;
    m_slope = dot(slope.data(), m_direction.data(), size());
    m_decrement = -m_slope;
  } else {
    const double scale = problem().gradient_scale > 0 ? problem().gradient_scale : 1.0;
    const double tolerance = std::max(1e-3 * violation(), 1e-15 * scale);
    std::vector<double> minimum = m_best;
    solve_model(tiles(), {&free(), m_hessian, m_gradient, m_best}, tolerance, minimum);
    m_direction.resize(minimum.size());
    for (std::size_t j = 0; j < minimum.size(); ++j) m_direction[j] = minimum[j] - m_best[j];
    m_slope = dot(m_gradient.data(), m_direction.data(), size()) + penalty().value(minimum) -
              penalty().value(m_best);
    m_decrement = -2 * m_slope;
  }
  m_length = 1;
  m_last_step_norm = m_step_norm;
  m_step_norm = unbounded_norm_of(m_direction);
}

/// Coefficients that no part of the penalty bounds. Only these can grow without bound.
std::vector<std::int64_t> NewtonSearch::unbounded() const {
  const BoundPenalty& p = penalty();
  const ParameterShape shape{problem().columns, problem().classes, problem().blocks};
  std::vector<std::int64_t> found;
  for (std::int64_t j = 0; j < size(); ++j) {
    const std::int64_t group = p.groups.empty() ? -1 : p.groups[j];
    const bool is_bounded = (!p.ridge.empty() && p.ridge[j] > 0) ||
                            (!p.l1.empty() && p.l1[j] > 0) ||
                            (group >= 0 && p.group_strengths[group] > 0);
    const bool is_intercept = free().index()[j] % shape.of_block() >= shape.columns * shape.classes;
    if (!is_bounded && !is_intercept) found.push_back(j);
  }
  return found;
}

/// With smooth penalties all parameters count, because a ridge bounds weakly along directions of
/// little curvature.
double NewtonSearch::unbounded_norm_of(const std::vector<double>& values) const {
  if (penalty().is_smooth()) return norm_of(values);
  double sum = 0;
  for (const std::int64_t j : m_unbounded) sum += m_reference[j] * values[j] * values[j];
  return std::sqrt(sum);
}

void NewtonSearch::propose(double gain) {
  const bool was_whole_step = m_length == 1;
  make_direction();
  m_last_progress = m_progress;
  m_progress = penalty().is_smooth() ? m_decrement : m_optimality * m_optimality;
  m_contraction = m_last_progress > 0 ? m_progress / m_last_progress : -1;
  if (!std::isfinite(m_step_norm) || !std::isfinite(m_slope)) return finish(Stop::no_decrease);

  const bool is_even = was_whole_step && m_every == 1 && m_weight * m_decrement < 1 &&
                       exceeds_rounding() && m_step_norm > 0.5 * m_last_step_norm &&
                       m_step_norm < 2 * m_last_step_norm;
  // Steps with an older Hessian can also shrink slowly near an optimum; this is not a sign of
  // separation.
  if (!is_even) m_even_steps = 0;
  if (is_even && m_model_age == 0) ++m_even_steps;
  const bool is_better = m_least_progress < 0 || m_progress < 0.9 * m_least_progress;
  m_stalls = is_better || gain > allowance(m_objective) ? 0 : m_stalls + 1;
  if (is_better) m_least_progress = m_progress;

  if (stops()) return;
  choose_stage();
  step();
}

/// Whether the distance to the optimum is known: see the class. If a nonsmooth penalty bounds all
/// coefficients, optimality suffices.
bool NewtonSearch::knows_distance() const {
  if (!penalty().is_smooth() && m_unbounded.empty()) return true;
  if (!m_model_is_exact) return false;
  return m_model_age == 0 || problem().is_quadratic ||
         (m_contraction >= 0 && m_contraction <= reliable_contraction);
}

/// Whether the search ends, or waits for a Hessian to decide that.
bool NewtonSearch::stops() {
  const SearchProblem& p = problem();
  if (m_every == 1 && m_best_is_double) {
    m_away = std::numeric_limits<double>::quiet_NaN();
    if (penalty().is_smooth()) {
      m_away = std::sqrt(m_weight * std::max(m_decrement, 0.0));
      const bool is_corrected = m_model_age > 0 && !p.is_quadratic && m_contraction >= 0;
      if (is_corrected) {
        m_away /= std::sqrt(1 - std::sqrt(std::min(m_contraction, reliable_contraction)));
      }
    }
    const bool is_near = !penalty().is_smooth() || m_away <= p.standard_errors_tolerance;
    if (m_optimality <= p.optimality_tolerance && is_near) {
      if (is_out_of_evaluations() && !knows_distance()) return finish(Stop::iterations), true;
      if (!knows_distance()) return ask_again(), true;
      judge_convergence();
      if (is_done() || m_is_suspect) return true;
    }
    if (m_even_steps >= most_even_steps) return finish(Stop::separated), true;
    if (m_stalls > most_newton_stalls) return finish(Stop::no_decrease), true;
  }
  if (is_out_of_evaluations()) return finish(Stop::iterations), true;
  return false;
}

/// Whether the step exceeds 10 tolerances, in standard errors of the first Hessian. Rounding makes
/// no steps of this size.
bool NewtonSearch::exceeds_rounding() const {
  return std::sqrt(m_weight) * m_step_norm > 10 * problem().standard_errors_tolerance;
}

/// Called if both measures are small. If the optimum is at infinity they become small, too, but the
/// steps keep their size: one more step decides.
void NewtonSearch::judge_convergence() {
  const double tolerance = problem().standard_errors_tolerance;
  const bool is_seen = exceeds_rounding();
  const bool is_relative = m_step_norm > 0.01 * unbounded_norm_of(m_best);
  const bool is_long = penalty().is_smooth() ? is_seen || is_relative : is_seen && is_relative;
  const double away =
      penalty().is_smooth() ? m_away : std::sqrt(m_weight * std::max(m_decrement, 0.0));
  if (!is_long || !(away > 1e-3 * tolerance)) return finish(Stop::converged);
  if (m_is_suspect) {
    const bool shrinks = m_step_norm < 0.3 * m_last_step_norm;
    return finish(shrinks ? Stop::converged : Stop::separated);
  }
  if (is_out_of_evaluations()) return finish(Stop::iterations);
  m_is_suspect = true;
  m_length = 1;
  m_trial = m_best;
  for (std::size_t j = 0; j < m_trial.size(); ++j) m_trial[j] += m_direction[j];
  ask_trial(true);
}

/// Switches from a part of the rows to all of them, and from products in float to double.
void NewtonSearch::choose_stage() {
  const double distance = m_weight * m_decrement;
  if (m_every > 1) {
    const bool is_close = distance < sampled_distance * static_cast<double>(size());
    if (!is_close && evaluations() < most_sampled_steps) return;
    m_every = 1;
    m_accepts_any = true;
    m_progress = m_least_progress = -1;
    m_model_is_exact = false;
    return;
  }
  if (!m_is_double && (m_optimality < float_optimality || distance < 1 || m_stalls > 0)) {
    m_is_double = true;
  }
}

/// The fraction of the squared distance that may remain for both measures to reach their
/// tolerances.
double NewtonSearch::progress_to_make() const {
  const SearchProblem& p = problem();
  const double ratio = p.optimality_tolerance / std::max(m_optimality, 1e-300);
  double part = ratio * ratio;
  if (penalty().is_smooth()) {
    const double tolerance = p.standard_errors_tolerance;
    part = std::min(part, tolerance * tolerance / std::max(m_weight * m_decrement, 1e-300));
  }
  return part;
}

/// Whether a Hessian at the next point saves more evaluations than it costs. Before the first step
/// with an older Hessian its contraction is unknown. Then a new Hessian is computed only if it
/// costs at most `cheap_hessian` evaluations.
bool NewtonSearch::pays_hessian() const {
  if (problem().is_quadratic && m_model_is_exact) {
    return m_stalls == stalls_to_refresh && !m_model_is_double;
  }
  if (m_every > 1 || (m_contraction < 0 && m_accepts_any)) return true;
  if (!m_model_is_exact && penalty().is_smooth()) return true;
  if (m_stalls >= stalls_to_refresh) return true;
  const double part = progress_to_make();
  if (part >= 1) return false;
  if (m_contraction < 0) return problem().hessian_cost <= cheap_hessian;
  if (m_contraction > reliable_contraction) return true;  // the older one has failed
  // A Hessian of this point contracts like the square of an older one.
  const double contraction = m_model_age == 0 ? m_contraction * m_contraction : m_contraction;
  if (contraction >= 1) return true;
  return std::log(part) / std::log(std::max(contraction, 1e-300)) >
         std::max(problem().hessian_cost, 1.0);
}

/// Evaluates the best point again, with a Hessian.
void NewtonSearch::ask_again() {
  if (is_out_of_evaluations()) return finish(Stop::iterations);
  m_trial = m_best;
  m_accepts_any = true;
  m_halvings = 0;
  ask_trial(true);
}

void NewtonSearch::step() {
  if (is_out_of_evaluations()) return finish(Stop::iterations);
  for (std::size_t j = 0; j < m_trial.size(); ++j) {
    m_trial[j] = m_best[j] + m_length * m_direction[j];
  }
  ask_trial(m_halvings > 0 ? !problem().is_quadratic : pays_hessian());
}

}  // namespace synelix::glm
