// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/loss_reference.hpp"
#include "glm/rows/row_loss.hpp"
#include "lanes/instruction_set.hpp"
#include "tile/fill_losses.hpp"
#include "tile/select.hpp"

#include "oracle/refusals.hpp"
#include "oracle/sets.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

// The losses of rows on every instruction set that this processor has.

namespace row_loss_tests {
namespace {

using namespace synelix;
using loss_reference::Number;
using loss_reference::pairs;
using loss_reference::Row;
using loss_reference::text_of;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Rows {
  std::vector<double> eta, y, w;
  std::vector<double> residual, curvature;
  double sum = 0;

  void run(const glm::RowLoss& bound, bool wants_curvature = true) {
    residual.assign(eta.size(), -77);
    curvature.assign(eta.size(), -77);
    sum = bound.of_rows({eta.data(), y.data(), w.data(), static_cast<std::int64_t>(eta.size()),
                         bound.loss.dispersion, residual.data(),
                         wants_curvature ? curvature.data() : nullptr});
  }
};

Rows random_rows(const Loss& loss, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.eta.push_back(loss_reference::random_predictor(loss, random));
    rows.y.push_back(loss_reference::random_target(loss.family, random));
    rows.w.push_back(std::exp(std::normal_distribution<double>()(random)));
  }
  return rows;
}

Rows single_row(double eta, double y, double w = 1) {
  return {.eta = {eta}, .y = {y}, .w = {w}, .residual = {}, .curvature = {}};
}

/// The allowed rounding error: a part of the terms, and the smallest normal number if they vanish.
bool is_near(double got, const Number& want, double part) {
  if (std::fabs(want.value) > std::numeric_limits<double>::max()) {
    return got == (want.value > 0 ? inf : -inf);
  }
  const long double most = part * want.size + std::numeric_limits<double>::min();
  return std::fabs(got - want.value) <= most;
}

TEST(RowLoss, AgreesWithTheFormulas) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (const Loss& loss : pairs()) {
      // Without fused multiply-add, e^(-eta^2 / 2) has the rounding of its argument.
      const double part = loss.inverse_link == InverseLink::norm_cdf ? 2e-12 : 8e-15;
      SCOPED_TRACE(text_of(loss) + " on " + name_of(set));
      const glm::RowLoss bound = glm::bind(loss, set);
      const Rows drawn = random_rows(loss, 2000, 1);
      for (std::size_t i = 0; i < drawn.eta.size(); ++i) {
        Rows row = single_row(drawn.eta[i], drawn.y[i]);
        row.run(bound);
        const Row want = loss_reference::row_of(loss, drawn.y[i], drawn.eta[i]);
        ASSERT_TRUE(is_near(row.sum, want.loss, part))
            << row.sum << " for " << want.loss.value << " at " << drawn.eta[i] << ", "
            << drawn.y[i];
        ASSERT_TRUE(is_near(row.residual[0], want.residual, part))
            << row.residual[0] << " for " << want.residual.value << " at " << drawn.eta[i] << ", "
            << drawn.y[i];
        ASSERT_TRUE(is_near(row.curvature[0], want.curvature, part))
            << row.curvature[0] << " for " << want.curvature.value << " at " << drawn.eta[i] << ", "
            << drawn.y[i];
      }
    }
  }
}

/// A row alone has the bits of a block of one row.
TEST(RowLoss, OfARowAloneIsThatOfABlock) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (const Loss& loss : pairs()) {
      SCOPED_TRACE(text_of(loss) + " on " + name_of(set));
      const glm::RowLoss bound = glm::bind(loss, set);
      const Rows drawn = random_rows(loss, 100, 2);
      for (std::size_t i = 0; i < drawn.eta.size(); ++i) {
        Rows row = single_row(drawn.eta[i], drawn.y[i]);
        row.run(bound);
        const tile::RowLosses<double> alone =
            bound.at(drawn.y[i], drawn.eta[i], bound.loss.dispersion);
        EXPECT_EQ(alone.loss, row.sum);
        EXPECT_EQ(alone.residual, row.residual[0]);
        EXPECT_EQ(alone.curvature, row.curvature[0]);
      }
    }
  }
}

