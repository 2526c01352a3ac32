// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

// The mean loss of a generalized linear model on a matrix in memory, by scalar formulas: the tests
// of searches evaluate it, without code of the library.

namespace dense {

/// A value with two derivatives.
struct Jet {
  double value;
  double first;
  double second;
};

/// mu of eta.
inline Jet link(const std::string& name, double x) {
  const double s = 1 / (1 + std::exp(-x));
  if (name == "exp") return {std::exp(x), std::exp(x), std::exp(x)};
  if (name == "softplus") {
    return {x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)), s, s * (1 - s)};
  }
  if (name == "logistic") return {s, s * (1 - s), s * (1 - s) * (1 - 2 * s)};
  if (name == "norm_cdf") {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    return {0.5 * std::erfc(-x / std::numbers::sqrt2), density, -x * density};
  }
  if (name == "one_over_x") return {1 / x, -1 / (x * x), 2 / (x * x * x)};
  return {x, 1, 0};
}

/// l of mu.
inline Jet loss(const std::string& family, double y, double m, double a) {
  const auto y_log = [y](double z) { return y == 0 ? 0.0 : y * std::log(z); };
  if (family == "poisson") return {m - y_log(m), 1 - y / m, y / (m * m)};
  if (family == "gamma") {
    return {y / m + std::log(m), (m - y) / (m * m), (2 * y - m) / (m * m * m)};
  }
  if (family == "bernoulli") {
    return {y == 0 ? -std::log1p(-m) : -std::log(m), (m - y) / (m * (1 - m)),
            y / (m * m) + (1 - y) / ((1 - m) * (1 - m))};
  }
  if (family == "negativebinomial") {
    const double b = 1 + a * m;
    return {-y_log(a * m / b) + std::log(b) / a, (m - y) / (m * b),
            y / (m * m) - a * (1 + a * y) / (b * b)};
  }
  return {(y - m) * (y - m), -2 * (y - m), 2};
}

/// The loss of one target. Rows that are not finite are left out by the maker.
struct Problem {
  std::int64_t columns = 0;
  std::vector<double> features = {};  ///< (rows, columns)
  std::vector<double> targets = {};
  std::string family = "poisson";
  std::string inverse_link = "exp";
  double dispersion = 1;
  std::int64_t classes = 1;  ///< above 1: categorical, targets are labels

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(targets.size()); }
  [[nodiscard]] std::int64_t size() const { return (columns + 1) * classes; }

  /// Loss and derivatives of a row by its linear predictors; hessian (classes, classes).
  void of_row(std::int64_t t, const double* eta, double& value, double* residual,
              double* curvature) const {
    const double y = targets[t];
    if (classes == 1) {
      const Jet m = link(inverse_link, eta[0]);
      const Jet l = loss(family, y, m.value, dispersion);
      if (inverse_link == "logistic") {  // no cancellation
        value = (eta[0] > 0 ? eta[0] : 0) + std::log1p(std::exp(-std::fabs(eta[0]))) - y * eta[0];
        residual[0] = m.value - y;
        curvature[0] = m.first;
        return;
      }
      value = l.value;
      residual[0] = l.first * m.first;
      curvature[0] = l.second * m.first * m.first + l.first * m.second;
      return;
    }
    const double top = *std::max_element(eta, eta + classes);
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(eta[c] - top);
    const auto label = static_cast<std::int64_t>(y);
    value = std::log(sum) + top - eta[label];
    std::vector<double> p(classes);
    for (std::int64_t c = 0; c < classes; ++c) p[c] = std::exp(eta[c] - top) / sum;
    for (std::int64_t c = 0; c < classes; ++c) {
      residual[c] = p[c] - (c == label ? 1 : 0);
      for (std::int64_t d = 0; d < classes; ++d) {
        curvature[c * classes + d] = (c == d ? p[c] : 0) - p[c] * p[d];
      }
    }
  }
};

/// Means over rows.
struct Evaluation {
  double loss = 0;
  double weight = 0;
  std::vector<double> gradient;
  std::vector<double> hessian;
};

