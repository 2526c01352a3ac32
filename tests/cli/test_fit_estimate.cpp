// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tool/text/progress.hpp"

#include <gmock/gmock.h>

#include <limits>

// The estimated progress of a fit, for invented states.

namespace fit_estimate_tests {
namespace {

using synelix::tool::FitEstimate;

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(FitEstimate, OneTargetCountsByTheLogarithmOfItsOptimality) {
  FitEstimate estimate(1e-6, 1);
  EXPECT_EQ(estimate.fraction({0, 1, infinite}), 0);
  EXPECT_EQ(estimate.fraction({0, 1, 1.0}), 0);
  EXPECT_NEAR(estimate.fraction({0, 1, 1e-3}), 0.5, 1e-12);
  EXPECT_NEAR(estimate.fraction({0, 1, 1e-2}), 0.5, 1e-12) << "it never falls";
  EXPECT_NEAR(estimate.fraction({0, 1, 1e-5}), 5.0 / 6, 1e-12);
  EXPECT_EQ(estimate.fraction({0, 1, 1e-7}), 0.99) << "not before the target is done";
  EXPECT_EQ(estimate.fraction({1, 1, 0}), 1);
}

TEST(FitEstimate, TargetsThatAreDoneCountAsAWhole) {
  FitEstimate estimate(1e-6, 4);
  EXPECT_EQ(estimate.fraction({0, 4, 1.0}), 0);
  EXPECT_NEAR(estimate.fraction({2, 4, 1e-3}), 0.75, 1e-12);
  EXPECT_EQ(estimate.fraction({4, 4, 0}), 1);
}

TEST(FitEstimate, AnOptimalityThatGrowsMovesTheStart) {
  FitEstimate estimate(1e-6, 1);
  EXPECT_EQ(estimate.fraction({0, 1, 1e-2}), 0);
  EXPECT_EQ(estimate.fraction({0, 1, 1.0}), 0);
  EXPECT_NEAR(estimate.fraction({0, 1, 1e-3}), 0.5, 1e-12);
}

TEST(FitEstimate, ModelsOfAPathCountOnceTheyAreDone) {
  FitEstimate estimate(1e-6, 3);
  EXPECT_EQ(estimate.fraction({0, 90, 1.0}), 0);
  EXPECT_NEAR(estimate.fraction({21, 90, 1e-5}), 21.0 / 90, 1e-12) << "most have not begun";
  EXPECT_NEAR(estimate.fraction({60, 90, 1e-6}), 60.0 / 90, 1e-12);
}

TEST(FitEstimate, APathIsNotTheEnd) {
  FitEstimate estimate(1e-6, 2);
  EXPECT_EQ(estimate.fraction({20, 20, 0}), 0.99) << "the model of the chosen strengths follows";
  EXPECT_EQ(estimate.fraction({0, 2, 1.0}), 0.99);
  EXPECT_EQ(estimate.fraction({2, 2, 0}), 1);
}

}  // namespace
}  // namespace fit_estimate_tests
