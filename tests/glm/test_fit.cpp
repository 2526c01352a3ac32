// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fit on the reference pass: its results, by rules that hold for every design. synelix_fit_check
// compares them with numbers of an independent program.

#include "fit_case.hpp"
#include "glm/fit/fit_choice.hpp"
#include "oracle/refusals.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <string>

namespace fit_tests {
namespace {

using fit_case::Case;
using fit_case::fit;
using fit_case::make_case;
using fit_case::parameters_of;
using synelix::Family;
using synelix::FitOptions;
using synelix::FitResult;
using synelix::Stop;
using testing::Contains;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expect_close(const std::vector<double>& found, const std::vector<double>& wanted,
                  double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << i;
  }
}

/// The mean gradient of the loss at an answer, by the reference pass.
synelix::glm::Sums sums_at(const Case& made, const FitResult& result, std::int64_t target) {
  oracle::ReferencePass pass = made.pass();
  const oracle::ReferenceObserved observed = made.observed();
  std::vector<double> parameters;
  const auto classes = static_cast<std::size_t>(result.classes);
  const auto targets = static_cast<std::size_t>(result.targets);
  const auto i = static_cast<std::size_t>(target);
  for (std::size_t j = 0; j < static_cast<std::size_t>(result.columns); ++j) {
    for (std::size_t k = 0; k < classes; ++k) {
      parameters.push_back(result.coefficients[(j * targets + i) * classes + k]);
    }
  }
  for (std::size_t k = 0; k < classes; ++k) {
    parameters.push_back(result.intercepts[i * classes + k]);
  }
  std::vector<synelix::glm::Sums> sums(1);
  const synelix::glm::Request request{.parameters = parameters.data(),
                                      .rows = {.target = target},
                                      .dispersion = result.dispersion[i],
                                      .wants_hessian = true};
  pass.evaluate(fit_case::loss_of(result.loss), observed, {&request, 1},
                synelix::glm::Arithmetic::double_products, 1, sums);
  for (double& value : sums[0].gradient) value /= sums[0].weight;
  return sums[0];
}

class EachFamily : public testing::TestWithParam<Family> {};

TEST_P(EachFamily, GradientVanishesAtTheOptimum) {
  const Case made = make_case(GetParam(), 300, 4);
  const auto inverse_link =
      GetParam() == Family::gamma ? synelix::InverseLink::exp : synelix::InverseLink::automatic;
  FitOptions options{.loss = {.family = GetParam(), .inverse_link = inverse_link, .classes = 3}};
  const FitResult result = fit(made, options);
  EXPECT_EQ(result.stop[0], Stop::converged);
  EXPECT_LE(result.optimality[0], 1e-6);
  EXPECT_LE(result.standard_errors_away[0], 1e-3);
  const synelix::glm::Sums sums = sums_at(made, result, 0);
  for (const double value : sums.gradient) EXPECT_NEAR(value, 0, 1e-5);
  EXPECT_EQ(result.mean_loss[0], sums.loss / sums.weight);
  EXPECT_EQ(result.objective[0], result.mean_loss[0]);
  options.penalty = synelix::Ridge{0.1};
  const FitResult ridge = fit(made, options);
  const synelix::glm::Sums at_ridge = sums_at(made, ridge, 0);
  for (std::size_t j = 0; j < ridge.coefficients.size(); ++j) {
    EXPECT_NEAR(at_ridge.gradient[j], -0.1 * ridge.coefficients[j], 1e-5);
  }
}

/// The distance that a search derives from its last Hessian equals that of a new Hessian at its
/// result.
TEST_P(EachFamily, DistanceToTheOptimumIsThatOfANewHessian) {
  const Case made = make_case(GetParam(), 300, 4);
  const auto inverse_link =
      GetParam() == Family::gamma ? synelix::InverseLink::exp : synelix::InverseLink::automatic;
  FitOptions options{.loss = {.family = GetParam(), .inverse_link = inverse_link, .classes = 3}};
  options.penalty = synelix::Ridge{0.01};
  // Loose, so that answers are not at the optimum to the last digit.
  for (const double tolerance : {1e-4, 1e-2, 0.3}) {
    options.optimality_tolerance = tolerance;
    options.standard_errors_tolerance = tolerance;
    options.standard_errors = false;
    const FitResult known = fit(made, options);
    options.standard_errors = true;
    const FitResult exact = fit(made, options);
    EXPECT_EQ(known.coefficients, exact.coefficients);
    EXPECT_EQ(known.stop, exact.stop);
    EXPECT_LE(known.standard_errors_away[0], 2 * exact.standard_errors_away[0] + 1e-9);
    EXPECT_LE(exact.standard_errors_away[0], 2 * known.standard_errors_away[0] + 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EachFamily,
                         testing::Values(Family::gaussian, Family::poisson, Family::bernoulli,
                                         Family::gamma, Family::negative_binomial,
                                         Family::categorical),
                         [](const auto& test) { return synelix::name_of(test.param); });

// ---- targets by themselves

/// Targets that lack other rows share no Gram matrix: in the second word of 64 rows, and in the
/// last one, which is not full.
TEST(Fit, TargetsOfOtherRowsShareNoGramMatrix) {
  Case made = make_case(Family::gaussian, 250, 5, 3);
  made.rows_are_common = false;
  made.y[70 * 3 + 1] = nan;
  made.y[249 * 3 + 2] = nan;
  for (const synelix::Solver solver : {synelix::Solver::newton, synelix::Solver::lbfgs}) {
    const FitOptions options{
        .loss = {.family = Family::gaussian}, .penalty = synelix::Ridge{0.01}, .solver = solver};
    const FitResult all = fit(made, options);
    for (std::int64_t i = 0; i < 3; ++i) {
      Case one = made;
      one.targets = 1;
      one.y.clear();
      for (std::int64_t t = 0; t < made.rows; ++t) one.y.push_back(made.target(t, i));
      EXPECT_EQ(parameters_of(all, i), parameters_of(fit(one, options), 0)) << i;
    }
    EXPECT_EQ(all.rows_used, (std::vector<double>{250, 249, 249}));
  }
}

TEST(Fit, PopulationEqualsSingleFitsBitForBit) {
  Case made = make_case(Family::poisson, 250, 5, 3);
  for (const synelix::Penalty& penalty : std::vector<synelix::Penalty>{
           synelix::NoPenalty{}, synelix::Ridge{0.01}, synelix::Lasso{0.05}}) {
    const FitResult all = fit(made, {.penalty = penalty});
    for (std::int64_t i = 0; i < 3; ++i) {
      Case one = made;
      one.targets = 1;
      one.y.clear();
      for (std::int64_t t = 0; t < made.rows; ++t) one.y.push_back(made.target(t, i));
      const FitResult single = fit(one, {.penalty = penalty});
      EXPECT_EQ(parameters_of(all, i), parameters_of(single, 0));
      EXPECT_EQ(all.mean_loss[static_cast<std::size_t>(i)], single.mean_loss[0]);
    }
  }
}

TEST(Fit, SmallResultsNeedMoreWalksAndGiveTheSameBits) {
  class SmallPass : public oracle::ReferencePass {
   public:
    using ReferencePass::ReferencePass;
    std::int64_t take_share(const synelix::glm::RowLoss& /*loss*/, std::int64_t least,
                            std::int64_t /*most*/) override {
      return least;
    }
  };
  const Case made = make_case(Family::poisson, 200, 3, 4);
  const FitOptions options;
  const synelix::glm::RowLoss loss = fit_case::loss_of(options.loss);
  const oracle::ReferenceObserved observed = made.observed();
  oracle::ReferencePass large = made.pass();
  SmallPass small(made.rows, made.columns, made.features);
  const FitResult at_once = synelix::glm::fit_rows(large, observed, loss, options);
  const FitResult apart = synelix::glm::fit_rows(small, observed, loss, options);
  EXPECT_EQ(at_once.coefficients, apart.coefficients);
  EXPECT_EQ(at_once.standard_errors_away, apart.standard_errors_away);
  // Both take one walk that looks for large means of columns.
  EXPECT_GE(small.walks() - 1, 3 * (large.walks() - 1));
}

TEST(Fit, OwnRowsAreThoseOfTheTarget) {
  Case made = make_case(Family::poisson, 200, 3, 2);
  for (std::int64_t t = 0; t < 60; ++t) made.target(t, 1) = nan;
  made.rows_are_common = false;
  const FitResult own = fit(made, {});
  EXPECT_EQ(own.rows_used, (std::vector<double>{200, 140}));
  Case rest = made;
  rest.rows = 140;
  rest.features.erase(rest.features.begin(), rest.features.begin() + 60 * 3);
  rest.y.erase(rest.y.begin(), rest.y.begin() + 60 * 2);
  expect_close(parameters_of(own, 1), parameters_of(fit(rest, {}), 1), 1e-9);
  made.rows_are_common = true;
  EXPECT_EQ(fit(made, {}).rows_used, (std::vector<double>{140, 140}));
}

TEST(Fit, AMaskLeavesColumnsOut) {
  const Case made = make_case(Family::poisson, 200, 4, 2);
  const std::vector<std::uint8_t> mask = {1, 1, 0, 1, 1, 1, 1, 0};
  const FitResult masked =
      fit(made, {.penalty = synelix::Ridge{0.02}, .feature_mask = mask, .standard_errors = true});
  EXPECT_EQ(parameters_of(masked, 0)[1], 0);
  EXPECT_EQ(parameters_of(masked, 1)[3], 0);
  EXPECT_TRUE(std::isnan(masked.standard_errors[1 * 2 + 0]));
  Case without = made;
  without.columns = 3;
  without.features.clear();
  for (std::int64_t t = 0; t < made.rows; ++t) {
    for (const std::int64_t j : {0, 2, 3}) {
      without.features.push_back(made.features[static_cast<std::size_t>(t * 4 + j)]);
    }
  }
  const FitResult smaller =
      fit(without, {.penalty = synelix::Ridge{0.02}, .standard_errors = true});
  const std::vector<double> wanted = parameters_of(smaller, 0);
  const std::vector<double> found = parameters_of(masked, 0);
  expect_close({found[0], found[2], found[3], found[4]}, wanted, 1e-9);
  EXPECT_NEAR(masked.standard_errors[0], smaller.standard_errors[0], 1e-9);
}

// ---- weights and offsets

TEST(Fit, AnOffsetIsAnExposure) {
  Case counts = make_case(Family::poisson, 300, 3);
  Case rates = counts;
  std::mt19937 random(7);
  for (std::int64_t t = 0; t < counts.rows; ++t) {
    const double exposure = std::uniform_real_distribution<double>(0.2, 3)(random);
    counts.offsets.push_back(std::log(exposure));
    rates.weights.push_back(exposure);
    rates.target(t) = counts.target(t) / exposure;
  }
  const FitOptions options{.optimality_tolerance = 1e-10, .standard_errors = true};
  const FitResult offset = fit(counts, options);
  const FitResult weighted = fit(rates, options);
  expect_close(parameters_of(offset, 0), parameters_of(weighted, 0), 1e-7);
  expect_close(offset.standard_errors, weighted.standard_errors, 1e-6);
}

TEST(Fit, RowWeightsAreRepeatedRows) {
  Case once = make_case(Family::gamma, 150, 3);
  Case repeated = once;
  repeated.features.clear();
  repeated.y.clear();
  repeated.rows = 0;
  for (std::int64_t t = 0; t < once.rows; ++t) {
    once.weights.push_back(static_cast<double>(t % 4));
    for (std::int64_t k = 0; k < t % 4; ++k) {
      for (std::int64_t j = 0; j < 3; ++j) repeated.features.push_back(once.x(t, j));
      repeated.y.push_back(once.target(t));
      ++repeated.rows;
    }
  }
  const FitOptions options{
      .loss = {.family = Family::gamma, .inverse_link = synelix::InverseLink::exp},
      .standard_errors = true};
  const FitResult weighted = fit(once, options);
  const FitResult whole = fit(repeated, options);
  expect_close(parameters_of(weighted, 0), parameters_of(whole, 0), 1e-7);
  EXPECT_EQ(weighted.rows_used[0], static_cast<double>(repeated.rows));
  EXPECT_EQ(weighted.residual_degrees_of_freedom, whole.residual_degrees_of_freedom);
  EXPECT_NEAR(weighted.scale[0], whole.scale[0], 1e-7);
  expect_close(weighted.standard_errors, whole.standard_errors, 1e-6);
}

// ---- numbers besides the coefficients

TEST(Fit, StandardErrorsOfGaussianAreThoseOfLeastSquares) {
  const Case made = make_case(Family::gaussian, 200, 1);
  const FitResult result =
      fit(made, {.loss = {.family = Family::gaussian}, .standard_errors = true});
  double sum = 0;
  double squares = 0;
  double residuals = 0;
  for (std::size_t t = 0; t < 200; ++t) {
    sum += made.features[t];
    squares += made.features[t] * made.features[t];
    const double r = made.y[t] - result.coefficients[0] * made.features[t] - result.intercepts[0];
    residuals += r * r;
  }
  const double variance = residuals / 198;
  const double spread = squares - sum * sum / 200;
  EXPECT_EQ(result.residual_degrees_of_freedom[0], 198);
  EXPECT_NEAR(result.scale[0], variance, 1e-12);
  EXPECT_NEAR(result.standard_errors[0], std::sqrt(variance / spread), 1e-10);
  EXPECT_NEAR(result.standard_errors[1], std::sqrt(variance * squares / 200 / spread), 1e-10);
}

TEST(Fit, TheDispersionIsMostLikely) {
  const Case made = make_case(Family::negative_binomial, 1500, 2);
  const FitResult result =
      fit(made, {.loss = {.family = Family::negative_binomial}, .estimate_dispersion = true});
  EXPECT_EQ(result.stop[0], Stop::converged);
  EXPECT_NEAR(result.dispersion[0], 0.5, 0.15);
  const std::vector<double> p = parameters_of(result, 0);
  const auto likelihood = [&](double a) {
    double total = 0;
    for (std::size_t t = 0; t < 1500; ++t) {
      const double mu =
          std::exp(p[0] * made.features[2 * t] + p[1] * made.features[2 * t + 1] + p[2]);
      const double y = made.y[t];
      total += std::lgamma(y + 1 / a) - std::lgamma(1 / a) + y * std::log(a * mu / (1 + a * mu)) -
               std::log1p(a * mu) / a;
    }
    return total;
  };
  const double a = result.dispersion[0];
  EXPECT_GT(likelihood(a), likelihood(a * 1.001));
  EXPECT_GT(likelihood(a), likelihood(a / 1.001));
  EXPECT_NEAR(likelihood(a * 1.01) - likelihood(a / 1.01), 0, 1e-3);
}

TEST(Fit, CountsThatVaryLittleHaveTheLeastDispersion) {
  Case made = make_case(Family::poisson, 300, 1);
  for (std::int64_t t = 0; t < made.rows; ++t) made.target(t) = 3 + t % 2;
  const FitResult result =
      fit(made, {.loss = {.family = Family::negative_binomial}, .estimate_dispersion = true});
  EXPECT_NEAR(result.dispersion[0], 1e-6, 1e-8);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("vary no more than those of poisson")));
}

// ---- designs without a single optimum

TEST(Fit, ColumnsOfZerosAreNamed) {
  Case made = make_case(Family::poisson, 150, 4);
  for (std::int64_t t = 0; t < made.rows; ++t) made.x(t, 2) = 0;
  const FitResult result = fit(made, {.start_coefficients = {0, 0, 1, 0}});
  EXPECT_EQ(result.stop[0], Stop::converged);
  EXPECT_EQ(result.coefficients[2], 0);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("column 2 (features, channel 0, basis 2)")));
  EXPECT_EQ(result.residual_degrees_of_freedom[0], 150 - 3 - 1);
}

