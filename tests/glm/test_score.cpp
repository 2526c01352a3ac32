// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/host_array.hpp"
#include "oracle/processes.hpp"
#include "oracle/refusals.hpp"

#include <synelix/glm_score.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace score_tests {

namespace sx = synelix;
using oracle::expect_refused;
using oracle::HostMatrix;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

sx::DesignMatrix design_of(const sx::Strided& features) {
  return {Kokkos::DefaultHostExecutionSpace(), features};
}

HostMatrix normal_features(std::int64_t rows, std::int64_t columns) {
  std::mt19937 generator(8);
  std::normal_distribution<double> normal;
  HostMatrix x(rows, columns);
  for (double& value : x.values) value = 0.6 * normal(generator);
  return x;
}

sx::FitResult model_of(sx::Loss loss, std::int64_t columns, std::int64_t targets) {
  sx::FitResult model;
  model.columns = columns;
  model.targets = targets;
  model.loss = loss;
  model.classes = loss.family == sx::Family::categorical ? loss.classes : 1;
  for (std::int64_t i = 0; i < columns * targets * model.classes; ++i) {
    model.coefficients.push_back(0.4 * std::cos(static_cast<double>(i)));
  }
  for (std::int64_t i = 0; i < targets * model.classes; ++i) {
    model.intercepts.push_back(-1.0 + 0.3 * static_cast<double>(i));
  }
  return model;
}

double predictor(const HostMatrix& x, const sx::FitResult& model, std::int64_t t, std::int64_t i) {
  double eta = model.intercepts[static_cast<std::size_t>(i)];
  for (std::int64_t j = 0; j < x.columns; ++j) {
    eta += x(t, j) * model.coefficients[static_cast<std::size_t>(j * model.targets + i)];
  }
  return eta;
}

/// Data of a Poisson model of two targets: features, counts drawn from the model.
struct PoissonCase {
  HostMatrix x = normal_features(6000, 3);
  HostMatrix y{6000, 2};
  sx::FitResult model = model_of({.family = sx::Family::poisson}, 3, 2);

  PoissonCase() { sx::simulate(design_of(x.in()), model, 21, y.out()); }
};

TEST(ScoreRefuses, TargetsThatTheFamilyCannotHave) {
  const HostMatrix x = normal_features(40, 2);
  const sx::DesignMatrix design = design_of(x.in());
  const auto expect = [&](const sx::Loss& loss, double value, const std::string& problem) {
    const sx::FitResult model = model_of(loss, 2, 1);
    std::vector<double> y(40, 1.0);
    y[17] = value;
    expect_refused([&] { sx::score(design, {.targets = sx::Strided(y.data(), {40})}, model); },
                   "targets", "row 17 of target 0 is " + problem,
                   "set it to NaN to leave the row out");
    sx::RightHandSide side;
    side.parameters.assign(static_cast<std::size_t>(3 * model.classes), 0.1);
    const sx::Observations observations{.targets = sx::Strided(y.data(), {40})};
    expect_refused([&] { static_cast<void>(design.evaluate(loss, observations, {&side, 1})); },
                   "targets", "row 17 of target 0 is " + problem,
                   "set it to NaN to leave the row out");
  };
  const sx::Loss classes{.family = sx::Family::categorical, .classes = 3};
  expect(classes, 3, "3, but categorical takes the classes 0 to 2");
  expect(classes, -1, "-1, but categorical takes the classes 0 to 2");
  expect(classes, 1e18, "1e+18, but categorical takes the classes 0 to 2");
  expect(classes, 0.5, "0.5, but categorical takes the classes 0 to 2");
  expect({.family = sx::Family::poisson}, -1, "-1, but poisson takes values of 0 or more");
  expect({.family = sx::Family::gamma}, 0, "0, but gamma takes values above 0");
}

/// Targets are checked in parts of 32768 rows.
TEST(ScoreRefuses, TargetsAfterTheFirstPartOfRows) {
  const HostMatrix x = normal_features(40000, 1);
  const sx::DesignMatrix design = design_of(x.in());
  for (const std::int64_t row : {32767, 32768, 39999}) {
    HostMatrix y(40000, 2, 1.0);
    y(row, 1) = -1;
    const sx::FitResult model = model_of({.family = sx::Family::poisson}, 1, 2);
    expect_refused([&] { sx::score(design, {.targets = y.in()}, model); }, "targets",
                   "row " + std::to_string(row) + " of target 1 is -1", "set it to NaN");
  }
}

