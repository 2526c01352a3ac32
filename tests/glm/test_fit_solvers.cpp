// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solvers of fit on dense and event designs. Counts of evaluations are loose upper limits. They are
// far below what a search without its preconditioner takes.

#include "glm/host_array.hpp"
#include "oracle/answer_store.hpp"

#include <synelix/basis.hpp>
#include <synelix/design_matrix.hpp>
#include <synelix/glm.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace fit_solvers_tests {
namespace {

namespace sx = synelix;
using oracle::HostMatrix;
using sx::FitOptions;
using sx::FitResult;
using sx::Solver;
using sx::Stop;
using testing::Contains;
using testing::HasSubstr;

/// Features in float and counts of Poisson targets.
struct Wide {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> features = {};
  HostMatrix counts = {};

  [[nodiscard]] sx::DesignMatrix design() const {
    return {Kokkos::DefaultHostExecutionSpace(), sx::Strided(features.data(), {rows, columns})};
  }
  [[nodiscard]] float& x(std::int64_t t, std::int64_t j) {
    return features[static_cast<std::size_t>(t * columns + j)];
  }
};

/// Columns that share slow parts, with scales from 1 to 1e-2, and targets of mean rates apart by
/// factors of 8.
Wide make_wide(std::int64_t rows, std::int64_t columns, std::int64_t targets) {
  Wide made{rows, columns, {}, HostMatrix(rows, targets)};
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> truth(static_cast<std::size_t>(columns * targets));
  for (double& value : truth) value = normal(random);
  std::vector<double> shared(8, 0.0);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (double& value : shared) value = 0.9 * value + 0.44 * normal(random);
    std::vector<double> eta(static_cast<std::size_t>(targets), 0.0);
    for (std::int64_t j = 0; j < columns; ++j) {
      const double scale = std::pow(10.0, -2.0 * static_cast<double>(j % 16) / 15);
      const double own = shared[static_cast<std::size_t>(j % 8)] + 0.2 * normal(random);
      made.features.push_back(static_cast<float>(scale * own));
      for (std::int64_t i = 0; i < targets; ++i) {
        eta[static_cast<std::size_t>(i)] +=
            0.02 * own * truth[static_cast<std::size_t>(j * targets + i)];
      }
    }
    for (std::int64_t i = 0; i < targets; ++i) {
      const double rate = std::pow(8.0, -static_cast<double>(i)) *
                          std::exp(std::min(eta[static_cast<std::size_t>(i)], 3.0));
      made.counts(t, i) = static_cast<double>(std::poisson_distribution<int>(rate)(random));
    }
  }
  return made;
}

/// Units that excite and inhibit each other, with a refractory time each, row by row.
struct Population {
  std::int64_t rows = 0;
  std::int64_t units = 0;
  HostMatrix counts = {};

  [[nodiscard]] sx::Events events() const {
    std::vector<sx::Events::Train> trains(static_cast<std::size_t>(units));
    for (std::int64_t t = 0; t < rows; ++t) {
      for (std::int64_t c = 0; c < units; ++c) {
        if (counts(t, c) == 0) continue;
        trains[static_cast<std::size_t>(c)].samples.push_back(t);
        trains[static_cast<std::size_t>(c)].counts.push_back(static_cast<float>(counts(t, c)));
      }
    }
    return {rows, trains};
  }
  [[nodiscard]] sx::DesignMatrix design() const {
    return {Kokkos::DefaultHostExecutionSpace(),
            sx::conv(sx::RaisedCosineLog{.bases = 8}, {.window = 50}),
            {events()}};
  }
  /// Some units as targets.
  [[nodiscard]] HostMatrix of(const std::vector<std::int64_t>& wanted) const {
    HostMatrix some(rows, static_cast<std::int64_t>(wanted.size()));
    for (std::int64_t t = 0; t < rows; ++t) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        some(t, static_cast<std::int64_t>(i)) = counts(t, wanted[i]);
      }
    }
    return some;
  }
};

