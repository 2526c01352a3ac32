// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fit on the reference pass: its progress, cancelling, and resuming.

#include "fit_case.hpp"
#include "oracle/answer_store.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace fit_progress_tests {
namespace {

using fit_case::Case;
using fit_case::fit;
using fit_case::make_case;
using synelix::Family;
using synelix::FitOptions;
using synelix::FitResult;
using synelix::Stop;

TEST(FitProgress, ProgressCountsWalksAndMayEndTheFit) {
  const Case made = make_case(Family::poisson, 200, 3, 2);
  std::vector<synelix::FitProgress> seen;
  FitOptions options;
  options.progress = [&](const synelix::FitProgress& progress) { seen.push_back(progress); };
  fit(made, options);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().targets, 2);
  EXPECT_EQ(seen.back().targets_done, 2);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GT(seen[i].passes, seen[i - 1].passes);
  options.progress = [](const synelix::FitProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(fit(made, options), std::runtime_error);
}

TEST(FitProgress, ACancelledFitReturnsWhatItHas) {
  const Case made = make_case(Family::poisson, 200, 3, 2);
  std::atomic<bool> cancel{false};
  FitOptions options{.most_evaluations = 100, .cancel = &cancel};
  options.progress = [&](const synelix::FitProgress& progress) {
    if (progress.passes >= 3) cancel = true;
  };
  const FitResult result = fit(made, options);
  EXPECT_EQ(result.stop, (std::vector<Stop>{Stop::cancelled, Stop::cancelled}));
  EXPECT_EQ(result.coefficients.size(), 6U);
  EXPECT_GT(result.evaluations[0], 0);
}

TEST(FitProgress, AResumedFitEndsWithTheSameBits) {
  const Case counts = make_case(Family::negative_binomial, 200, 3, 2);
  const FitOptions dispersed{.loss = {.family = Family::negative_binomial},
                             .estimate_dispersion = true};
  const FitOptions sparse{.penalty = synelix::Lasso{0.05}};
  for (FitOptions options : {dispersed, sparse}) {
    const FitResult whole = fit(counts, options);
    FitResult resumed;
    const int answers = oracle::resume_after_each(
        [&](synelix::AnswerStore& store) {
          options.answers = &store;
          resumed = fit(counts, options);
        },
        [&] {
          EXPECT_EQ(resumed.coefficients, whole.coefficients);
          EXPECT_EQ(resumed.intercepts, whole.intercepts);
          EXPECT_EQ(resumed.dispersion, whole.dispersion);
          EXPECT_EQ(resumed.evaluations, whole.evaluations);
          EXPECT_EQ(resumed.stop, whole.stop);
        });
    EXPECT_GT(answers, 4);
  }
}

}  // namespace
}  // namespace fit_progress_tests
