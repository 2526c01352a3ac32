// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/host_array.hpp"
#include "glm/loss_reference.hpp"
#include "oracle/row_formulas.hpp"

#include <synelix/expression.hpp>
#include <synelix/penalty.hpp>
#include <synelix/types/design_matrix.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

/// \file
/// Small random fits, and their objective with derivatives in plain loops: without passes and
/// solvers of the library.

namespace drawn_fit {

namespace sx = synelix;
using oracle::HostMatrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Every family with every link, categorical included.
inline std::vector<sx::Loss> all_losses() {
  std::vector<sx::Loss> losses = loss_reference::pairs();
  losses.push_back({sx::Family::categorical, sx::InverseLink::softmax, 1.0, 3});
  return losses;
}

inline bool has_border(const sx::Loss& loss) { return loss_reference::needs_positive(loss); }

/// Whether a predictor of 0 has a mean.
inline bool has_mean_at_0(const sx::Loss& loss) {
  return !has_border(loss) && loss.inverse_link != sx::InverseLink::one_over_x;
}

/// Whether the loss of a row is convex in its predictor wherever it is finite.
inline bool is_convex(const sx::Loss& loss) {
  using enum sx::InverseLink;
  switch (loss.family) {
    case sx::Family::gaussian:
      return loss.inverse_link == identity;
    case sx::Family::poisson:
      return loss.inverse_link != one_over_x;
    case sx::Family::gamma:
      return loss.inverse_link == exp || loss.inverse_link == one_over_x;
    case sx::Family::negative_binomial:
      return loss.inverse_link == exp;
    default:
      return true;
  }
}

enum class PenaltyKind : std::uint8_t { none, ridge, lasso, elastic_net, group_lasso };

constexpr double net_ratio = 0.7;

/// A fit.
struct Drawn {
  std::uint64_t seed = 0;
  sx::Loss loss = {};
  PenaltyKind penalty = PenaltyKind::none;
  double strength = 0;
  bool has_intercept = true;
  bool is_positive = false;  ///< all features are above 0
  HostMatrix features = {};  ///< NaN in rows that do not count
  std::vector<sx::Events::Train> trains = {};
  std::vector<double> taps = {};  ///< of the events, (window, 2)
  HostMatrix y = {};
  std::vector<double> offset = {};
  std::vector<double> weights = {};

