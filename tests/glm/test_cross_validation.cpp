// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit_case.hpp"
#include "glm/path/cross_validation.hpp"
#include "glm/path/folded_rows.hpp"
#include "oracle/refusals.hpp"
#include "oracle/row_formulas.hpp"

#include <synelix/glm_path.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace cross_validation_tests {

namespace sx = synelix;
using fit_case::Case;
using fit_case::make_case;
using oracle::expect_refused;
using testing::Contains;
using testing::HasSubstr;

namespace {

sx::CrossValidationResult validated(const Case& made, const sx::FitOptions& options,
                                    const sx::CrossValidationOptions& validation) {
  oracle::ReferencePass pass = made.pass();
  const oracle::ReferenceObserved observed = made.observed();
  return sx::glm::cross_validate_rows(pass, observed, fit_case::loss_of(options.loss), options,
                                      validation);
}

sx::FitOptions options_of(sx::Family family, sx::Penalty penalty) {
  sx::FitOptions options;
  options.loss.family = family;
  options.penalty = std::move(penalty);
  options.optimality_tolerance = 1e-8;
  return options;
}

/// The rows that a condition takes.
Case rows_of(const Case& made, const std::function<bool(std::int64_t)>& is_in) {
  Case part = made;
  part.rows = 0;
  part.features.clear();
  part.y.clear();
  for (std::int64_t t = 0; t < made.rows; ++t) {
    if (!is_in(t)) continue;
    ++part.rows;
    const auto x = made.features.begin() + t * made.columns;
    const auto y = made.y.begin() + t * made.targets;
    part.features.insert(part.features.end(), x, x + made.columns);
    part.y.insert(part.y.end(), y, y + made.targets);
  }
  return part;
}

/// Deviance of the rows of a case by the model of a target.
double deviance_of(const Case& test, sx::Family family, const std::vector<double>& parameters,
                   std::int64_t target) {
  double sum = 0;
  for (std::int64_t t = 0; t < test.rows; ++t) {
    double eta = parameters.back();
    for (std::int64_t j = 0; j < test.columns; ++j) {
      eta += test.features[static_cast<std::size_t>(t * test.columns + j)] *
             parameters[static_cast<std::size_t>(j)];
    }
    const double y = test.y[static_cast<std::size_t>(t * test.targets + target)];
    if (family == sx::Family::gaussian) {
      sum += (y - eta) * (y - eta);
    } else if (family == sx::Family::poisson) {
      sum += 2 * ((y > 0 ? y * (std::log(y) - eta) : 0.0) - y + std::exp(eta));
    } else {
      sum += 2 * std::log1p(std::exp(y > 0.5 ? -eta : eta));
    }
  }
  return sum / static_cast<double>(test.rows);
}

}  // namespace

class CrossValidation : public ::testing::TestWithParam<sx::Family> {};

// The plain loop: a fit for each fold, strength and target on its training rows alone.
TEST_P(CrossValidation, IsALoopOfFits) {
  const sx::Family family = GetParam();
  const Case made = make_case(family, 300, 5, 2);
  const std::vector<double> strengths = {0.1, 0.03, 0.01};
  for (const std::int64_t gap : {0, 4}) {
    SCOPED_TRACE("gap " + std::to_string(gap));
    sx::CrossValidationOptions validation;
    validation.folds = 3;
    validation.gap = gap;
    validation.path.strengths = strengths;
    const sx::CrossValidationResult found =
        validated(made, options_of(family, sx::Lasso{}), validation);
    ASSERT_EQ(found.scores.size(), 3U * 3U * 2U);
    for (std::int64_t fold = 0; fold < 3; ++fold) {
      const std::int64_t begin = fold * 100;
      const Case test =
          rows_of(made, [&](std::int64_t t) { return t >= begin && t < begin + 100; });
      const Case training =
          rows_of(made, [&](std::int64_t t) { return t < begin - gap || t >= begin + 100 + gap; });
      for (std::size_t r = 0; r < strengths.size(); ++r) {
        sx::FitOptions options = options_of(family, sx::Lasso{strengths[r]});
        options.optimality_tolerance = 1e-10;
        const sx::FitResult single = fit_case::fit(training, options);
        for (std::int64_t i = 0; i < 2; ++i) {
          const double expected = deviance_of(test, family, fit_case::parameters_of(single, i), i);
          const auto at =
              (static_cast<std::size_t>(fold) * 3 + r) * 2 + static_cast<std::size_t>(i);
          EXPECT_NEAR(found.scores[at], expected, 1e-7 * expected) << fold << " " << r << " " << i;
        }
      }
    }
  }
}

