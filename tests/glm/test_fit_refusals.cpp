// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arguments that fit rejects, with their messages.

#include "fit_case.hpp"
#include "oracle/refusals.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <limits>
#include <string>
#include <vector>

namespace fit_refusals_tests {
namespace {

using fit_case::Case;
using fit_case::fit;
using fit_case::make_case;
using oracle::expect_refused;
using synelix::Family;
using synelix::FitOptions;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expect_value_refused(Family family, double value, const std::string& problem) {
  Case made = make_case(family, 60, 2, 2);
  made.target(17, 1) = value;
  made.target(23, 1) = value;
  expect_refused([&] { fit(made, {.loss = {.family = family, .classes = 3}}); }, "targets",
                 "row 17 of target 1 is " + problem, "set it to NaN to leave the row out");
}

TEST(FitRefuses, ValuesThatTheFamilyCannotHave) {
  expect_value_refused(Family::poisson, -1, "-1, but poisson takes values of 0 or more");
  expect_value_refused(Family::negative_binomial, -0.5,
                       "-0.5, but negative_binomial takes values of 0 or more");
  expect_value_refused(Family::bernoulli, 2, "2, but bernoulli takes 0 or 1");
  expect_value_refused(Family::gamma, 0, "0, but gamma takes values above 0");
  expect_value_refused(Family::categorical, 3, "3, but categorical takes the classes 0 to 2");
  expect_value_refused(Family::categorical, 0.5, "0.5, but categorical takes the classes");
  expect_value_refused(Family::categorical, -1, "-1, but categorical takes the classes");
}

TEST(FitRefuses, NothingOfRowsThatDoNotCount) {
  Case made = make_case(Family::poisson, 60, 2);
  made.weights.assign(60, 1);
  made.weights[17] = 0;
  made.target(17) = -1;
  EXPECT_EQ(fit(made, {}).rows_used[0], 59);
  made.target(18) = nan;
  EXPECT_EQ(fit(made, {}).rows_used[0], 58);
  made.x(19, 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fit(made, {}).rows_used[0], 57);
}

TEST(FitRefuses, WeightsAndOffsets) {
  Case made = make_case(Family::poisson, 60, 2);
  made.weights.assign(60, 1);
  made.weights[5] = -2;
  expect_refused([&] { fit(made, {}); }, "row_weights", "row 5 is -2", "0 or more");
  made.weights[5] = nan;
  expect_refused([&] { fit(made, {}); }, "row_weights", "row 5 is nan", "0 or more");
  made.weights.clear();
  made.offsets.assign(60, 0);
  made.offsets[6] = nan;
  expect_refused([&] { fit(made, {}); }, "offset", "row 6 is nan", "finite");
}

TEST(FitRefuses, TargetsWithoutRows) {
  Case made = make_case(Family::poisson, 60, 2, 2);
  made.rows_are_common = false;
  for (std::int64_t t = 0; t < 60; ++t) made.target(t, 1) = nan;
  expect_refused([&] { fit(made, {}); }, "targets", "target 1 has no row that counts",
                 "Give rows where");
  Case invalid = make_case(Family::poisson, 60, 2);
  for (std::int64_t t = 0; t < 60; ++t) invalid.x(t, 1) = nan;
  expect_refused([&] { fit(invalid, {}); }, "targets", "target 0 has no row that counts",
                 "Give rows where");
}

TEST(FitRefuses, AnotherNumberOfRows) {
  const Case made = make_case(Family::poisson, 60, 2);
  oracle::ReferencePass pass = made.pass();
  const oracle::ReferenceObserved observed(59, 1, std::vector<double>(59, 1.0));
  const FitOptions options;
  expect_refused(
      [&] { synelix::glm::fit_rows(pass, observed, fit_case::loss_of(options.loss), options); },
      "targets", "59 rows are not the 60 of the design", "one value for each row");
}

TEST(FitRefuses, MoreParametersThanRows) {
  const Case made = make_case(Family::poisson, 5, 5);
  expect_refused([&] { fit(made, {}); }, "targets",
                 "target 0 has 5 rows that count, and 6 parameters without a penalty", "Ridge");
  EXPECT_EQ(fit(made, {.penalty = synelix::Ridge{0.1}}).stop[0], synelix::Stop::converged);
  const synelix::Strength some({0, 0, 0, 0, 0}, synelix::Strength::Per::coefficient);
  expect_refused([&] { fit(made, {.penalty = synelix::Ridge{some}}); }, "targets",
                 "6 parameters without a penalty", "Ridge");
}

TEST(FitRefuses, MasksAndStartsOfWrongShape) {
  const Case made = make_case(Family::poisson, 60, 3, 2);
  expect_refused([&] { fit(made, {.feature_mask = {1, 1, 1}}); }, "feature_mask",
                 "3 values are not the 6 of 3 columns and 2 targets", "row-major");
  expect_refused([&] { fit(made, {.feature_mask = {1, 1, 1, 2, 1, 1}}); }, "feature_mask",
                 "column 1 of target 1 is 2", "Use 1 for columns");
  expect_refused([&] { fit(made, {.start_coefficients = {1, 2}}); }, "start_coefficients",
                 "2 values are not the 6 of", "Give one value for each");
  expect_refused([&] { fit(made, {.start_intercepts = {1}}); }, "start_intercepts",
                 "1 values are not the 2 of 2 targets", "Give one value for each");
  expect_refused([&] { fit(made, {.start_intercepts = {1, nan}}); }, "start_intercepts",
                 "value 1 is not finite", "Give finite values");
}

TEST(FitRefuses, PenaltiesOfWrongShape) {
  const Case made = make_case(Family::poisson, 60, 3);
  EXPECT_THROW(fit(made, {.penalty = synelix::Ridge{-1.0}}), synelix::Error);
  EXPECT_THROW(fit(made, {.penalty = synelix::GroupLasso{0.1, {0, 1}}}), synelix::Error);
  EXPECT_THROW(fit(made, {.penalty = synelix::ElasticNet{0.1, 1.5}}), synelix::Error);
}

TEST(FitRefuses, Options) {
  const Case made = make_case(Family::poisson, 60, 3);
  expect_refused([&] { fit(made, {.optimality_tolerance = 0}); }, "optimality_tolerance",
                 "is not a tolerance", "Give a number above 0");
  expect_refused([&] { fit(made, {.standard_errors_tolerance = nan}); },
                 "standard_errors_tolerance", "is not a tolerance", "Give a number above 0");
  expect_refused([&] { fit(made, {.most_evaluations = 0}); }, "most_evaluations",
                 "0 evaluations find no optimum", "Allow 1 or more");
  expect_refused([&] { fit(made, {.estimate_dispersion = true}); }, "estimate_dispersion",
                 "poisson has no dispersion", "negative_binomial");
  expect_refused(
      [&] { fit(made, {.penalty = synelix::Lasso{0.1}, .solver = synelix::Solver::lbfgs}); },
      "solver", "lbfgs needs a penalty with a gradient everywhere", "proximal_newton");
  expect_refused([&] { fit(made, {.penalty = synelix::Lasso{0.1}, .standard_errors = true}); },
                 "standard_errors", "coefficients that a penalty sets to 0 have none", "Ridge");
  expect_refused([&] { fit(made, {.solver = static_cast<synelix::Solver>(9)}); }, "solver", "9",
                 "");
}

TEST(FitRefuses, StartsWithoutAMean) {
  const Case made = make_case(Family::gamma, 60, 2);
  const FitOptions options{
      .loss = {.family = Family::gamma, .inverse_link = synelix::InverseLink::identity},
      .fit_intercept = false};
  expect_refused([&] { fit(made, options); }, "fit_intercept",
                 "each row of target 0 a mean that gamma with the inverse link identity can have",
                 "Fit an intercept");
}

TEST(DesignMatrixRefuses, ResultsThatOverlapArguments) {
  std::vector<double> x(60 * 2, 1.0);
  const synelix::DesignMatrix design(Kokkos::DefaultHostExecutionSpace(),
                                     synelix::Strided(x.data(), {60, 2}));
  std::vector<double> both(120, 1.0);
  const synelix::Strided rows(both.data(), {60});
  const synelix::Strided columns(both.data(), {2});
  const synelix::StridedOutput square(both.data() + 50, {3, 3});
  const auto expect = [](const auto& call) { expect_refused(call, "result", "overlaps", ""); };
  expect([&] { design.apply(columns, synelix::StridedOutput(both.data() + 1, {60})); });
  expect([&] { design.apply_adjoint(rows, synelix::StridedOutput(both.data() + 59, {2})); });
  expect([&] { design.gram_weighted(rows, square); });
  expect([&] { design.gram_rows({0, 1}, rows, synelix::StridedOutput(both.data() + 50, {1, 3})); });
  // The matrix itself, through each product.
  const auto expect_apart = [](const auto& call) {
    expect_refused(call, "result", "overlaps that of the design", "Use memory apart");
  };
  expect_apart([&] { design.apply(columns, synelix::StridedOutput(x.data(), {60})); });
  expect_apart([&] { design.apply_adjoint(rows, synelix::StridedOutput(x.data() + 9, {2})); });
  expect_apart([&] { design.gram(synelix::StridedOutput(x.data() + 50, {3, 3})); });
  expect_apart([&] { design.gram_weighted(rows, synelix::StridedOutput(x.data(), {3, 3})); });
  const synelix::StridedSeries series(synelix::Strided(x.data(), {60, 2}));
  const synelix::DesignMatrix computed(Kokkos::DefaultHostExecutionSpace(),
                                       synelix::eval(synelix::Identity{}), {series});
  expect_apart([&] { computed.apply(columns, synelix::StridedOutput(x.data() + 3, {60})); });
}

}  // namespace
}  // namespace fit_refusals_tests
