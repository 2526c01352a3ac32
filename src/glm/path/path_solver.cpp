// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/path_solver.hpp"

#include "glm/solvers/hessian_models.hpp"
#include "glm/sweep/host_items.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace synelix::glm {

namespace {

/// Neighboring strengths that share a Hessian.
constexpr std::size_t strengths_of_group = 10;
/// Walks of a group before its unfinished models get their own searches.
constexpr int most_rounds = 14;
/// Walks after which a group gets a new Hessian.
constexpr int rounds_of_hessian = 5;
/// Rejected steps before a model gets its own search.
constexpr int most_steps_back = 4;
/// A relative rise of the objective that rounding may cause: between two points in double, and if
/// products in float or the last digits near an optimum are compared.
constexpr double rounding = 1e-12;
constexpr double coarse_rounding = 1e-6;

void append(std::vector<double>& to, std::span<const double> from) {
  to.insert(to.end(), from.begin(), from.end());
}

double sum_of_losses(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace

std::int64_t PathMemory::of_hessian_owner(std::int64_t blocks, std::int64_t sides) const {
  constexpr std::int64_t vectors_of_model = 10;  // points, gradients, the penalty
  const auto models = static_cast<std::int64_t>(strengths_of_group) + 1;
  return blocks * (5 * matrix + sides * models * vectors_of_model * vector);
}

Request PathSolver::request_of(const PathSide& side, std::size_t block,
                               const std::vector<double>& parameters) {
  Request request;
  const std::int64_t size = m_shape.parameters();
  const double* const first = parameters.data() + static_cast<std::int64_t>(block) * size;
  request.parameters = first;
  if (!side.centers.empty()) {
    m_points.emplace_back(first, first + size);
    to_given({side.centers[block]}, m_points.back(), m_shape.classes);
    request.parameters = m_points.back().data();
  }
  request.rows = side.rows[block];
  request.dispersion = side.dispersion[block];
  // The number of all sides, because the number in a batch depends on the budget.
  request.together = static_cast<std::int64_t>(m_sides->size());
  return request;
}

void PathSolver::take_means(const PathSide& side, std::size_t block, Sums& sums) const {
  divide_by_weight(sums);
  if (!side.centers.empty()) center(side.centers[block], sums, m_shape.classes);
}

PathAnswers PathSolver::solve(const std::vector<PathSide>& sides) {
  m_sides = &sides;
  m_start = plan::steady_nanoseconds();
  m_answers.assign(sides.size(), {});
  m_last.assign(sides.size(), {});
  m_hessians.assign(sides.size(), {});
  m_is_separated.assign(sides.size(), 0);
  m_done = 0;
  m_all = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const PathSide& side = sides[i];
    m_answers[i].assign(side.strengths.size(), side.first_answer());
    m_all += static_cast<std::int64_t>(side.strengths.size());
    if (side.is_settled) m_done += static_cast<std::int64_t>(side.strengths.size());
  }
  finishes_walks([this] { evaluate_settled(); });
  for (const std::vector<std::size_t>& batch : batches()) {
    if (!m_is_cancelled) run_batch(batch);
  }
  return std::move(m_answers);
}

/// Evaluates the losses of the models without features of settled sides.
void PathSolver::evaluate_settled() {
  m_points.clear();
  std::vector<Request> requests;
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < m_sides->size(); ++i) {
    const PathSide& side = (*m_sides)[i];
    if (!side.is_settled) continue;
    requests.push_back(request_of(side, 0, side.null));
    owner.push_back(i);
  }
  m_walks.all(requests, {}, [&](std::size_t k, Sums& sums) {
    for (PathAnswer& answer : m_answers[owner[k]]) answer.losses = {sums.loss / sums.weight};
  });
}

/// Batches of sides whose Hessians fit in memory together. Sides that share a Hessian are in one
/// batch.
std::vector<std::vector<std::size_t>> PathSolver::batches() const {
  const std::vector<PathSide>& sides = *m_sides;
  std::vector<std::vector<std::size_t>> found;
  std::int64_t left = 0;
  for (std::size_t hessian_owner = 0; hessian_owner < sides.size(); ++hessian_owner) {
    if (sides[hessian_owner].curvature_of != hessian_owner) continue;
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (sides[i].curvature_of == hessian_owner && !sides[i].is_settled) members.push_back(i);
    }
    if (members.empty()) continue;
    const std::int64_t bytes =
        m_memory.of_hessian_owner(static_cast<std::int64_t>(sides[hessian_owner].rows.size()),
                                  static_cast<std::int64_t>(members.size()));
    if (found.empty() || bytes > left) {
      found.emplace_back();
      left = std::max(bytes, m_memory.batch);
    }
    left -= bytes;
    found.back().insert(found.back().end(), members.begin(), members.end());
  }
  return found;
}

