// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/pass/pass.hpp"
#include "oracle/least_budget.hpp"
#include "oracle/matchers.hpp"
#include "oracle/processes.hpp"
#include "promises/kokkos_events.hpp"

#include <synelix/design_matrix.hpp>
#include <synelix/error.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

// Results of design matrices have the same bits for every number of threads, every budget, and
// whether features are kept; memory stays within the budget; bad arguments are named.

namespace dense_bits_tests {
namespace {

using namespace synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t rows = 21000;
constexpr std::int64_t channels = 3;

/// A series with a missing sample, and a design on it: two epochs of some blocks.
struct Recording {
  std::vector<float> samples;
  std::vector<double> targets;
  StridedSeries series;

  Recording()
      : samples(make()),
        series(Strided(samples.data(), {rows, channels}), {.epochs = {{0, 9001}, {9001, rows}}}) {
    std::mt19937_64 random(4);
    for (std::int64_t i = 0; i < 2 * rows; ++i) {
      targets.push_back(static_cast<double>(random() % 3));
    }
  }
  static std::vector<float> make() {
    std::mt19937_64 random(17);
    std::normal_distribution<float> normal;
    std::vector<float> values;
    for (std::int64_t i = 0; i < rows * channels; ++i) values.push_back(normal(random));
    values[6000] = std::numeric_limits<float>::quiet_NaN();
    return values;
  }
  [[nodiscard]] DesignMatrix design(const DesignMatrixOptions& options) const {
    return {Space(), conv(RaisedCosineLog{.bases = 5}, {.window = 30}), {series}, options};
  }
  /// All results, consecutively.
  [[nodiscard]] std::vector<double> results(const DesignMatrix& design) const {
    std::vector<double> all;
    const auto add = [&](const std::vector<double>& values) {
      all.insert(all.end(), values.begin(), values.end());
    };
    const std::int64_t p = design.columns();
    const Observations observations{.targets = Strided(targets.data(), {rows, 2})};
    for (const std::size_t count : {1U, 21U}) {
      std::vector<RightHandSide> sides;
      for (std::size_t k = 0; k < count; ++k) {
        std::vector<double> parameters;
        for (std::int64_t j = 0; j <= p; ++j) {
          parameters.push_back(0.02 * static_cast<double>(j % 5) - 0.01 * static_cast<double>(k));
        }
        sides.push_back({static_cast<std::int64_t>(k % 2), parameters, k < 3});
      }
      for (const bool precise : {true, false}) {
        for (const Evaluation& one : design.evaluate({}, observations, sides, precise)) {
          add({one.loss, one.weight});
          add(one.gradient);
          add(one.hessian);
        }
      }
    }
    std::vector<double> gram(static_cast<std::size_t>((p + 1) * (p + 1)));
    design.gram(StridedOutput(gram.data(), {p + 1, p + 1}));
    add(gram);
    for (const std::int64_t vectors : {1, 2, 21}) {
      std::vector<double> given;
      for (std::int64_t i = 0; i < p * vectors; ++i)
        given.push_back(std::sin(static_cast<double>(i)));
      std::vector<double> predictors(static_cast<std::size_t>(vectors * rows));
      design.apply(Strided(given.data(), {p, vectors}),
                   StridedOutput(predictors.data(), {rows, vectors}));
      add(predictors);
    }
    std::vector<double> coefficients(static_cast<std::size_t>(2 * p));
    design.apply_adjoint(Strided(targets.data(), {rows, 2}),
                         StridedOutput(coefficients.data(), {p, 2}));
    add(coefficients);
    return all;
  }
};

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(DenseBits, AreTheSameForEveryBudgetAndKeep) {
  const Recording recording;
  const auto expected = recording.results(recording.design({.keep = Keep::features}));
  const auto least = oracle::least_budget_of([&] { return recording.design({.budget = 1}); });
  ASSERT_GT(least, 0);
  for (const std::int64_t budget : {2 * least, 4 * least, mebibytes(64)}) {
    const DesignMatrix design = recording.design({.keep = Keep::nothing, .budget = budget});
    EXPECT_EQ(design.choice().source, RowSource::computed);
    EXPECT_TRUE(oracle::same_bits(recording.results(design), expected,
                                  {static_cast<std::int64_t>(expected.size())}))
        << budget;
  }
}

/// A small budget has no room for all of them at once.
TEST(DenseBits, OfManyPredictorsAreTheSame) {
  const Recording recording;
  const std::int64_t least = oracle::least_budget_of(
      [&] { return recording.design({.keep = Keep::nothing, .budget = 1}); });
  constexpr std::int64_t vectors = 301;
  const auto predictors_of = [&](std::int64_t budget) {
    const DesignMatrix design = recording.design({.keep = Keep::nothing, .budget = budget});
    std::vector<double> given;
    for (std::int64_t i = 0; i < design.columns() * vectors; ++i) {
      given.push_back(std::sin(static_cast<double>(i)));
    }
    std::vector<double> predictors(static_cast<std::size_t>(vectors * rows));
    design.apply(Strided(given.data(), {design.columns(), vectors}),
                 StridedOutput(predictors.data(), {rows, vectors}));
    return predictors;
  };
  EXPECT_TRUE(
      oracle::same_bits(predictors_of(2 * least), predictors_of(mebibytes(64)), {rows, vectors}));
}

TEST(DenseBits, Hash) {
  const char* const path = std::getenv("SYNELIX_HASH_FILE");
  if (path == nullptr) GTEST_SKIP() << "the part of a child of AreTheSameForEveryThreadCount";
  std::ofstream file(path);
  const Recording recording;
  for (const Keep keep : {Keep::nothing, Keep::features}) {
    file << oracle::hash_of(recording.results(recording.design({.keep = keep}))) << '\n';
  }
}

TEST(DenseBits, AreTheSameForEveryThreadCount) {
  const std::string expected = oracle::hashes_of(1, "DenseBits.Hash");
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 2);
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(oracle::hashes_of(threads, "DenseBits.Hash"), expected) << threads;
  }
}

