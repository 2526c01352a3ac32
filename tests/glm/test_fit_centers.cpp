// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fit on the reference pass: a number that is added to a column changes the intercept alone.

#include "fit_case.hpp"
#include "oracle/answer_store.hpp"
#include "path_case.hpp"

#include <synelix/glm.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fit_centers_tests {
namespace {

using fit_case::Case;
using fit_case::fit;
using fit_case::make_case;
using fit_case::parameters_of;
using synelix::Family;
using synelix::FitOptions;
using synelix::FitResult;
using synelix::Penalty;
using synelix::Stop;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double shifts[] = {0, 1e3, 1e4, 1e5, 1e6};

/// The case with a number added to some columns.
Case shifted(Case made, double shift, const std::vector<std::int64_t>& columns) {
  for (std::int64_t t = 0; t < made.rows; ++t) {
    for (const std::int64_t j : columns) made.x(t, j) += shift;
  }
  return made;
}

/// The parameters of a target in coordinates in which no number was added.
std::vector<double> unshifted(const FitResult& result, double shift,
                              const std::vector<std::int64_t>& columns, std::int64_t target = 0) {
  std::vector<double> values = parameters_of(result, target);
  for (const std::int64_t j : columns) values.back() += shift * values[static_cast<std::size_t>(j)];
  return values;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted,
                 double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) EXPECT_NEAR(found[j], wanted[j], tolerance) << j;
}

/// Each shift gives the coefficients of shift 0, and reports it.
void expect_no_shift_matters(const Case& made, const FitOptions& options,
                             const std::vector<std::int64_t>& columns) {
  const FitResult wanted = fit(made, options);
  ASSERT_THAT(wanted.stop, testing::Each(Stop::converged));
  for (const double shift : shifts) {
    SCOPED_TRACE("shift " + std::to_string(shift));
    const FitResult found = fit(shifted(made, shift, columns), options);
    EXPECT_THAT(found.warnings, IsEmpty());
    for (std::int64_t i = 0; i < made.targets; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(found.stop[at], Stop::converged) << "target " << i;
      EXPECT_LE(found.optimality[at], options.optimality_tolerance) << "target " << i;
      EXPECT_NEAR(found.objective[at], wanted.objective[at], 1e-9) << "target " << i;
      expect_near(unshifted(found, shift, columns, i), parameters_of(wanted, i), 1e-5);
    }
  }
}

std::vector<std::pair<std::string, Penalty>> penalties() {
  return {{"none", synelix::NoPenalty{}},
          {"ridge", synelix::Ridge{0.01}},
          {"lasso", synelix::Lasso{0.01}},
          {"elastic net", synelix::ElasticNet{0.02, 0.5}},
          {"group lasso", synelix::GroupLasso{0.01, {0, 0, 1, 1}}}};
}

TEST(FitCenters, AShiftOfAllColumnsChangesTheInterceptAlone) {
  for (const Family family : {Family::poisson, Family::gaussian, Family::bernoulli}) {
    for (const auto& [name, penalty] : penalties()) {
      SCOPED_TRACE(std::string(synelix::name_of(family)) + ", " + name);
      const FitOptions options{.loss = {.family = family}, .penalty = penalty};
      expect_no_shift_matters(make_case(family, 400, 4), options, {0, 1, 2, 3});
    }
  }
}

TEST(FitCenters, AShiftOfOneColumnOfManyDoesNotHideTheOthers) {
  for (const auto& penalty : {Penalty(synelix::Lasso{0.02}), Penalty(synelix::Ridge{0.02})}) {
    const FitOptions options{.penalty = penalty};
    expect_no_shift_matters(make_case(Family::poisson, 800, 40), options, {17, 31});
  }
}

TEST(FitCenters, AllSolversWorkInCenteredCoordinates) {
  for (const synelix::Solver solver :
       {synelix::Solver::newton, synelix::Solver::lbfgs, synelix::Solver::proximal_newton}) {
    SCOPED_TRACE(synelix::name_of(solver));
    const FitOptions options{.penalty = synelix::Ridge{0.01}, .solver = solver};
    expect_no_shift_matters(make_case(Family::poisson, 400, 4), options, {1, 2});
  }
}