void PathSolver::run_batch(const std::vector<std::size_t>& batch) {
  if (m_listener.is_cancelled()) {
    m_is_cancelled = true;
    return;
  }
  for (const std::size_t i : batch) m_last[i] = {(*m_sides)[i].null, {}, {}};
  if (!finishes_walks([&] { evaluate_last(batch, true); })) return;
  const std::size_t count = (*m_sides)[batch.front()].strengths.size();
  for (std::size_t first = 0; first < count && !m_is_cancelled; first += strengths_of_group) {
    const std::size_t last = std::min(first + strengths_of_group, count);
    open_group(batch, first, last);
    for (int round = 0; round < most_rounds && !m_is_cancelled; ++round) {
      const bool is_any_open = std::any_of(m_open.begin(), m_open.end(), [](const Open& open) {
        return !open.is_optimal && !open.is_left;
      });
      if (!is_any_open) break;
      WalkKind kind;
      if (round == 0 && m_may_use_float) kind.arithmetic = Arithmetic::float_products;
      walk(kind, round % rounds_of_hessian == 0);
      if (m_is_cancelled) break;
      sweep::run_host_loop("synelix::fit_path::models", static_cast<std::int64_t>(m_open.size()),
                           [&](std::int64_t i) { advance(m_open[static_cast<std::size_t>(i)]); });
      report();
    }
    search_the_rest();
    close_group(last);
  }
  for (const std::size_t i : batch) {
    m_hessians[i] = {};
    m_last[i] = {};
  }
}

/// Evaluates losses and gradients at the last answers, and Hessians of the sides that others use.
void PathSolver::evaluate_last(const std::vector<std::size_t>& sides, bool with_hessians) {
  m_points.clear();
  std::vector<Request> requests;
  std::vector<std::size_t> owner;
  for (const std::size_t i : sides) {
    const PathSide& side = (*m_sides)[i];
    m_last[i].gradient.clear();
    m_last[i].losses.clear();
    for (std::size_t block = 0; block < side.rows.size(); ++block) {
      requests.push_back(request_of(side, block, m_last[i].parameters));
      requests.back().wants_hessian = with_hessians && side.curvature_of == i;
      owner.push_back(i);
    }
  }
  std::vector<double> hessian;
  m_walks.all(requests, {}, [&](std::size_t k, Sums& sums) {
    const std::size_t i = owner[k];
    take_means((*m_sides)[i], m_last[i].losses.size(), sums);
    append(m_last[i].gradient, sums.gradient);
    m_last[i].losses.push_back(sums.loss);
    if (!requests[k].wants_hessian) return;
    append(hessian, sums.hessian);
    if (k + 1 < owner.size() && owner[k + 1] == i) return;
    keep_hessian(i, hessian);
    hessian.clear();
  });
  report();
}

/// Keeps a Hessian. With links that are not canonical it may have negative eigenvalues, which
/// models do not allow.
void PathSolver::keep_hessian(std::size_t i, std::span<const double> hessian) {
  const PathSide& side = (*m_sides)[i];
  const FreeParameters free = m_shape.free_of(side, side.penalty);
  free.gather_hessian(hessian, m_hessians[i]);
  make_convex(m_shape.tiles, free, m_hessians[i]);
}

