// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fit, fit_path and cross_validate on designs of dense features and of events. Answers are checked
// by the conditions of an optimum, in plain loops over features that the test made itself.

#include "glm/fit_designs.hpp"
#include "oracle/least_budget.hpp"

#include <synelix/glm.hpp>
#include <synelix/glm_path.hpp>
#include <synelix/glm_score.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fit_designs_tests {
namespace {

namespace sx = synelix;
using namespace fit_designs;
using oracle::HostMatrix;
using sx::Family;
using sx::FitOptions;
using sx::FitResult;
using sx::Stop;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;

/// ln p(y) up to terms that depend only on y, of all rows.
double log_likelihood(const Made& made, const HostMatrix& y, const std::vector<double>& p,
                      double a) {
  double sum = 0;
  for (std::int64_t t = 0; t < y.rows; ++t) {
    if (!made.is_valid(t)) continue;
    double eta = p.back();
    for (std::size_t j = 0; j + 1 < p.size(); ++j) {
      eta += p[j] * made.features(t, static_cast<std::int64_t>(j));
    }
    const double mu = std::exp(eta);
    sum += std::lgamma(y(t, 0) + 1 / a) - std::lgamma(1 / a) +
           y(t, 0) * std::log(a * mu / (1 + a * mu)) - std::log1p(a * mu) / a;
  }
  return sum;
}

TEST(FitDesigns, NegativeBinomialHasTheMostLikelyDispersion) {
  for (const Made& made : both_cases()) {
    SCOPED_TRACE(made.name);
    std::mt19937_64 random(5);
    HostMatrix y(made.features.rows, 1);
    for (std::int64_t t = 0; t < y.rows; ++t) {  // dispersion 0.5
      const double mean = 2 * std::exp(true_predictor(made, t, 0));
      const double rate = std::gamma_distribution<double>(2, mean / 2)(random);
      y(t, 0) = rate > 0 ? std::poisson_distribution<int>(rate)(random) : 0;
    }
    const FitOptions options{.loss = {.family = Family::negative_binomial},
                             .estimate_dispersion = true};
    const FitResult result = sx::fit(made.design(), {.targets = y.in()}, options);
    EXPECT_EQ(result.stop[0], Stop::converged);
    const double a = result.dispersion[0];
    EXPECT_NEAR(a, 0.5, 0.2);
    const std::vector<double> p = parameters_of(result, 0);
    expect_optimal(made, y, 0, options.loss, a, p, {});
    const double most = log_likelihood(made, y, p, a);
    EXPECT_GT(most, log_likelihood(made, y, p, a * 1.005));
    EXPECT_GT(most, log_likelihood(made, y, p, a / 1.005));
  }
}

/// Two targets; the second is missing in some rows.
HostMatrix targets_with_own_rows(const Made& made) {
  HostMatrix y = poisson_targets(made, 2);
  for (std::int64_t t = 100; t < 350; ++t) y(t, 1) = missing;
  return y;
}

/// A fit of a Gamma model walks over predictors, which folds do not.
TEST(FitDesigns, AFitBehindFoldsIsRefusedBeforeThem) {
  constexpr std::int64_t rows = 200;
  constexpr std::int64_t columns = 2;
  std::mt19937_64 random(3);
  std::vector<double> features(rows * columns);
  for (double& value : features) value = std::normal_distribution<double>()(random);
  std::vector<double> counts(rows);
  for (double& count : counts) count = 1.0 + static_cast<double>(random() % 3);
  const sx::Observations observations{.targets = sx::Strided(counts.data(), {rows, 1})};
  for (const sx::Penalty& penalty : {sx::Penalty(sx::Lasso{}), sx::Penalty(sx::Ridge{})}) {
    int walks = 0;
    const FitOptions options{.loss = {.family = Family::gamma},
                             .penalty = penalty,
                             .progress = [&](const sx::FitProgress&) { ++walks; }};
    const auto validated = [&](std::int64_t budget) {
      const sx::DesignMatrix design(Kokkos::DefaultHostExecutionSpace(),
                                    sx::Strided(features.data(), {rows, columns}),
                                    {.budget = budget});
      sx::cross_validate(design, observations, options, {.folds = 2, .path = {.count = 2}});
    };
    const std::int64_t of_design = oracle::least_budget_of([&] { validated(1); });
    const std::int64_t least = oracle::least_budget_of([&] { validated(of_design); });
    EXPECT_GT(least, of_design);
    EXPECT_EQ(oracle::least_budget_of([&] { validated(least - 1); }), least);
    EXPECT_EQ(walks, 0);
    EXPECT_EQ(oracle::least_budget_of([&] { validated(least); }), 0);
    EXPECT_GT(walks, 0);
  }
}

TEST(FitDesigns, OwnRowsAreThoseOfTheTarget) {
  for (const Made& made : both_cases()) {
    SCOPED_TRACE(made.name);
    const HostMatrix y = targets_with_own_rows(made);
    const sx::Observations own{.targets = y.in(), .rows = sx::Observations::Rows::own};
    const FitResult result = sx::fit(made.design(), own);
    EXPECT_EQ(result.rows_used[0], result.rows_used[1] + 250);
    for (std::int64_t i = 0; i < 2; ++i) {
      EXPECT_EQ(result.stop[static_cast<std::size_t>(i)], Stop::converged);
      expect_optimal(made, y, i, {}, 1, parameters_of(result, i), {});
      const Point point = point_at(made, y, i, {}, 1, parameters_of(result, i));
      EXPECT_EQ(result.rows_used[static_cast<std::size_t>(i)], point.rows);
      EXPECT_NEAR(result.mean_loss[static_cast<std::size_t>(i)], point.loss, 1e-6);
    }
    const FitResult common = sx::fit(made.design(), {.targets = y.in()});
    EXPECT_EQ(common.rows_used[0], result.rows_used[1]);
    EXPECT_EQ(common.rows_used[1], result.rows_used[1]);
  }
}

TEST(FitDesigns, OwnRowsOfAPathAndOfFolds) {
  for (const Made& made : both_cases()) {
    SCOPED_TRACE(made.name);
    const HostMatrix y = targets_with_own_rows(made);
    const sx::Observations own{.targets = y.in(), .rows = sx::Observations::Rows::own};
    const FitOptions options{.penalty = sx::Ridge{}};
    const sx::PathOptions strengths{.strengths = {0.3, 0.03}};
    const sx::PathResult path = sx::fit_path(made.design(), own, options, strengths);
    const auto columns = static_cast<std::size_t>(path.columns);
    for (std::int64_t k = 0; k < 2; ++k) {
      const FitResult model = path.model(k);
      for (std::int64_t i = 0; i < 2; ++i) {
        expect_optimal(made, y, i, {}, 1, parameters_of(model, i),
                       std::vector<double>(columns, k == 0 ? 0.3 : 0.03));
      }
    }
    const sx::CrossValidationOptions validation{.folds = 3, .path = strengths};
    const sx::CrossValidationResult both =
        sx::cross_validate(made.design(), own, options, validation);
    EXPECT_EQ(both.path.coefficients.size(), path.coefficients.size());
    for (std::int64_t i = 0; i < 2; ++i) {
      // The scores of a single target, which depend only on its own rows.
      HostMatrix alone(y.rows, 1);
      for (std::int64_t t = 0; t < y.rows; ++t) alone(t, 0) = y(t, i);
      const sx::CrossValidationResult one =
          sx::cross_validate(made.design(), {.targets = alone.in()}, options, validation);
      for (std::size_t k = 0; k < one.scores.size(); ++k) {
        EXPECT_NEAR(both.scores[2 * k + static_cast<std::size_t>(i)], one.scores[k], 1e-6);
      }
      EXPECT_EQ(both.chosen[static_cast<std::size_t>(i)], one.chosen[0]);
      const double chosen = one.chosen[0] == 0 ? 0.3 : 0.03;
      expect_optimal(made, y, i, {}, 1, parameters_of(both.model, i),
                     std::vector<double>(columns, chosen));
    }
  }
}

/// Classes 0, 1, 2 by the softmax of two predictors and 0.
HostMatrix classes_of(const Made& made) {
  std::mt19937_64 random(9);
  HostMatrix y(made.features.rows, 1);
  for (std::int64_t t = 0; t < y.rows; ++t) {
    const std::vector<double> shares = {std::exp(2 * true_predictor(made, t, 0)),
                                        std::exp(2 * true_predictor(made, t, 1)), 1.0};
    y(t, 0) = std::discrete_distribution<int>(shares.begin(), shares.end())(random);
  }
  return y;
}

TEST(FitDesigns, ClassesOnEventsAndDense) {
  for (const Made& made : both_cases()) {
    SCOPED_TRACE(made.name);
    const HostMatrix y = classes_of(made);
    const FitOptions options{.loss = {.family = Family::categorical, .classes = 3},
                             .penalty = sx::Ridge{0.02}};
    const sx::DesignMatrix design = made.design();
    const FitResult result = sx::fit(design, {.targets = y.in()}, options);
    EXPECT_EQ(result.stop[0], Stop::converged);
    const std::vector<double> p = parameters_of(result, 0);
    expect_optimal(made, y, 0, options.loss, 1, p, std::vector<double>(6 * 3, 0.02));
    HostMatrix rates(y.rows, 3);
    sx::predict(design, result, sx::StridedOutput(rates.values.data(), {y.rows, 3}));
    for (std::int64_t t = 0; t < y.rows; ++t) {
      std::vector<double> eta(3, 0.0);
      for (std::size_t a = 0; a < p.size(); ++a) {
        const auto j = static_cast<std::int64_t>(a / 3);
        eta[a % 3] += p[a] * (j < 6 ? made.features(t, j) : 1.0);
      }
      const double sum = std::exp(eta[0]) + std::exp(eta[1]) + std::exp(eta[2]);
      for (std::int64_t k = 0; k < 3; ++k) {
        if (!made.is_valid(t)) {
          ASSERT_TRUE(std::isnan(rates(t, k))) << t;
        } else {
          ASSERT_NEAR(rates(t, k), std::exp(eta[static_cast<std::size_t>(k)]) / sum, 1e-6) << t;
        }
      }
    }
  }
}

/// The diagonal of the inverse of a symmetric positive definite matrix, by Gauss and Jordan.
std::vector<double> inverse_diagonal(std::vector<double> a, std::size_t n) {
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (std::size_t p = 0; p < n; ++p) {
    const double pivot = a[p * n + p];
    for (std::size_t k = 0; k < n; ++k) {
      a[p * n + k] /= pivot;
      inverse[p * n + k] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const double factor = a[i * n + p];
      for (std::size_t k = 0; k < n; ++k) {
        a[i * n + k] -= factor * a[p * n + k];
        inverse[i * n + k] -= factor * inverse[p * n + k];
      }
    }
  }
  std::vector<double> diagonal;
  for (std::size_t i = 0; i < n; ++i) diagonal.push_back(inverse[i * n + i]);
  return diagonal;
}

TEST(FitDesigns, StandardErrorsOfClassesAreThoseThatTheDataTell) {
  const Made made = dense_case();
  const HostMatrix y = classes_of(made);
  FitOptions options{.loss = {.family = Family::categorical, .classes = 3},
                     .penalty = sx::Ridge{0.02},
                     .standard_errors = true};
  const FitResult result = sx::fit(made.design(), {.targets = y.in()}, options);
  ASSERT_EQ(result.standard_errors.size(), 7U * 3U);
  const Point point = point_at(made, y, 0, options.loss, 1, parameters_of(result, 0));
  // A shift of all intercepts changes nothing, so one of them may be fixed.
  constexpr std::size_t free = 20;
  std::vector<double> hessian;
  for (std::size_t a = 0; a < free; ++a) {
    for (std::size_t b = 0; b < free; ++b) {
      hessian.push_back(point.hessian[a * 21 + b] + (a == b && a < 18 ? 0.02 : 0));
    }
  }
  const std::vector<double> variances = inverse_diagonal(hessian, free);
  for (std::size_t a = 0; a < 18; ++a) {
    EXPECT_NEAR(result.standard_errors[a], std::sqrt(variances[a] / point.rows), 1e-7) << a;
  }
  for (std::size_t a = 18; a < 21; ++a) EXPECT_TRUE(std::isnan(result.standard_errors[a])) << a;
  options.penalty = sx::NoPenalty{};
  const FitResult without = sx::fit(made.design(), {.targets = y.in()}, options);
  EXPECT_THAT(without.standard_errors, Each(testing::IsNan()));
}

/// Of groups of numbers: the gradient is -strength b / |b|, or at most the strength where b is 0.
void expect_group(const std::vector<double>& b, const std::vector<double>& gradient,
                  double strength) {
  double norm = 0;
  double slope = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    norm += b[k] * b[k];
    slope += gradient[k] * gradient[k];
  }
  norm = std::sqrt(norm);
  if (norm == 0) {
    EXPECT_LE(std::sqrt(slope), strength * (1 + 1e-6));
    return;
  }
  for (std::size_t k = 0; k < b.size(); ++k) {
    EXPECT_NEAR(gradient[k], -strength * b[k] / norm, 2e-6);
  }
}

