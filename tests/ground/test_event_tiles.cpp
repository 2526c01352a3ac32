// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_sets.hpp"
#include "tile/event_products.hpp"
#include "tile/select.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

// The tiles of products with events, of each set of this processor.

namespace event_tiles_tests {
namespace {

using namespace synelix;
using ground::Aligned;
using testing::ElementsAreArray;

template <class Scalar>
class EventTiles : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(EventTiles, Scalars);

TYPED_TEST(EventTiles, ScatterAndGatherHaveTheBitsOfTheirTwins) {
  using Scalar = TypeParam;
  constexpr std::int64_t origin = 1'000'000'000'000;
  std::mt19937_64 random(5);
  for (const auto& set : ground::usable_sets<Scalar>()) {
    const auto& table = tile::event_table_of<Scalar>(set.set);
    const int lanes = table.lanes;
    for (std::int64_t packs = 1; packs < 40; packs += packs < 18 ? 1 : 7) {
      std::vector<std::int64_t> samples;
      std::vector<float> counts;
      for (int e = 0; e < 40; ++e) {
        samples.push_back(origin + static_cast<std::int64_t>(random() % 200));
        counts.push_back(static_cast<float>(random() % 9) / 4 - 1);
      }
      const auto size = static_cast<std::size_t>(200 + (packs + 2) * lanes);
      Aligned<Scalar> rows(size);
      Aligned<Scalar> same_rows(size);
      Aligned<Scalar> window(static_cast<std::size_t>(packs * lanes));
      Aligned<Scalar> same_window(static_cast<std::size_t>(packs * lanes));
      rows.fill(random);
      window.fill(random);
      std::copy(rows.data(), rows.data() + size, same_rows.data());
      std::copy(window.data(), window.data() + packs * lanes, same_window.data());
      const float* const own_counts = packs % 2 == 0 ? counts.data() : nullptr;
      const tile::EventWindows<Scalar> arguments{samples.data(), own_counts,    40,   origin,
                                                 rows.data(),    window.data(), packs};
      tile::EventWindows<Scalar> same = arguments;
      same.rows = same_rows.data();
      same.window = same_window.data();
      table.scatter_windows(arguments);
      set.reference->scatter_windows(same, lanes);
      EXPECT_THAT(rows.values(), ElementsAreArray(same_rows.values())) << name_of(set.set);
      table.gather_windows(arguments);
      set.reference->gather_windows(same, lanes);
      EXPECT_THAT(window.values(), ElementsAreArray(same_window.values())) << name_of(set.set);
    }
  }
}

// Two later channels with three earlier ones; they are the last two of these.
constexpr std::int64_t later_window = 21;
constexpr std::int64_t earlier_window = 34;
constexpr std::int64_t later_channels = 2;
constexpr std::int64_t earlier_channels = 3;
constexpr std::int64_t pairs = later_channels * earlier_channels;
constexpr std::int64_t own = 1;
constexpr std::int64_t bases = 3;
constexpr std::int64_t row_values = 16;  // full packs of all sets
constexpr std::int64_t rows = 420;
constexpr std::int64_t sums_step = 32;
constexpr std::int64_t lag_sums_step = 40;
constexpr std::int64_t block = bases * row_values;

template <class Scalar>
struct PairCase {
  std::vector<tile::PairEvent> earlier = {};
  std::vector<tile::PairEvent> later = {};
  Aligned<Scalar> weights{rows};
  std::vector<std::int32_t> run_ends = std::vector<std::int32_t>(rows, rows);
  Aligned<Scalar> later_taps{later_window * row_values};
  Aligned<Scalar> earlier_taps{earlier_window * row_values};

  explicit PairCase(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::int32_t row = 0; row < 300; ++row) {
      for (std::int32_t c = 0; c < earlier_channels; ++c) {
        if (random() % 12 != 0) continue;
        earlier.push_back({row, c, static_cast<float>(random() % 9) / 4 - 1});
        if (c >= own) later.push_back({row, c - 1, earlier.back().count});
      }
    }
    for (std::int64_t i = rows; i-- > 0;) {
      const std::int64_t weight = i < 100 ? 1 : (i < 180 ? 2 : 1 + i % 3);
      weights.data()[i] = static_cast<Scalar>(weight);
      if (i + 1 == rows) continue;
      const bool is_same = !(weights.data()[i] < weights.data()[i + 1]) &&
                           !(weights.data()[i] > weights.data()[i + 1]);
      const auto at = static_cast<std::size_t>(i);
      run_ends[at] = is_same ? run_ends[at + 1] : static_cast<std::int32_t>(i + 1);
    }
    later_taps.fill(random);
    earlier_taps.fill(random);
  }

  [[nodiscard]] double taps(std::int64_t k, std::int64_t lag, std::int64_t b, std::int64_t c) {
    return static_cast<double>(later_taps.data()[k * row_values + b]) *
           static_cast<double>(earlier_taps.data()[(k + lag) * row_values + c]);
  }