TEST(Fit, ADeficientDesignEndsNearestToTheStart) {
  Case made = make_case(Family::poisson, 200, 4);
  for (std::int64_t t = 0; t < made.rows; ++t) made.x(t, 3) = made.x(t, 0) + made.x(t, 1);
  for (const std::vector<double>& start :
       std::vector<std::vector<double>>{{0, 0, 0, 0}, {1, -0.5, 0.2, 0.3}}) {
    const FitResult result = fit(made, {.start_coefficients = start});
    EXPECT_EQ(result.stop[0], Stop::converged);
    const std::vector<double>& b = result.coefficients;
    EXPECT_NEAR(b[0] + b[1] - b[3], start[0] + start[1] - start[3], 1e-9);
    EXPECT_EQ(result.residual_degrees_of_freedom[0], 200 - 3 - 1);
    EXPECT_THAT(result.warnings, Contains(HasSubstr("0 (4 of 5)")));
  }
}

TEST(Fit, SeparatedTargetsAreNamed) {
  Case made = make_case(Family::bernoulli, 100, 2, 2);
  for (std::int64_t t = 0; t < made.rows; ++t) made.target(t, 1) = made.x(t, 0) > 0 ? 1 : 0;
  const FitResult result = fit(made, {.loss = {.family = Family::bernoulli}});
  EXPECT_EQ(result.stop[0], Stop::converged);
  EXPECT_EQ(result.stop[1], Stop::separated);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("targets 1")));
}