/// One intercept for each class absorbs the mean.
TEST(FitCenters, EachClassHasItsIntercept) {
  const Case made = make_case(Family::categorical, 400, 3);
  FitOptions options{.loss = {.family = Family::categorical, .classes = 3},
                     .penalty = synelix::Lasso{0.01}};
  const FitResult wanted = fit(made, options);
  for (const double shift : shifts) {
    SCOPED_TRACE(shift);
    const FitResult found = fit(shifted(made, shift, {0, 2}), options);
    EXPECT_EQ(found.stop[0], Stop::converged);
    expect_near(found.coefficients, wanted.coefficients, 1e-5);
  }
}

/// Groups reach across targets, which are one search.
TEST(FitCenters, TargetsOfOneSearchAreCentered) {
  const Case made = make_case(Family::poisson, 400, 3, 2);
  const FitOptions options{.penalty = synelix::GroupLasso{0.02, {0, 0, 1, 1, 2, 2}}};
  expect_no_shift_matters(made, options, {1});
}

/// Targets with rows of their own have means of their own.
TEST(FitCenters, RowsOfATargetHaveTheirOwnMeans) {
  Case made = make_case(Family::poisson, 400, 3, 2);
  made.rows_are_common = false;
  for (std::int64_t t = 0; t < 100; ++t) made.target(t, 1) = std::nan("");
  made.weights.assign(400, 1.0);
  for (std::size_t t = 0; t < 400; t += 3) made.weights[t] = 2.5;
  expect_no_shift_matters(made, {.penalty = synelix::Lasso{0.02}}, {0, 2});
}

TEST(FitCenters, AMaskedColumnChangesNothing) {
  const Case made = make_case(Family::poisson, 200, 4);
  const FitOptions options{.penalty = synelix::Lasso{0.02}, .feature_mask = {1, 1, 0, 1}};
  const FitResult wanted = fit(made, options);
  const FitResult found = fit(shifted(made, 1e6, {2}), options);
  EXPECT_EQ(found.optimality, wanted.optimality);
  EXPECT_EQ(parameters_of(found, 0), parameters_of(wanted, 0));
}

/// Below the limit, a fit keeps the bits that it has without a check of means.
TEST(FitCenters, AConstantColumnIsNotCentered) {
  Case made = make_case(Family::poisson, 200, 4);
  for (std::int64_t t = 0; t < made.rows; ++t) made.x(t, 3) = 1;
  const FitOptions options{.penalty = synelix::Lasso{0.02}};
  const FitResult small = fit(made, options);
  for (std::int64_t t = 0; t < made.rows; ++t) made.x(t, 3) = 1e8;
  const FitResult large = fit(made, options);
  for (const FitResult* result : {&small, &large}) {
    EXPECT_EQ(result->stop[0], Stop::converged);
    EXPECT_EQ(result->coefficients[3], 0);
  }
  expect_near(parameters_of(large, 0), parameters_of(small, 0), 1e-6);
}

/// Var(b_0) at shift s is Var(b_0) + s^2 Var(b) - 2 s Cov(b_0, b) at shift 0. A small shift, for
/// which no column is centered, tells the covariance.
TEST(FitCenters, StandardErrorsAreThoseOfTheGivenColumns) {
  const Case made = make_case(Family::poisson, 400, 2);
  const FitOptions options{.penalty = synelix::Ridge{0.01}, .standard_errors = true};
  const auto variances = [&](double shift) {
    std::vector<double> found = fit(shifted(made, shift, {1}), options).standard_errors;
    for (double& value : found) value *= value;
    return found;
  };
  const std::vector<double> at_0 = variances(0);
  const std::vector<double> at_10 = variances(10);
  const double covariance = (at_0[2] + 100 * at_0[1] - at_10[2]) / 20;
  for (const double shift : {3e3, 1e5}) {
    SCOPED_TRACE(shift);
    const double tolerance = shift < 1e4 ? 1e-5 : 1e-3;
    const std::vector<double> found = variances(shift);
    EXPECT_NEAR(found[0] / at_0[0], 1, tolerance);
    EXPECT_NEAR(found[1] / at_0[1], 1, tolerance);
    const double wanted = at_0[2] + shift * shift * at_0[1] - 2 * shift * covariance;
    EXPECT_NEAR(found[2] / wanted, 1, tolerance);
  }
  EXPECT_THAT(fit(shifted(made, 1e3, {1}), options).warnings, IsEmpty());
  EXPECT_THAT(fit(shifted(made, 1e6, {1}), options).warnings,
              Contains(HasSubstr("rounding takes digits from their standard errors")));
}