TEST(ScoreRefuses, InvalidWeightsAndOffsets) {
  const HostMatrix x = normal_features(40, 2);
  const sx::DesignMatrix design = design_of(x.in());
  const sx::FitResult model = model_of({.family = sx::Family::poisson}, 2, 1);
  const HostMatrix y(40, 1, 1.0);
  sx::RightHandSide side;
  side.parameters.assign(3, 0.1);
  std::vector<double> numbers(40, 1.0);
  const auto expect = [&](const sx::Observations& observations, const std::string& argument,
                          const std::string& problem) {
    expect_refused([&] { sx::score(design, observations, model); }, argument, problem,
                   "Use finite");
    expect_refused([&] { static_cast<void>(design.evaluate({}, observations, {&side, 1})); },
                   argument, problem, "Use finite");
  };
  const sx::Strided one_each(numbers.data(), {40});
  numbers[5] = -2;
  expect({.targets = y.in(), .row_weights = one_each}, "row_weights", "row 5 is -2");
  numbers[5] = missing;
  expect({.targets = y.in(), .row_weights = one_each}, "row_weights", "row 5 is nan");
  expect({.targets = y.in(), .offset = one_each}, "offset", "row 5 is nan");
}

}  // namespace

TEST(Predict, GivesMeansInAnyShapeAndType) {
  HostMatrix x = normal_features(700, 3);
  x(3, 2) = missing;
  const sx::FitResult model =
      model_of({.family = sx::Family::poisson, .inverse_link = sx::InverseLink::softplus}, 3, 2);
  const sx::DesignMatrix design = design_of(x.in());
  HostMatrix rates(700, 2);
  sx::predict(design, model, rates.out());
  EXPECT_TRUE(std::isnan(rates(3, 0)) && std::isnan(rates(3, 1)));
  for (std::int64_t t = 4; t < 700; ++t) {
    EXPECT_NEAR(rates(t, 1), std::log1p(std::exp(predictor(x, model, t, 1))), 1e-12);
  }
  std::vector<float> turned(1400);
  HostMatrix offset(700, 2, 0.5);
  sx::predict(design, model, sx::StridedOutput(turned.data(), {700, 2}, {1, 700}), offset.in());
  EXPECT_NEAR(turned[704], std::log1p(std::exp(predictor(x, model, 4, 1) + 0.5)), 1e-6);

  expect_refused([&] { sx::predict(design, model_of({}, 4, 2), rates.out()); }, "model",
                 "4 columns do not match the 3", "Use a design");
  HostMatrix narrow(700, 1);
  expect_refused([&] { sx::predict(design, model, narrow.out()); }, "rates", "(700, 1)",
                 "Use (700, 2)");
  expect_refused([&] { sx::predict(design, model, rates.out(), narrow.in()); }, "offset",
                 "(700, 1)", "Use (700) or (700, 2)");
}

/// The calls as the headers show them, with Views of any layout.
TEST(Predict, TakesViewsAsProductsAndSimulateDo) {
  HostMatrix x = normal_features(700, 3);
  const sx::FitResult model = model_of({.family = sx::Family::poisson}, 3, 2);
  const sx::DesignMatrix design = design_of(x.in());
  HostMatrix expected(700, 2);
  sx::predict(design, model, expected.out());
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> rates("rates", 700, 2);
  sx::predict(design, model, rates);
  EXPECT_EQ(rates(123, 1), expected(123, 1));
  EXPECT_EQ(rates(699, 0), expected(699, 0));

  HostMatrix drawn(700, 2);
  sx::simulate(design, model, 7, drawn.out());
  const Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> counts("counts", 700, 2);
  sx::simulate(design, model, 7, counts);
  for (std::int64_t t = 0; t < 700; ++t) EXPECT_EQ(counts(t, 1), static_cast<float>(drawn(t, 1)));

  const Kokkos::View<double*, Kokkos::HostSpace> coefficients("coefficients", 3);
  coefficients(0) = 1;
  coefficients(2) = -2;
  const Kokkos::View<double*, Kokkos::HostSpace> predictor("predictor", 700);
  const Kokkos::View<double*, Kokkos::HostSpace> gradient("gradient", 3);
  const Kokkos::View<double**, Kokkos::HostSpace> gram("gram", 4, 4);
  const Kokkos::View<double**, Kokkos::HostSpace> weighted("weighted", 4, 4);
  const Kokkos::View<double*, Kokkos::HostSpace> ones("ones", 700);
  Kokkos::deep_copy(ones, 1.0);
  design.apply(coefficients, predictor);
  design.apply_adjoint(predictor, gradient);
  design.gram(gram);
  design.gram_weighted(ones, weighted);
  double expected_gradient = 0;
  for (std::int64_t t = 0; t < 700; ++t) {
    EXPECT_NEAR(predictor(t), x(t, 0) - 2 * x(t, 2), 1e-12);
    expected_gradient += x(t, 1) * predictor(t);
  }
  EXPECT_NEAR(gradient(1), expected_gradient, 1e-9);
  EXPECT_EQ(gram(3, 3), 700);
  EXPECT_EQ(weighted(1, 2), gram(1, 2));
}

