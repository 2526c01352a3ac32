// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fit_path at the ends of a path: at strength 0, at infinity, far from 0, and after it was
// cancelled.

#include "glm/path_case.hpp"
#include "oracle/refusals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace path_ends_tests {

namespace sx = synelix;
using fit_case::Case;
using fit_case::make_case;
using path_case::options_of;
using path_case::path_of;
using path_case::penalty_of;
using testing::Contains;
using testing::HasSubstr;

/// A path of strength 0 is a fit without a penalty: it reports the distance to the optimum, and
/// whether an optimum exists.
TEST(PathEnds, OfStrengthZeroIsTheFitWithoutAPenalty) {
  for (const sx::Family family : {sx::Family::gaussian, sx::Family::poisson}) {
    for (const std::string name : {"lasso", "elastic_net", "group_lasso", "ridge"}) {
      SCOPED_TRACE(std::string(sx::name_of(family)) + " " + name);
      Case made = make_case(family, 400, 8);
      const sx::FitOptions options = options_of(family, penalty_of(name, 1.0));
      const sx::PathResult path = path_of(made, options, {.strengths = {0.1, 0.0}});
      EXPECT_EQ(std::isnan(path.standard_errors_away[0]), name != "ridge");
      EXPECT_EQ(path.stop[1], sx::Stop::converged);
      EXPECT_LE(path.standard_errors_away[1], 1e-3);
      const std::vector<double> found = fit_case::parameters_of(path.model(1), 0);
      sx::FitOptions without = options_of(family, sx::NoPenalty{});
      const std::vector<double> expected = fit_case::parameters_of(fit_case::fit(made, without), 0);
      for (std::size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-6);
      if (family == sx::Family::gaussian) continue;
      // Column 1 is 1 in some rows, and there are no events in these.
      for (std::int64_t t = 0; t < made.rows; ++t) {
        made.x(t, 1) = t % 8 == 0 ? 1 : 0;
        if (t % 8 == 0) made.target(t) = 0;
      }
      const sx::PathResult separated = path_of(made, options, {.strengths = {0.1, 0.0}});
      EXPECT_EQ(separated.stop[0], sx::Stop::converged);
      EXPECT_EQ(separated.stop[1], sx::Stop::separated);
    }
  }
}

/// Rare events that come in bursts: from the model without features, a quadratic model of the loss
/// leads to where the loss is 1e30. No step may be taken there.
TEST(PathEnds, OfBurstsGoesDownAlone) {
  Case made = make_case(sx::Family::poisson, 3000, 8);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    made.x(t, 0) = t % 100 == 0 ? 40 : 0;
    made.target(t) = (t % 100 == 0 && t % 500 != 0) || t % 370 == 1 ? 1 : 0;
  }
  for (const std::string name : {"lasso", "elastic_net", "group_lasso", "ridge"}) {
    SCOPED_TRACE(name);
    const sx::FitOptions options = options_of(sx::Family::poisson, penalty_of(name, 1.0));
    const sx::PathResult path = path_of(made, options, {.count = 30});
    EXPECT_THAT(path.stop, testing::Each(sx::Stop::converged));
    EXPECT_EQ(path.not_optimal, 0);
    for (std::size_t r = 1; r < 30; ++r) EXPECT_LE(path.mean_loss[r], path.mean_loss[r - 1] + 1e-9);
  }
}

/// Strength 0 has one optimum only if the rows determine all parameters. Other strengths do not
/// need that.
TEST(PathEnds, OfStrengthZeroNeedsAsManyRowsAsParameters) {
  for (const sx::Family family : {sx::Family::gaussian, sx::Family::poisson}) {
    for (const std::string name : {"lasso", "ridge", "group_lasso"}) {
      SCOPED_TRACE(std::string(sx::name_of(family)) + " " + name);
      const Case few = make_case(family, 8, 8);
      const sx::FitOptions options = options_of(family, penalty_of(name, 1.0));
      oracle::expect_refused([&] { path_of(few, options, {.strengths = {0.5, 0.0}}); }, "strengths",
                             "target 0 has 8 rows that count, and 9 parameters without a penalty",
                             "Give more rows, or leave strength 0 out");
      EXPECT_EQ(path_of(few, options, {.strengths = {0.5, 0.1}}).count, 2);
    }
  }
}