/// Where the chain rule in double would lose all digits.
TEST(RowLoss, KeepsDigitsInTheTails) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    SCOPED_TRACE(name_of(set));
    const auto row_of = [set](const Loss& loss, double eta, double y) {
      Rows row = single_row(eta, y);
      row.run(glm::bind(loss, set));
      return row;
    };
    // Far left of softplus, ln mu = eta - e^eta / 2: curvature (1 + y / 2) e^eta.
    for (const double eta : {-20.0, -30.0, -37.0, -39.0, -300.0}) {
      const Rows row = row_of({Family::poisson, InverseLink::softplus}, eta, 3);
      EXPECT_NEAR(row.curvature[0] / (2.5 * std::exp(eta)), 1, 1e-8) << eta;
      EXPECT_NEAR(row.sum / (-3 * eta), 1, 1e-8) << eta;
    }
    // A likely outcome: residual and loss are those of the unlikely one's probability.
    const Rows likely = row_of({Family::bernoulli, InverseLink::logistic}, 50, 1);
    EXPECT_DOUBLE_EQ(likely.sum, std::exp(-50.0));
    EXPECT_DOUBLE_EQ(likely.residual[0], -std::exp(-50.0));
    // Tails that underflow.
    const Rows unlikely = row_of({Family::bernoulli, InverseLink::norm_cdf}, -800, 1);
    EXPECT_NEAR(unlikely.sum, 320000 + std::log(800 * std::sqrt(2 * std::acos(-1.0))), 1e-5);
    EXPECT_NEAR(unlikely.residual[0], -800.00125, 1e-6);
    EXPECT_NEAR(unlikely.curvature[0], 1 - 1.0 / 640000, 1e-9);
    const Rows counts = row_of({Family::negative_binomial, InverseLink::exp, 2}, 800, 0);
    EXPECT_DOUBLE_EQ(counts.sum, (800 + std::log(2)) / 2);
    EXPECT_DOUBLE_EQ(counts.residual[0], 0.5);
  }
}

TEST(RowLoss, ResidualsAndCurvaturesAreDerivatives) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (const Loss& loss : pairs()) {
      SCOPED_TRACE(text_of(loss) + " on " + name_of(set));
      const glm::RowLoss bound = glm::bind(loss, set);
      std::mt19937_64 random(3);
      for (int turn = 0; turn < 200; ++turn) {
        const double y = loss_reference::random_target(loss.family, random);
        const double eta = std::uniform_real_distribution<double>(0.5, 3)(random) *
                           (loss_reference::needs_positive(loss) || turn % 2 == 0 ? 1 : -1);
        const double h = 1e-5;
        Rows rows{.eta = {eta - h, eta, eta + h},
                  .y = {y, y, y},
                  .w = {1, 1, 1},
                  .residual = {},
                  .curvature = {}};
        rows.run(bound);
        Rows above = single_row(eta + h, y);
        Rows below = single_row(eta - h, y);
        above.run(bound);
        below.run(bound);
        const double size = 1 + y * y + std::fabs(above.sum);
        EXPECT_NEAR((above.sum - below.sum) / (2 * h), rows.residual[1], 1e-8 * size * size);
        EXPECT_NEAR((rows.residual[2] - rows.residual[0]) / (2 * h), rows.curvature[1],
                    1e-8 * size * size);
      }
    }
  }
}

/// Sums in the order of the contract, from the losses of single rows; the same bits with and
/// without curvature, in place, and in a block of any length.
TEST(RowLoss, SumsLaneByLane) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    const auto lanes = static_cast<std::size_t>(tile::table_of<double>(set).lanes);
    for (const Loss& loss : pairs()) {
      SCOPED_TRACE(text_of(loss) + " on " + name_of(set));
      const glm::RowLoss bound = glm::bind(loss, set);
      for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 31U, 67U}) {
        Rows rows = random_rows(loss, count, count);
        rows.run(bound);
        std::vector<double> sums(lanes, 0.0);
        for (std::size_t i = 0; i < count; ++i) {
          Rows row = single_row(rows.eta[i], rows.y[i], rows.w[i]);
          row.run(bound);
          sums[i % lanes] += row.sum;
          EXPECT_EQ(row.residual[0], rows.residual[i]);
          EXPECT_EQ(row.curvature[0], rows.curvature[i]);
        }
        double sum = sums[0];
        for (std::size_t l = 1; l < lanes; ++l) sum += sums[l];
        EXPECT_EQ(sum, rows.sum);
        Rows plain = rows;
        plain.run(bound, false);
        EXPECT_EQ(plain.sum, rows.sum);
        EXPECT_EQ(plain.residual, rows.residual);
        std::vector<double> place = rows.eta;
        bound.of_rows({place.data(), rows.y.data(), rows.w.data(), static_cast<std::int64_t>(count),
                       loss.dispersion, place.data(), nullptr});
        EXPECT_EQ(place, rows.residual);
      }
    }
  }
}