Population make_population(std::int64_t rows, std::int64_t units) {
  Population made{rows, units, HostMatrix(rows, units)};
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> weights(static_cast<std::size_t>(units * units));
  for (double& weight : weights) weight = 0.25 * normal(random);
  std::vector<double> slow(static_cast<std::size_t>(units), 0.0);
  std::vector<double> own(static_cast<std::size_t>(units), 0.0);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t i = 0; i < units; ++i) {
      double eta = -2.2 - 1.5 * static_cast<double>(i) / static_cast<double>(units);
      for (std::int64_t c = 0; c < units; ++c) {
        eta += weights[static_cast<std::size_t>(c * units + i)] * slow[static_cast<std::size_t>(c)];
      }
      eta -= 2 * own[static_cast<std::size_t>(i)];
      const double rate = std::exp(std::min(eta, 0.5));
      made.counts(t, i) = static_cast<double>(std::poisson_distribution<int>(rate)(random));
    }
    for (std::int64_t i = 0; i < units; ++i) {
      slow[static_cast<std::size_t>(i)] =
          0.9 * slow[static_cast<std::size_t>(i)] + made.counts(t, i);
      own[static_cast<std::size_t>(i)] = 0.6 * own[static_cast<std::size_t>(i)] + made.counts(t, i);
    }
  }
  return made;
}

std::vector<double> parameters_of(const FitResult& result, std::int64_t target) {
  std::vector<double> values;
  for (std::int64_t j = 0; j < result.columns; ++j) {
    values.push_back(result.coefficients[static_cast<std::size_t>(j * result.targets + target)]);
  }
  values.push_back(result.intercepts[static_cast<std::size_t>(target)]);
  return values;
}

/// Converged, by the exact Hessian at the answer, after few evaluations.
void expect_converged(const FitResult& result, std::int64_t most_evaluations) {
  for (std::size_t i = 0; i < result.stop.size(); ++i) {
    SCOPED_TRACE("target " + std::to_string(i) + " after " + std::to_string(result.evaluations[i]) +
                 " evaluations");
    EXPECT_EQ(result.stop[i], Stop::converged) << sx::name_of(result.stop[i]);
    EXPECT_LE(result.optimality[i], 1e-6);
    EXPECT_LE(result.standard_errors_away[i], 1e-3);
    EXPECT_LE(result.evaluations[i], most_evaluations);
    EXPECT_EQ(result.hessians[i], 0);
    testing::Test::RecordProperty("evaluations_" + std::to_string(i),
                                  static_cast<int>(result.evaluations[i]));
  }
}

/// Distances to Newton's answer in its standard errors.
void expect_same_optimum(const FitResult& found, const FitResult& newton) {
  const auto targets = static_cast<std::size_t>(newton.targets);
  double worst = 0;
  for (std::size_t k = 0; k < newton.coefficients.size(); ++k) {
    const double error = newton.standard_errors[k];
    if (std::isnan(error)) continue;
    worst = std::max(worst, std::fabs(found.coefficients[k] - newton.coefficients[k]) / error);
  }
  EXPECT_LE(worst, 2e-3) << targets << " targets";
}

class EachPenalty : public testing::TestWithParam<int> {};

sx::Penalty penalty_of(int number, std::int64_t targets) {
  if (number == 0) return sx::NoPenalty{};
  if (number == 1) return sx::Ridge{1e-4};
  std::vector<double> strengths;
  for (std::int64_t i = 0; i < targets; ++i) {
    strengths.push_back(1e-2 * std::pow(30.0, -static_cast<double>(i)));
  }
  return sx::Ridge{sx::Strength(strengths, sx::Strength::Per::target)};
}

TEST_P(EachPenalty, WideDenseDesignsConverge) {
  const Wide made = make_wide(4000, 120, 3);
  const sx::DesignMatrix design = made.design();
  FitOptions options{
      .penalty = penalty_of(GetParam(), 3), .solver = Solver::lbfgs, .standard_errors = true};
  const FitResult result = sx::fit(design, {.targets = made.counts.in()}, options);
  expect_converged(result, 20);
  options.solver = Solver::newton;
  expect_same_optimum(result, sx::fit(design, {.targets = made.counts.in()}, options));
}

TEST_P(EachPenalty, RecurrentPopulationsConverge) {
  const Population made = make_population(20000, 12);
  const sx::DesignMatrix design = made.design();
  FitOptions options{.penalty = penalty_of(GetParam() == 2 ? 1 : GetParam(), 12),
                     .solver = Solver::lbfgs,
                     .standard_errors = true};
  for (const sx::InverseLink link : {sx::InverseLink::exp, sx::InverseLink::softplus}) {
    options.loss.inverse_link = link;
    options.solver = Solver::lbfgs;
    const FitResult result = sx::fit(design, {.targets = made.counts.in()}, options);
    expect_converged(result, 30);
    options.solver = Solver::newton;
    expect_same_optimum(result, sx::fit(design, {.targets = made.counts.in()}, options));
  }
}

std::string name_of_case(const testing::TestParamInfo<int>& info) {
  const char* const names[] = {"None", "Ridge", "RidgeOfTargets"};
  return names[info.param];
}

