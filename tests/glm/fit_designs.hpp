// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/host_array.hpp"
#include "oracle/row_formulas.hpp"

#include <synelix/design_matrix.hpp>
#include <synelix/glm.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Designs of dense features and of events, with features from plain loops, and the conditions of
/// an optimum on these features, without passes and solvers.

namespace fit_designs {

namespace sx = synelix;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// A design, and its features as the test computed them: NaN in invalid rows.
struct Made {
  std::string name;
  oracle::HostMatrix features;
  std::vector<sx::Events> events = {};
  sx::Expression expression = sx::eval(sx::Identity{});

  [[nodiscard]] sx::DesignMatrix design() const {
    const Kokkos::DefaultHostExecutionSpace exec;
    if (events.empty()) return {exec, features.in()};
    return {exec, expression, {events.front()}, {.method = sx::Method::events}};
  }
  [[nodiscard]] bool is_valid(std::int64_t t) const { return std::isfinite(features(t, 0)); }
};

inline Made dense_case() {
  Made made{"dense", oracle::HostMatrix(700, 6)};
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (double& value : made.features.values) value = 0.5 * normal(random);
  for (std::int64_t j = 0; j < 6; ++j) made.features(11, j) = missing;
  return made;
}

/// Two units, three filters each, over the 10 rows before a row.
inline Made event_case() {
  constexpr std::int64_t rows = 900;
  constexpr std::int64_t window = 10;
  constexpr std::int64_t bases = 3;
  std::mt19937_64 random(4);
  std::vector<double> taps;
  for (std::int64_t w = 0; w < window; ++w) {
    for (std::int64_t b = 0; b < bases; ++b) {
      const double place = (static_cast<double>(w) - 4.0 * static_cast<double>(b)) / 3;
      taps.push_back(std::exp(-place * place));
    }
  }
  std::vector<sx::Events::Train> trains(2);
  oracle::HostMatrix counts(rows, 2);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t c = 0; c < 2; ++c) {
      if (random() % 6 != 0) continue;
      counts(t, c) = 1;
      trains[static_cast<std::size_t>(c)].samples.push_back(t);
    }
  }
  Made made{"events",
            oracle::HostMatrix(rows, 2 * bases, missing),
            {{rows, trains}},
            sx::conv(sx::CustomTaps{.window = window, .bases = bases, .taps = taps})};
  for (std::int64_t t = window; t < rows; ++t) {
    for (std::int64_t c = 0; c < 2; ++c) {
      for (std::int64_t b = 0; b < bases; ++b) {
        double sum = 0;
        for (std::int64_t w = 0; w < window; ++w) {
          sum += taps[static_cast<std::size_t>(w * bases + b)] * counts(t - 1 - w, c);
        }
        made.features(t, c * bases + b) = sum;
      }
    }
  }
  return made;
}

inline std::vector<Made> both_cases() {
  std::vector<Made> cases;
  cases.push_back(dense_case());
  cases.push_back(event_case());
  return cases;
}

/// A predictor of each row, with coefficients of size 0.4 that differ between targets.
inline double true_predictor(const Made& made, std::int64_t t, std::int64_t target) {
  double eta = -0.4;
  for (std::int64_t j = 0; j < made.features.columns && made.is_valid(t); ++j) {
    eta += 0.4 * std::sin(static_cast<double>(1 + j + 3 * target)) * made.features(t, j);
  }
  return eta;
}

inline oracle::HostMatrix poisson_targets(const Made& made, std::int64_t targets) {
  std::mt19937_64 random(8);
  oracle::HostMatrix y(made.features.rows, targets);
  for (std::int64_t t = 0; t < y.rows; ++t) {
    for (std::int64_t i = 0; i < targets; ++i) {
      y(t, i) = std::poisson_distribution<int>(std::exp(true_predictor(made, t, i)))(random);
    }
  }
  return y;
}

/// Mean loss of a target with its derivatives, over valid rows where the target is finite.
struct Point {
  double rows = 0;
  double loss = 0;
  std::vector<double> gradient = {};  ///< (columns + 1, classes)
  std::vector<double> hessian = {};   ///< of the same squared
};

/// \param parameters  (columns + 1, classes)
inline Point point_at(const Made& made, const oracle::HostMatrix& y, std::int64_t target,
                      const sx::Loss& wanted, double dispersion,
                      const std::vector<double>& parameters) {
  const sx::Loss loss = sx::resolved(wanted);
  const std::size_t classes =
      loss.family == sx::Family::categorical ? static_cast<std::size_t>(loss.classes) : 1;
  const std::size_t size = parameters.size();
  const std::int64_t columns = made.features.columns;
  Point sum;
  sum.gradient.assign(size, 0);
  sum.hessian.assign(size * size, 0);
  for (std::int64_t t = 0; t < y.rows; ++t) {
    if (!made.is_valid(t) || !std::isfinite(y(t, target))) continue;
    const auto x = [&](std::size_t a) {
      const auto j = static_cast<std::int64_t>(a / classes);
      return j < columns ? made.features(t, j) : 1.0;
    };
    std::vector<double> eta(classes, 0.0);
    for (std::size_t a = 0; a < size; ++a) eta[a % classes] += x(a) * parameters[a];
    const oracle::RowValue row = oracle::row_value(loss, dispersion, y(t, target), eta);
    sum.rows += 1;
    sum.loss += row.loss;
    for (std::size_t a = 0; a < size; ++a) {
      sum.gradient[a] += x(a) * row.residual[a % classes];
      for (std::size_t b = 0; b < size; ++b) {
        sum.hessian[a * size + b] +=
            x(a) * x(b) * row.curvature[(a % classes) * classes + b % classes];
      }
    }
  }
  sum.loss /= sum.rows;
  for (double& value : sum.gradient) value /= sum.rows;
  for (double& value : sum.hessian) value /= sum.rows;
  return sum;
}

/// The coefficients of a target, then its intercepts: (columns + 1, classes).
inline std::vector<double> parameters_of(const sx::FitResult& result, std::int64_t target) {
  const auto at = [&](std::int64_t j, std::int64_t k) {
    return static_cast<std::size_t>((j * result.targets + target) * result.classes + k);
  };
  std::vector<double> values;
  for (std::int64_t j = 0; j < result.columns; ++j) {
    for (std::int64_t k = 0; k < result.classes; ++k)
      values.push_back(result.coefficients[at(j, k)]);
  }
  for (std::int64_t k = 0; k < result.classes; ++k) values.push_back(result.intercepts[at(0, k)]);
  return values;
}

/// The gradient of the loss plus ridge b vanishes; without a penalty `ridge` is empty.
/// \param ridge  of each coefficient (columns, classes)
inline void expect_optimal(const Made& made, const oracle::HostMatrix& y, std::int64_t target,
                           const sx::Loss& loss, double dispersion,
                           const std::vector<double>& parameters,
                           const std::vector<double>& ridge) {
  const Point point = point_at(made, y, target, loss, dispersion, parameters);
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const double strength = a < ridge.size() ? ridge[a] : 0;
    EXPECT_NEAR(point.gradient[a] + strength * parameters[a], 0, 2e-6)
        << made.name << ", target " << target << ", parameter " << a;
  }
}

}  // namespace fit_designs