TEST(RowLoss, RowsOfWeight0CountForNothing) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (const Loss& loss : pairs()) {
      SCOPED_TRACE(text_of(loss) + " on " + name_of(set));
      const glm::RowLoss bound = glm::bind(loss, set);
      Rows with = random_rows(loss, 37, 5);
      Rows bad = with;
      for (const std::size_t i : {0U, 5U, 17U, 36U}) {
        with.w[i] = bad.w[i] = 0;
        bad.eta[i] = i == 5 ? inf : i == 17 ? -1 : nan;
        bad.y[i] = i == 0 ? nan : i == 36 ? inf : 0;
      }
      with.run(bound);
      bad.run(bound);
      EXPECT_EQ(with.sum, bad.sum);
      EXPECT_EQ(with.residual, bad.residual);
      EXPECT_EQ(with.curvature, bad.curvature);
      for (const std::size_t i : {0U, 5U, 17U, 36U}) {
        EXPECT_EQ(bad.residual[i], 0);
        EXPECT_EQ(bad.curvature[i], 0);
      }
    }
  }
}

/// A search steps back from an infinite loss; it could not judge NaN.
TEST(RowLoss, IsNanOnlyForNan) {
  const std::vector<double> predictors = {0.0,    -0.0,  5e-324, -5e-324, 1e-300, -1e-300,
                                          1e-80,  800,   -800,   1e4,     -1e4,   1e150,
                                          -1e150, 1e200, -1e200, inf,     -inf};
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (const Loss& loss : pairs()) {
      SCOPED_TRACE(text_of(loss) + " on " + name_of(set));
      const glm::RowLoss bound = glm::bind(loss, set);
      for (const double eta : predictors) {
        for (const double y : {0.0, 1.0, 3.0}) {
          if (y > 1 && loss.family == Family::bernoulli) continue;
          Rows row = single_row(eta, y, 0.5);
          row.run(bound);
          EXPECT_FALSE(std::isnan(row.sum)) << eta << " " << y;
          EXPECT_FALSE(std::isnan(row.residual[0])) << eta << " " << y;
          EXPECT_FALSE(std::isnan(row.curvature[0])) << eta << " " << y;
          if (loss_reference::needs_positive(loss) && eta <= 0) {
            EXPECT_EQ(row.sum, inf);
            EXPECT_EQ(row.residual[0], 0);
            EXPECT_EQ(row.curvature[0], 0);
          }
        }
      }
      Rows row = single_row(nan, 1);
      row.run(bound);
      EXPECT_TRUE(std::isnan(row.sum));
      EXPECT_TRUE(std::isnan(row.residual[0]));
    }
  }
}