INSTANTIATE_TEST_SUITE_P(Penalties, EachPenalty, testing::Values(0, 1, 2), name_of_case);

/// A target's result does not depend on the other targets of the fit, or on their order.
TEST(FitSolvers, OtherTargetsChangeNothing) {
  const Population made = make_population(6000, 6);
  const sx::DesignMatrix design = made.design();
  const FitOptions options{.penalty = sx::Ridge{1e-3}, .solver = Solver::lbfgs};
  const HostMatrix all = made.counts;
  const HostMatrix some = made.of({4, 1});
  const FitResult of_all = sx::fit(design, {.targets = all.in()}, options);
  const FitResult of_some = sx::fit(design, {.targets = some.in()}, options);
  EXPECT_EQ(parameters_of(of_all, 4), parameters_of(of_some, 0));
  EXPECT_EQ(parameters_of(of_all, 1), parameters_of(of_some, 1));
  EXPECT_EQ(of_all.evaluations[4], of_some.evaluations[0]);
}

/// If there are several optima, the fit ends at the one nearest to the start.
TEST(FitSolvers, DeficientDesignsEndNearestToTheStart) {
  Wide made = make_wide(3000, 40, 2);
  for (std::int64_t t = 0; t < made.rows; ++t) {  // exact differences of multiples of 1/1024
    for (const std::int64_t j : {3, 8}) made.x(t, j) = std::round(1024 * made.x(t, j)) / 1024;
    made.x(t, 9) = made.x(t, 3) - made.x(t, 8);
  }
  const sx::DesignMatrix design = made.design();
  std::vector<double> start(static_cast<std::size_t>(40 * 2), 0.0);
  for (std::size_t k = 0; k < start.size(); ++k) start[k] = 0.02 * std::sin(static_cast<double>(k));
  const FitOptions options{
      .solver = Solver::lbfgs, .start_coefficients = start, .standard_errors = true};
  const FitResult result = sx::fit(design, {.targets = made.counts.in()}, options);
  expect_converged(result, 20);
  for (std::int64_t i = 0; i < 2; ++i) {
    const auto null = [&](const std::vector<double>& b) {
      const auto at = [&](std::int64_t j) { return b[static_cast<std::size_t>(j * 2 + i)]; };
      return at(3) - at(8) - at(9);
    };
    EXPECT_NEAR(null(result.coefficients), null(start), 1e-10);
  }
  EXPECT_THAT(result.warnings, Contains(HasSubstr("0 (40 of 41), 1 (40 of 41)")));
}

TEST(FitSolvers, MasksAndColumnsOfZerosConverge) {
  Wide made = make_wide(3000, 48, 2);
  for (std::int64_t t = 0; t < made.rows; ++t) made.x(t, 7) = 0;
  const sx::DesignMatrix design = made.design();
  FitOptions options{.penalty = sx::Ridge{1e-4}, .solver = Solver::lbfgs, .standard_errors = true};
  expect_converged(sx::fit(design, {.targets = made.counts.in()}, options), 20);
  for (std::int64_t k = 0; k < 48 * 2; ++k) options.feature_mask.push_back(k % 5 == 0 ? 0 : 1);
  const FitResult masked = sx::fit(design, {.targets = made.counts.in()}, options);
  expect_converged(masked, 20);
  for (std::size_t k = 0; k < masked.coefficients.size(); k += 5) {
    EXPECT_EQ(masked.coefficients[k], 0);
  }
}

/// An lbfgs search can be resumed after each pass, with or without corrected rows.
TEST(FitSolvers, AResumedSearchEndsWithTheSameBits) {
  const Population made = make_population(6000, 4);
  const sx::DesignMatrix design = made.design();
  const HostMatrix targets = made.of({0, 3});
  FitOptions options{.penalty = sx::Ridge{1e-3}, .solver = Solver::lbfgs};
  const FitResult whole = sx::fit(design, {.targets = targets.in()}, options);
  FitResult resumed;
  const int answers = oracle::resume_after_each(
      [&](sx::AnswerStore& store) {
        options.answers = &store;
        resumed = sx::fit(design, {.targets = targets.in()}, options);
      },
      [&] {
        EXPECT_EQ(resumed.coefficients, whole.coefficients);
        EXPECT_EQ(resumed.evaluations, whole.evaluations);
      });
  EXPECT_GE(answers, 5);
}

// ---- the rest of lbfgs