/// A coefficient without a penalty has no optimum at any strength of the others.
TEST(PathEnds, SeparatesByAColumnWithoutAPenalty) {
  Case made = make_case(sx::Family::poisson, 400, 4);
  const sx::Strength others({1, 0, 1, 1}, sx::Strength::Per::coefficient);
  const sx::FitOptions options = options_of(sx::Family::poisson, sx::Ridge{others});
  for (const sx::Stop stop : path_of(made, options, {.count = 25}).stop) {
    EXPECT_EQ(stop, sx::Stop::converged);
  }
  for (std::int64_t t = 0; t < made.rows; ++t) {
    made.x(t, 1) = t % 8 == 0 ? 1 : 0;
    if (t % 8 == 0) made.target(t) = 0;
  }
  for (const sx::Stop stop : path_of(made, options, {.count = 25}).stop) {
    EXPECT_EQ(stop, sx::Stop::separated);
  }
}

/// Numbers of targets far from 0 keep the digits of their distances from the mean.
TEST(PathEnds, OfGaussianTargetsFarFromZeroKeepsTheirLosses) {
  Case near = make_case(sx::Family::gaussian, 400, 6);
  for (double& y : near.y) y = std::round(y * 1024) / 1024;
  const sx::FitOptions options = options_of(sx::Family::gaussian, sx::Lasso{});
  const sx::PathResult expected = path_of(near, options, {.strengths = {0.1, 0.01, 0.0}});
  for (const double shift : {0x1p20, 0x1p24}) {
    Case far = near;
    for (double& y : far.y) y += shift;
    const sx::PathResult path = path_of(far, options, {.strengths = {0.1, 0.01, 0.0}});
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(path.stop[r], sx::Stop::converged);
      EXPECT_NEAR(path.mean_loss[r], expected.mean_loss[r], 1e-9) << shift << " " << r;
      EXPECT_NEAR(path.objective[r], expected.objective[r], 1e-9) << shift << " " << r;
    }
  }
}

/// With offsets there are searches before the path. They heed the cancellation, too.
TEST(PathEnds, CancelledBeforeItsFirstModelWalksNoFurther) {
  for (const sx::Family family : {sx::Family::gaussian, sx::Family::poisson}) {
    SCOPED_TRACE(sx::name_of(family));
    Case made = make_case(family, 300, 4, 2);
    for (int i = 0; i < 600; ++i) made.offsets.push_back(0.3 * std::sin(i));
    sx::FitOptions options = options_of(family, sx::Lasso{});
    const std::atomic<bool> cancel = true;
    options.cancel = &cancel;
    const sx::PathResult path = path_of(made, options, {.count = 5});
    EXPECT_LE(path.walks, 2);
    for (const sx::Stop stop : path.stop) EXPECT_EQ(stop, sx::Stop::cancelled);
    for (const double loss : path.mean_loss) EXPECT_TRUE(std::isnan(loss));
    for (const double value : path.coefficients) EXPECT_EQ(value, 0);
  }
}

TEST(PathEnds, WarnsOfColumnsAndOfInexactStrengths) {
  Case made = make_case(sx::Family::poisson, 300, 4);
  for (int i = 0; i < 300; ++i) made.offsets.push_back(2 * std::sin(i));
  sx::FitOptions options = options_of(sx::Family::poisson, sx::Lasso{});
  options.loss.inverse_link = sx::InverseLink::softplus;
  EXPECT_EQ(path_of(made, options, {.count = 3}).warnings.size(), 0U);
  options.most_evaluations = 1;
  EXPECT_THAT(path_of(made, options, {.count = 3}).warnings,
              Contains(HasSubstr("strength_max is near what it should be: targets 0")));
  for (std::int64_t t = 0; t < made.rows; ++t) made.x(t, 2) = 0;
  options.most_evaluations = 500;
  const sx::PathResult path = path_of(made, options, {.count = 3});
  EXPECT_THAT(path.warnings, Contains(HasSubstr("column 2 (features, channel 0, basis 2)")));
  EXPECT_EQ(path.model(1).warnings, path.warnings);
}

}  // namespace path_ends_tests
