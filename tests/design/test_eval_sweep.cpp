// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "design/sweep/eval.hpp"
#include "design/sweep/product.hpp"
#include "design/sweep/ranges.hpp"
#include "launch/mock_team.hpp"
#include "oracle/matchers.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// The sweeps of eval mode, products and ranges as a device runs them, on the mock team: the same
// bits for random orders of virtual items, and other bits without the barrier.

namespace eval_sweep_tests {
namespace {

using namespace synelix;

constexpr std::int64_t samples = 211;
constexpr std::int64_t channels = 3;
constexpr std::int64_t bases = 5;

struct Bench {
  std::vector<double> x;
  std::vector<double> lower = std::vector<double>(channels, -2.0);
  std::vector<double> upper = std::vector<double>(channels, 2.0);
  std::vector<double> span = std::vector<double>(channels, 4.0);
  std::vector<index::Segment> segments;
  std::vector<double> values = std::vector<double>(samples * channels * bases, -1.0);
  std::vector<std::int64_t> memory;

  Bench() {
    for (std::int64_t i = 0; i < samples * channels; ++i) {
      x.push_back(std::sin(static_cast<double>(i)) * 2.1);
    }
    for (const Range epoch : {Range{0, 100}, Range{130, samples}}) {
      if (epoch.begin > 0) {
        segments.push_back({.range = {100, epoch.begin}, .row_begin = 100, .is_gap = true});
      }
      segments.push_back({.range = epoch, .row_begin = epoch.begin});
    }
  }

  [[nodiscard]] pack::AnySource source() const {
    pack::AnySource source;
    source.array.data = x.data();
    source.array.type = StoredType::float64;
    source.array.sample_stride = channels;
    source.array.channels.append(channels, 1);
    return source;
  }

  sweep::EvalSweep<double> eval(std::int64_t teams) {
    constexpr std::int64_t tile = 16;
    memory.assign(static_cast<std::size_t>(teams * tile), 0);
    sweep::EvalSweep<double> sweep;
    sweep.segments = segments.data();
    sweep.segment_count = static_cast<std::int64_t>(segments.size());
    sweep.tile_rows = tile;
    sweep.functions = synelix::bases::Functions(BSpline{.bases = bases, .order = 3}, nullptr);
    sweep.columns = bases;
    sweep.inputs[0] = {source(), lower.data(), upper.data(), span.data()};
    sweep.channels = channels;
    sweep.fills_outside = true;
    sweep.fills_rows = true;
    sweep.fill = 9;
    sweep.features.data = values.data();
    sweep.features.rows = {0, samples};
    sweep.features.row_stride = channels * bases;
    sweep.features.basis_stride = 1;
    sweep.features.channels.append(channels, bases);
    sweep.workspace = {reinterpret_cast<std::byte*>(memory.data()), tile * 8, teams};
    return sweep;
  }
};

TEST(EvalSweep, HasTheSameBitsForAnyOrderAndNeedsItsBarriers) {
  Bench bench;
  ground::run_on_mock(bench.eval(1), 1, 1);
  const std::vector<double> expected = bench.values;
  EXPECT_EQ(std::count(expected.begin(), expected.end(), -1.0), 0) << "every value is written";
  EXPECT_GT(std::count(expected.begin(), expected.end(), 9.0), 0) << "some rows are filled";
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    std::fill(bench.values.begin(), bench.values.end(), -1.0);
    const std::int64_t met = ground::run_on_mock(bench.eval(4), 4, seed);
    EXPECT_EQ(met, 2 * 14) << "two for each of 14 tiles";
    ASSERT_TRUE(oracle::same_bits(bench.values, expected, {samples, channels, bases}));
  }
  for (const std::int64_t ignored : {0, 1}) {
    int differ = 0;
    for (std::uint64_t seed = 1; seed < 9; ++seed) {
      std::fill(bench.values.begin(), bench.values.end(), -1.0);
      ground::run_on_mock(bench.eval(1), 1, seed, ignored);
      differ += !oracle::same_bits(bench.values, expected, {samples, channels, bases});
    }
    EXPECT_GT(differ, 0) << "barrier " << ignored << " is not needed";
  }
}

TEST(ProductSweep, MultipliesFromLeftToRight) {
  std::vector<double> a, b, c;
  for (int i = 0; i < 7 * 2; ++i) a.push_back(1.0 / (i + 3));
  for (int i = 0; i < 7 * 3; ++i) b.push_back(std::sqrt(i + 2.0));
  for (int i = 0; i < 7 * 2; ++i) c.push_back(std::exp(-i));
  std::vector<double> values(7 * 12, -1.0);
  sweep::ProductSweep<double> sweep;
  sweep.factors[0] = {a.data(), 2};
  sweep.factors[1] = {b.data(), 3};
  sweep.factors[2] = {c.data(), 2};
  sweep.count = 3;
  sweep.channels = 1;
  sweep.features.data = values.data();
  sweep.features.rows = {0, 7};
  sweep.features.row_stride = 12;
  sweep.features.basis_stride = 1;
  sweep.teams = 3;
  ground::run_on_mock(sweep, 3, 5);
  for (std::size_t r = 0; r < 7; ++r) {
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_EQ(values[r * 12 + k], a[r * 2 + k / 6] * b[r * 3 + k / 2 % 3] * c[r * 2 + k % 2]);
    }
  }
}

TEST(RangeSweep, FindsTheRangesOfEpochsForAnyShares) {
  Bench bench;
  bench.x[5] = std::numeric_limits<double>::quiet_NaN();
  bench.x[110 * channels] = 50;  // in the gap
  for (const std::int64_t shares : {1, 2, 7, 40}) {
    std::vector<double> ranges(static_cast<std::size_t>(shares * channels * 2));
    sweep::RangeSweep sweep;
    sweep.segments = bench.segments.data();
    sweep.segment_count = static_cast<std::int64_t>(bench.segments.size());
    sweep.source = bench.source();
    sweep.samples = {0, samples};
    sweep.channels = channels;
    sweep.shares = shares;
    sweep.ranges = ranges.data();
    sweep.teams = 2;
    ground::run_on_mock(sweep, 2, 3);
    for (std::int64_t c = 0; c < channels; ++c) {
      double least = 1e9;
      double found = 1e9;
      for (std::int64_t t = 0; t < samples; ++t) {
        const double value = bench.x[static_cast<std::size_t>(t * channels + c)];
        if ((t < 100 || t >= 130) && value < least) least = value;
      }
      for (std::int64_t s = 0; s < shares; ++s) {
        found = std::min(found, ranges[static_cast<std::size_t>((s * channels + c) * 2)]);
      }
      EXPECT_EQ(found, least) << shares << " shares, channel " << c;
    }
  }
}

}  // namespace
}  // namespace eval_sweep_tests