TEST_P(CrossValidation, ChoosesByMeanAndStandardError) {
  const sx::Family family = GetParam();
  const Case made = make_case(family, 300, 8, 2, 5);
  sx::CrossValidationOptions validation;
  validation.path = {.count = 12, .ratio = 1e-3};
  const sx::CrossValidationResult best =
      validated(made, options_of(family, sx::ElasticNet{1.0, 0.9}), validation);
  validation.choose = sx::Choose::one_standard_error;
  const sx::CrossValidationResult sparse =
      validated(made, options_of(family, sx::ElasticNet{1.0, 0.9}), validation);
  EXPECT_EQ(best.folds, 5);
  EXPECT_EQ(best.scores, sparse.scores);
  for (std::size_t i = 0; i < 2; ++i) {
    double lowest = 1e300;
    std::int64_t expected = -1;
    for (std::int64_t r = 0; r < 12; ++r) {
      const std::size_t at = static_cast<std::size_t>(r) * 2 + i;
      double mean = 0;
      double squares = 0;
      for (std::size_t fold = 0; fold < 5; ++fold) mean += best.scores[fold * 24 + at] / 5;
      for (std::size_t fold = 0; fold < 5; ++fold) {
        squares += std::pow(best.scores[fold * 24 + at] - mean, 2);
      }
      EXPECT_NEAR(best.mean[at], mean, 1e-14);
      EXPECT_NEAR(best.standard_error[at], std::sqrt(squares / 20), 1e-14);
      if (mean < lowest) {
        lowest = mean;
        expected = r;
      }
    }
    EXPECT_EQ(best.chosen[i], expected);
    const double limit = lowest + best.standard_error[static_cast<std::size_t>(expected) * 2 + i];
    EXPECT_LE(sparse.chosen[i], expected);
    EXPECT_LE(sparse.mean[static_cast<std::size_t>(sparse.chosen[i]) * 2 + i], limit);
    if (sparse.chosen[i] > 0) {
      EXPECT_GT(sparse.mean[static_cast<std::size_t>(sparse.chosen[i] - 1) * 2 + i], limit);
    }
    // The model is the fit of the chosen strength on all rows.
    const auto at = static_cast<std::size_t>(best.chosen[i]) * 2 + i;
    sx::FitOptions options = options_of(family, sx::ElasticNet{best.path.strengths[at], 0.9});
    const sx::FitResult single = fit_case::fit(made, options);
    const auto target = static_cast<std::int64_t>(i);
    const std::vector<double> expected_model = fit_case::parameters_of(single, target);
    const std::vector<double> model = fit_case::parameters_of(best.model, target);
    for (std::size_t j = 0; j < model.size(); ++j) EXPECT_NEAR(model[j], expected_model[j], 1e-6);
    EXPECT_EQ(best.model.stop[i], sx::Stop::converged);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CrossValidation,
                         ::testing::Values(sx::Family::gaussian, sx::Family::poisson,
                                           sx::Family::bernoulli),
                         [](const auto& test) { return std::string(sx::name_of(test.param)); });

TEST(CrossValidationFolds, MayBeGivenForEachRow) {
  const Case made = make_case(sx::Family::poisson, 300, 4);
  sx::CrossValidationOptions validation;
  validation.path.strengths = {0.05};
  for (std::int64_t t = 0; t < 300; ++t) {
    validation.fold_of_row.push_back(t < 20 ? 255 : static_cast<std::uint8_t>(t % 2));
  }
  for (const sx::Family family : {sx::Family::poisson, sx::Family::gaussian}) {
    const auto found = validated(made, options_of(family, sx::Ridge{}), validation);
    ASSERT_EQ(found.folds, 2);
    for (std::int64_t fold = 0; fold < 2; ++fold) {
      const auto test = rows_of(made, [&](std::int64_t t) { return t >= 20 && t % 2 == fold; });
      const auto training = rows_of(made, [&](std::int64_t t) { return t < 20 || t % 2 != fold; });
      const sx::FitResult single = fit_case::fit(training, options_of(family, sx::Ridge{0.05}));
      const double expected = deviance_of(test, family, fit_case::parameters_of(single, 0), 0);
      EXPECT_NEAR(found.scores[static_cast<std::size_t>(fold)], expected, 1e-6);
    }
  }
}

TEST(CrossValidationScores, AreThoseOfTheRowsLeftOut) {
  const Case made = make_case(sx::Family::poisson, 300, 4);
  sx::CrossValidationOptions validation;
  validation.folds = 2;
  validation.path.strengths = {0.02};
  const sx::FitOptions options = options_of(sx::Family::poisson, sx::Lasso{});
  const auto training = rows_of(made, [&](std::int64_t t) { return t >= 150; });
  const auto test = rows_of(made, [&](std::int64_t t) { return t < 150; });
  const sx::FitResult single =
      fit_case::fit(training, options_of(sx::Family::poisson, sx::Lasso{0.02}));
  const std::vector<double> parameters = fit_case::parameters_of(single, 0);
  double mean = 0;
  for (const double y : test.y) mean += y / 150;
  double log_likelihood = 0;
  double null = 0;
  double null_deviance = 0;
  for (std::int64_t t = 0; t < 150; ++t) {
    const double y = test.y[static_cast<std::size_t>(t)];
    double eta = parameters.back();
    for (std::int64_t j = 0; j < 4; ++j) {
      eta += test.features[static_cast<std::size_t>(t * 4 + j)] *
             parameters[static_cast<std::size_t>(j)];
    }
    log_likelihood += (y * eta - std::exp(eta) - std::lgamma(y + 1)) / 150;
    null += (y * std::log(mean) - mean - std::lgamma(y + 1)) / 150;
    null_deviance += 2 * (y > 0 ? y * std::log(y / mean) : 0.0) / 150;
  }
  const double deviance = deviance_of(test, sx::Family::poisson, parameters, 0);
  const auto score_of = [&](sx::ScoreKind kind) {
    validation.score = kind;
    return validated(made, options, validation).scores.front();
  };
  EXPECT_NEAR(score_of(sx::ScoreKind::log_likelihood), log_likelihood, 1e-7);
  EXPECT_NEAR(score_of(sx::ScoreKind::pseudo_r2_mcfadden), 1 - log_likelihood / null, 1e-7);
  EXPECT_NEAR(score_of(sx::ScoreKind::pseudo_r2_cohen), 1 - deviance / null_deviance, 1e-7);
}

/// Targets 0 and 1 have no events in fold 1, target 2 has none at all.
Case silent_in_a_fold(sx::Family family) {
  Case made = make_case(family, 300, 6, 3, 7);
  for (std::int64_t t = 0; t < 300; ++t) {
    if (t >= 60 && t < 120) made.target(t, 0) = made.target(t, 1) = 0;
    made.target(t, 2) = 0;
  }
  return made;
}

TEST(CrossValidationScores, LeaveOutFoldsWhereTheyAreNotDefined) {
  for (const sx::Family family : {sx::Family::poisson, sx::Family::bernoulli}) {
    for (const sx::ScoreKind kind :
         {sx::ScoreKind::pseudo_r2_cohen, sx::ScoreKind::pseudo_r2_mcfadden}) {
      SCOPED_TRACE(std::string(sx::name_of(family)) + " " + sx::name_of(kind));
      const Case made = silent_in_a_fold(family);
      sx::CrossValidationOptions validation;
      validation.score = kind;
      validation.path = {.count = 8, .ratio = 1e-2};
      const auto found = validated(made, options_of(family, sx::Lasso{}), validation);
      for (std::size_t i = 0; i < 2; ++i) {
        std::int64_t best = 0;
        for (std::size_t r = 0; r < 8; ++r) {
          const std::size_t at = r * 3 + i;
          EXPECT_TRUE(std::isnan(found.scores[1 * 24 + at]));
          double mean = 0;
          double squares = 0;
          for (const std::size_t fold : {0, 2, 3, 4}) mean += found.scores[fold * 24 + at] / 4;
          for (const std::size_t fold : {0, 2, 3, 4}) {
            squares += std::pow(found.scores[fold * 24 + at] - mean, 2);
          }
          EXPECT_NEAR(found.mean[at], mean, 1e-14);
          EXPECT_NEAR(found.standard_error[at], std::sqrt(squares / 12), 1e-14);
          const auto of_best = static_cast<std::size_t>(best) * 3 + i;
          if (found.mean[at] > found.mean[of_best]) best = static_cast<std::int64_t>(r);
        }
        EXPECT_EQ(found.chosen[i], best);
        EXPECT_GT(best, 0);
      }
      EXPECT_EQ(found.model.stop[2], sx::Stop::no_events);
      EXPECT_THAT(found.model.warnings,
                  Contains(HasSubstr("left out of its mean: fold 0 of target 2, fold 1 of target "
                                     "0, fold 1 of target 1, fold 1 of target 2, fold 2")));
    }
  }
}

TEST(CrossValidationScores, AreRefusedWhereNoFoldHasOne) {
  Case made = make_case(sx::Family::bernoulli, 100, 3);
  for (std::int64_t t = 0; t < 100; ++t) made.target(t) = t < 50 ? 0 : 1;
  const sx::FitOptions options = options_of(sx::Family::bernoulli, sx::Ridge{});
  sx::CrossValidationOptions validation{.folds = 2, .path = {.count = 3}};
  for (const sx::ScoreKind kind :
       {sx::ScoreKind::pseudo_r2_cohen, sx::ScoreKind::pseudo_r2_mcfadden}) {
    validation.score = kind;
    expect_refused([&] { validated(made, options, validation); }, "score",
                   "not defined for target 0, which does not vary within any fold", "Use deviance");
  }
  validation.score = sx::ScoreKind::deviance;
  for (const double score : validated(made, options, validation).scores) {
    EXPECT_TRUE(std::isfinite(score));
  }
}

/// A fold that alone has a score has no standard error.
TEST(CrossValidationScores, OfOneFoldChooseTheBest) {
  Case made = make_case(sx::Family::poisson, 300, 4);
  for (std::int64_t t = 0; t < 150; ++t) made.target(t) = 0;
  for (std::int64_t t = 150; t < 300; ++t) made.target(t) += t % 2 == 0 && t < 160 ? 1 : 0;
  sx::CrossValidationOptions validation{.folds = 2,
                                        .path = {.strengths = {1e-1, 1e-2}},
                                        .score = sx::ScoreKind::pseudo_r2_cohen,
                                        .choose = sx::Choose::one_standard_error};
  const auto found = validated(made, options_of(sx::Family::poisson, sx::Ridge{}), validation);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(found.mean[r], found.scores[2 + r]);
    EXPECT_TRUE(std::isnan(found.standard_error[r]));
  }
  EXPECT_EQ(found.chosen[0], found.mean[1] > found.mean[0] ? 1 : 0);
}