TEST(Predict, RefusesResultsOverTheFeatures) {
  HostMatrix x = normal_features(60, 2);
  const HostMatrix y(60, 2, 1.0);
  const sx::FitResult model = model_of({.family = sx::Family::poisson}, 2, 2);
  const sx::DesignMatrix design = design_of(x.in());
  expect_refused([&] { sx::predict(design, model, x.out()); }, "rates",
                 "its memory overlaps that of the design", "Use memory apart");
  const sx::ScoreOptions options{.deviance_residuals = x.out()};
  expect_refused([&] { sx::score(design, {.targets = y.in()}, model, options); },
                 "deviance_residuals", "its memory overlaps that of the design",
                 "Use memory apart");
}

TEST(Predict, GivesTheSameMeansInParts) {
  constexpr std::int64_t rows = 70000;
  constexpr std::int64_t targets = 40;  // 21 MiB of means: more than a part
  const HostMatrix x = normal_features(rows, 2);
  const sx::FitResult model = model_of({.family = sx::Family::poisson}, 2, targets);
  const sx::DesignMatrix design = design_of(x.in());
  HostMatrix rates(rows, targets);
  sx::predict(design, model, rates.out());
  for (const sx::Range wanted : {sx::Range{0, rows}, sx::Range{777, 60001}, sx::Range{5, 5}}) {
    std::int64_t next = wanted.begin;
    int parts = 0;
    sx::predict_rows(
        design, model,
        [&](sx::Range part, std::span<const double> means) {
          ASSERT_EQ(part.begin, next);
          ASSERT_EQ(means.size(), static_cast<std::size_t>(part.size() * targets));
          const double* const expected = rates.values.data() + part.begin * targets;
          EXPECT_TRUE(std::equal(means.begin(), means.end(), expected)) << part.begin;
          next = part.end;
          ++parts;
        },
        wanted);
    EXPECT_EQ(next, wanted.end);
    EXPECT_GT(parts, wanted.size() == rows ? 1 : -1);
  }
  expect_refused([&] { sx::predict_rows(design, model, {}, sx::Range{0, rows + 1}); }, "rows",
                 "0 to 70001", "Give a range");
}

TEST(Predict, GivesProbabilitiesOfClasses) {
  const HostMatrix x = normal_features(50, 2);
  const sx::FitResult model = model_of({.family = sx::Family::categorical, .classes = 3}, 2, 1);
  std::vector<double> rates(150);
  sx::predict(design_of(x.in()), model, sx::StridedOutput(rates.data(), {50, 3}));
  for (std::size_t t = 0; t < 50; ++t) {
    double sum = 0;
    double terms[3];
    for (std::size_t k = 0; k < 3; ++k) {
      double eta = model.intercepts[k];
      for (std::size_t j = 0; j < 2; ++j) {
        eta += x.values[t * 2 + j] * model.coefficients[j * 3 + k];
      }
      terms[k] = std::exp(eta);
      sum += terms[k];
    }
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(rates[t * 3 + k], terms[k] / sum, 1e-14);
  }
}