  [[nodiscard]] std::int64_t rows() const { return features.rows; }
  [[nodiscard]] std::int64_t columns() const { return features.columns; }
  [[nodiscard]] std::size_t classes() const {
    return loss.family == sx::Family::categorical ? static_cast<std::size_t>(loss.classes) : 1;
  }
  [[nodiscard]] std::size_t parameters() const {
    return static_cast<std::size_t>(columns() + 1) * classes();
  }
  [[nodiscard]] double weight(std::int64_t t) const {
    if (!std::isfinite(features(t, 0))) return 0;
    return weights.empty() ? 1 : weights[static_cast<std::size_t>(t)];
  }
  [[nodiscard]] std::vector<std::int64_t> groups() const {
    std::vector<std::int64_t> found;
    for (std::int64_t j = 0; j < columns(); ++j) found.push_back(j / 2);
    return found;
  }
  [[nodiscard]] sx::Penalty bound(double number) const {
    switch (penalty) {
      case PenaltyKind::ridge:
        return sx::Ridge{number};
      case PenaltyKind::lasso:
        return sx::Lasso{number};
      case PenaltyKind::elastic_net:
        return sx::ElasticNet{number, net_ratio};
      case PenaltyKind::group_lasso:
        return sx::GroupLasso{number, groups()};
      default:
        return sx::NoPenalty{};
    }
  }
  [[nodiscard]] bool is_smooth() const {
    return penalty == PenaltyKind::none || penalty == PenaltyKind::ridge;
  }
  [[nodiscard]] sx::Observations observations() const {
    sx::Observations found{.targets = y.in()};
    if (!offset.empty()) found.offset = sx::Strided(offset.data(), {rows()});
    if (!weights.empty()) found.row_weights = sx::Strided(weights.data(), {rows()});
    return found;
  }
};

// ---- the objective

/// Mean loss plus the smooth part of the penalty, with derivatives.
struct DrawnPoint {
  double loss = 0;
  std::vector<double> gradient = {};
  std::vector<double> hessian = {};
  std::vector<double> scale = {};  ///< mean |x r| of each parameter
};

inline oracle::RowValue row_of(const Drawn& drawn, double target, const std::vector<double>& eta) {
  if (drawn.classes() > 1) return oracle::softmax_value(target, eta);
  if (has_border(drawn.loss) && !(eta[0] > 0)) return {infinity, {0}, {0}};
  const loss_reference::Row row = loss_reference::row_of(drawn.loss, target, eta[0]);
  return {static_cast<double>(row.loss.value),
          {static_cast<double>(row.residual.value)},
          {static_cast<double>(row.curvature.value)}};
}

inline DrawnPoint point_at(const Drawn& drawn, const std::vector<double>& parameters) {
  const std::size_t classes = drawn.classes();
  const std::size_t size = parameters.size();
  DrawnPoint sum;
  sum.gradient.assign(size, 0);
  sum.scale.assign(size, 0);
  sum.hessian.assign(size * size, 0);
  double weight = 0;
  for (std::int64_t t = 0; t < drawn.rows(); ++t) {
    const double w = drawn.weight(t);
    if (w == 0) continue;
    const auto x = [&](std::size_t a) {
      const auto j = static_cast<std::int64_t>(a / classes);
      return j < drawn.columns() ? drawn.features(t, j) : 1.0;
    };
    std::vector<double> eta(classes,
                            drawn.offset.empty() ? 0 : drawn.offset[static_cast<std::size_t>(t)]);
    for (std::size_t a = 0; a < size; ++a) eta[a % classes] += x(a) * parameters[a];
    const oracle::RowValue row = row_of(drawn, drawn.y(t, 0), eta);
    weight += w;
    sum.loss += w * row.loss;
    for (std::size_t a = 0; a < size; ++a) {
      sum.gradient[a] += w * x(a) * row.residual[a % classes];
      sum.scale[a] += w * std::abs(x(a) * row.residual[a % classes]);
      for (std::size_t b = 0; b < size; ++b) {
        sum.hessian[a * size + b] +=
            w * x(a) * x(b) * row.curvature[(a % classes) * classes + b % classes];
      }
    }
  }
  sum.loss /= weight;
  for (auto* list : {&sum.gradient, &sum.hessian, &sum.scale}) {
    for (double& value : *list) value /= weight;
  }
  return sum;
}

inline double penalty_of(const Drawn& drawn, double strength, const std::vector<double>& p) {
  const std::size_t coefficients = p.size() - drawn.classes();
  double squares = 0;
  double sizes = 0;
  std::vector<double> groups(coefficients, 0);
  std::vector<double> members(coefficients, 0);
  for (std::size_t a = 0; a < coefficients; ++a) {
    squares += p[a] * p[a];
    sizes += std::abs(p[a]);
    groups[a / drawn.classes() / 2] += p[a] * p[a];
    members[a / drawn.classes() / 2] += 1;
  }
  double of_groups = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) of_groups += std::sqrt(members[g] * groups[g]);
  switch (drawn.penalty) {
    case PenaltyKind::ridge:
      return strength / 2 * squares;
    case PenaltyKind::lasso:
      return strength * sizes;
    case PenaltyKind::elastic_net:
      return strength * ((1 - net_ratio) / 2 * squares + net_ratio * sizes);
    case PenaltyKind::group_lasso:
      return strength * of_groups;
    default:
      return 0;
  }
}

/// Largest violation of the conditions of an optimum.
inline double violation_at(const Drawn& drawn, double strength, const std::vector<double>& p,
                           const DrawnPoint& point) {
  const std::size_t classes = drawn.classes();
  const std::size_t coefficients = p.size() - classes;
  double worst = 0;
  for (std::size_t a = coefficients; a < p.size() && drawn.has_intercept; ++a) {
    worst = std::max(worst, std::abs(point.gradient[a]));
  }
  if (drawn.penalty == PenaltyKind::group_lasso) {
    for (std::size_t g = 0; 2 * g * classes < coefficients; ++g) {
      const std::size_t first = 2 * g * classes;
      const std::size_t last = std::min(first + 2 * classes, coefficients);
      const double pull = strength * std::sqrt(static_cast<double>(last - first));
      double size = 0;
      double gradient = 0;
      for (std::size_t a = first; a < last; ++a) {
        size += p[a] * p[a];
        gradient += point.gradient[a] * point.gradient[a];
      }
      if (size == 0) worst = std::max(worst, std::sqrt(gradient) - pull);
      for (std::size_t a = first; a < last && size > 0; ++a) {
        worst = std::max(worst, std::abs(point.gradient[a] + pull * p[a] / std::sqrt(size)));
      }
    }
    return worst;
  }
  double ridge = 0;
  double l1 = 0;
  if (drawn.penalty == PenaltyKind::ridge) ridge = strength;
  if (drawn.penalty == PenaltyKind::lasso) l1 = strength;
  if (drawn.penalty == PenaltyKind::elastic_net) {
    ridge = (1 - net_ratio) * strength;
    l1 = net_ratio * strength;
  }
  for (std::size_t a = 0; a < coefficients; ++a) {
    const double slope = point.gradient[a] + ridge * p[a];
    const double found =
        p[a] == 0 ? std::abs(slope) - l1 : std::abs(slope + std::copysign(l1, p[a]));
    worst = std::max(worst, found);
  }
  return worst;
}

