// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit_case.hpp"
#include "glm/path_case.hpp"
#include "oracle/processes.hpp"
#include "oracle/refusals.hpp"

#include <synelix/glm_path.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace path_tests {

namespace sx = synelix;
using fit_case::Case;
using fit_case::make_case;
using oracle::expect_refused;
using path_case::options_of;
using path_case::path_of;
using path_case::penalty_of;
using testing::Contains;

namespace {

/// Fits each strength separately, and compares.
/// \param with  the options of a strength of a target
void expect_single_fits(const Case& made, const sx::PathResult& path,
                        const std::function<sx::FitOptions(double)>& with) {
  for (std::int64_t r = 0; r < path.count; ++r) {
    for (std::int64_t i = 0; i < path.targets; ++i) {
      const auto at = static_cast<std::size_t>(r * path.targets + i);
      SCOPED_TRACE("strength " + std::to_string(path.strengths[at]) + " of target " +
                   std::to_string(i));
      sx::FitOptions options = with(path.strengths[at]);
      options.optimality_tolerance = 1e-10;
      const sx::FitResult single = fit_case::fit(made, options);
      const auto target = static_cast<std::size_t>(i);
      EXPECT_EQ(path.stop[at], sx::Stop::converged);
      EXPECT_LE(path.optimality[at], 1e-8);
      EXPECT_NEAR(path.objective[at], single.objective[target],
                  1e-11 * std::fabs(single.objective[target]));
      EXPECT_NEAR(path.mean_loss[at], single.mean_loss[target], 1e-7);
      const sx::FitResult model = path.model(r);
      const std::vector<double> found = fit_case::parameters_of(model, i);
      const std::vector<double> expected = fit_case::parameters_of(single, i);
      double largest = 0;
      for (const double value : expected) largest = std::max(largest, std::fabs(value));
      std::int64_t nonzero = 0;
      for (std::size_t j = 0; j < found.size(); ++j) {
        EXPECT_NEAR(found[j], expected[j], 1e-6 * largest) << "column " << j;
        if (j + 1 < found.size() && found[j] != 0) ++nonzero;
      }
      EXPECT_EQ(path.nonzero[at], nonzero);
    }
  }
}

}  // namespace

class Paths : public ::testing::TestWithParam<std::tuple<sx::Family, std::string>> {};

TEST_P(Paths, AreTheFitsOfEachStrength) {
  const auto [family, name] = GetParam();
  const Case made = make_case(family, 400, 8, 2);
  const sx::PathResult path =
      path_of(made, options_of(family, penalty_of(name, 1.0)), {.count = 13, .ratio = 1e-2});
  ASSERT_EQ(path.count, 13);
  EXPECT_NEAR(path.strengths[24], path.strength_max[0] * 1e-2, 1e-12 * path.strength_max[0]);
  expect_single_fits(made, path, [&, f = family, n = name](double strength) {
    return options_of(f, penalty_of(n, strength));
  });
}

INSTANTIATE_TEST_SUITE_P(
    FamiliesAndPenalties, Paths,
    ::testing::Combine(::testing::Values(sx::Family::gaussian, sx::Family::poisson,
                                         sx::Family::bernoulli, sx::Family::gamma,
                                         sx::Family::negative_binomial),
                       ::testing::Values("ridge", "lasso", "elastic_net", "group_lasso")),
    [](const auto& test) {
      return std::string(sx::name_of(std::get<0>(test.param))) + "_" + std::get<1>(test.param);
    });

TEST(Path, BeginsWhereAllCoefficientsAreZero) {
  for (const sx::Family family : {sx::Family::gaussian, sx::Family::poisson}) {
    for (const std::string name : {"lasso", "elastic_net", "group_lasso"}) {
      SCOPED_TRACE(std::string(sx::name_of(family)) + " " + name);
      Case made = make_case(family, 500, 8, 2);
      // A coefficient without a group is never 0: it gets one.
      sx::Penalty penalty = penalty_of(name, 1.0);
      if (auto* groups = std::get_if<sx::GroupLasso>(&penalty)) groups->groups[5] = 3;
      const sx::FitOptions options = options_of(family, penalty);
      const sx::PathResult path = path_of(made, options, {.count = 3, .ratio = 0.9});
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(path.strengths[i], path.strength_max[i]);
        EXPECT_EQ(path.nonzero[i], 0);
        EXPECT_GT(path.nonzero[4 + i], 0);
        const double largest = path.strength_max[i];
        const sx::PathResult near = path_of(made, options, {.strengths = {0.999 * largest}});
        EXPECT_GT(near.nonzero[i], 0);
      }
    }
  }
}