/// Opens a group. The first points are the last answer, with each penalty. The first trials are the
/// minima of the model there, one strength after the other.
void PathSolver::open_group(const std::vector<std::size_t>& batch, std::size_t first,
                            std::size_t last) {
  const std::size_t each = last - first;
  m_open.assign(batch.size() * each, {});
  sweep::run_host_loop(
      "synelix::fit_path::starts", static_cast<std::int64_t>(batch.size()), [&](std::int64_t k) {
        const std::size_t i = batch[static_cast<std::size_t>(k)];
        const PathSide& side = (*m_sides)[i];
        const PathModel model{m_hessians[side.curvature_of], m_last[i].gradient,
                              m_last[i].parameters};
        std::vector<double> values = m_last[i].parameters;
        for (std::size_t r = first; r < last; ++r) {
          Open& open = m_open[static_cast<std::size_t>(k) * each + r - first];
          open.side = i;
          open.strength = r;
          open.penalty = times(side.penalty, side.strengths[r]);
          open.point = m_last[i].parameters;
          open.gradient = m_last[i].gradient;
          open.losses = m_last[i].losses;
          open.objective =
              sum_of_losses(open.losses) + open.penalty.value(m_shape.coefficients_of(open.point));
          open.optimality =
              m_shape.violation(open.penalty, open.point, open.gradient) / side.gradient_scale;
          open.is_known = true;
          // Whether coefficients without a penalty have an optimum does not depend on the strength
          // of the others, so the result for the first strength holds for all.
          const std::int64_t blocks = std::ssize(side.rows);
          open.may_separate =
              (r == 0 || side.strengths[r] == 0) &&
              leaves_any_out(open.penalty, blocks * m_shape.columns * m_shape.classes);
          minimize(m_shape, side, open.penalty, model, values);
          open.trial = values;
        }
      });
}

/// For each side whose Hessian is used, the unfinished model at whose point it is evaluated:
/// preferably a model of that side, and in the middle of the group.
std::vector<std::size_t> PathSolver::places_of_hessians() const {
  std::vector<std::size_t> found;
  std::vector<std::vector<std::size_t>> candidates(m_sides->size());
  for (std::size_t k = 0; k < m_open.size(); ++k) {
    const Open& open = m_open[k];
    if (open.is_optimal || open.is_left) continue;
    candidates[(*m_sides)[open.side].curvature_of].push_back(k);
  }
  for (std::size_t hessian_owner = 0; hessian_owner < candidates.size(); ++hessian_owner) {
    std::vector<std::size_t> of_side;
    for (const std::size_t k : candidates[hessian_owner]) {
      if (m_open[k].side == hessian_owner) of_side.push_back(k);
    }
    const std::vector<std::size_t>& all = of_side.empty() ? candidates[hessian_owner] : of_side;
    if (!all.empty()) found.push_back(all[all.size() / 2]);
  }
  return found;
}

/// Evaluates all unfinished models.
void PathSolver::walk(WalkKind kind, bool with_hessians) {
  if (m_listener.is_cancelled()) {
    m_is_cancelled = true;
    return;
  }
  const std::vector<std::size_t> places =
      with_hessians ? places_of_hessians() : std::vector<std::size_t>();
  m_points.clear();
  std::vector<Request> requests;
  std::vector<std::size_t> owner;
  for (std::size_t k = 0; k < m_open.size(); ++k) {
    Open& open = m_open[k];
    if (open.is_optimal || open.is_left) continue;
    const PathSide& side = (*m_sides)[open.side];
    open.trial_losses.clear();
    open.trial_gradient.clear();
    for (std::size_t block = 0; block < side.rows.size(); ++block) {
      requests.push_back(request_of(side, block, open.trial));
      requests.back().wants_hessian = std::find(places.begin(), places.end(), k) != places.end();
      owner.push_back(k);
    }
  }
  std::vector<double> hessian;
  const auto take_sums = [&](std::size_t r, Sums& sums) {
    Open& open = m_open[owner[r]];
    take_means((*m_sides)[open.side], open.trial_losses.size(), sums);
    open.trial_losses.push_back(sums.loss);
    append(open.trial_gradient, sums.gradient);
    if (requests[r].wants_hessian) append(hessian, sums.hessian);
    if (r + 1 < owner.size() && owner[r + 1] == owner[r]) return;
    const bool is_taken = take(open, kind.arithmetic == Arithmetic::double_products);
    if (requests[r].wants_hessian && is_taken) {
      keep_hessian((*m_sides)[open.side].curvature_of, hessian);
    }
    hessian.clear();
  };
  finishes_walks([&] { m_walks.all(requests, kind, take_sums); });
}