TEST(DenseBudget, HoldsForWhatIsAllocated) {
  const Recording recording;
  for (const std::int64_t budget : {mebibytes(3), mebibytes(5), mebibytes(40)}) {
    const promises::KokkosEvents events;
    static_cast<void>(recording.results(recording.design({.budget = budget})));
    std::int64_t held = 0;
    std::int64_t largest = 0;  // workspaces grow: only the last of them is held
    for (const auto& allocation : events.allocations) {
      if (allocation.label == "synelix::design_matrix::workspace") {
        largest = std::max(largest, allocation.bytes);
      } else {
        held += allocation.bytes;
      }
    }
    EXPECT_GT(largest, 0);
    EXPECT_LE(held + largest, budget + 4096);  // headers of views
  }
}

TEST(DenseBudget, TooSmallNamesTheLeast) {
  const Recording recording;
  for (const Keep keep : {Keep::nothing, Keep::features}) {
    const std::string message =
        message_of([&] { return recording.design({.keep = keep, .budget = 1000}); });
    const std::int64_t least =
        oracle::least_budget_of([&] { return recording.design({.keep = keep, .budget = 1000}); });
    ASSERT_GT(least, 1000) << message;
    // The least of features that are kept is known once the plan has its part.
    std::int64_t works = least;
    for (int k = 0; k < 3; ++k) {
      const std::int64_t next = oracle::least_budget_of(
          [&] { return recording.design({.keep = keep, .budget = works}); });
      if (next == 0) break;
      works = next;
    }
    const DesignMatrix design = recording.design({.keep = keep, .budget = works});
    const std::vector<double> parameters(static_cast<std::size_t>(design.columns() + 1), 0.0);
    const Observations observations{.targets = Strided(recording.targets.data(), {rows, 2})};
    const std::vector<RightHandSide> sides{{0, parameters, false}};
    EXPECT_EQ(design.evaluate({}, observations, sides).size(), 1U);
    EXPECT_GT(oracle::least_budget_of(
                  [&] { return recording.design({.keep = keep, .budget = least - 1}); }),
              0);
  }
}

TEST(DesignMatrixErrors, NameTheArgument) {
  using testing::HasSubstr;
  const Recording recording;
  const std::vector<double> x(60, 1.0);
  std::vector<double> y(60, 1.0);
  const Space exec;
  EXPECT_THAT(message_of([&] { return DesignMatrix(exec, Strided(x.data(), {60})); }),
              HasSubstr("features: (60,) has not two dimensions"));
  const DesignMatrix design(exec, Strided(x.data(), {20, 3}));
  EXPECT_THAT(
      message_of([&] { design.apply(Strided(x.data(), {4}), StridedOutput(y.data(), {20})); }),
      HasSubstr("coefficients: "));
  EXPECT_THAT(
      message_of([&] { design.apply(Strided(x.data(), {3}), StridedOutput(y.data(), {19})); }),
      HasSubstr("result: "));
  EXPECT_THAT(message_of([&] {
                design.apply_adjoint(Strided(x.data(), {21}), StridedOutput(y.data(), {3}));
              }),
              HasSubstr("residuals: "));
  EXPECT_THAT(message_of([&] { design.gram(StridedOutput(y.data(), {3, 3})); }),
              HasSubstr("result: "));
  EXPECT_THAT(message_of([&] {
                design.gram_weighted(Strided(x.data(), {19}), StridedOutput(y.data(), {4, 4}));
              }),
              HasSubstr("weights: "));
  EXPECT_THAT(message_of([&] {
                design.gram_rows({3, 5}, Strided(x.data(), {20}), StridedOutput(y.data(), {2, 4}));
              }),
              HasSubstr("columns: "));
  const std::vector<RightHandSide> sides{{0, {0, 0, 0, 0}, false}};
  const auto evaluate = [&](const Observations& observations,
                            const std::vector<RightHandSide>& of) {
    return message_of([&] { return design.evaluate({}, observations, of); });
  };
  EXPECT_THAT(evaluate({.targets = Strided(y.data(), {19})}, sides), HasSubstr("targets: 19 rows"));
  EXPECT_THAT(evaluate({.targets = Strided(y.data(), {20, 3})}, {{3, {0, 0, 0, 0}, false}}),
              HasSubstr("right_hand_sides[0].target: 3 is not a target"));
  EXPECT_THAT(evaluate({.targets = Strided(y.data(), {20})}, {{0, {0, 0, 0}, false}}),
              HasSubstr("right_hand_sides[0].parameters: 3 values"));
  EXPECT_THAT(
      evaluate({.targets = Strided(y.data(), {20, 2}), .offset = Strided(x.data(), {20, 3})},
               sides),
      HasSubstr("offset: 3 columns"));
  EXPECT_THAT(
      evaluate({.targets = Strided(y.data(), {20}), .row_weights = Strided(x.data(), {7})}, sides),
      HasSubstr("row_weights: (7,) does not match the 20 rows"));
  const std::vector<double> nothing(20, 0.0);
  EXPECT_THAT(
      evaluate({.targets = Strided(y.data(), {20}), .row_weights = Strided(nothing.data(), {20})},
               sides),
      HasSubstr("observations: no row counts for target 0"));
  EXPECT_THAT(message_of([&] { return recording.design({.method = Method::events}); }),
              HasSubstr("options.method: events are asked for, and inputs[0] is no Events"));
}

}  // namespace
}  // namespace dense_bits_tests