TEST(Score, IsTheMeanOverRowsThatCount) {
  PoissonCase data;
  data.x(5, 0) = missing;
  data.y(9, 0) = missing;
  HostMatrix weights(6000, 1, 1.0);
  weights(11, 0) = 0;
  weights(12, 0) = 2.5;
  sx::Observations observations{.targets = data.y.in(),
                                .row_weights = sx::Strided(weights.values.data(), {6000})};
  for (const bool own : {false, true}) {
    SCOPED_TRACE(own);
    observations.rows = own ? sx::Observations::Rows::own : sx::Observations::Rows::common;
    const sx::ScoreResult found = sx::score(design_of(data.x.in()), observations, data.model);
    double weight = 0;
    double log_likelihood = 0;
    double deviance = 0;
    double counts = 0;
    for (std::int64_t t = 0; t < 6000; ++t) {
      if (t == 5 || (t == 9 && !own)) continue;
      const double eta = predictor(data.x, data.model, t, 1);
      const double y = data.y(t, 1);
      const double w = weights(t, 0);
      weight += w;
      counts += w * y;
      log_likelihood += w * (y * eta - std::exp(eta) - std::lgamma(y + 1));
      deviance += w * 2 * ((y > 0 ? y * (std::log(y) - eta) : 0) - y + std::exp(eta));
    }
    const double null = counts / weight;
    EXPECT_DOUBLE_EQ(found.targets[1].weight, weight);
    EXPECT_NEAR(found.targets[1].log_likelihood, log_likelihood / weight, 1e-12);
    EXPECT_NEAR(found.targets[1].deviance, deviance / weight, 1e-12);
    EXPECT_NEAR(found.targets[1].log_likelihood - found.targets[1].null_log_likelihood,
                0.5 * (found.targets[1].null_deviance - found.targets[1].deviance), 1e-12);
    EXPECT_GT(found.targets[1].pseudo_r2_cohen, 0.02);
    double null_log_likelihood = 0;
    for (std::int64_t t = 0; t < 6000; ++t) {
      if (t == 5 || (t == 9 && !own)) continue;
      const double y = data.y(t, 1);
      null_log_likelihood += weights(t, 0) * (y * std::log(null) - null - std::lgamma(y + 1));
    }
    EXPECT_NEAR(found.targets[1].null_log_likelihood, null_log_likelihood / weight, 1e-12);
    EXPECT_DOUBLE_EQ(found.all.weight, found.targets[0].weight + found.targets[1].weight);
    EXPECT_NEAR(found.all.log_likelihood * found.all.weight,
                found.targets[0].log_likelihood * found.targets[0].weight +
                    found.targets[1].log_likelihood * found.targets[1].weight,
                1e-8);
    EXPECT_NEAR(sx::value_of(found.all, sx::ScoreKind::pseudo_r2_mcfadden),
                1 - found.all.log_likelihood / found.all.null_log_likelihood, 1e-12);
  }
}

TEST(Score, PseudoR2OfATargetWithoutEventsIsNoNumber) {
  PoissonCase data;
  for (std::int64_t t = 0; t < 6000; ++t) data.y(t, 0) = 0;
  const sx::ScoreResult found =
      sx::score(design_of(data.x.in()), {.targets = data.y.in()}, data.model);
  EXPECT_EQ(found.targets[0].null_deviance, 0);
  EXPECT_TRUE(std::isnan(found.targets[0].pseudo_r2_mcfadden));
  EXPECT_TRUE(std::isnan(found.targets[0].pseudo_r2_cohen));
  EXPECT_LT(found.targets[0].log_likelihood, 0);
  EXPECT_GT(found.targets[1].pseudo_r2_cohen, 0.02);
}

TEST(Score, DevianceResidualsHaveTheDevianceAsTheirSquares) {
  PoissonCase data;
  data.x(5, 0) = missing;
  HostMatrix residuals(6000, 2);
  const sx::ScoreResult found = sx::score(design_of(data.x.in()), {.targets = data.y.in()},
                                          data.model, {.deviance_residuals = residuals.out()});
  EXPECT_TRUE(std::isnan(residuals(5, 1)));
  double sum = 0;
  for (std::int64_t t = 0; t < 6000; ++t) {
    if (t == 5) continue;
    sum += residuals(t, 0) * residuals(t, 0);
    const double mu = std::exp(predictor(data.x, data.model, t, 0));
    EXPECT_EQ(residuals(t, 0) < 0, data.y(t, 0) < mu) << t;
  }
  EXPECT_NEAR(sum / 5999, found.targets[0].deviance, 1e-12);
  expect_refused(
      [&] {
        sx::score(design_of(data.x.in()), {.targets = data.y.in()}, data.model,
                  {.deviance_residuals = data.y.out()});
      },
      "deviance_residuals", "overlaps", "");
}