TEST(Fit, TargetsWithoutEventsAreNamed) {
  Case made = make_case(Family::poisson, 100, 2, 2);
  for (std::int64_t t = 0; t < made.rows; ++t) made.target(t, 0) = 0;
  const FitResult result = fit(made, {.standard_errors = true});
  EXPECT_EQ(result.stop[0], Stop::no_events);
  EXPECT_EQ(result.stop[1], Stop::converged);
  EXPECT_EQ(parameters_of(result, 0)[0], 0);
  EXPECT_NEAR(result.intercepts[0], std::log(2.2e-16), 0.01);
  EXPECT_TRUE(std::isnan(result.standard_errors[0]));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("targets 0")));
}

TEST(Fit, ConstantTargetsNeedNoFeatures) {
  Case made = make_case(Family::gaussian, 100, 2);
  for (std::int64_t t = 0; t < made.rows; ++t) made.target(t) = 4.25;
  const FitResult result = fit(made, {.loss = {.family = Family::gaussian}});
  EXPECT_EQ(result.stop[0], Stop::converged);
  EXPECT_EQ(parameters_of(result, 0), (std::vector<double>{0, 0, 4.25}));
  EXPECT_EQ(result.optimality[0], 0);
}

TEST(Fit, GroupsMayReachAcrossTargets) {
  const Case made = make_case(Family::poisson, 300, 3, 2);
  const FitResult result = fit(made, {.penalty = synelix::GroupLasso{0.04, {0, 0, 1, 1, 2, 2}}});
  EXPECT_EQ(result.stop[0], Stop::converged);
  for (std::size_t g = 0; g < 3; ++g) {
    const double b0 = result.coefficients[2 * g];
    const double b1 = result.coefficients[2 * g + 1];
    const double g0 = sums_at(made, result, 0).gradient[g];
    const double g1 = sums_at(made, result, 1).gradient[g];
    const double strength = 0.04 * std::sqrt(2.0);
    const double norm = std::hypot(b0, b1);
    if (norm == 0) {
      EXPECT_LE(std::hypot(g0, g1), strength * (1 + 1e-9));
    } else {
      EXPECT_NEAR(g0, -strength * b0 / norm, 1e-6);
      EXPECT_NEAR(g1, -strength * b1 / norm, 1e-6);
    }
  }
}

