// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/lbfgs_search.hpp"

#include "glm/algebra/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace synelix::glm {
namespace {

constexpr std::int64_t remembered_steps = 30;
constexpr double flat = 0.9;                  ///< fraction of the slope that may remain
constexpr std::int64_t most_on_line = 25;     ///< evaluations on one line
constexpr std::int64_t most_line_stalls = 8;  ///< steps without decrease
constexpr std::int64_t steps_before_rows = 2;
constexpr std::int64_t steps_to_shrink = 4;  ///< steps to recognize endless long steps
constexpr double least_predictor_variance =
    0.05;  ///< variance of predictors above which weights vary much

}  // namespace

LbfgsSearch::LbfgsSearch(SearchProblem given)
    : SearchBase(std::move(given)), m_preconditioner(problem()) {
  m_is_double = !problem().may_use_float;
  m_reference.assign(size(), 1.0);
  if (!m_preconditioner.is_identity()) {
    const GramModel& model = *problem().gram;
    for (std::int64_t i = 0; i < size(); ++i) {
      const std::int64_t column = free().index()[i] / problem().classes % model.size;
      m_reference[i] = problem().curvature * model.gram[column * (model.size + 1)];
    }
  }
  ask_trial(false);
}

std::vector<double> LbfgsSearch::slope_of(const std::vector<double>& gradient,
                                          const std::vector<double>& point) const {
  std::vector<double> slope = gradient;
  const std::vector<double>& ridge = penalty().ridge;
  for (std::size_t j = 0; j < ridge.size(); ++j) slope[j] += ridge[j] * point[j];
  return slope;
}

void LbfgsSearch::take(Answer answer) {
  if (m_accepts_any) {
    if (!answer.is_finite) return begin_anew();  // the point found in float is outside
    m_accepts_any = false;
    accept(std::move(answer));
    m_image = m_slope = slope_of(m_gradient, m_best);
    m_preconditioner.apply(m_image);
    return begin_line(std::numeric_limits<double>::infinity());
  }
  ++m_line_evaluations;
  const double rounding = allowance(answer.objective);
  bool is_far = !answer.is_finite;
  bool is_short = false;
  std::vector<double> slope;
  if (answer.is_finite) {
    slope = slope_of(answer.gradient, m_trial);
    const double along = dot(slope.data(), m_direction.data(), size());
    const bool falls = answer.objective <= m_objective + rounding;
    const bool is_flat = std::fabs(along) <= -flat * m_line_slope;
    const double promised = m_objective + sufficient * m_length * m_line_slope + rounding;
    is_far = !(falls && is_flat) && (answer.objective > promised || along > -flat * m_line_slope);
    is_short = !is_far && !(falls && is_flat);
    if (is_short && m_line_evaluations >= most_on_line) is_short = false;  // it fell: accept
  }
  if (is_far) return shorten(answer.objective);
  if (is_short) {
    m_lower = m_length;
    m_length = m_upper > 0 ? (m_lower + m_upper) / 2 : 2 * m_length;
    return step();
  }
  std::vector<double> image = slope;
  m_preconditioner.apply(image);
  remember(slope, image);
  const double gain = m_objective - answer.objective;
  accept(std::move(answer));
  m_slope = std::move(slope);
  m_image = std::move(image);
  if (wants_correction()) return;
  begin_line(gain);
}

void LbfgsSearch::begin_anew() {
  forget();
  m_accepts_any = true;
  m_stalls = m_long_steps = 0;
  m_least_violation = -1;
  return_to_start(false);
}