TEST(Score, RefusesTargetsOfAnotherNumber) {
  PoissonCase data;
  expect_refused([&] { sx::score(design_of(data.x.in()), {.targets = data.x.in()}, data.model); },
                 "targets", "3 columns do not match the 2", "Give the targets");
  expect_refused(
      [&] {
        sx::score(design_of(data.x.in()), {.targets = data.y.in()},
                  model_of({.family = sx::Family::gaussian}, 3, 2), {.time_rescaling = true});
      },
      "time_rescaling", "gaussian", "poisson and bernoulli");
}

TEST(TimeRescaling, IsUniformUnderTheModelAndFarFromItUnderAnother) {
  const HostMatrix x = normal_features(40'000, 3);
  const sx::DesignMatrix design = design_of(x.in());
  for (const sx::Family family : {sx::Family::poisson, sx::Family::bernoulli}) {
    SCOPED_TRACE(sx::name_of(family));
    // Rates of about a tenth, and above 1 of poisson: bins with none and with several events.
    for (const double shift : {-1.5, 1.5}) {
      sx::FitResult model = model_of({.family = family}, 3, 2);
      for (double& intercept : model.intercepts) intercept += shift;
      HostMatrix y(40'000, 2);
      sx::simulate(design, model, 5, y.out());
      const sx::Observations observations{.targets = y.in()};
      const auto found = sx::score(design, observations, model, {.time_rescaling = true});
      double events = 0;
      for (std::int64_t t = 0; t < 40'000; ++t) events += y(t, 1);
      ASSERT_EQ(found.time_rescaling.size(), 2U);
      EXPECT_EQ(static_cast<double>(found.time_rescaling[1].intervals), events);
      EXPECT_DOUBLE_EQ(found.time_rescaling[1].bound, 1.36 / std::sqrt(events));
      for (const sx::TimeRescaling& target : found.time_rescaling) {
        EXPECT_LT(target.statistic, 1.2 * target.bound);
        EXPECT_GT(target.statistic, 0.1 * target.bound);
      }
      model.coefficients.assign(6, 0.0);
      for (double& intercept : model.intercepts) intercept -= 0.4;
      const auto wrong = sx::score(design, observations, model, {.time_rescaling = true});
      for (const sx::TimeRescaling& target : wrong.time_rescaling) {
        EXPECT_GT(target.statistic, 3 * target.bound);
      }
    }
  }
}

TEST(TimeRescaling, NeedsCounts) {
  PoissonCase data;
  data.y(2000, 1) = 0.5;
  const sx::DesignMatrix design = design_of(data.x.in());
  expect_refused(
      [&] { sx::score(design, {.targets = data.y.in()}, data.model, {.time_rescaling = true}); },
      "targets", "0.5 of row 2000 of target 1", "Give whole counts");
  HostMatrix none(6000, 2);
  const auto found =
      sx::score(design, {.targets = none.in()}, data.model, {.time_rescaling = true});
  EXPECT_EQ(found.time_rescaling[0].intervals, 0);
  EXPECT_TRUE(std::isnan(found.time_rescaling[0].statistic));
}

TEST(ScoreBits, AreWrittenToAFile) {
  const char* const file = std::getenv("SYNELIX_HASH_FILE");
  if (file == nullptr) GTEST_SKIP() << "run by ScoreBits.AreTheSameForAnyNumberOfThreads";
  PoissonCase data;
  const auto found = sx::score(design_of(data.x.in()), {.targets = data.y.in()}, data.model,
                               {.time_rescaling = true});
  std::ofstream output(file);
  for (const sx::Score& score : found.targets) {
    for (const double value : {score.log_likelihood, score.deviance, score.pseudo_r2_cohen}) {
      output << std::bit_cast<std::uint64_t>(value) << '\n';
    }
  }
  output << std::bit_cast<std::uint64_t>(found.time_rescaling[1].statistic) << '\n';
}

TEST(ScoreBits, AreTheSameForAnyNumberOfThreads) {
  const std::string filter = "ScoreBits.AreWrittenToAFile";
  const std::string one = oracle::hashes_of(1, filter);
  EXPECT_GT(one.size(), 60U);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(oracle::hashes_of(threads, filter), one) << threads;
}

}  // namespace score_tests
