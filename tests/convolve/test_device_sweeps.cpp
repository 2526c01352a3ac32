// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/direct/device_direct.hpp"
#include "convolve/direct/direct.hpp"
#include "convolve/events/device_events.hpp"
#include "convolve/sweep_bench.hpp"
#include "oracle/guarded.hpp"
#include "tune/device.hpp"

#include <synelix/basis.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

// The direct and event sweeps that only devices run, on the mock team: one answer for every order
// of virtual items, the bits of the sweep that packs lanes, and the need of each barrier.

namespace device_sweeps_tests {
namespace {

using namespace synelix;
using ground::Bench;
using ground::expect_one_answer;
using ground::orders_that_differ;
using oracle::same_bits;

template <class Scalar>
using PackedLanes = sweep::DirectSweep<Scalar, sweep::DeviceTiles<Scalar>, pack::ArraySource>;

template <class Scalar, class Shape>
using WindowTiles = sweep::DeviceDirectSweep<Scalar, Shape::value.groups, Shape::value.bases>;
template <int number>
using ShapeNumber = std::integral_constant<tune::WindowShape, tune::window_shapes[number]>;

template <class Case>
class DeviceSweeps : public testing::Test {
 public:
  using Scalar = std::tuple_element_t<0, Case>;
  using Functor = WindowTiles<Scalar, std::tuple_element_t<1, Case>>;

  /// A functor on a bench, its items as the plan cuts them.
  static Functor on(Bench<Scalar>& bench, std::int64_t teams, std::int64_t bases) {
    auto functor = bench.template functor<Functor>(tune::device, teams, 1, 1, bases);
    functor.source = bench.array();
    bench.scratch_bytes = static_cast<std::size_t>(functor.team_shape(1, 1).scratch_bytes);
    return functor;
  }
  static std::int64_t bases_of(const Bench<Scalar>& bench) {
    return std::min<std::int64_t>(
        bench.problem.bases,
        tune::window_item_bases(std::tuple_element_t<1, Case>::value.bases, sizeof(Scalar)));
  }
  static std::vector<Scalar> packed(Bench<Scalar>& bench, const pack::ArraySource& source) {
    auto functor = bench.template functor<PackedLanes<Scalar>>(tune::device, 2, 4, 3, 5);
    functor.source = source;
    return bench.run(functor, 1);
  }
};

using Cases =
    testing::Types<std::tuple<float, ShapeNumber<0>>, std::tuple<float, ShapeNumber<1>>,
                   std::tuple<float, ShapeNumber<2>>, std::tuple<float, ShapeNumber<3>>,
                   std::tuple<double, ShapeNumber<0>>, std::tuple<double, ShapeNumber<1>>,
                   std::tuple<double, ShapeNumber<2>>, std::tuple<double, ShapeNumber<3>>>;
TYPED_TEST_SUITE(DeviceSweeps, Cases);

TYPED_TEST(DeviceSweeps, HaveOneAnswerInAnyOrderAndThatOfPackedLanes) {
  using Self = TestFixture;
  Bench<typename Self::Scalar> bench(118);
  const auto expected = Self::packed(bench, bench.array());
  const auto found = expect_one_answer(bench, Self::on(bench, 3, Self::bases_of(bench)));
  EXPECT_TRUE(same_bits(found, expected, bench.extents()));
}

/// More rows than one group has, so that all groups are used, and windows of three parts.
TYPED_TEST(DeviceSweeps, SumLongWindowsPartByPart) {
  using Self = TestFixture;
  Bench<typename Self::Scalar> bench(Self::Functor::rows, 2 * tune::window_taps + 33, 14);
  const auto expected = Self::packed(bench, bench.array());
  const auto functor = Self::on(bench, 2, Self::bases_of(bench));
  ASSERT_GT(Self::Functor::team_bytes(bench.problem.window, Self::bases_of(bench)), 0);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    EXPECT_TRUE(same_bits(bench.run(functor, seed), expected, bench.extents()));
  }
}

TYPED_TEST(DeviceSweeps, WriteEveryLayout) {
  using Self = TestFixture;
  Bench<typename Self::Scalar> bench(118);
  const auto expected = Self::packed(bench, bench.array());
  auto functor = Self::on(bench, 2, Self::bases_of(bench));
  const std::int64_t rows = bench.rows.rows;
  const std::int64_t bases = bench.problem.bases;
  functor.features.row_stride = 1;
  functor.features.basis_stride = rows;
  functor.features.channels = {};
  functor.features.channels.append(bench.problem.channels, rows * bases);
  const auto found = bench.run(functor, 5);
  std::vector<typename Self::Scalar> reordered(found.size());
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t i = 0; i < bench.problem.channels * bases; ++i) {
      reordered[static_cast<std::size_t>(t * bench.problem.channels * bases + i)] =
          found[static_cast<std::size_t>(i * rows + t)];
    }
  }
  EXPECT_TRUE(same_bits(reordered, expected, bench.extents()));
}