  /// The block of a pair of channels, by all pairs of events, rows and taps.
  [[nodiscard]] double expected(std::int64_t pair, std::int64_t b, std::int64_t c) {
    double sum = 0;
    for (const auto& x : later) {
      for (const auto& y : earlier) {
        const std::int64_t lag = x.row - y.row;
        if (x.channel * earlier_channels + y.channel != pair || lag < 0) continue;
        if (lag == 0 && y.channel < x.channel + own) continue;
        const double half = lag == 0 && y.channel == x.channel + own ? 0.5 : 1.0;
        for (std::int64_t k = 0; k < std::min(later_window, earlier_window - lag); ++k) {
          sum += half * static_cast<double>(x.count) * static_cast<double>(y.count) *
                 static_cast<double>(weights.data()[x.row + k]) * taps(k, lag, b, c);
        }
      }
    }
    return sum;
  }
};

/// The results of the tiles, with a number of lags at a time, and with pairs of one weight separate
/// or not.
template <class Scalar>
std::vector<double> found_by(const tile::EventTable<Scalar>& table, PairCase<Scalar>& made,
                             std::int64_t lags, bool is_apart) {
  Aligned<Scalar> result(pairs * block);
  std::fill(result.data(), result.data() + pairs * block, Scalar(0));
  Aligned<Scalar> sums(static_cast<std::size_t>(pairs * lags * sums_step));
  std::vector<Scalar> lag_sums(pairs * lag_sums_step, Scalar(0));
  tile::EventPairs<Scalar> arguments{};
  arguments.later = made.later.data();
  arguments.laters = static_cast<std::int64_t>(made.later.size());
  arguments.later_window = later_window;
  arguments.earlier = made.earlier.data();
  arguments.earliers = static_cast<std::int64_t>(made.earlier.size());
  arguments.earlier_window = earlier_window;
  arguments.earlier_channels = earlier_channels;
  arguments.own = own;
  arguments.weights = made.weights.data();
  arguments.run_ends = made.run_ends.data();
  arguments.lag_sums = lag_sums.data();
  arguments.lag_sums_step = lag_sums_step;
  arguments.sums = sums.data();
  arguments.sums_step = sums_step;
  arguments.pair_step = lags * sums_step;
  for (std::int64_t lag = 0; lag < earlier_window; lag += lags) {
    std::vector<unsigned char> is_touched(pairs, 0);
    std::fill(sums.data(), sums.data() + pairs * lags * sums_step, Scalar(0));
    arguments.is_touched = is_touched.data();
    arguments.first_lag = lag;
    arguments.last_lag = std::min(lag + lags, earlier_window);
    if (is_apart) {
      arguments.kinds = tile::PairKinds::one_weight;
      table.add_pairs(arguments);
    }
    arguments.kinds = is_apart ? tile::PairKinds::others : tile::PairKinds::all;
    table.add_pairs(arguments);
    for (std::int64_t p = 0; p < pairs; ++p) {
      if (is_touched[static_cast<std::size_t>(p)] == 0) continue;
      table.multiply_lags({sums.data() + p * lags * sums_step, sums_step, lag, arguments.last_lag,
                           made.later_taps.data(), row_values, later_window, bases,
                           made.earlier_taps.data(), earlier_window, row_values / table.lanes,
                           result.data() + p * block});
    }
  }
  std::vector<double> found;
  for (std::int64_t i = 0; i < pairs * bases * bases; ++i) {
    const std::int64_t p = i / (bases * bases);
    const std::int64_t b = i / bases % bases;
    const std::int64_t c = i % bases;
    found.push_back(static_cast<double>(result.data()[p * block + b * row_values + c]));
    for (std::int64_t lag = 0; lag < earlier_window; ++lag) {
      const auto sum =
          static_cast<double>(lag_sums[static_cast<std::size_t>(p * lag_sums_step + lag)]);
      for (std::int64_t k = 0; k < std::min(later_window, earlier_window - lag); ++k) {
        found.back() += sum * made.taps(k, lag, b, c);
      }
    }
  }
  return found;
}

TYPED_TEST(EventTiles, PairsAndLagsGiveTheProductOfFeatures) {
  using Scalar = TypeParam;
  const double tolerance = sizeof(Scalar) == 4 ? 1e-4 : 1e-12;
  PairCase<Scalar> made(6);
  std::vector<double> expected;
  double largest = 0;
  for (std::int64_t i = 0; i < pairs * bases * bases; ++i) {
    expected.push_back(made.expected(i / (bases * bases), i / bases % bases, i % bases));
    largest = std::max(largest, std::fabs(expected.back()));
  }
  for (const auto& set : ground::usable_sets<Scalar>()) {
    const auto& table = tile::event_table_of<Scalar>(set.set);
    for (const std::int64_t lags : {std::int64_t{5}, earlier_window}) {
      for (const bool is_apart : {false, true}) {
        const std::vector<double> found = found_by(table, made, lags, is_apart);
        EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(tolerance * largest), expected))
            << name_of(set.set) << " lags " << lags << " apart " << is_apart;
      }
    }
  }
}

}  // namespace
}  // namespace event_tiles_tests