// ---- starts, progress, choice

TEST(Fit, EveryStartLeadsToTheOptimum) {
  const Case made = make_case(Family::poisson, 200, 3);
  const FitOptions options{.optimality_tolerance = 1e-11};
  const FitResult from_zero = fit(made, options);
  FitOptions elsewhere = options;
  elsewhere.start_coefficients = {1, -1, 0.5};
  elsewhere.start_intercepts = {-2};
  const FitResult result = fit(made, elsewhere);
  expect_close(parameters_of(result, 0), parameters_of(from_zero, 0), 1e-8);
  EXPECT_EQ(result.start_intercepts, (std::vector<double>{-2}));
  double mean = 0;
  for (const double y : made.y) mean += y / 200;
  EXPECT_NEAR(from_zero.start_intercepts[0], std::log(mean), 1e-12);
  FitOptions at_optimum = options;
  at_optimum.start_coefficients = from_zero.coefficients;
  at_optimum.start_intercepts = from_zero.intercepts;
  EXPECT_LT(fit(made, at_optimum).evaluations[0], from_zero.evaluations[0]);
}

TEST(Fit, WithoutInterceptItStaysAtItsStart) {
  const Case made = make_case(Family::poisson, 200, 2);
  const FitResult result = fit(made, {.fit_intercept = false});
  EXPECT_EQ(result.intercepts[0], 0);
  EXPECT_EQ(result.stop[0], Stop::converged);
  EXPECT_EQ(result.residual_degrees_of_freedom[0], 198);
  EXPECT_NEAR(sums_at(made, result, 0).gradient[1], 0, 1e-5);
}