/// The model without features: the predictor of the mean target in all rows that have none lower.
inline std::vector<double> null_of(const Drawn& drawn) {
  std::vector<double> p(drawn.parameters(), 0);
  if (drawn.classes() > 1 || (!drawn.has_intercept && has_mean_at_0(drawn.loss))) return p;
  double weight = 0;
  double sum = 0;
  double least = 0;
  for (std::int64_t t = 0; t < drawn.rows(); ++t) {
    weight += drawn.weight(t);
    sum += drawn.weight(t) == 0 ? 0 : drawn.weight(t) * drawn.y(t, 0);
    if (!drawn.offset.empty()) least = std::min(least, drawn.offset[static_cast<std::size_t>(t)]);
  }
  const double mean = sum / weight;
  const double above = std::max(mean, 1e-3);
  switch (drawn.loss.inverse_link) {
    case sx::InverseLink::identity:
      p.back() = has_border(drawn.loss) ? above - least : mean;
      break;
    case sx::InverseLink::one_over_x:
      p.back() = has_border(drawn.loss) ? 1 / above - least : 1 / mean;
      break;
    case sx::InverseLink::exp:
      p.back() = std::log(above);
      break;
    case sx::InverseLink::softplus:
      p.back() = std::log(std::expm1(above));
      break;
    default:
      break;
  }
  return p;
}

// ---- damped Newton

/// Solves a x = b by Gaussian elimination with pivots. Returns false if a pivot vanishes.
inline bool solve(std::vector<double> a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (!(std::abs(a[pivot * n + k]) > 1e-300)) return false;
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return std::all_of(b.begin(), b.end(), [](double value) { return std::isfinite(value); });
}

struct Minimum {
  std::vector<double> parameters = {};
  double objective = infinity;
  double violation = infinity;
};

/// Newton's method with a shift of the diagonal that grows until the objective falls. Of smooth
/// penalties.
inline Minimum damped_newton(const Drawn& drawn, double strength, std::vector<double> p,
                             int most_steps) {
  Minimum best;
  const std::size_t classes = drawn.classes();
  const std::size_t free = drawn.has_intercept ? p.size() : p.size() - classes;
  DrawnPoint point = point_at(drawn, p);
  best.objective = point.loss + penalty_of(drawn, strength, p);
  double shift = 1e-10;
  for (int step = 0; step < most_steps && std::isfinite(best.objective); ++step) {
    const double ridge = drawn.penalty == PenaltyKind::ridge ? strength : 0;
    bool has_fallen = false;
    for (int turn = 0; turn < 40 && !has_fallen; ++turn) {
      std::vector<double> a(free * free);
      std::vector<double> move(free);
      for (std::size_t i = 0; i < free; ++i) {
        for (std::size_t j = 0; j < free; ++j) a[i * free + j] = point.hessian[i * p.size() + j];
        const double own = i < p.size() - classes ? ridge : 0;
        a[i * free + i] += own + shift * (std::abs(a[i * free + i]) + 1e-6);
        move[i] = -(point.gradient[i] + own * p[i]);
      }
      std::vector<double> next = p;
      if (solve(std::move(a), move)) {
        for (std::size_t i = 0; i < free; ++i) next[i] += move[i];
        const DrawnPoint there = point_at(drawn, next);
        const double objective = there.loss + penalty_of(drawn, strength, next);
        has_fallen = objective < best.objective;
        if (has_fallen) {
          p = next;
          point = there;
          best.objective = objective;
          shift = std::max(shift / 10, 1e-12);
          break;
        }
      }
      shift *= 8;
    }
    if (!has_fallen) break;
  }
  best.violation = violation_at(drawn, strength, p, point);
  best.parameters = std::move(p);
  return best;
}

}  // namespace drawn_fit