/// Numbers of targets far from 0 keep the digits of their distances from the mean.
TEST(CrossValidationScores, DoNotDependOnTheMeanOfTheTargets) {
  Case near = make_case(sx::Family::gaussian, 300, 5);
  for (double& y : near.y) y = std::round(y * 1024) / 1024;
  Case far = near;
  for (double& y : far.y) y += 0x1p24;
  sx::CrossValidationOptions validation{.folds = 3, .path = {.strengths = {0.1, 0.01}}};
  for (const std::int64_t gap : {0, 4}) {
    validation.gap = gap;
    const sx::FitOptions options = options_of(sx::Family::gaussian, sx::Lasso{});
    const auto expected = validated(near, options, validation);
    const auto found = validated(far, options, validation);
    for (std::size_t i = 0; i < expected.scores.size(); ++i) {
      EXPECT_NEAR(found.scores[i], expected.scores[i], 1e-8) << gap << " " << i;
    }
  }
}

TEST(CrossValidationModel, HasNoScoresOnceCancelled) {
  const Case made = make_case(sx::Family::poisson, 300, 4);
  for (const sx::Family family : {sx::Family::gaussian, sx::Family::poisson}) {
    SCOPED_TRACE(sx::name_of(family));
    sx::FitOptions options = options_of(family, sx::Lasso{});
    const std::atomic<bool> cancel = true;
    options.cancel = &cancel;
    const auto found = validated(made, options, {.folds = 2, .path = {.count = 3}});
    for (const double score : found.scores) EXPECT_TRUE(std::isnan(score));
    EXPECT_EQ(found.model.stop[0], sx::Stop::cancelled);
    EXPECT_EQ(found.chosen[0], 0);
  }
}

