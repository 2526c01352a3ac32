// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/segmented_pass.hpp"

#include "glm/rows/observed_arrays.hpp"
#include "glm/rows/row_loss.hpp"
#include "oracle/reference_pass.hpp"
#include "tile/select.hpp"
#include "tune/fit.hpp"

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

// Sums over rows are the tree of the sums of segments. Weights of 0 outside of a segment give the
// sums of that segment alone, by the public verbs.

namespace segmented_pass_tests {
namespace {

namespace sx = synelix;
using sx::glm::Segments;
using testing::ElementsAreArray;

using Space = Kokkos::DefaultHostExecutionSpace;
constexpr std::int64_t segment = sx::tune::fit_segment_rows;
constexpr std::int64_t segments = 4;
constexpr std::int64_t rows = segments * segment - 12345;

TEST(Segments, CoverTheRecordingInWholePieces) {
  for (const std::int64_t all :
       {std::int64_t{0}, std::int64_t{1}, segment, segment + 1, 3 * segment - 1,
        sx::tune::fit_most_segments * segment, sx::tune::fit_most_segments * segment + 1,
        std::int64_t{1} << 50}) {
    const Segments found(all);
    EXPECT_GE(found.count(), 1);
    EXPECT_LE(found.count(), sx::tune::fit_most_segments);
    EXPECT_EQ(found.segment_rows % segment, 0);
    EXPECT_EQ(found.rows_of({0, found.count()}).begin, 0);
    EXPECT_EQ(found.rows_of({0, found.count()}).end, all);
    if (all > 0) {
      EXPECT_GT(found.rows_of({found.count() - 1, found.count()}).size(), 0);
    }
    EXPECT_EQ(found.rows_of({found.count(), found.count()}).size(), 0);
  }
  EXPECT_EQ(Segments(sx::tune::fit_most_segments * segment).segment_rows, segment);
  EXPECT_EQ(Segments(sx::tune::fit_most_segments * segment + 1).segment_rows, 2 * segment);
}

/// A pass that notes which rows its walks take.
class NotedPass : public oracle::ReferencePass {
 public:
  using ReferencePass::ReferencePass;
  void evaluate(const sx::glm::RowLoss& /*loss*/, const sx::glm::Observed& /*observed*/,
                std::span<const sx::glm::Request> requests, sx::glm::Arithmetic /*arithmetic*/,
                std::int64_t /*every*/, std::span<sx::glm::Sums> sums) override {
    m_taken.push_back(walked());
    for (std::size_t r = 0; r < requests.size(); ++r) {
      sums[r].gradient.assign(static_cast<std::size_t>(columns() + 1), 1.0);
    }
  }
  [[nodiscard]] std::vector<sx::Range> take() { return std::exchange(m_taken, {}); }

 private:
  std::vector<sx::Range> m_taken;
};

/// Observations whose rows [begin, end) have a weight.
TEST(Segments, AreWalkedWhereRowsCount) {
  const auto noted = std::make_shared<NotedPass>(rows, 1, std::vector<double>(rows, 1.0));
  const std::shared_ptr<sx::glm::Pass> pass = sx::glm::in_segments(noted);
  const std::vector<std::uint8_t> targets(rows, 1);
  std::vector<std::uint8_t> weights(rows);
  const double parameters[] = {0, 0};
  const sx::glm::Request request{.parameters = parameters};
  std::vector<sx::glm::Sums> sums(1);
  constexpr std::int64_t block = sx::tune::fit_block_rows;
  struct Case {
    sx::Range counted;
    std::vector<sx::Range> walked;
  };
  const std::vector<Case> cases{
      {{0, 1}, {{0, block}}},
      {{block + 5, 3 * block}, {{block, 3 * block}}},
      {{segment - 1, segment + 1}, {{segment - block, segment}, {segment, segment + block}}},
      {{2 * segment, 3 * segment}, {{2 * segment, 3 * segment}}},
      {{rows - 1, rows}, {{(rows - 1) / block * block, rows}}},
      {{0, 0}, {}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.counted.begin);
    std::fill(weights.begin(), weights.end(), std::uint8_t{0});
    std::fill(weights.begin() + one.counted.begin, weights.begin() + one.counted.end,
              std::uint8_t{1});
    const sx::Observations observations{.targets = sx::Strided(targets.data(), {rows}),
                                        .row_weights = sx::Strided(weights.data(), {rows})};
    const sx::glm::ObservedArrays observed(observations, rows);
    EXPECT_EQ(observed.counted_rows().begin, one.counted.begin);
    EXPECT_EQ(observed.counted_rows().end, one.counted.end);
    pass->evaluate(sx::glm::bind({}, sx::tile::select_set(sx::InstructionSet::automatic)), observed,
                   {&request, 1}, sx::glm::Arithmetic::double_products, 1, sums);
    const std::vector<sx::Range> found = noted->take();
    ASSERT_EQ(found.size(), one.walked.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].begin, one.walked[i].begin);
      EXPECT_EQ(found[i].end, one.walked[i].end);
    }
    EXPECT_EQ(sums[0].gradient.front(), static_cast<double>(found.size()));
  }
}