/// Columns of heavy tails, with which L-BFGS alone needs far more evaluations than elsewhere.
Wide make_heavy(std::int64_t rows, std::int64_t columns, std::int64_t targets) {
  Wide made{rows, columns, {}, HostMatrix(rows, targets)};
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  std::vector<double> truth(static_cast<std::size_t>(columns * targets));
  for (double& value : truth) value = 0.25 * normal(random);
  for (std::int64_t t = 0; t < rows; ++t) {
    std::vector<double> eta(static_cast<std::size_t>(targets), -2.0);
    for (std::int64_t j = 0; j < columns; ++j) {
      const double x = std::exp(1.5 * normal(random)) / 9;
      made.features.push_back(static_cast<float>(x));
      for (std::int64_t i = 0; i < targets; ++i) {
        eta[static_cast<std::size_t>(i)] += x * truth[static_cast<std::size_t>(j * targets + i)];
      }
    }
    for (std::int64_t i = 0; i < targets; ++i) {
      const double rate = std::exp(std::min(eta[static_cast<std::size_t>(i)], 3.0));
      made.counts(t, i) = static_cast<double>(std::poisson_distribution<int>(rate)(random));
    }
  }
  return made;
}

TEST(FitSolvers, NewtonGoesOnWithWhatLbfgsLeaves) {
  const Wide made = make_heavy(3000, 16, 8);
  const sx::DesignMatrix design = made.design();
  const auto fitted = [&](const FitOptions& options) {
    return sx::fit(design, {.targets = made.counts.in()}, options);
  };
  FitOptions options{.penalty = sx::Ridge{1e-6}, .solver = Solver::lbfgs, .standard_errors = true};
  const FitResult alone = fitted(options);
  const auto most_of = [](const FitResult& result) {
    return *std::max_element(result.evaluations.begin(), result.evaluations.end());
  };
  EXPECT_GT(most_of(alone), 60);
  options.solver = Solver::newton;
  const FitResult newton = fitted(options);
  options.solver = Solver::automatic;
  const FitResult found = fitted(options);
  ASSERT_EQ(found.choice.solver, Solver::lbfgs);
  EXPECT_THAT(found.choice.reason, HasSubstr("went on with newton"));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(found.stop[i], Stop::converged) << sx::name_of(found.stop[i]) << ", target " << i;
  }
  EXPECT_GT(*std::max_element(found.hessians.begin(), found.hessians.end()), 0);
  EXPECT_LT(most_of(found), 60);
  expect_same_optimum(found, newton);

  // A search can be resumed after each answer, before and after newton takes over.
  FitResult resumed;
  const int answers = oracle::resume_after_each(
      [&](sx::AnswerStore& store) {
        options.answers = &store;
        resumed = fitted(options);
      },
      [&] {
        EXPECT_EQ(resumed.coefficients, found.coefficients);
        EXPECT_EQ(resumed.evaluations, found.evaluations);
      });
  EXPECT_GE(answers, 20);
}

// ---- ranks

/// B-splines sum to one, as the intercept does. Products in float would not tell.
TEST(FitSolvers, SplinesAndAnInterceptHaveTheirRank) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937_64 random(seed);
    std::vector<float> place(30000);
    HostMatrix y(30000, 1);
    for (std::size_t t = 0; t < place.size(); ++t) {
      place[t] = std::uniform_real_distribution<float>(0, 1)(random);
      y.values[t] = std::sin(6 * place[t]) + std::normal_distribution<double>()(random);
    }
    const sx::DesignMatrix design(
        Kokkos::DefaultHostExecutionSpace(),
        sx::eval(sx::BSpline{.bases = 8, .order = 4}, {.bounds = {{0.0, 1.0}}}),
        {sx::Strided(place.data(), {30000})});
    const FitResult result =
        sx::fit(design, {.targets = y.in()}, {.loss = {.family = sx::Family::gaussian}});
    EXPECT_EQ(result.stop[0], Stop::converged);
    EXPECT_EQ(result.residual_degrees_of_freedom[0], 30000 - 8 - 1);
    EXPECT_THAT(result.warnings, Contains(HasSubstr("0 (8 of 9)")));
  }
}

// ---- separation

/// Columns of which the first is 1 in rows in which the target is silent.
Wide make_silent(bool is_silent) {
  Wide made = make_wide(4000, 6, 1);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    made.x(t, 0) = t % 9 == 0 ? 1.0F : 0.0F;
    if (is_silent && t % 9 == 0) made.counts(t, 0) = 0;
  }
  return made;
}