TEST(CrossValidationModel, HasAStrengthForEachTargetOfAnyPenalty) {
  const Case made = make_case(sx::Family::poisson, 300, 6, 2, 3);
  const std::vector<double> weights = {1, 2, 0.5, 1, 1, 2};
  const std::vector<sx::Penalty> penalties = {
      sx::Lasso{{weights, sx::Strength::Per::coefficient}},
      sx::Ridge{{std::vector<double>{1.0, 0.5}, sx::Strength::Per::target}},
      sx::GroupLasso{1.0, {0, 0, 1, 1, -1, 2}},
      sx::GroupLasso{{std::vector<double>{1.0, 2.0, 0.5}, sx::Strength::Per::group},
                     {0, 0, 1, 1, -1, 2}},
      sx::GroupLasso{1.0, {0, 2, 0, 2, 1, 3, 1, 3, 1, 3, -1, -1}},
      sx::GroupLasso{1.0, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, -1, -1}}};
  for (std::size_t k = 0; k < penalties.size(); ++k) {
    SCOPED_TRACE(k);
    sx::CrossValidationOptions validation;
    validation.folds = 3;
    validation.path = {.count = 6, .ratio = 1e-2};
    const auto found = validated(made, options_of(sx::Family::poisson, penalties[k]), validation);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(found.model.stop[i], sx::Stop::converged);
      const auto target = static_cast<std::int64_t>(i);
      const std::vector<double> of_path =
          fit_case::parameters_of(found.path.model(found.chosen[i]), target);
      const std::vector<double> model = fit_case::parameters_of(found.model, target);
      for (std::size_t j = 0; j < model.size(); ++j) EXPECT_NEAR(model[j], of_path[j], 1e-6);
      const auto at = static_cast<std::size_t>(found.chosen[i]) * 2 + i;
      EXPECT_NEAR(found.model.objective[i], found.path.objective[at], 1e-9);
    }
  }
}

