// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_rows.hpp"
#include "oracle/reference_observed.hpp"
#include "oracle/reference_pass.hpp"

#include <synelix/glm.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

/// \file
/// Small fits on the reference pass.

namespace fit_case {

/// Features and targets of a fit, in plain vectors, row-major.
struct Case {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t targets = 1;
  std::vector<double> features = {};  ///< (rows, columns)
  std::vector<double> y = {};         ///< (rows, targets)
  std::vector<double> offsets = {};   ///< (rows, targets)
  std::vector<double> weights = {};   ///< (rows)
  bool rows_are_common = true;

  [[nodiscard]] double& x(std::int64_t t, std::int64_t j) {
    return features[static_cast<std::size_t>(t * columns + j)];
  }
  [[nodiscard]] double& target(std::int64_t t, std::int64_t i = 0) {
    return y[static_cast<std::size_t>(t * targets + i)];
  }
  [[nodiscard]] oracle::ReferencePass pass() const { return {rows, columns, features}; }
  [[nodiscard]] oracle::ReferenceObserved observed() const {
    oracle::ReferenceObserved observed(rows, targets, y);
    observed.offsets = offsets;
    observed.row_weights = weights;
    observed.rows_are_common = rows_are_common;
    return observed;
  }
};

/// Correlated normal columns, and targets of the family from coefficients below 0.5.
inline Case make_case(synelix::Family family, std::int64_t rows, std::int64_t columns,
                      std::int64_t targets = 1, unsigned seed = 1) {
  Case made;
  made.rows = rows;
  made.columns = columns;
  made.targets = targets;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> coefficients(static_cast<std::size_t>(columns * targets));
  for (double& value : coefficients) value = 0.3 * normal(random);
  for (std::int64_t t = 0; t < rows; ++t) {
    const double shared = normal(random);
    std::vector<double> x;
    for (std::int64_t j = 0; j < columns; ++j) x.push_back(0.6 * (normal(random) + 0.5 * shared));
    made.features.insert(made.features.end(), x.begin(), x.end());
    for (std::int64_t i = 0; i < targets; ++i) {
      double eta = 0.2;
      for (std::int64_t j = 0; j < columns; ++j) {
        eta += x[static_cast<std::size_t>(j)] *
               coefficients[static_cast<std::size_t>(j * targets + i)];
      }
      double y = eta + normal(random);
      if (family == synelix::Family::poisson) {
        y = std::poisson_distribution<int>(std::exp(eta))(random);
      } else if (family == synelix::Family::negative_binomial) {  // dispersion 0.5
        const double rate = std::gamma_distribution<double>(2, std::exp(eta) / 2)(random);
        y = rate > 0 ? std::poisson_distribution<int>(rate)(random) : 0;
      } else if (family == synelix::Family::bernoulli) {
        y = std::bernoulli_distribution(1 / (1 + std::exp(-eta)))(random) ? 1 : 0;
      } else if (family == synelix::Family::gamma) {
        y = std::gamma_distribution<double>(2, std::exp(eta) / 2)(random);
      } else if (family == synelix::Family::categorical) {
        y = y > 0.7 ? 2 : (y > -0.3 ? 1 : 0);
      }
      made.y.push_back(y);
    }
  }
  return made;
}

inline synelix::glm::RowLoss loss_of(const synelix::Loss& loss) {
  return synelix::glm::bind(loss, synelix::tile::select_set(synelix::InstructionSet::automatic));
}

inline synelix::FitResult fit(const Case& made, const synelix::FitOptions& options) {
  oracle::ReferencePass pass = made.pass();
  const oracle::ReferenceObserved observed = made.observed();
  const synelix::glm::RowLoss loss = loss_of(options.loss);
  return synelix::glm::with_answers(pass, options.answers, [&](synelix::glm::Pass& remembered) {
    return synelix::glm::fit_rows(remembered, observed, loss, options);
  });
}

/// The coefficients of a target, then its intercept.
inline std::vector<double> parameters_of(const synelix::FitResult& result, std::int64_t target) {
  std::vector<double> values;
  for (std::int64_t j = 0; j < result.columns; ++j) {
    values.push_back(result.coefficients[static_cast<std::size_t>(j * result.targets + target)]);
  }
  values.push_back(result.intercepts[static_cast<std::size_t>(target)]);
  return values;
}

}  // namespace fit_case