/// The request of a search. Products in float are imitated by rounding features, predictors and
/// sums.
inline Evaluation evaluate(const Problem& problem, const double* parameters, bool wants_hessian,
                           bool is_double, std::int64_t every) {
  const std::int64_t k = problem.classes;
  const std::int64_t q = problem.columns + 1;
  const std::int64_t n = problem.size();
  const auto rounded = [&](double value) {
    return is_double ? value : static_cast<double>(static_cast<float>(value));
  };
  Evaluation result{0, 0, std::vector<double>(n, 0.0), {}};
  if (wants_hessian) result.hessian.assign(n * n, 0.0);
  std::vector<double> x(q), eta(k), residual(k), curvature(k * k);
  for (std::int64_t t = 0; t < problem.rows(); ++t) {
    if (t / 512 % every != 0) continue;
    for (std::int64_t j = 0; j + 1 < q; ++j) x[j] = rounded(problem.features[t * (q - 1) + j]);
    x[q - 1] = 1;
    for (std::int64_t c = 0; c < k; ++c) {
      double sum = 0;
      for (std::int64_t j = 0; j < q; ++j) sum += x[j] * parameters[j * k + c];
      eta[c] = rounded(sum);
    }
    double value = 0;
    problem.of_row(t, eta.data(), value, residual.data(), curvature.data());
    result.loss += value;
    result.weight += 1;
    for (std::int64_t i = 0; i < n; ++i) result.gradient[i] += x[i / k] * residual[i % k];
    if (!wants_hessian) continue;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        result.hessian[i * n + j] += x[i / k] * x[j / k] * curvature[i % k * k + j % k];
      }
    }
  }
  result.loss /= result.weight;
  for (double& value : result.gradient) value = rounded(value / result.weight);
  for (double& value : result.hessian) value = rounded(value / result.weight);
  return result;
}

/// Largest mean |x_j r0|, r0 the residual of the model without features.
inline double gradient_scale(const Problem& problem, const std::vector<double>& start) {
  const std::int64_t k = problem.classes;
  const std::int64_t q = problem.columns + 1;
  std::vector<double> sums(problem.size(), 0.0);
  std::vector<double> residual(k), curvature(k * k);
  double value = 0;
  for (std::int64_t t = 0; t < problem.rows(); ++t) {
    problem.of_row(t, &start[(q - 1) * k], value, residual.data(), curvature.data());
    for (std::int64_t i = 0; i < problem.columns * k; ++i) {
      sums[i] += std::fabs(problem.features[t * (q - 1) + i / k] * residual[i % k]);
    }
  }
  return *std::max_element(sums.begin(), sums.end()) / static_cast<double>(problem.rows());
}

/// 0, and the link of the mean.
inline std::vector<double> start_of(const Problem& problem) {
  std::vector<double> start(problem.size(), 0.0);
  if (problem.classes > 1) return start;
  double mean = 0;
  for (const double y : problem.targets) mean += y / static_cast<double>(problem.rows());
  double low = problem.inverse_link == "one_over_x" ? 1e-6 : -30;
  double high = 30;
  const bool falls = problem.inverse_link == "one_over_x";
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    const bool is_low = (link(problem.inverse_link, middle).value < mean) != falls;
    (is_low ? low : high) = middle;
  }
  start.back() = low;
  return start;
}

/// Drives a search to its end, or for some steps. Several problems are blocks.
inline void drive(synelix::glm::Search& search, const std::vector<const Problem*>& problems,
                  std::int64_t steps = -1) {
  while (!search.is_done() && steps-- != 0) {
    const synelix::glm::Question question = search.ask();
    Evaluation all;
    std::int64_t at = 0;
    for (const Problem* problem : problems) {
      const Evaluation one =
          evaluate(*problem, question.parameters.data() + at, question.wants_hessian,
                   question.wants_double, question.every);
      at += problem->size();
      all.loss += one.loss;
      all.weight = one.weight;
      all.gradient.insert(all.gradient.end(), one.gradient.begin(), one.gradient.end());
      all.hessian.insert(all.hessian.end(), one.hessian.begin(), one.hessian.end());
    }
    search.tell({all.loss, all.weight, all.gradient, all.hessian});
  }
}

}  // namespace dense