/// Compares the trial with the best point. The trial replaces it if the objective falls or, close
/// to the optimum, where rounding hides that, if the violation falls. So the objective never rises
/// above that at the start of the group, and no step reaches a point with an infinite or flat loss.
/// Returns whether the trial was accepted.
bool PathSolver::take(Open& open, bool is_double) {
  ++open.evaluations;
  const double objective =
      sum_of_losses(open.trial_losses) + open.penalty.value(m_shape.coefficients_of(open.trial));
  const double violation = m_shape.violation(open.penalty, open.trial, open.trial_gradient);
  const double scale = (*m_sides)[open.side].gradient_scale;
  const bool is_number = std::isfinite(objective) && std::isfinite(violation);
  const bool is_exact = is_double && open.is_known;
  const double least_rise = (is_exact ? rounding : coarse_rounding) * std::fabs(open.objective);
  const bool falls = objective <= open.objective + least_rise ||
                     (objective <= open.objective + coarse_rounding * std::fabs(open.objective) &&
                      violation / scale <= 0.5 * open.optimality);
  if (is_number && falls) {
    open.point = open.trial;
    open.gradient = open.trial_gradient;
    open.losses = open.trial_losses;
    open.objective = objective;
    open.optimality = violation / scale;
    open.is_known = is_double;
    return true;
  }
  if (++open.halvings > most_steps_back) open.is_left = true;
  for (std::size_t i = 0; i < open.point.size(); ++i) {
    open.trial[i] = open.point[i] + 0.5 * (open.trial[i] - open.point[i]);
  }
  return false;
}

/// Ends a model whose optimum is within the tolerances. The optimum may be at infinity, where both
/// measures also become small. A separate search decides that, because its Hessian is of this
/// model.
void PathSolver::end(Open& open) { (open.may_separate ? open.is_left : open.is_optimal) = true; }

/// Moves the trial from the best point to the minimum of its model, or ends the model.
void PathSolver::advance(Open& open) const {
  if (open.is_optimal || open.is_left || open.trial != open.point) return;
  const PathSide& side = (*m_sides)[open.side];
  const bool is_smooth = open.penalty.is_smooth();
  const bool is_within = open.is_known && open.optimality <= m_shape.optimality_tolerance;
  if (is_within && !is_smooth) return end(open);
  const PathModel model{m_hessians[side.curvature_of], open.gradient, open.point};
  std::vector<double> values = open.point;
  open.standard_errors_away = minimize(m_shape, side, open.penalty, model, values);
  if (is_within && open.standard_errors_away <= m_shape.standard_errors_tolerance) {
    return end(open);
  }
  const bool is_spent = open.evaluations >= m_shape.most_evaluations;
  if (is_spent || (open.is_known && values == open.point)) open.is_left = true;
  open.trial = std::move(values);
}

/// Stores the answers, and the start of the next group.
void PathSolver::close_group(std::size_t last) {
  std::vector<std::size_t> without_gradient;
  for (Open& open : m_open) {
    PathAnswer& answer = m_answers[open.side][open.strength];
    if (open.is_optimal) answer.stop = Stop::converged;
    std::uint8_t& is_separated = m_is_separated[open.side];
    if (open.strength == 0 && answer.stop == Stop::separated) is_separated = 1;
    if (is_separated != 0 && answer.stop == Stop::converged) answer.stop = Stop::separated;
    if (open.evaluations > 0) {
      answer.parameters = open.point;
      answer.losses = open.losses;
      answer.optimality = open.optimality;
      answer.standard_errors_away = open.standard_errors_away;
      answer.evaluations = open.evaluations;
    }
    if (answer.stop != Stop::cancelled) ++m_done;
    if (open.strength + 1 != last || open.evaluations == 0) continue;
    m_last[open.side] = {std::move(open.point), std::move(open.gradient), std::move(open.losses)};
    if (m_last[open.side].gradient.empty()) without_gradient.push_back(open.side);
  }
  m_open.clear();
  if (without_gradient.empty() || m_is_cancelled) return;
  finishes_walks([&] { evaluate_last(without_gradient, false); });
}

void PathSolver::report() {
  if (m_listener.progress == nullptr || !*m_listener.progress) return;
  FitProgress progress;
  progress.targets = m_all;
  progress.targets_done = m_done;
  for (const Open& open : m_open) {
    if (open.is_optimal) ++progress.targets_done;
    if (std::isfinite(open.optimality)) {
      progress.worst_optimality = std::max(progress.worst_optimality, open.optimality);
    }
  }
  progress.passes = m_walks.count();
  progress.seconds = 1e-9 * static_cast<double>(plan::steady_nanoseconds() - m_start);
  (*m_listener.progress)(progress);
}

}  // namespace synelix::glm