/// Numbers whose sum depends on the order.
std::vector<float> wild_numbers(std::int64_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = normal(random) * static_cast<float>(1 << (random() % 12));
  return numbers;
}

sx::Strided array_of(const std::vector<float>& values, std::int64_t columns) {
  return {values.data(), {static_cast<std::int64_t>(values.size()) / columns, columns}};
}

sx::Events spikes() {
  std::mt19937 random(3);
  std::vector<std::vector<std::int64_t>> trains(3);
  for (auto& train : trains) {
    for (int i = 0; i < 20000; ++i) {
      train.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(rows)));
    }
  }
  return sx::Events::from_unsorted(rows, std::move(trains));
}

/// A weight for each row: 1 within some segments.
std::vector<float> weights_of(std::int64_t first, std::int64_t end) {
  std::vector<float> weights(rows, 0);
  for (std::int64_t t = first * segment; t < std::min(rows, end * segment); ++t) {
    weights[static_cast<std::size_t>(t)] = 1;
  }
  return weights;
}

std::vector<double> added(std::vector<double> left, const std::vector<double>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
  return left;
}

/// The tree of four leaves.
template <class Leaf>
std::vector<double> tree_of(const Leaf& leaf) {
  return added(added(leaf(0), leaf(1)), added(leaf(2), leaf(3)));
}

/// A design, the data that it refers to, and its name.
struct Made {
  const char* name;
  sx::DesignMatrix design;
};

class SegmentedSums : public testing::Test {
 protected:
  std::vector<float> m_features = wild_numbers(rows * 2);
  sx::Events m_events = spikes();

  std::vector<Made> designs() const {
    const sx::Expression expression = sx::conv(sx::RaisedCosineLog{.bases = 4}, {.window = 50});
    return {{"stored", sx::DesignMatrix(Space(), array_of(m_features, 2))},
            {"events", sx::DesignMatrix(Space(), expression, {m_events})}};
  }
};

TEST_F(SegmentedSums, GramIsTheTreeOfItsSegments) {
  for (const Made& made : designs()) {
    SCOPED_TRACE(made.name);
    const std::int64_t size = made.design.columns() + 1;
    const auto gram = [&](std::int64_t first, std::int64_t end) {
      const std::vector<float> weights = weights_of(first, end);
      std::vector<double> sums(static_cast<std::size_t>(size * size));
      const sx::StridedOutput to(sums.data(), {size, size});
      sx::Strided given = array_of(weights, 1);
      given.rank = 1;
      made.design.gram_weighted(given, to);
      return sums;
    };
    const auto leaf = [&](std::int64_t s) { return gram(s, s + 1); };
    const std::vector<double> expected = tree_of(leaf);
    const std::vector<double> found = gram(0, segments);
    if (made.design.choice().source == sx::RowSource::stored) {
      EXPECT_THAT(found, ElementsAreArray(expected));
      continue;
    }
    // Pairs of events whose rows have one weight are added in another way than those at the border
    // of the weights.
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-12 * std::abs(expected[i])) << i;
    }
  }
}

TEST_F(SegmentedSums, EvaluationsAreTheTreeOfTheirSegments) {
  std::vector<float> counts(rows);
  for (std::size_t t = 0; t < counts.size(); ++t) counts[t] = static_cast<float>(t % 7 % 3);
  for (const Made& made : designs()) {
    SCOPED_TRACE(made.name);
    const auto size = static_cast<std::size_t>(made.design.columns() + 1);
    sx::RightHandSide side{.parameters = std::vector<double>(size, 1e-5), .wants_hessian = true};
    const auto evaluate = [&](std::int64_t first, std::int64_t end) {
      const std::vector<float> weights = weights_of(first, end);
      sx::Observations observations{.targets = array_of(counts, 1)};
      sx::Strided given = array_of(weights, 1);
      given.rank = 1;
      observations.row_weights = given;
      const sx::Evaluation found =
          made.design.evaluate({.family = sx::Family::poisson}, observations, {&side, 1}).front();
      // Means, as sums again: exact, for a weight that is a power of two. The last segment is
      // shorter, so its mean is rounded, and sums are compared within rounding.
      std::vector<double> sums{found.loss * found.weight, found.weight};
      for (const double value : found.gradient) sums.push_back(value * found.weight);
      for (const double value : found.hessian) sums.push_back(value * found.weight);
      return sums;
    };
    const auto leaf = [&](std::int64_t s) { return evaluate(s, s + 1); };
    const std::vector<double> expected = tree_of(leaf);
    const std::vector<double> found = evaluate(0, segments);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-12 * std::abs(expected[i])) << i;
    }
  }
}

