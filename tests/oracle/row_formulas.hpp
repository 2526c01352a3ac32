// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/loss.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// \file
/// The loss of one row and its derivatives by the linear predictor, from the formulas of families
/// and links and the chain rule, in double. `x ln y` is 0 where x is 0.

namespace oracle {

/// A link at a point: the mean and its derivatives.
struct LinkValue {
  double mean = 0;
  double first = 0;
  double second = 0;
};

inline LinkValue link_value(synelix::InverseLink link, double eta) {
  const double sigmoid = 1 / (1 + std::exp(-eta));
  const double rest = 1 / (1 + std::exp(eta));
  const double density = std::exp(-eta * eta / 2) / std::sqrt(2 * std::acos(-1.0));
  switch (link) {
    case synelix::InverseLink::exp:
      return {std::exp(eta), std::exp(eta), std::exp(eta)};
    case synelix::InverseLink::softplus:
      return {std::max(eta, 0.0) + std::log1p(std::exp(-std::abs(eta))), sigmoid, sigmoid * rest};
    case synelix::InverseLink::logistic:
      return {sigmoid, sigmoid * rest, sigmoid * rest * (rest - sigmoid)};
    case synelix::InverseLink::norm_cdf:
      return {std::erfc(-eta / std::sqrt(2.0)) / 2, density, -eta * density};
    case synelix::InverseLink::one_over_x:
      return {1 / eta, -1 / (eta * eta), 2 / (eta * eta * eta)};
    default:
      return {eta, 1, 0};
  }
}

/// A loss at a mean: the loss and its derivatives by the mean.
inline LinkValue family_value(synelix::Family family, double a, double y, double m) {
  const auto times_log = [](double factor, double x) {
    return factor == 0 ? 0 : factor * std::log(x);
  };
  switch (family) {
    case synelix::Family::poisson:
      return {m - times_log(y, m), 1 - y / m, y / (m * m)};
    case synelix::Family::gamma:
      return {y / m + std::log(m), (m - y) / (m * m), (2 * y - m) / (m * m * m)};
    case synelix::Family::bernoulli:
      return {-times_log(y, m) - times_log(1 - y, 1 - m), (m - y) / (m * (1 - m)),
              y / (m * m) + (1 - y) / ((1 - m) * (1 - m))};
    case synelix::Family::negative_binomial:
      return {-times_log(y, a * m / (1 + a * m)) + std::log1p(a * m) / a,
              (m - y) / (m * (1 + a * m)),
              y / (m * m) - a * (1 + a * y) / ((1 + a * m) * (1 + a * m))};
    default:
      return {(y - m) * (y - m), -2 * (y - m), 2};
  }
}

/// Loss, dl/deta (classes) and d2l/deta2 (classes, classes) of a row of weight 1.
struct RowValue {
  double loss = 0;
  std::vector<double> residual = {};
  std::vector<double> curvature = {};
};

inline RowValue softmax_value(double y, const std::vector<double>& eta) {
  const double most = *std::max_element(eta.begin(), eta.end());
  double sum = 0;
  for (const double value : eta) sum += std::exp(value - most);
  RowValue row;
  row.loss = std::log(sum) + most - eta[static_cast<std::size_t>(y)];
  const std::size_t classes = eta.size();
  for (std::size_t k = 0; k < classes; ++k) {
    const double p = std::exp(eta[k] - most) / sum;
    row.residual.push_back(p - (k == static_cast<std::size_t>(y) ? 1 : 0));
    for (std::size_t c = 0; c < classes; ++c) {
      row.curvature.push_back(p * ((k == c ? 1 : 0) - std::exp(eta[c] - most) / sum));
    }
  }
  return row;
}

/// Infinite if the family needs a mean above 0 and the predictor gives none.
/// \param loss        resolved: no automatic link
/// \param dispersion  of negative_binomial
inline RowValue row_value(const synelix::Loss& loss, double dispersion, double y,
                          const std::vector<double>& eta) {
  if (loss.family == synelix::Family::categorical) return softmax_value(y, eta);
  const double x = eta.front();
  if (loss.family == synelix::Family::bernoulli &&
      loss.inverse_link == synelix::InverseLink::logistic) {  // without cancellation
    const LinkValue sigmoid = link_value(loss.inverse_link, x);
    return {std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))) - y * x,
            {sigmoid.mean - y},
            {sigmoid.first}};
  }
  const bool gives_any = loss.inverse_link == synelix::InverseLink::identity ||
                         loss.inverse_link == synelix::InverseLink::one_over_x;
  if (gives_any && loss.family != synelix::Family::gaussian && !(x > 0)) {
    return {std::numeric_limits<double>::infinity(), {0}, {0}};
  }
  const LinkValue link = link_value(loss.inverse_link, x);
  const LinkValue value = family_value(loss.family, dispersion, y, link.mean);
  return {value.mean,
          {value.first * link.first},
          {value.second * link.first * link.first + value.first * link.second}};
}

}  // namespace oracle
