// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/loss.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

/// \file
/// Losses of rows by their formulas in long double: dl/dmu and the derivatives of mu by the chain
/// rule, without a form that avoids cancellation. Each number comes with the size of its terms, so
/// that a test can set its tolerance.

namespace loss_reference {

using synelix::Family;
using synelix::InverseLink;
using synelix::Loss;
using Real = long double;

/// A sum of terms.
struct Number {
  Real value = 0;
  Real size = 0;  ///< sum of |terms|

  Number& add(Real term) {
    value += term;
    size += std::fabs(term);
    return *this;
  }
};

struct Row {
  Number loss, residual, curvature;
};

inline Real normal_cdf(Real x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }
inline Real normal_density(Real x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0L));
}
inline Real logistic(Real x) { return 1 / (1 + std::exp(-x)); }

/// mu, 1 - mu and two derivatives of mu.
struct Mean {
  Real mu, rest, slope, bend;
};

inline Mean mean_by(InverseLink link, Real x) {
  switch (link) {
    case InverseLink::exp:
      return {std::exp(x), 0, std::exp(x), std::exp(x)};
    case InverseLink::softplus: {
      const Real mu = x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
      return {mu, 0, logistic(x), logistic(x) * logistic(-x)};
    }
    case InverseLink::logistic: {
      const Real slope = logistic(x) * logistic(-x);
      return {logistic(x), logistic(-x), slope, slope * (logistic(-x) - logistic(x))};
    }
    case InverseLink::norm_cdf:
      return {normal_cdf(x), normal_cdf(-x), normal_density(x), -x * normal_density(x)};
    case InverseLink::one_over_x:
      return {1 / x, 0, -1 / (x * x), 2 / (x * x * x)};
    default:
      return {x, 0, 1, 0};
  }
}

inline Real times_log(Real y, Real m) { return y == 0 ? 0 : y * std::log(m); }
inline Real times_log1p(Real y, Real m) { return y == 0 ? 0 : y * std::log1p(m); }

/// l, dl/dmu and d2l/dmu2 as terms.
inline Row row_of(const Loss& loss, Real y, Real eta) {
  const Mean m = mean_by(loss.inverse_link, eta);
  const Real mu = m.mu;
  const Real a = loss.dispersion;
  Row row;
  std::vector<Real> first;
  std::vector<Real> second;
  switch (loss.family) {
    case Family::gaussian:
      row.loss = {(y - mu) * (y - mu), std::fabs(y - mu) * (std::fabs(y) + std::fabs(mu))};
      first = {2 * mu, -2 * y};
      second = {2};
      break;
    case Family::bernoulli:  // ln mu by the larger of mu and 1 - mu, which rounds less
      row.loss.add(mu < m.rest ? -times_log(y, mu) : -times_log1p(y, -m.rest));
      row.loss.add(mu < m.rest ? -times_log1p(1 - y, -mu) : -times_log(1 - y, m.rest));
      first = {-y / mu, (1 - y) / m.rest};
      second = {y / (mu * mu), (1 - y) / (m.rest * m.rest)};
      break;
    case Family::gamma:
      row.loss.add(y / mu).add(std::log(mu));
      first = {1 / mu, -y / (mu * mu)};
      second = {2 * y / (mu * mu * mu), -1 / (mu * mu)};
      break;
    case Family::negative_binomial:
      row.loss.add(times_log1p(y, 1 / (a * mu))).add(std::log1p(a * mu) / a);
      first = {1 / (1 + a * mu), -y / (mu * (1 + a * mu))};
      second = {y / (mu * mu), -a * (1 + a * y) / ((1 + a * mu) * (1 + a * mu))};
      break;
    default:
      row.loss.add(mu).add(-times_log(y, mu));
      first = {1, -y / mu};
      second = {y / (mu * mu)};
  }
  for (const Real term : first) row.residual.add(term * m.slope);
  for (const Real term : second) row.curvature.add(term * m.slope * m.slope);
  for (const Real term : first) row.curvature.add(term * m.bend);
  return row;
}

/// Every family with every link it can have, but categorical.
inline const std::vector<Loss>& pairs() {
  using enum InverseLink;
  static const std::vector<Loss> all = [] {
    std::vector<Loss> found;
    for (const InverseLink link : {identity, exp, softplus, logistic, norm_cdf, one_over_x}) {
      found.push_back({Family::gaussian, link});
    }
    for (const InverseLink link : {exp, softplus, one_over_x, identity}) {
      found.push_back({Family::poisson, link});
      found.push_back({Family::gamma, link});
      found.push_back({Family::negative_binomial, link, 0.3});
    }
    found.push_back({Family::negative_binomial, exp, 7.5});
    found.push_back({Family::bernoulli, logistic});
    found.push_back({Family::bernoulli, norm_cdf});
    return found;
  }();
  return all;
}

inline std::string text_of(const Loss& loss) {
  return std::string(name_of(loss.family)) + " " + name_of(loss.inverse_link);
}

inline bool needs_positive(const Loss& loss) {
  return loss.family != Family::gaussian && (loss.inverse_link == InverseLink::identity ||
                                             loss.inverse_link == InverseLink::one_over_x);
}

inline double random_target(Family family, std::mt19937_64& random) {
  const std::uint64_t turn = random() % 4;
  switch (family) {
    case Family::gaussian:
      return turn == 0 ? 0.0 : std::normal_distribution<double>(0, 3)(random);
    case Family::bernoulli:
      return turn == 0 ? std::uniform_real_distribution<double>(0, 1)(random)
                       : static_cast<double>(turn & 1);
    case Family::gamma:
      return std::exp(std::normal_distribution<double>(0, 2)(random));
    default:
      return turn < 2 ? 0.0 : static_cast<double>(random() % 50);
  }
}

/// Most are moderate; some are far out, or 0.
inline double random_predictor(const Loss& loss, std::mt19937_64& random) {
  const double moderate = std::normal_distribution<double>(0, 2)(random);
  if (needs_positive(loss)) return std::exp(3 * moderate);
  const bool is_normal = loss.inverse_link == InverseLink::norm_cdf;
  switch (random() % 8) {
    case 0:
      return std::uniform_real_distribution<double>(-60, 60)(random);
    case 1:
      return (random() & 1) == 0 ? 1e-9 * moderate : -0.45 + 1e-3 * moderate;
    case 2:
      return ((random() & 1) == 0 ? 1 : -1) * (is_normal ? 95.0 : 700.0);
    case 3:
      return loss.inverse_link == InverseLink::one_over_x ? 0.5 : 0.0;
    default:
      return moderate;
  }
}

}  // namespace loss_reference