/// An array of a block has exactly the samples in the windows of its rows.
TYPED_TEST(DeviceSweeps, ReadNoSampleThatTheRowsDoNotSee) {
  using Self = TestFixture;
  Bench<typename Self::Scalar> bench(118);
  auto functor = Self::on(bench, 1, Self::bases_of(bench));
  const Range rows{150, 170};
  functor.features.rows = rows;
  const Range strips = functor.grid.strips;
  for (std::int64_t strip = strips.begin; strip < strips.end; ++strip) {
    std::int64_t segment = functor.problem.segment_of(strip);
    if (functor.problem.strip_from(segment, strip, rows).rows > 0) {
      functor.grid.strips = {strip, strip + 1};
    }
  }
  ASSERT_EQ(functor.grid.strips.size(), 1);
  const auto expected = bench.run(functor, 3);
  const std::int64_t first = rows.begin + functor.problem.lag - (functor.problem.window - 1);
  const std::int64_t last = rows.end + functor.problem.lag;
  const std::int64_t channels = bench.problem.channels;
  const std::vector<float> seen(bench.counts.begin() + first * channels,
                                bench.counts.begin() + last * channels);
  for (const oracle::GuardedEnd end : {oracle::GuardedEnd::first, oracle::GuardedEnd::last}) {
    const oracle::Guarded<float> samples(seen, end);
    functor.source.data = samples.data();
    functor.source.first_sample = first;
    EXPECT_TRUE(same_bits(bench.run(functor, 3), expected, bench.extents()));
  }
}

/// Stored values with a scale, and contiguous channels.
TYPED_TEST(DeviceSweeps, ReadEveryStoredTypeAndLayout) {
  using Self = TestFixture;
  Bench<typename Self::Scalar> bench(118);
  std::vector<std::int16_t> stored(bench.counts.size());
  const std::int64_t samples = bench.problem.samples;
  for (std::int64_t c = 0; c < bench.problem.channels; ++c) {
    for (std::int64_t t = 0; t < samples; ++t) {
      stored[static_cast<std::size_t>(c * samples + t)] = static_cast<std::int16_t>(
          100 * bench.counts[static_cast<std::size_t>(t * bench.problem.channels + c)] - 7);
    }
  }
  pack::ArraySource source;
  source.data = stored.data();
  source.type = StoredType::int16;
  source.sample_stride = 1;
  source.channels.append(bench.problem.channels, samples);
  source.scale = 0.3;
  source.offset = -1.25;
  const auto expected = Self::packed(bench, source);
  auto functor = Self::on(bench, 2, Self::bases_of(bench));
  functor.source = source;
  EXPECT_TRUE(same_bits(bench.run(functor, 9), expected, bench.extents()));
}

/// A non-finite sample is multiplied by the zeros of a filter, too: then no tap is skipped.
TYPED_TEST(DeviceSweeps, NonFiniteSamplesMeetEachTap) {
  using Self = TestFixture;
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Bench<typename Self::Scalar> bench(118);
    const auto finite = Self::packed(bench, bench.array());
    bench.counts[static_cast<std::size_t>(200 * bench.problem.channels + 3)] = value;
    const auto expected = Self::packed(bench, bench.array());
    ASSERT_FALSE(same_bits(finite, expected, bench.extents()));
    EXPECT_TRUE(same_bits(bench.run(Self::on(bench, 2, 1), 4), expected, bench.extents()));
  }
}

/// Three barriers for each item: after the passes that find the work, stage, and add. The bank's
/// second filter has a short support, and all samples meet its zeros as soon as one of them is
/// infinite, so a flag that is read too early shows.
TYPED_TEST(DeviceSweeps, DirectNeedsEachOfItsBarriers) {
  using Self = TestFixture;
  Bench<typename Self::Scalar> bench(118);
  for (const std::int64_t t : {150, 250, 260}) {
    for (const std::int64_t c : {0, 1}) {
      bench.counts[static_cast<std::size_t>(t * 7 + c)] = std::numeric_limits<float>::infinity();
    }
  }
  auto functor = Self::on(bench, 1, 1);
  functor.grid.strips = {3, 5};  // of the last epoch: all rows but the first have values
  functor.grid.channels = {0, 2};
  functor.grid.bases = {1, 2};
  bench.run(functor, 1);
  const std::int64_t barriers = bench.barriers;
  ASSERT_EQ(barriers, 3 * functor.grid.size());
  ASSERT_EQ(functor.grid.size(), 4);
  for (std::int64_t k = 0; k + 1 < barriers; ++k) {
    EXPECT_GE(orders_that_differ(bench, functor, k), 5)
        << "of 19 orders; barrier " << k << " of " << barriers << " was left out";
  }
  EXPECT_EQ(orders_that_differ(bench, functor, barriers - 1), 0) << "nothing is left to wait for";
}