/// The results of a device, computed on a host: the same templates on the packs of a device's
/// thread, of two values and of one.
TEST(RowLoss, OfADeviceThreadAgrees) {
  const tile::LossTable table = tile::make_loss_table<lanes::DeviceThread>();
  for (const Loss& loss : pairs()) {
    SCOPED_TRACE(text_of(loss));
    const glm::RowLoss bound{loss, table.of(loss.family, loss.inverse_link)};
    Rows rows = random_rows(loss, 333, 6);
    rows.w.assign(rows.w.size(), 1.0);
    rows.run(bound);
    for (std::size_t i = 0; i < rows.eta.size(); ++i) {
      const Row want = loss_reference::row_of(loss, rows.y[i], rows.eta[i]);
      EXPECT_TRUE(is_near(rows.residual[i], want.residual, 2e-14)) << rows.eta[i];
      EXPECT_TRUE(is_near(rows.curvature[i], want.curvature, 2e-14)) << rows.eta[i];
      const auto single = tile::visit_rows<lanes::Single<double>>(
          loss.family, loss.inverse_link, tile::SingleRow{rows.y[i], rows.eta[i], loss.dispersion});
      EXPECT_EQ(single.residual, rows.residual[i]) << rows.eta[i];
      EXPECT_EQ(single.curvature, rows.curvature[i]) << rows.eta[i];
      EXPECT_TRUE(is_near(single.loss, want.loss, 2e-14)) << rows.eta[i];
    }
  }
}

/// Every family has the losses of its links, and no others.
TEST(RowLoss, TheTableHasTheLinksOfEachFamily) {
  const tile::LossTable& table = tile::loss_table_of(oracle::sets_at_hand().front());
  for (int f = 0; f < tile::LossTable::families; ++f) {
    const glm::FamilyRow& row = glm::family_row(static_cast<Family>(f));
    EXPECT_EQ(row.name, name_of(static_cast<Family>(f)));
    for (int l = 0; l < tile::LossTable::links; ++l) {
      const auto link = static_cast<InverseLink>(l);
      const bool is_link = std::count(row.links.begin(), row.links.end(), link) > 0;
      EXPECT_EQ(table.of(static_cast<Family>(f), link) != nullptr, is_link && !row.has_classes());
    }
  }
}

TEST(RowLoss, ResolvesLinks) {
  const auto link_of = [](Family family) { return resolved({family}).inverse_link; };
  EXPECT_EQ(link_of(Family::gaussian), InverseLink::identity);
  EXPECT_EQ(link_of(Family::poisson), InverseLink::exp);
  EXPECT_EQ(link_of(Family::negative_binomial), InverseLink::exp);
  EXPECT_EQ(link_of(Family::bernoulli), InverseLink::logistic);
  EXPECT_EQ(link_of(Family::gamma), InverseLink::one_over_x);
  EXPECT_EQ(link_of(Family::categorical), InverseLink::softmax);
  for (const Loss& loss : pairs()) {
    EXPECT_EQ(resolved(loss).inverse_link, loss.inverse_link);
    EXPECT_NE(glm::bind(loss, oracle::sets_at_hand().front()).of_rows, nullptr);
  }
  EXPECT_STREQ(name_of(Family::negative_binomial), "negative_binomial");
  EXPECT_STREQ(name_of(InverseLink::norm_cdf), "norm_cdf");
}

TEST(RowLoss, RefusesWhatNoFamilyHas) {
  const auto refused = [](const Loss& loss, const char* argument, const char* problem,
                          const char* remedy) {
    oracle::expect_refused([&] { resolved(loss); }, argument, problem, remedy);
  };
  refused({Family::poisson, InverseLink::logistic}, "loss.inverse_link",
          "the family poisson has no inverse link logistic",
          "Use automatic, or one of exp, softplus, one_over_x, identity");
  refused({Family::bernoulli, InverseLink::exp}, "loss.inverse_link", "exp", "logistic, norm_cdf");
  refused({Family::gaussian, InverseLink::softmax}, "loss.inverse_link", "softmax", "identity");
  refused({Family::categorical, InverseLink::exp}, "loss.inverse_link", "exp", "softmax");
  refused({Family::gamma, InverseLink::norm_cdf}, "loss.inverse_link", "norm_cdf", "one_over_x");
  refused({static_cast<Family>(77)}, "loss.family", "77", "0 (gaussian)");
  refused({Family::gaussian, static_cast<InverseLink>(77)}, "loss.inverse_link", "77", "Use");
  for (const double a : {0.0, -1.0, nan, inf}) {
    refused({Family::negative_binomial, InverseLink::exp, a}, "loss.dispersion", "not a dispersion",
            "Give a finite number above 0");
  }
  refused({Family::categorical, InverseLink::softmax, 1, 1}, "loss.classes", "1", "at least 2");
}

}  // namespace
}  // namespace row_loss_tests