/// If the spread is lost in double precision, the fit does not report convergence.
TEST(FitCenters, AMeanBeyondTheDigitsOfDoubleIsToldOf) {
  const Case made = make_case(Family::poisson, 400, 3);
  for (const auto& [name, penalty] : {std::pair("lasso", Penalty(synelix::Lasso{0.01})),
                                      std::pair("ridge", Penalty(synelix::Ridge{0.01})),
                                      std::pair("none", Penalty(synelix::NoPenalty{}))}) {
    const FitOptions options{.penalty = penalty};
    const FitResult wanted = fit(made, options);
    for (const double shift : {1e7, 1e8, 1e10, 1e12}) {
      SCOPED_TRACE(std::string(name) + ", shift " + std::to_string(shift));
      const FitResult found = fit(shifted(made, shift, {1}), options);
      EXPECT_THAT(found.warnings,
                  Contains(testing::AllOf(HasSubstr("subtract the mean"), HasSubstr("column 1"))));
      if (shift > 1e9) {
        EXPECT_NE(found.stop[0], Stop::converged);
      }
      EXPECT_LT(found.evaluations[0], 250);
      if (found.stop[0] == Stop::converged) {
        expect_near(found.coefficients, wanted.coefficients, 1e-4);
      }
    }
  }
}

/// Without an intercept nothing absorbs a mean, and a shift is another problem.
TEST(FitCenters, WithoutAnInterceptNothingIsCentered) {
  const Case made = shifted(make_case(Family::gaussian, 200, 2), 1e4, {0});
  FitOptions options{.loss = {.family = Family::gaussian}, .penalty = synelix::Ridge{0.01}};
  options.fit_intercept = false;
  const FitResult found = fit(made, options);
  EXPECT_EQ(found.stop[0], Stop::converged);
  EXPECT_EQ(found.intercepts[0], 0);
}

TEST(FitCenters, AResumedFitHasTheSameBits) {
  const Case made = shifted(make_case(Family::poisson, 300, 3, 2), 1e5, {0, 1});
  FitOptions options{.penalty = synelix::Lasso{0.01}};
  const FitResult whole = fit(made, options);
  FitResult resumed;
  const int answers = oracle::resume_after_each(
      [&](synelix::AnswerStore& store) {
        options.answers = &store;
        resumed = fit(made, options);
      },
      [&] {
        EXPECT_EQ(resumed.coefficients, whole.coefficients);
        EXPECT_EQ(resumed.intercepts, whole.intercepts);
        EXPECT_EQ(resumed.evaluations, whole.evaluations);
      });
  EXPECT_GT(answers, 2);
}

TEST(FitCenters, PathsAreThoseOfCenteredColumns) {
  for (const Family family : {Family::gaussian, Family::poisson}) {
    for (const char* const name : {"ridge", "lasso", "elastic_net", "group_lasso"}) {
      const Case made = make_case(family, 300, 8);
      const FitOptions options = [&] {
        FitOptions found = path_case::options_of(family, path_case::penalty_of(name, 1.0));
        found.optimality_tolerance = 1e-6;
        return found;
      }();
      const synelix::PathResult wanted =
          path_case::path_of(made, options, {.count = 12, .ratio = 1e-2});
      for (const double shift : shifts) {
        SCOPED_TRACE(std::string(synelix::name_of(family)) + ", " + name + ", shift " +
                     std::to_string(shift));
        const synelix::PathResult found = path_case::path_of(shifted(made, shift, {0, 3, 4}),
                                                             options, {.count = 12, .ratio = 1e-2});
        EXPECT_THAT(found.warnings, IsEmpty());
        EXPECT_THAT(found.stop, testing::Each(Stop::converged));
        expect_near(found.strengths, wanted.strengths, 1e-6 * wanted.strengths.front());
        expect_near(found.coefficients, wanted.coefficients, 2e-5);
      }
    }
  }
}

}  // namespace
}  // namespace fit_centers_tests
