// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program synelix_fit_check: that it passes on the file of fits, and that it can fail. Each
// test that expects a difference changes one thing of a copy.

#include "golden/changed_copy.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fit_check_tests {
namespace {

using golden::Report;
using testing::HasSubstr;
using testing::Not;

class FitsCopy : public golden::ChangedCopy {
 protected:
  FitsCopy() : ChangedCopy(FIT_CHECK_PROGRAM, FITS_FILE) {}
};

TEST(FitCheck, AgreesWithTheFileOfFits) {
  const Report report = golden::run_program(FIT_CHECK_PROGRAM, FITS_FILE);
  EXPECT_EQ(report.status, 0) << report.output;
  EXPECT_THAT(report.output, Not(HasSubstr("DIFFERS")));
  EXPECT_THAT(report.output, HasSubstr("58 of 61 cases checked, 0 differ\n"));
}

TEST_F(FitsCopy, OneCoefficientMoved) {
  move("/fits/poisson_exp_ridge/coef", 3, 2e-6);
  expect_difference("/fits/poisson_exp_ridge", "coefficient 3 is ");
}

TEST_F(FitsCopy, OneInterceptMoved) {
  move("/fits/gamma_exp_none/intercept", 0, -5e-6);
  expect_difference("/fits/gamma_exp_none", "intercept 0 is ");
}

TEST_F(FitsCopy, AZeroThatIsNone) {
  write("/fits/poisson_exp_lasso_zero/coef", {0, 0, 1e-9, 0, 0, 0});
  expect_difference("/fits/poisson_exp_lasso_zero", "coefficient 2 is 0 in one answer only");
}

TEST_F(FitsCopy, OneStandardErrorMoved) {
  move("/fits/gaussian_identity_none/standard_error", 6, 1e-5);
  expect_difference("/fits/gaussian_identity_none", "standard_error 6 is ");
}

TEST_F(FitsCopy, OneObjectiveMoved) {
  move("/fits/bernoulli_logistic_lasso/objective", 0, 1e-11);
  expect_difference("/fits/bernoulli_logistic_lasso", "objective 0 is ");
}

TEST_F(FitsCopy, AnotherScale) {
  move("/fits/gamma_softplus_ridge/scale", 0, 1e-6);
  expect_difference("/fits/gamma_softplus_ridge", "scale 0 is ");
}

TEST_F(FitsCopy, OtherDegreesOfFreedom) {
  move("/fits/coupling_softplus_lasso/dof_resid_valid_rows", 2, 1);
  expect_difference("/fits/coupling_softplus_lasso", "dof_resid_valid_rows 2 is ");
}

TEST_F(FitsCopy, AnotherStart) {
  move("/fits/bernoulli_norm_cdf_none/start_intercept", 0, 1e-6);
  expect_difference("/fits/bernoulli_norm_cdf_none", "start_intercept 0 is ");
}

// Each attribute and operand is read: another value gives another answer, or is refused.

TEST_F(FitsCopy, AnotherStrength) {
  write("/fits/poisson_exp_elasticnet/strength", {0.041});
  expect_difference("/fits/poisson_exp_elasticnet", "coefficient 0 is ");
}

TEST_F(FitsCopy, AnotherRatio) {
  set_numbers("/fits/gamma_exp_elasticnet", "ratio", {0.51});
  expect_difference("/fits/gamma_exp_elasticnet", "coefficient");
}

TEST_F(FitsCopy, AnotherDispersion) {
  set_numbers("/fits/negativebinomial_exp_none", "alpha", {0.52});
  expect_difference("/fits/negativebinomial_exp_none", "coefficient 0 is ");
}

TEST_F(FitsCopy, AnotherTarget) {
  move("/fits/bernoulli_logistic_none/y", 17, 1 - 2 * read("/fits/bernoulli_logistic_none/y")[17]);
  expect_difference("/fits/bernoulli_logistic_none", "coefficient 0 is ");
}

TEST_F(FitsCopy, AnotherMask) {
  const double used = read("/fits/coupling_softplus_ridge_mask/feature_mask")[5];
  move("/fits/coupling_softplus_ridge_mask/feature_mask", 5, 1 - 2 * used);
  expect_difference("/fits/coupling_softplus_ridge_mask", "coefficient ");
}

TEST_F(FitsCopy, OtherGroups) {
  write("/fits/poisson_exp_grouplasso/groups", {0, 1, 1, 0, 2, 2});
  expect_difference("/fits/poisson_exp_grouplasso", "coefficient ");
}

TEST_F(FitsCopy, UnknownNames) {
  set_text("/fits/poisson_exp_none", "family", "binomial");
  expect_difference(
      "/fits/poisson_exp_none",
      "is not a case of this format: /fits/poisson_exp_none: family is 'binomial'; it "
      "may be bernoulli, ");
}

TEST_F(FitsCopy, WhatTheLibraryRefuses) {
  set_numbers("/fits/classifier_none", "classes", {4});
  expect_difference("/fits/classifier_none", "coef has 18 values, not 24");
}

TEST_F(FitsCopy, MissingDatasets) {
  rename("/fits/poisson_exp_ridge/strength", "/strength");
  expect_difference("/fits/poisson_exp_ridge", "dataset strength is missing");
}

// The products of designs.

class FitOperatorsCopy : public golden::ChangedCopy {
 protected:
  FitOperatorsCopy() : ChangedCopy(FIT_CHECK_PROGRAM, FIT_OPERATORS_FILE) {}
};

TEST(FitCheck, AgreesWithTheFileOfProducts) {
  const Report report = golden::run_program(FIT_CHECK_PROGRAM, FIT_OPERATORS_FILE);
  EXPECT_EQ(report.status, 0) << report.output;
  EXPECT_THAT(report.output, HasSubstr("21 of 21 cases checked, 0 differ\n"));
}

TEST_F(FitOperatorsCopy, OneValueOfEachResultMoved) {
  // Each result in another case, so that every kind of design is read.
  const std::vector<std::array<std::string, 3>> results = {
      {"conv_epochs", "xb", "xb"},
      {"eval_bspline", "xtr", "xtr"},
      {"events", "gram", "gram"},
      {"events_epochs", "xtdx", "xtdx"},
      {"product_bspline_bspline", "evaluate_loss", "loss"},
      {"sum_events_conv_product", "evaluate_gradient", "gradient"},
      {"dense_missing", "evaluate_hessian", "hessian"}};
  for (const auto& [name, result, text] : results) {
    SCOPED_TRACE(name);
    const std::string dataset = "/" + name + "/" + result;
    const std::vector<double> values = read(dataset);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_larger = !(std::abs(values[i]) <= std::abs(values[largest]));
      if (std::isfinite(values[i]) && is_larger) largest = i;
    }
    const double step = 1e-5 * std::abs(values[largest]);
    move(dataset, largest, step);
    expect_difference("/" + name, text + " " + std::to_string(largest) + " is ");
    move(dataset, largest, -step);
  }
}

TEST_F(FitOperatorsCopy, OtherInputs) {
  move("/sum_events_conv_product/series", 200, 3.0);
  expect_difference("/sum_events_conv_product", "is ");
}

TEST_F(FitOperatorsCopy, OtherValidRows) {
  move("/sum_events_conv_product/valid", 0, 1 - 2 * read("/sum_events_conv_product/valid")[0]);
  expect_difference("/sum_events_conv_product", "valid 0 is ");
}

TEST(FitCheck, UsageAndFilesThatCannotBeRead) {
  const Report usage = golden::run_program(FIT_CHECK_PROGRAM, "");
  EXPECT_EQ(usage.status, 2);
  EXPECT_THAT(usage.output, HasSubstr("usage: synelix_fit_check FILE [CASE]"));
  const Report report = golden::run_program(FIT_CHECK_PROGRAM, "/no/such/file.h5");
  EXPECT_EQ(report.status, 2);
  const Report unknown = golden::run_program(FIT_CHECK_PROGRAM, FITS_FILE " /fits/of_nobody");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr("holds no case /fits/of_nobody"));
}

}  // namespace
}  // namespace fit_check_tests