TEST(FitSolvers, ColumnsWithoutAPenaltyMaySeparate) {
  const auto per = sx::Strength::Per::coefficient;
  const sx::Strength but_first(std::vector<double>{0, 0.01, 0.01, 0.01, 0.01, 0.01}, per);
  const sx::Strength none(std::vector<double>(6, 0.0), per);
  for (const bool is_silent : {true, false}) {
    const Wide made = make_silent(is_silent);
    const sx::DesignMatrix design = made.design();
    for (const sx::Penalty& penalty :
         {sx::Penalty(sx::Lasso{but_first}), sx::Penalty(sx::ElasticNet{but_first, 0.5}),
          sx::Penalty(sx::GroupLasso{0.01, {-1, 0, 0, 1, 1, 1}}), sx::Penalty(sx::Lasso{none}),
          sx::Penalty(sx::Lasso{0.0})}) {
      const FitResult result = sx::fit(design, {.targets = made.counts.in()}, {.penalty = penalty});
      EXPECT_EQ(result.stop[0], is_silent ? Stop::separated : Stop::converged)
          << sx::name_of(result.stop[0]) << ", penalty " << penalty.index() << " after "
          << result.evaluations[0];
    }
    for (const Solver solver : {Solver::newton, Solver::lbfgs}) {
      const FitResult result = sx::fit(design, {.targets = made.counts.in()}, {.solver = solver});
      EXPECT_EQ(result.stop[0], is_silent ? Stop::separated : Stop::converged)
          << sx::name_of(result.stop[0]) << " by " << sx::name_of(solver);
    }
  }
}

/// Steps along columns that almost depend on each other are long, and do not mean separation.
TEST(FitSolvers, ColumnsThatAlmostDependConverge) {
  for (const float distance : {1e-2F, 1e-3F, 1e-4F}) {
    for (const unsigned seed : {1U, 2U, 3U, 4U}) {
      Wide made = make_wide(1500, 8, 2);
      std::mt19937_64 random(seed);
      std::normal_distribution<float> normal;
      for (std::int64_t t = 0; t < made.rows; ++t)
        made.x(t, 5) = made.x(t, 2) + distance * normal(random);
      const sx::DesignMatrix design = made.design();
      const FitResult result =
          sx::fit(design, {.targets = made.counts.in()}, {.solver = Solver::lbfgs});
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(result.stop[i], Stop::converged)
            << sx::name_of(result.stop[i]) << " at distance " << distance << ", seed " << seed;
      }
    }
  }
}

// ---- starts on a part of the rows

/// The part is every eighth block of 512 rows. Rows with weights may all be in other blocks.
TEST(FitSolvers, RowsThatCountMayLieOutsideOfThePart) {
  constexpr std::int64_t rows = 245'000;
  std::mt19937_64 random(9);
  std::normal_distribution<float> normal;
  Wide made{rows, 2, {}, HostMatrix(rows, 3)};
  for (std::int64_t t = 0; t < rows; ++t) {
    for (int j = 0; j < 2; ++j) made.features.push_back(0.5F * normal(random));
    const double rate = std::exp(0.4 * made.x(t, 0) - 0.3 * made.x(t, 1) - 1);
    const bool is_short = t >= 600 && t < 4000;            // a session between two blocks
    const bool is_outside = t / 512 % 8 != 0;              // all blocks but those of the part
    const bool is_mostly_outside = is_outside || t < 100;  // and few rows of the first
    const bool counts[] = {is_short, is_outside, is_mostly_outside};
    for (std::int64_t i = 0; i < 3; ++i) {
      made.counts(t, i) = counts[i]
                              ? static_cast<double>(std::poisson_distribution<int>(rate)(random))
                              : std::numeric_limits<double>::quiet_NaN();
    }
  }
  const sx::DesignMatrix design = made.design();
  for (std::int64_t i = 0; i < 3; ++i) {
    HostMatrix one(rows, 1);
    for (std::int64_t t = 0; t < rows; ++t) one(t, 0) = made.counts(t, i);
    for (const sx::Penalty& penalty :
         {sx::Penalty(sx::NoPenalty{}), sx::Penalty(sx::Lasso{1e-3})}) {
      const FitResult result = sx::fit(design, {.targets = one.in()}, {.penalty = penalty});
      EXPECT_EQ(result.stop[0], Stop::converged) << sx::name_of(result.stop[0]) << ", target " << i;
      EXPECT_LE(result.evaluations[0], 12);
      EXPECT_NEAR(result.coefficients[0], 0.4, 0.15);
    }
  }
}

}  // namespace
}  // namespace fit_solvers_tests