TEST(Path, OfAGaussianModelNeedsOneGramMatrix) {
  const Case made = make_case(sx::Family::gaussian, 500, 6, 3);
  const sx::FitOptions options = options_of(sx::Family::gaussian, sx::Lasso{});
  // The models without features, their gradients, the Gram matrix.
  EXPECT_EQ(path_of(made, options, {.count = 2}).walks, 3);
  EXPECT_EQ(path_of(made, options, {.count = 50}).walks, 3);
}

TEST(Path, SharesWalksAndHessians) {
  const Case made = make_case(sx::Family::poisson, 1500, 20, 4);
  sx::FitOptions options = options_of(sx::Family::poisson, sx::Lasso{});
  options.optimality_tolerance = 1e-6;
  const sx::PathResult path = path_of(made, options, {.count = 50});
  EXPECT_LT(path.walks, 45);
  for (const sx::Stop stop : path.stop) EXPECT_EQ(stop, sx::Stop::converged);
  std::int64_t evaluations = 0;
  for (const std::int64_t count : path.evaluations) evaluations += count;
  EXPECT_LT(evaluations, 200 * 8);
}

TEST(Path, TakesMasksOffsetsWeightsAndStrengthsOfCoefficients) {
  Case made = make_case(sx::Family::poisson, 400, 5, 2);
  made.weights.assign(400, 1.0);
  for (std::size_t t = 0; t < 400; ++t) {
    made.weights[t] = 0.5 + static_cast<double>(t % 3);
    for (int i = 0; i < 2; ++i)
      made.offsets.push_back(0.3 * std::sin(static_cast<double>(t + 7U * i)));
  }
  const std::vector<double> each = {1.0, 0.5, 2.0, 1.5, 1.0};
  const auto with = [&](double strength) {
    std::vector<double> numbers = each;
    for (double& number : numbers) number *= strength;
    sx::FitOptions options =
        options_of(sx::Family::poisson, sx::Lasso{{numbers, sx::Strength::Per::coefficient}});
    options.feature_mask = {1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    return options;
  };
  const sx::PathResult path = path_of(made, with(1.0), {.count = 8, .ratio = 0.05});
  EXPECT_EQ(path.nonzero[0], 0);
  EXPECT_EQ(path.nonzero[1], 0);
  expect_single_fits(made, path, with);
}

TEST(Path, TakesStrengthsInAnyOrder) {
  const Case made = make_case(sx::Family::bernoulli, 400, 8);
  const sx::PathResult path =
      path_of(made, options_of(sx::Family::bernoulli, penalty_of("lasso", 1.0)),
              {.strengths = {0.01, 0.0, 0.1, 0.003}});
  EXPECT_EQ(path.strengths, (std::vector<double>{0.1, 0.01, 0.003, 0.0}));
  for (const sx::Stop stop : path.stop) EXPECT_EQ(stop, sx::Stop::converged);
  expect_single_fits(made, path, [](double strength) {
    return options_of(sx::Family::bernoulli, penalty_of("lasso", strength));
  });
}

TEST(Path, OfGroupsAcrossTargetsIsTheirFit) {
  for (const sx::Family family : {sx::Family::gaussian, sx::Family::poisson}) {
    SCOPED_TRACE(sx::name_of(family));
    const Case made = make_case(family, 400, 3, 2);
    const auto with = [&](double strength) {
      return options_of(family, sx::GroupLasso{strength, {0, 0, 1, 1, 2, 3}});
    };
    const sx::PathResult path = path_of(made, with(1.0), {.count = 6, .ratio = 0.05});
    EXPECT_EQ(path.nonzero[0], 0);
    EXPECT_EQ(path.strengths[0], path.strengths[1]);
    for (std::int64_t r = 0; r < path.count; ++r) {
      const auto at = static_cast<std::size_t>(r * 2);
      sx::FitOptions options = with(path.strengths[at]);
      options.optimality_tolerance = 1e-10;
      const sx::FitResult single = fit_case::fit(made, options);
      for (std::int64_t i = 0; i < 2; ++i) {
        const std::vector<double> found = fit_case::parameters_of(path.model(r), i);
        const std::vector<double> expected = fit_case::parameters_of(single, i);
        for (std::size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-6);
        const auto target = static_cast<std::size_t>(i);
        EXPECT_NEAR(path.mean_loss[at + target], single.mean_loss[target], 1e-7);
        EXPECT_NEAR(path.objective[at + target], single.objective[target], 1e-7);
      }
    }
  }
}

/// Models that the path leaves to searches of their own have losses of each target, too.
TEST(Path, OfGroupsAcrossTargetsHasLossesOfSearches) {
  const Case made = make_case(sx::Family::poisson, 400, 3, 2);
  sx::FitOptions options = options_of(sx::Family::poisson, sx::GroupLasso{1.0, {0, 0, 1, 1, 2, 3}});
  options.most_evaluations = 1;
  const sx::PathResult path = path_of(made, options, {.count = 6, .ratio = 0.05});
  EXPECT_THAT(path.stop, Contains(sx::Stop::iterations));
  for (std::int64_t r = 0; r < path.count; ++r) {
    for (std::int64_t i = 0; i < 2; ++i) {
      const std::vector<double> parameters = fit_case::parameters_of(path.model(r), i);
      double loss = 0;
      for (std::int64_t t = 0; t < made.rows; ++t) {
        double eta = parameters.back();
        for (std::int64_t j = 0; j < 3; ++j) {
          eta += made.features[static_cast<std::size_t>(t * 3 + j)] *
                 parameters[static_cast<std::size_t>(j)];
        }
        loss += (std::exp(eta) - made.y[static_cast<std::size_t>(t * 2 + i)] * eta) / 400;
      }
      EXPECT_NEAR(path.mean_loss[static_cast<std::size_t>(r * 2 + i)], loss, 1e-12);
    }
  }
}
TEST(Path, OfClassesIsTheirFit) {
  const Case made = make_case(sx::Family::categorical, 400, 4);
  const auto with = [&](double strength) {
    sx::FitOptions options = options_of(sx::Family::categorical, sx::Lasso{strength});
    options.loss.classes = 3;
    return options;
  };
  const sx::PathResult path = path_of(made, with(1.0), {.count = 6, .ratio = 0.05});
  EXPECT_EQ(path.classes, 3);
  EXPECT_EQ(path.nonzero[0], 0);
  EXPECT_GT(path.nonzero[5], 3);
  for (std::int64_t r = 0; r < path.count; ++r) {
    const sx::FitResult single =
        fit_case::fit(made, with(path.strengths[static_cast<std::size_t>(r)]));
    const sx::FitResult model = path.model(r);
    ASSERT_EQ(model.coefficients.size(), single.coefficients.size());
    for (std::size_t j = 0; j < model.coefficients.size(); ++j) {
      EXPECT_NEAR(model.coefficients[j], single.coefficients[j], 1e-5);
    }
  }
}

TEST(Path, AnswersForTargetsWithoutEvents) {
  Case made = make_case(sx::Family::poisson, 300, 4, 2);
  for (std::int64_t t = 0; t < 300; ++t) made.target(t, 1) = 0;
  const sx::PathResult path =
      path_of(made, options_of(sx::Family::poisson, sx::Lasso{}), {.count = 4, .ratio = 0.1});
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(path.stop[r * 2], sx::Stop::converged);
    EXPECT_EQ(path.stop[r * 2 + 1], sx::Stop::no_events);
    EXPECT_EQ(path.nonzero[r * 2 + 1], 0);
    EXPECT_LT(std::fabs(path.mean_loss[r * 2 + 1]), 1e-6);
  }
  EXPECT_EQ(path.strength_max[1], 0);
}

