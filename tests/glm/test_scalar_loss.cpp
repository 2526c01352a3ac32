// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/loss_reference.hpp"
#include "glm/rows/row_loss.hpp"
#include "tile/select.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

// Losses of single rows and functions of means: against the formulas in long double, and against
// each other.

namespace scalar_loss_tests {
namespace {

using namespace synelix;
using loss_reference::pairs;
using loss_reference::text_of;

constexpr double inf = std::numeric_limits<double>::infinity();

glm::RowLoss bound(const Loss& loss) {
  return glm::bind(loss, tile::select_set(InstructionSet::automatic));
}

TEST(ScalarLoss, AgreesWithTheFormulas) {
  std::mt19937_64 random(1);
  for (const Loss& loss : pairs()) {
    SCOPED_TRACE(text_of(loss));
    for (int turn = 0; turn < 3000; ++turn) {
      const double eta = loss_reference::random_predictor(loss, random);
      const double y = loss_reference::random_target(loss.family, random);
      const auto got = bound(loss).at(y, eta, loss.dispersion);
      const loss_reference::Row want = loss_reference::row_of(loss, y, eta);
      const auto check = [&](double number, const loss_reference::Number& exact) {
        if (std::fabs(exact.value) > std::numeric_limits<double>::max()) {
          EXPECT_EQ(number, exact.value > 0 ? inf : -inf);
        } else {
          EXPECT_LE(std::fabs(number - exact.value), 4e-12L * exact.size + 1e-300L)
              << eta << " " << y;
        }
      };
      check(got.loss, want.loss);
      check(got.residual, want.residual);
      check(got.curvature, want.curvature);
    }
  }
}

TEST(ScalarLoss, PredictorIsTheInverseOfTheMean) {
  using enum InverseLink;
  for (const InverseLink link : {exp, softplus, logistic, norm_cdf, one_over_x, identity}) {
    for (const double eta : {0.01, 0.4, 1.0, 2.5, 5.0, -0.3, -2.0, -7.0, -30.0}) {
      const double mean = glm::mean_of(link, eta);
      EXPECT_NEAR(glm::predictor_of(link, mean), eta, 1e-9 * std::fabs(eta))
          << name_of(link) << " at " << eta;
      const auto exact = static_cast<double>(loss_reference::mean_by(link, eta).mu);
      EXPECT_NEAR(mean, exact, 1e-12 * std::fabs(exact));
    }
  }
  EXPECT_EQ(glm::predictor_of(exp, 0), -inf);
  EXPECT_EQ(glm::predictor_of(softplus, 0), -inf);
  EXPECT_EQ(glm::predictor_of(softplus, 1000), 1000);
  EXPECT_EQ(glm::predictor_of(logistic, 1), inf);
  EXPECT_EQ(glm::predictor_of(norm_cdf, 0), -inf);
  EXPECT_EQ(glm::predictor_of(norm_cdf, 1), inf);
  EXPECT_TRUE(std::isnan(glm::predictor_of(norm_cdf, 1.5)));
  EXPECT_TRUE(std::isnan(glm::predictor_of(exp, -1)));
}

TEST(ScalarLoss, AtTheMeanIsTheSame) {
  std::mt19937_64 random(2);
  for (const Loss& loss : pairs()) {
    for (int turn = 0; turn < 100; ++turn) {
      const double eta = std::uniform_real_distribution<double>(0.2, 3)(random);
      const double y = loss_reference::random_target(loss.family, random);
      const double want = bound(loss).at(y, eta, loss.dispersion).loss;
      const double got = glm::loss_at_mean(loss, y, glm::mean_of(loss.inverse_link, eta));
      EXPECT_NEAR(got, want, 1e-12 * (1 + std::fabs(want))) << text_of(loss);
    }
  }
}

/// A deviance is the difference of the log-likelihood to that of a mean of y itself, times 2.
TEST(ScalarLoss, DevianceIsTwiceTheGapOfLikelihoods) {
  std::mt19937_64 random(3);
  for (const Loss& loss : pairs()) {
    for (int turn = 0; turn < 100; ++turn) {
      const double mean = std::uniform_real_distribution<double>(0.05, 0.95)(random);
      double y = loss_reference::random_target(loss.family, random);
      if (y == 0 && loss.family == Family::negative_binomial) y = 1;  // a mean of 0 divides by 0
      const bool has_scale = loss.family == Family::gaussian || loss.family == Family::gamma;
      const double scale = has_scale ? 1.7 : 1.0;
      const auto likelihood = [&](double mu) {
        return glm::log_likelihood(loss, y, glm::loss_at_mean(loss, y, mu), scale);
      };
      const double gap = 2 * (likelihood(y) - likelihood(mean));
      EXPECT_NEAR(glm::deviance(loss, y, mean, scale), gap, 1e-10 * (1 + std::fabs(gap)))
          << text_of(loss) << " " << y << " " << mean;
    }
  }
}

/// Probabilities of all counts add up to 1, and so do densities.
TEST(ScalarLoss, LikelihoodsAddUpToOne) {
  const auto total = [](const Loss& loss, double mean, double scale, double step) {
    double sum = 0;
    const bool is_count =
        loss.family == Family::poisson || loss.family == Family::negative_binomial;
    for (int i = 0; i < 40000; ++i) {
      const double y = is_count                       ? i
                       : loss.family == Family::gamma ? (i + 0.5) * step
                                                      : (i - 20000) * step;
      const double row = glm::loss_at_mean(loss, y, mean);
      sum += std::exp(glm::log_likelihood(loss, y, row, scale)) * (is_count ? 1.0 : step);
    }
    return sum;
  };
  EXPECT_NEAR(total({Family::poisson}, 3.2, 1, 1), 1, 1e-10);
  EXPECT_NEAR(total({Family::negative_binomial, InverseLink::exp, 0.4}, 3.2, 1, 1), 1, 1e-10);
  EXPECT_NEAR(total({Family::gaussian}, 0.7, 2.3, 1e-3), 1, 1e-7);
  EXPECT_NEAR(total({Family::gamma}, 1.4, 0.3, 1e-3), 1, 1e-6);
}

TEST(ScalarLoss, OfTargetsAtTheEndsIsFinite) {
  EXPECT_EQ(glm::deviance({Family::poisson}, 0, 2.5, 1), 5);
  EXPECT_DOUBLE_EQ(glm::deviance({Family::bernoulli}, 1, 0.25, 1), 2 * std::log(4.0));
  EXPECT_DOUBLE_EQ(glm::deviance({Family::bernoulli}, 0, 0.75, 1), 2 * std::log(4.0));
  EXPECT_DOUBLE_EQ(glm::deviance({Family::negative_binomial, InverseLink::exp, 0.5}, 0, 2, 1),
                   4 * std::log(2.0));
  EXPECT_EQ(bound({Family::poisson, InverseLink::identity}).at(0, -1, 1).loss, inf);
  EXPECT_EQ(glm::loss_at_mean({Family::bernoulli}, 1, 1), 0);
  EXPECT_EQ(glm::loss_at_mean({Family::poisson}, 0, 0), 0);
}

}  // namespace
}  // namespace scalar_loss_tests