TEST(FitDesigns, GroupsMayReachAcrossTargets) {
  for (const Made& made : both_cases()) {
    SCOPED_TRACE(made.name);
    const HostMatrix y = poisson_targets(made, 2);
    // Columns two by two, for both targets.
    const std::vector<std::int64_t> groups = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    const FitResult result =
        sx::fit(made.design(), {.targets = y.in()}, {.penalty = sx::GroupLasso{0.03, groups}});
    EXPECT_THAT(result.stop, Each(Stop::converged));
    std::vector<Point> points;
    for (std::int64_t i = 0; i < 2; ++i) {
      points.push_back(point_at(made, y, i, {}, 1, parameters_of(result, i)));
      EXPECT_NEAR(points.back().gradient[6], 0, 2e-6);
    }
    for (std::size_t g = 0; g < 3; ++g) {
      std::vector<double> b;
      std::vector<double> gradient;
      for (const std::size_t j : {2 * g, 2 * g + 1}) {
        for (std::size_t i = 0; i < 2; ++i) {
          b.push_back(result.coefficients[2 * j + i]);
          gradient.push_back(points[i].gradient[j]);
        }
      }
      expect_group(b, gradient, 0.03 * std::sqrt(4.0));
    }
  }
}

TEST(FitDesigns, StrengthsOfTargetsCoefficientsAndGroups) {
  using Per = sx::Strength::Per;
  for (const Made& made : both_cases()) {
    SCOPED_TRACE(made.name);
    const HostMatrix y = poisson_targets(made, 2);
    const auto fitted = [&](const sx::Penalty& penalty) {
      const FitResult result = sx::fit(made.design(), {.targets = y.in()}, {.penalty = penalty});
      EXPECT_THAT(result.stop, Each(Stop::converged));
      return result;
    };
    const FitResult of_targets = fitted(sx::Ridge{{{0.01, 0.4}, Per::target}});
    std::vector<double> both;
    for (std::size_t j = 0; j < 6; ++j) {
      both.push_back(0.05 * static_cast<double>(j));
      both.push_back(0.3 / static_cast<double>(j + 1));
    }
    const FitResult of_both = fitted(sx::Ridge{{both, Per::coefficient_of_target}});
    for (std::int64_t i = 0; i < 2; ++i) {
      expect_optimal(made, y, i, {}, 1, parameters_of(of_targets, i),
                     std::vector<double>(6, i == 0 ? 0.01 : 0.4));
      std::vector<double> own;
      for (std::size_t j = 0; j < 6; ++j) own.push_back(both[2 * j + static_cast<std::size_t>(i)]);
      expect_optimal(made, y, i, {}, 1, parameters_of(of_both, i), own);
    }
    const std::vector<double> of_columns = {0.001, 0.02, 0.5, 0, 0.01, 0.05};
    const FitResult sparse = fitted(sx::Lasso{{of_columns, Per::coefficient}});
    const FitResult grouped =
        fitted(sx::GroupLasso{{{0.002, 0.04, 0.6}, Per::group}, {0, 0, 1, 1, 2, 2}});
    for (std::int64_t i = 0; i < 2; ++i) {
      SCOPED_TRACE(i);
      std::vector<double> p = parameters_of(sparse, i);
      std::vector<double> gradient = point_at(made, y, i, {}, 1, p).gradient;
      for (std::size_t j = 0; j < 6; ++j) expect_group({p[j]}, {gradient[j]}, of_columns[j]);
      EXPECT_EQ(p[2], 0);
      EXPECT_NE(p[3], 0);
      p = parameters_of(grouped, i);
      gradient = point_at(made, y, i, {}, 1, p).gradient;
      for (std::size_t g = 0; g < 3; ++g) {
        const double strength = g == 0 ? 0.002 : (g == 1 ? 0.04 : 0.6);
        expect_group({p[2 * g], p[2 * g + 1]}, {gradient[2 * g], gradient[2 * g + 1]},
                     strength * std::sqrt(2.0));
      }
    }
  }
}

/// A tolerance below the rounding errors is never reached, and the fit reports it.
TEST(FitDesigns, RoundingAllowsNoFurtherDecrease) {
  for (const Made& made : both_cases()) {
    SCOPED_TRACE(made.name);
    const HostMatrix y = poisson_targets(made, 1);
    const FitResult result =
        sx::fit(made.design(), {.targets = y.in()}, {.optimality_tolerance = 1e-30});
    EXPECT_EQ(result.stop[0], Stop::no_decrease) << sx::name_of(result.stop[0]);
    EXPECT_THAT(result.warnings, Contains(HasSubstr("rounding allows no further decrease")));
    expect_optimal(made, y, 0, {}, 1, parameters_of(result, 0), {});
  }
}

}  // namespace
}  // namespace fit_designs_tests
