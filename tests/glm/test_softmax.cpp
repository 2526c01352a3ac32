// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/rows/row_loss.hpp"

#include "oracle/sets.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

// The loss of categorical targets on every instruction set that this processor has.

namespace softmax_tests {
namespace {

using namespace synelix;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Rows {
  std::size_t rows, classes;
  std::vector<double> eta, y, w, residual, probability;
  double sum = 0;

  Rows(std::size_t count, std::size_t number_of_classes, std::uint64_t seed)
      : rows(count), classes(number_of_classes) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < rows; ++i) {
      const double spread = i % 5 == 0 ? 400 : 2;
      for (std::size_t k = 0; k < classes; ++k) {
        eta.push_back(std::normal_distribution<double>(0, spread)(random));
      }
      y.push_back(static_cast<double>(random() % classes));
      w.push_back(std::exp(std::normal_distribution<double>()(random)));
    }
  }
  void run(InstructionSet set) {
    const auto bound = glm::bind(
        {Family::categorical, InverseLink::automatic, 1, static_cast<std::int64_t>(classes)}, set);
    residual.assign(eta.size(), -77);
    probability.assign(eta.size(), -77);
    sum = bound.of_labels({eta.data(), y.data(), w.data(), static_cast<std::int64_t>(rows),
                           bound.classes(), residual.data(), probability.data()});
  }
};

TEST(Softmax, AgreesWithTheFormula) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (const std::size_t classes : {2U, 3U, 11U}) {
      for (const std::size_t count : {1U, 8U, 67U}) {
        Rows rows(count, classes, count);
        rows.run(set);
        long double sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const double* const eta = &rows.eta[i * classes];
          long double total = 0;
          for (std::size_t k = 0; k < classes; ++k)
            total += std::exp(static_cast<long double>(eta[k]));
          const auto own = static_cast<std::size_t>(rows.y[i]);
          const long double loss = std::log(total) - eta[own];
          sum += rows.w[i] * loss;
          EXPECT_NEAR(
              glm::categorical_loss(std::span(eta, classes), static_cast<std::int64_t>(own)),
              static_cast<double>(loss), 1e-13 * (1 + std::fabs(eta[own])));
          long double rest = 0;
          for (std::size_t k = 0; k < classes; ++k) {
            const long double p = std::exp(static_cast<long double>(eta[k])) / total;
            if (k != own) rest += p;
            EXPECT_NEAR(rows.probability[i * classes + k], static_cast<double>(p), 1e-15);
            if (k == own) continue;
            EXPECT_NEAR(rows.residual[i * classes + k], static_cast<double>(rows.w[i] * p),
                        1e-13 * static_cast<double>(rows.w[i] * p) + 1e-300);
          }
          EXPECT_NEAR(rows.residual[i * classes + own], static_cast<double>(-rows.w[i] * rest),
                      1e-13 * static_cast<double>(rows.w[i] * rest) + 1e-300);
        }
        EXPECT_NEAR(rows.sum, static_cast<double>(sum), 1e-13 * static_cast<double>(sum));
      }
    }
  }
}

/// With two classes, the difference of their predictors is that of Bernoulli.
TEST(Softmax, OfTwoClassesIsBernoulli) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    Rows rows(1, 2, 1);
    for (const double eta : {-700.0, -3.0, 0.0, 0.5, 40.0}) {
      for (const double y : {0.0, 1.0}) {
        rows.eta = {0, eta};
        rows.y = {y};
        rows.w = {1};
        rows.run(set);
        const tile::RowLosses<double> want =
            glm::bind({Family::bernoulli, InverseLink::logistic}, set).at(y, eta, 1);
        EXPECT_NEAR(rows.sum, want.loss, 1e-14 * want.loss);
        EXPECT_NEAR(rows.residual[1], want.residual, 1e-14 * std::fabs(want.residual));
      }
    }
  }
}

TEST(Softmax, WorksInPlaceAndLeavesOutRowsOfWeight0) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    Rows rows(21, 3, 7);
    for (const std::size_t i : {0U, 9U, 20U}) rows.w[i] = 0;
    rows.run(set);
    Rows bad = rows;
    for (const std::size_t i : {0U, 9U, 20U}) {
      bad.eta[3 * i + 1] = nan;
      bad.y[i] = nan;
    }
    bad.run(set);
    EXPECT_EQ(bad.sum, rows.sum);
    EXPECT_EQ(bad.residual, rows.residual);
    EXPECT_EQ(bad.probability, rows.probability);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(bad.residual[27 + k], 0);
    std::vector<double> place = rows.eta;
    const auto bound = glm::bind({Family::categorical, InverseLink::softmax, 1, 3}, set);
    EXPECT_EQ(bound.of_rows, nullptr);
    EXPECT_EQ(
        bound.of_labels({place.data(), rows.y.data(), rows.w.data(), 21, 3, place.data(), nullptr}),
        rows.sum);
    EXPECT_EQ(place, rows.residual);
  }
}

}  // namespace
}  // namespace softmax_tests