TEST(Path, ReportsAndCanBeCancelled) {
  const Case made = make_case(sx::Family::poisson, 300, 6, 2);
  sx::FitOptions options = options_of(sx::Family::poisson, sx::Lasso{});
  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  std::int64_t calls = 0;
  options.progress = [&](const sx::FitProgress& progress) {
    EXPECT_EQ(progress.targets, 60);
    EXPECT_LE(progress.targets_done, 60);
    if (++calls == 5) cancel = true;
  };
  const sx::PathResult path = path_of(made, options, {.count = 30});
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(path.stop.back(), sx::Stop::cancelled);
  for (const double value : path.coefficients) EXPECT_TRUE(std::isfinite(value));
}

TEST(Path, RefusesWhatMakesNone) {
  const Case made = make_case(sx::Family::poisson, 100, 3);
  sx::FitOptions options = options_of(sx::Family::poisson, sx::NoPenalty{});
  expect_refused([&] { path_of(made, options, {}); }, "penalty", "one model", "Use Ridge");
  options.penalty = sx::Lasso{};
  expect_refused([&] { path_of(made, options, {.strengths = {1.0, -0.5}}); }, "strengths", "-0.5",
                 "Give 0 or more");
  expect_refused([&] { path_of(made, options, {.count = 1}); }, "count", "1 strengths", "Use 2");
  expect_refused([&] { path_of(made, options, {.ratio = 1.5}); }, "ratio", "1.5", "Use 1e-3");
  expect_refused([&] { static_cast<void>(path_of(made, options, {.count = 2}).model(2)); },
                 "strength", "2 is out of range", "[0, 2)");
  for (const sx::Solver solver :
       {sx::Solver::newton, sx::Solver::lbfgs, sx::Solver::proximal_newton}) {
    options.solver = solver;
    expect_refused([&] { path_of(made, options, {}); }, "solver",
                   std::string(sx::name_of(solver)) + " fits a single model", "Use automatic");
  }
  options.solver = sx::Solver::automatic;
  options.standard_errors = true;
  expect_refused([&] { path_of(made, options, {}); }, "standard_errors", "none", "Fit the model");
}