/// Threads that walk from barrier to barrier, through windows of two parts: one answer, with
/// samples that are not finite, too, and another one without any of the barriers.
TYPED_TEST(DeviceSweeps, DirectNeedsEachBarrierOfThreadsThatWalk) {
  using Self = TestFixture;
  for (const bool is_sound : {false, true}) {
    Bench<typename Self::Scalar> bench(118, tune::window_taps + 33, 14);
    auto functor = Self::on(bench, 1, 1);
    functor.grid.strips = {26, 28};  // of the last epoch: all rows have values
    functor.grid.channels = {0, 2};
    functor.grid.bases = {is_sound ? 0 : 1, is_sound ? 1 : 2};  // the second is of a short support
    if (!is_sound) {  // seen by some rows of the first strip, and by some of the second one
      bench.counts[2400 * 7] = bench.counts[2960 * 7 + 1] = std::numeric_limits<float>::infinity();
    }
    const auto right = bench.run(functor, 1);
    bench.walks = true;
    for (std::uint64_t seed = 1; seed <= ground::permutations; ++seed) {
      ASSERT_TRUE(same_bits(bench.run(functor, seed), right, bench.extents())) << "order " << seed;
      ASSERT_TRUE(bench.walked.is_together);
    }
    const std::int64_t barriers = bench.barriers;
    ASSERT_EQ(barriers, 5 * functor.grid.size());
    ASSERT_EQ(functor.grid.size(), 4);
    for (std::int64_t k = 0; is_sound && k + 1 < barriers; ++k) {
      bool shows = false;
      for (std::uint64_t seed = 1; seed <= 19 && !shows; ++seed) {
        shows = !same_bits(bench.run(functor, seed, k), right, bench.extents());
      }
      EXPECT_TRUE(shows) << "barrier " << k << " of " << barriers;
    }
  }
}

template <class Scalar>
class DeviceEvents : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceEvents, Scalars);

/// The events of a bench as samples, and back: one answer, for every step of rows.
template <int bases, class Scalar>
void expect_bits_of_samples(Bench<Scalar>& bench, std::int64_t rows) {
  auto dense = bench.template functor<PackedLanes<Scalar>>(tune::device, 2, 4, 3, 5);
  dense.source = bench.array();
  const std::vector<Scalar> expected = bench.run(dense, 1);
  auto functor =
      bench.template functor<sweep::DeviceEventSweep<Scalar, bases>>(tune::device, 3, 1, 1, bases);
  functor.events = bench.events();
  for (std::uint64_t seed = 1; seed <= ground::permutations; ++seed) {
    const auto found = bench.run(functor, seed);
    ASSERT_TRUE(same_bits(found, expected, bench.extents())) << bases << " bases, order " << seed;
  }
  EXPECT_EQ(bench.barriers, 0);
  EXPECT_EQ(bench.rows.rows, rows);
}

TYPED_TEST(DeviceEvents, HaveTheBitsOfSamplesInAnyOrder) {
  Bench<TypeParam> bench(118);
  expect_bits_of_samples<1>(bench, 307);
  expect_bits_of_samples<2>(bench, 307);
  expect_bits_of_samples<8>(bench, 307);
}

TYPED_TEST(DeviceEvents, SkipRows) {
  ConvolveOptions options;
  options.every = 3;
  Bench<TypeParam> bench(40, 11, 1, options);
  expect_bits_of_samples<8>(bench, 105);
  options.border = Border::zero;
  Bench<TypeParam> zeros(40, 11, 1, options);
  expect_bits_of_samples<4>(zeros, 105);
}

/// More rows than a team has threads.
TYPED_TEST(DeviceEvents, WalkAlongTheirRows) {
  Bench<TypeParam> bench(tune::device_event_rows, 11, 12);
  expect_bits_of_samples<8>(bench, 12 * 307);
}

TEST(WindowShapes, AreThoseOfTheLeastWork) {
  const auto bases_for = [](std::size_t bases) {
    const std::vector<Support> full(bases, {0, 100});
    return tune::window_shapes[tune::window_shape_for(full)].bases;
  };
  EXPECT_EQ(bases_for(1), 1);
  EXPECT_EQ(bases_for(2), 2);
  EXPECT_EQ(bases_for(3), 1);
  EXPECT_EQ(bases_for(4), 4);
  EXPECT_EQ(bases_for(7), 8);
  EXPECT_EQ(bases_for(8), 8);
  EXPECT_EQ(bases_for(10), 2);
  EXPECT_EQ(bases_for(16), 8);
}

/// Bases that share few taps are summed one by one; those that share all of theirs, together.
TEST(WindowShapes, FollowTheSupports) {
  const auto bases_for = [](const std::vector<Support>& supports) {
    return tune::window_shapes[tune::window_shape_for(supports)].bases;
  };
  EXPECT_EQ(bases_for({{0, 10}, {5, 15}, {10, 20}, {15, 25}}), 1);
  EXPECT_EQ(bases_for({{0, 100}, {1, 100}, {2, 100}, {3, 100}}), 4);
  EXPECT_EQ(bases_for({{0, 0}, {0, 0}}), 8);
}

}  // namespace
}  // namespace device_sweeps_tests