/// Whether to request rows of the Hessian: those of the channel that spreads the predictors most,
/// because it changes the weights of rows most. This is mostly the target's own history.
bool LbfgsSearch::wants_correction() {
  const bool is_time = ++m_steps_made == steps_before_rows && m_optimality > float_optimality;
  if (!is_time || m_preconditioner.is_identity()) return false;
  const GramModel& model = *problem().gram;
  std::vector<double> all(model.size, 0.0);
  for (std::int64_t i = 0; i < size(); ++i) all[free().index()[i]] = m_best[i];
  const double* const sums = &model.gram[(model.size - 1) * model.size];
  double most = least_predictor_variance;
  for (const Range& channel : problem().channels) {
    double square = 0;
    double mean = 0;
    for (std::int64_t i = channel.begin; i < channel.end; ++i) {
      const double* const row = &model.gram[i * model.size];
      mean += all[i] * sums[i];
      for (std::int64_t j = channel.begin; j < channel.end; ++j) square += all[i] * row[j] * all[j];
    }
    if (!(square - mean * mean > most)) continue;
    most = square - mean * mean;
    m_wanted_rows = channel;
  }
  return m_wanted_rows.size() > 0;
}

void LbfgsSearch::take_rows(std::span<const double> hessian) {
  m_preconditioner.correct(problem(), free(), m_wanted_rows, hessian);
  m_wanted_rows = {};
  m_image = m_slope;
  m_preconditioner.apply(m_image);
  const std::int64_t n = size();
  for (std::size_t i = 0; i < m_products.size(); ++i) {
    const auto first = m_changes.begin() + static_cast<std::ptrdiff_t>(i) * n;
    std::vector<double> image(first, first + n);
    m_preconditioner.apply(image);
    m_scale = m_products[i] / dot(&*first, image.data(), n);
    std::copy(image.begin(), image.end(), m_images.begin() + static_cast<std::ptrdiff_t>(i) * n);
  }
  begin_line(std::numeric_limits<double>::infinity());
}

/// Takes a shorter step: to the minimum of a parabola, within the bracket on the line.
void LbfgsSearch::shorten(double objective) {
  if (m_line_evaluations >= most_on_line) {
    if (m_products.empty()) return finish(Stop::no_decrease);
    forget();
    return begin_line(0);
  }
  m_upper = m_length;
  double part = 0.1;
  if (std::isfinite(objective)) {
    const double bend = (objective - m_objective) / m_length - m_line_slope;
    part = bend > 0 ? std::clamp(-m_line_slope / (2 * bend), 0.1, 0.7) : 0.5;
  }
  const double border = 0.1 * (m_upper - m_lower);
  m_length = std::clamp(part * m_length, m_lower + border, m_upper - border);
  step();
}

/// Stores the step from the best point to the trial point, and the change of the gradient.
void LbfgsSearch::remember(const std::vector<double>& slope, const std::vector<double>& image) {
  const std::int64_t n = size();
  std::vector<double> move(n), change(n), changed_image(n);
  for (std::int64_t j = 0; j < n; ++j) {
    move[j] = m_trial[j] - m_best[j];
    change[j] = slope[j] - m_slope[j];
    changed_image[j] = image[j] - m_image[j];
  }
  const double product = dot(move.data(), change.data(), n);
  const double curvature = dot(change.data(), changed_image.data(), n);
  if (!(product > 0) || !(curvature > 0)) return;
  if (static_cast<std::int64_t>(m_products.size()) == remembered_steps) {
    for (auto* list : {&m_steps, &m_changes, &m_images})
      list->erase(list->begin(), list->begin() + n);
    m_products.erase(m_products.begin());
  }
  m_steps.insert(m_steps.end(), move.begin(), move.end());
  m_changes.insert(m_changes.end(), change.begin(), change.end());
  m_images.insert(m_images.end(), changed_image.begin(), changed_image.end());
  m_products.push_back(product);
  m_scale = product / curvature;
}

void LbfgsSearch::forget() {
  for (auto* list : {&m_steps, &m_changes, &m_images, &m_products}) list->clear();
  m_scale = 1;
}