/// Rows of no weight are not walked. A weight of 1e-300 at both ends has all rows walked, and is
/// lost in every sum.
TEST_F(SegmentedSums, RowsThatDoNotCountLeaveNoTrace) {
  std::vector<float> counts(rows);
  for (std::size_t t = 0; t < counts.size(); ++t) counts[t] = static_cast<float>(t % 7 % 3);
  for (const Made& made : designs()) {
    SCOPED_TRACE(made.name);
    const auto size = static_cast<std::size_t>(made.design.columns() + 1);
    sx::RightHandSide side{.parameters = std::vector<double>(size, 1e-5), .wants_hessian = true};
    const auto evaluate = [&](double at_the_ends) {
      std::vector<double> weights(rows, 0);
      std::fill(weights.begin() + 600'000, weights.begin() + 1'200'000, 1.0);
      weights.front() = weights.back() = at_the_ends;
      const sx::Observations observations{.targets = array_of(counts, 1),
                                          .row_weights = sx::Strided(weights.data(), {rows})};
      return made.design.evaluate({.family = sx::Family::poisson}, observations, {&side, 1})
          .front();
    };
    const sx::Evaluation found = evaluate(0);
    const sx::Evaluation expected = evaluate(1e-300);
    EXPECT_EQ(found.weight, 600'000);
    EXPECT_EQ(found.loss, expected.loss);
    EXPECT_THAT(found.gradient, ElementsAreArray(expected.gradient));
    EXPECT_THAT(found.hessian, ElementsAreArray(expected.hessian));
  }
}

TEST_F(SegmentedSums, AdjointIsTheTreeOfItsSegments) {
  const std::vector<float> residuals = wild_numbers(rows);
  for (const Made& made : designs()) {
    SCOPED_TRACE(made.name);
    const auto adjoint = [&](std::int64_t first, std::int64_t end) {
      std::vector<float> some = weights_of(first, end);
      for (std::size_t t = 0; t < some.size(); ++t) some[t] *= residuals[t];
      std::vector<double> sums(static_cast<std::size_t>(made.design.columns()));
      const sx::StridedOutput to(sums.data(), {made.design.columns()});
      sx::Strided given = array_of(some, 1);
      given.rank = 1;
      made.design.apply_adjoint(given, to);
      return sums;
    };
    const auto leaf = [&](std::int64_t s) { return adjoint(s, s + 1); };
    EXPECT_THAT(adjoint(0, segments), ElementsAreArray(tree_of(leaf)));
  }
}

// The sums of segments are memory of the walk: a budget that has no room for them is refused, and
// the number that the message names suffices.
TEST_F(SegmentedSums, CountTheirMemory) {
  std::vector<std::vector<std::int64_t>> trains(130);
  std::mt19937 random(5);
  for (auto& train : trains) {
    for (int i = 0; i < 200; ++i) {
      train.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(rows)));
    }
  }
  const sx::Events events = sx::Events::from_unsorted(rows, std::move(trains));
  const sx::Expression expression = sx::conv(sx::RaisedCosineLog{.bases = 4}, {.window = 50});
  const auto design_within = [&](std::int64_t budget) {
    return sx::DesignMatrix(Space(), expression, {events}, {.budget = budget});
  };
  const std::int64_t columns = 520;
  std::vector<double> sums(static_cast<std::size_t>((columns + 1) * (columns + 1)));
  const sx::StridedOutput to(sums.data(), {columns + 1, columns + 1});
  const std::int64_t bytes = std::ssize(sums) * std::int64_t{sizeof(double)};
  std::int64_t least = 0;
  try {
    design_within(sx::mebibytes(12)).gram(to);
  } catch (const sx::BudgetError& error) {
    const std::string text = error.what();
    least = std::stoll(text.substr(text.find("Give at least ") + 14));
  }
  ASSERT_GE(least, 4 * bytes);
  EXPECT_NO_THROW(design_within(least).gram(to));
}

}  // namespace
}  // namespace segmented_pass_tests