TEST(Fit, FewEvaluationsAreSaid) {
  const Case made = make_case(Family::poisson, 200, 3);
  const FitResult result = fit(made, {.most_evaluations = 1});
  EXPECT_EQ(result.stop[0], Stop::iterations);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("most_evaluations")));
}

TEST(Fit, TheChoiceIsExplained) {
  const Case made = make_case(Family::poisson, 100, 3);
  oracle::ReferencePass pass = made.pass();
  const oracle::ReferenceObserved observed = made.observed();
  const synelix::glm::RowLoss loss = fit_case::loss_of({});
  const synelix::FitChoice smooth = choose_fit_rows(pass, observed, loss, {}).choice;
  EXPECT_EQ(smooth.candidates.size(), 3U);
  for (const auto& candidate : smooth.candidates) EXPECT_LE(smooth.seconds, candidate.second);
  EXPECT_THAT(smooth.reason, HasSubstr("4 parameters on 100 rows"));
  const synelix::FitChoice sparse =
      choose_fit_rows(pass, observed, loss, {.penalty = synelix::Lasso{0.1}}).choice;
  EXPECT_EQ(sparse.solver, synelix::Solver::proximal_newton);
  EXPECT_THAT(sparse.reason, HasSubstr("no gradient at 0"));
  const synelix::FitChoice wanted =
      choose_fit_rows(pass, observed, loss, {.solver = synelix::Solver::lbfgs}).choice;
  EXPECT_EQ(wanted.solver, synelix::Solver::lbfgs);
  EXPECT_EQ(pass.walks(), 0);
}

/// A Hessian is each target's own, the Gram matrix of lbfgs is shared.
TEST(Fit, AllTargetsChooseTheSolver) {
  const synelix::glm::PassCost cost{.rows = 0.2, .gradient = 0.02, .hessian = 1.0, .gram = 1.0};
  synelix::glm::FitSize size{.rows = 200'000, .columns = 300};
  EXPECT_EQ(choose_solver(size, cost, synelix::Solver::automatic).solver, synelix::Solver::newton);
  size.sides = 100;
  const synelix::FitChoice many = choose_solver(size, cost, synelix::Solver::automatic);
  EXPECT_EQ(many.solver, synelix::Solver::lbfgs);
  EXPECT_THAT(many.reason, HasSubstr("predicted for 100 right-hand sides"));
  for (const auto& candidate : many.candidates) EXPECT_LE(many.seconds, candidate.second);
}

}  // namespace
}  // namespace fit_tests