/// The two-loop recursion. The preconditioner is linear, so it is applied to the gradient and to
/// each change only once, and their images are combined with the same coefficients.
void LbfgsSearch::make_direction() {
  const std::int64_t n = size();
  const auto count = static_cast<std::int64_t>(m_products.size());
  const auto add = [n](std::vector<double>& to, double factor, const double* from) {
    for (std::int64_t j = 0; j < n; ++j) to[j] += factor * from[j];
  };
  std::vector<double> rest = m_slope;
  std::vector<double> factors(count);
  m_direction = m_image;
  for (std::int64_t i = count - 1; i >= 0; --i) {
    factors[i] = dot(&m_steps[i * n], rest.data(), n) / m_products[i];
    add(rest, -factors[i], &m_changes[i * n]);
    add(m_direction, -factors[i], &m_images[i * n]);
  }
  for (double& value : m_direction) value *= m_scale;
  for (std::int64_t i = 0; i < count; ++i) {
    const double factor = dot(&m_changes[i * n], m_direction.data(), n) / m_products[i];
    add(m_direction, factors[i] - factor, &m_steps[i * n]);
  }
  for (double& value : m_direction) value = -value;
  m_line_slope = dot(m_slope.data(), m_direction.data(), n);
}

void LbfgsSearch::begin_line(double gain) {
  make_direction();
  if (!(m_line_slope < 0) && !m_products.empty()) {
    forget();
    make_direction();
  }
  m_length = 1;
  m_lower = m_upper = 0;
  m_line_evaluations = 0;
  if (m_products.empty() && m_preconditioner.is_identity()) {  // a first step without a model
    m_length = std::min(1.0, 1 / std::max(std::sqrt(-m_line_slope), 1e-300));
  }
  if (stops(gain)) return;
  if (!m_is_double && (m_optimality < float_optimality || m_stalls > 1)) {
    m_is_double = true;
    m_accepts_any = true;
    m_trial = m_best;
    return ask_trial(false);
  }
  step();
}

bool LbfgsSearch::stops(double gain) {
  const SearchProblem& p = problem();
  if (!std::isfinite(m_line_slope)) return finish(Stop::no_decrease), true;
  const bool is_better = m_least_violation < 0 || violation() < 0.9 * m_least_violation;
  if (is_better) m_least_violation = violation();
  m_stalls = is_better || gain > allowance(m_objective) ? 0 : m_stalls + 1;
  if (m_best_is_double) {
    const bool has_model = !m_products.empty() || !m_preconditioner.is_identity();
    m_away = std::sqrt(m_weight * std::max(-m_line_slope, 0.0));
    const bool is_near = (has_model && m_away <= p.standard_errors_tolerance) || m_away == 0;
    if (m_optimality <= p.optimality_tolerance && is_near) {
      const Verdict verdict = judge_length();
      if (verdict == Verdict::converged) return finish(Stop::converged), true;
      if (verdict == Verdict::separated) return finish(Stop::separated), true;
    }
    if (m_stalls > most_line_stalls || !(m_line_slope < 0)) return finish(Stop::no_decrease), true;
  }
  if (is_out_of_evaluations()) return finish(Stop::iterations), true;
  return false;
}

/// Called if both measures are small. If the optimum is at infinity they become small, too, but
/// steps stay long. With nearly dependent columns steps are also long, but they shrink, so a few
/// more steps decide.
LbfgsSearch::Verdict LbfgsSearch::judge_length() {
  const double tolerance = problem().standard_errors_tolerance;
  const double length = norm_of(m_direction);
  const bool is_long =
      length > 0.01 * norm_of(m_best) && std::sqrt(m_weight) * length > 100 * tolerance;
  if (!is_long || !(m_away > 1e-3 * tolerance)) return Verdict::converged;
  if (m_long_steps++ % steps_to_shrink != 0) return Verdict::open;
  const bool has_shrunk = m_long_steps == 1 || length < 0.5 * m_long_length;
  m_long_length = length;
  return has_shrunk ? Verdict::open : Verdict::separated;
}

void LbfgsSearch::step() {
  if (is_out_of_evaluations()) return finish(Stop::iterations);
  for (std::size_t j = 0; j < m_trial.size(); ++j) {
    m_trial[j] = m_best[j] + m_length * m_direction[j];
  }
  ask_trial(false);
}

}  // namespace synelix::glm