TEST(CrossValidationArguments, RefusesWhatItCannotDo) {
  const Case made = make_case(sx::Family::gaussian, 60, 3);
  const sx::FitOptions options = options_of(sx::Family::gaussian, sx::Lasso{});
  expect_refused([&] { validated(made, options, {.folds = 1}); }, "folds", "1 is out of range",
                 "Use 2 to 60");
  expect_refused([&] { validated(made, options, {.gap = -1}); }, "gap", "-1", "Use 0");
  expect_refused([&] { validated(made, options, {.fold_of_row = {0, 1}}); }, "fold_of_row",
                 "2 numbers", "Give the fold");
  std::vector<std::uint8_t> folds(60, 0);
  folds[7] = 2;
  expect_refused([&] { validated(made, options, {.fold_of_row = folds}); }, "fold_of_row",
                 "no row is in fold 1", "without gaps");
  expect_refused([&] { validated(made, options, {.score = sx::ScoreKind::log_likelihood}); },
                 "score", "gaussian depends on phi", "Use deviance");
  oracle::ReferencePass pass = made.pass();
  sx::FitOptions newton = options;
  newton.solver = sx::Solver::newton;
  expect_refused(
      [&] {
        sx::glm::cross_validate_rows(pass, made.observed(), fit_case::loss_of(newton.loss), newton,
                                     {});
      },
      "solver", "newton needs a penalty with a gradient", "Use proximal_newton");
  EXPECT_EQ(pass.walks(), 0);
  const Case few = make_case(sx::Family::gaussian, 12, 9);
  expect_refused([&] { validated(few, options, {.folds = 3, .path = {.strengths = {0.1, 0.0}}}); },
                 "strengths", "target 0 has 8 rows that count outside of fold 0, and 10 parameters",
                 "leave strength 0 out");
  expect_refused(
      [&] { validated(made, options, {.gap = std::numeric_limits<std::int64_t>::max()}); },
      "targets", "target 0 has no row that counts", "Give rows");
  Case unobserved = made;
  for (std::int64_t t = 0; t < 12; ++t) unobserved.target(t, 0) = NAN;
  expect_refused([&] { validated(unobserved, options, {}); }, "folds",
                 "fold 0 has no row of target 0", "Use fewer folds");
}