namespace {

/// The public verbs on a design matrix of 2000 rows, with every number of their results.
std::vector<double> results_on_a_design() {
  const Case made = make_case(sx::Family::poisson, 2000, 6, 2);
  const sx::DesignMatrix design(Kokkos::DefaultHostExecutionSpace(),
                                sx::Strided(made.features.data(), {2000, 6}));
  const sx::Observations observations{.targets = sx::Strided(made.y.data(), {2000, 2})};
  const sx::FitOptions options{.penalty = sx::Lasso{}};
  const sx::PathResult path = sx::fit_path(design, observations, options, {.count = 25});
  const sx::CrossValidationResult validated = sx::cross_validate(
      design, observations, options, {.folds = 3, .path = {.count = 8, .ratio = 1e-2}});
  std::vector<double> all = path.coefficients;
  for (const auto& more : {path.intercepts, path.objective, validated.scores,
                           validated.model.coefficients, validated.model.intercepts}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

TEST(PathOnADesign, IsThatOnTheReference) {
  const std::vector<double> found = results_on_a_design();
  const Case made = make_case(sx::Family::poisson, 2000, 6, 2);
  const sx::PathResult path =
      path_of(made, options_of(sx::Family::poisson, sx::Lasso{}), {.count = 25});
  for (std::size_t i = 0; i < path.coefficients.size(); ++i) {
    EXPECT_NEAR(found[i], path.coefficients[i], 1e-5) << i;
  }
}

TEST(PathBits, AreWrittenToAFile) {
  const char* const file = std::getenv("SYNELIX_HASH_FILE");
  if (file == nullptr) GTEST_SKIP() << "run by PathBits.AreTheSameForAnyNumberOfThreads";
  std::ofstream output(file);
  for (const double value : results_on_a_design()) {
    output << std::bit_cast<std::uint64_t>(value) << '\n';
  }
}

TEST(PathBits, AreTheSameForAnyNumberOfThreads) {
  const std::string filter = "PathBits.AreWrittenToAFile";
  const std::string one = oracle::hashes_of(1, filter);
  EXPECT_GT(one.size(), 1000U);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(oracle::hashes_of(threads, filter), one) << threads;
}

}  // namespace path_tests