TEST(FoldedRows, LeaveOutRowsNearTheTest) {
  const oracle::ReferenceObserved all(12, 1, std::vector<double>(12, 1.0));
  const std::vector<std::uint8_t> folds = {0, 0, 0, 255, 1, 1, 0, 1, 1, 1, 1, 255};
  const sx::glm::FoldedRows folded(all, folds, 1);
  using Fold = sx::glm::RowsOf::Fold;
  const auto weights = [&](Fold kind, int fold) {
    std::vector<double> found(12);
    folded.read_weights({0, kind, fold}, {0, 12}, found.data());
    std::string text;
    for (const double weight : found) text += weight > 0 ? '1' : '0';
    return text;
  };
  EXPECT_EQ(folded.count(), 2);
  EXPECT_EQ(weights(Fold::only, 0), "111000100000");
  EXPECT_EQ(weights(Fold::without, 0), "000010001111");
  EXPECT_EQ(weights(Fold::only, folded.left_out(0)), "111101110000");
  EXPECT_EQ(weights(Fold::only, folded.in_no_test()), "000100000001");
  EXPECT_EQ(weights(Fold::without, 1), "111000000000");
  EXPECT_EQ(weights(Fold::all, 0), "111111111111");
}

TEST(FoldedRows, LeaveOutAllRowsForTheLargestGap) {
  const oracle::ReferenceObserved all(4, 1, std::vector<double>(4, 1.0));
  const sx::glm::FoldedRows folded(all, {0, 0, 1, 1}, std::numeric_limits<std::int64_t>::max());
  std::vector<double> weights(4, 1.0);
  folded.read_weights({0, sx::glm::RowsOf::Fold::without, 0}, {0, 4}, weights.data());
  EXPECT_EQ(weights, std::vector<double>(4, 0.0));
}

}  // namespace cross_validation_tests
