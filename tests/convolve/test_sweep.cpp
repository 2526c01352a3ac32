// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/direct/direct.hpp"
#include "convolve/events/events.hpp"
#include "convolve/fft/fft.hpp"
#include "convolve/plan/row_table.hpp"
#include "convolve/sweep/filters.hpp"
#include "convolve/sweep_bench.hpp"
#include "convolve/transformed_bench.hpp"
#include "launch/mock_team.hpp"
#include "oracle/convolution.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_case.hpp"
#include "oracle/sets.hpp"
#include "tile/flat.hpp"
#include "tile/select.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

// The sweeps of a device, on the mock team: bits over random orders of virtual items, and the
// effect of a missing barrier. And the mapping of a host on the same team.

namespace sweep_tests {
namespace {

using namespace synelix;
using ground::Bench;
using ground::expect_one_answer;
using ground::orders_that_differ;
using ground::passes_of;
using ground::transformed;
using oracle::agree;
using oracle::same_bits;

template <class Scalar>
class Sweep : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Sweep, Scalars);

template <class Scalar>
using DeviceDirect = sweep::DirectSweep<Scalar, sweep::DeviceTiles<Scalar>, pack::ArraySource>;
template <class Scalar>
using DeviceDirectOfEvents =
    sweep::DirectSweep<Scalar, sweep::DeviceTiles<Scalar>, pack::EventSource>;
template <class Scalar>
using DeviceEvents = sweep::EventSweep<Scalar, sweep::DeviceTiles<Scalar>>;

TYPED_TEST(Sweep, DirectHasOneAnswerInAnyOrder) {
  Bench<TypeParam> bench(9);
  auto functor = bench.template functor<DeviceDirect<TypeParam>>(tune::device, 3, 4, 3, 5);
  functor.source = bench.array();
  expect_one_answer(bench, functor);
}

/// A non-finite sample is multiplied by the zeros of a filter, too: then no tap is skipped.
TYPED_TEST(Sweep, NonFiniteSamplesMeetEachTap) {
  Bench<TypeParam> bench(9);
  constexpr std::int64_t at = 150;
  constexpr std::int64_t channel = 3;
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    bench.counts[static_cast<std::size_t>(at * bench.problem.channels + channel)] = value;
    bench.problem.x.assign(bench.counts.begin(), bench.counts.end());
    auto device = bench.template functor<DeviceDirect<TypeParam>>(tune::device, 3, 4, 3, 5);
    device.source = bench.array();
    const std::vector<TypeParam> features = expect_one_answer(bench, device);
    using Host = sweep::DirectSweep<TypeParam, sweep::HostTiles<TypeParam>, pack::ArraySource>;
    auto host = bench.template functor<Host>(tune::host, 2, 3, 4, 5);
    host.source = bench.array();
    host.tiles.table = &tile::table_of<TypeParam>(tile::select_set(InstructionSet::automatic));
    const std::vector<TypeParam> on_host = bench.run(host, 7);
    int missing = 0;
    for (std::size_t i = 0; i < features.size(); ++i) {
      ASSERT_EQ(std::isnan(features[i]), std::isnan(on_host[i])) << "value " << i;
      missing += std::isnan(features[i]) ? 1 : 0;
    }
    EXPECT_GT(missing, bench.problem.window) << "basis 1 among them, whose support is short";
  }
}

TYPED_TEST(Sweep, EventsHaveOneAnswerInAnyOrder) {
  Bench<TypeParam> bench(9);
  auto direct = bench.template functor<DeviceDirect<TypeParam>>(tune::device, 3, 4, 3, 5);
  direct.source = bench.array();
  const std::vector<TypeParam> dense = expect_one_answer(bench, direct);
  auto gathered = bench.template functor<DeviceDirectOfEvents<TypeParam>>(tune::device, 2, 5, 2, 3);
  gathered.source = bench.events();
  EXPECT_TRUE(same_bits(expect_one_answer(bench, gathered), dense, bench.extents()));
  auto added = bench.template functor<DeviceEvents<TypeParam>>(tune::device, 2, 8, 7, 4);
  added.events = bench.events();
  EXPECT_TRUE(same_bits(expect_one_answer(bench, added), dense, bench.extents()));
}

/// An item has five barriers: after the passes that find strips, order them, find what packs need,
/// pack, and compute. Neighboring items have different strips here, since data that an item left
/// would otherwise be correct for the next one. The order of strips may be correct anyway, if the
/// strips of both items have equal lengths.
TYPED_TEST(Sweep, DirectNeedsEachOfItsBarriers) {
  Bench<TypeParam> bench(9);
  auto functor = bench.template functor<DeviceDirect<TypeParam>>(tune::device, 1, 13, 7, 5);
  functor.source = bench.array();
  bench.run(functor, 1);
  constexpr std::int64_t of_item = 5;
  const std::int64_t barriers = bench.barriers;
  ASSERT_EQ(barriers, of_item * functor.grid.size());
  ASSERT_GE(functor.grid.size(), 3);
  int orders_needed = 0;
  for (std::int64_t k = 0; k < barriers; ++k) {
    const int differ = orders_that_differ(bench, functor, k);
    if (k == barriers - 1) {
      EXPECT_EQ(differ, 0) << "after the last item nothing is left to wait for";
    } else if (k % of_item == 0 || k % of_item == 1) {
      orders_needed += differ >= 10 ? 1 : 0;
    } else {
      EXPECT_GE(differ, 10) << "of 19 orders; barrier " << k << " of " << barriers
                            << " was left out";
    }
  }
  EXPECT_GE(orders_needed, 2);
}

/// A virtual item of the event sweep clears, adds and stores its sums itself: no barrier is needed
/// for the result, and each of its slots has one item at a time.
TYPED_TEST(Sweep, EventsNeedNoBarrier) {
  Bench<TypeParam> bench(9);
  auto functor = bench.template functor<DeviceEvents<TypeParam>>(tune::device, 1, 8, 7, 2);
  functor.events = bench.events();
  bench.run(functor, 1);
  for (std::int64_t k = 0; k < bench.barriers; ++k) {
    EXPECT_EQ(orders_that_differ(bench, functor, k), 0);
  }
}

/// The host's mapping and the device's give the same bits.
template <class TypeParam>
void expect_devices_bits(Bench<TypeParam> bench) {
  auto device = bench.template functor<DeviceDirect<TypeParam>>(tune::device, 3, 4, 3, 5);
  device.source = bench.array();
  const std::vector<TypeParam> expected = bench.run(device, 1);
  using HostDirect = sweep::DirectSweep<TypeParam, sweep::HostTiles<TypeParam>, pack::ArraySource>;
  using HostEvents = sweep::EventSweep<TypeParam, sweep::HostTiles<TypeParam>>;
  for (const auto set : oracle::host_sets()) {
    try {
      tile::select_set(set);
    } catch (const Error&) {
      continue;  // not in this build, or not on this processor
    }
    SCOPED_TRACE(name_of(set));
    std::vector<TypeParam> direct;
    for (const std::int64_t channels : {4, 7}) {  // all of them: rows are put together first
      auto host = bench.template functor<HostDirect>(tune::host, 2, 3, channels, 5);
      host.source = bench.array();
      host.tiles.table = &tile::table_of<TypeParam>(set);
      for (const auto stores : {tile::Stores::cached, tile::Stores::streamed}) {
        host.features.stores = stores;
        const std::vector<TypeParam> again = bench.run(host, 7);
        EXPECT_TRUE(direct.empty() || same_bits(again, direct, bench.extents()));
        direct = again;
      }
    }
    auto added = bench.template functor<HostEvents>(tune::host, 2, 5, 7, 3);
    added.events = bench.events();
    added.tiles.table = &tile::table_of<TypeParam>(set);
    EXPECT_TRUE(same_bits(bench.run(added, 8), direct, bench.extents()));
    if (set == InstructionSet::plain) {  // rounds product and sum apart
      const std::vector<double> values(expected.begin(), expected.end());
      EXPECT_TRUE(
          agree(direct, values, bench.extents(), 2 * oracle::rounding<TypeParam>(bench.problem)));
    } else {
      EXPECT_TRUE(same_bits(direct, expected, bench.extents()));
    }
  }
}

TYPED_TEST(Sweep, TheHostsMappingHasTheDevicesBits) {
  {
    SCOPED_TRACE("strips of 9 rows");
    expect_devices_bits(Bench<TypeParam>(9));
  }
  SCOPED_TRACE("strips of up to 118 rows");
  expect_devices_bits(Bench<TypeParam>(118));
}

/// Past the caches: rows of full packs, those of a run and those that are collected first.
TYPED_TEST(Sweep, FeaturesAtAnyAddressHaveTheSameBits) {
  using HostDirect = sweep::DirectSweep<TypeParam, sweep::HostTiles<TypeParam>, pack::ArraySource>;
  for (const std::int64_t channels : {16, 18, 20}) {
    Bench<TypeParam> bench(118, 11, 1, {}, channels, 8);
    for (const auto set : oracle::host_sets()) {
      try {
        tile::select_set(set);
      } catch (const Error&) {
        continue;  // not in this build, or not on this processor
      }
      std::vector<TypeParam> expected;
      for (const auto stores : {tile::Stores::cached, tile::Stores::streamed}) {
        for (bench.shift = 0; bench.shift < 64 / sizeof(TypeParam); ++bench.shift) {
          auto host = bench.template functor<HostDirect>(tune::host, 2, 3, channels, 8);
          host.source = bench.array();
          host.tiles.table = &tile::table_of<TypeParam>(set);
          host.features.stores = stores;
          const std::vector<TypeParam> found = bench.run(host, 7);
          EXPECT_TRUE(bench.is_kept) << name_of(set) << ", shift " << bench.shift;
          EXPECT_TRUE(expected.empty() || same_bits(found, expected, bench.extents()))
              << name_of(set) << ", shift " << bench.shift;
          expected = found;
        }
      }
    }
  }
}

TYPED_TEST(Sweep, FftHasOneAnswerInAnyOrderAndOnEverySet) {
  Bench<TypeParam> bench(118);  // a block of 128 samples
  const double tolerance = oracle::rounding_of_blocks<TypeParam>(bench.problem, 128);
  const std::vector<double> expected = oracle::convolve(bench.problem).values;
  using Host = sweep::HostPasses<TypeParam>;
  using HostFft = sweep::FftSweep<TypeParam, Host, pack::ArraySource>;
  const InstructionSet widest = tile::select_set(InstructionSet::automatic);
  const Host widest_passes = passes_of<TypeParam>(widest);
  const auto first = transformed<HostFft>(bench, tune::host, widest_passes, 2, 3, 1);
  EXPECT_TRUE(agree(first, expected, bench.extents(), tolerance));
  for (std::uint64_t seed = 2; seed <= 10; ++seed) {
    const auto again = transformed<HostFft>(bench, tune::host, widest_passes, 3, 2, seed);
    ASSERT_TRUE(same_bits(again, first, bench.extents())) << "order " << seed;
  }
  for (const auto set : oracle::host_sets()) {
    try {
      tile::select_set(set);
    } catch (const Error&) {
      continue;  // not in this build, or not on this processor
    }
    SCOPED_TRACE(name_of(set));
    const auto found = transformed<HostFft>(bench, tune::host, passes_of<TypeParam>(set), 1, 7, 3);
    if (set == InstructionSet::plain && set != widest) {  // rounds product and sum apart
      EXPECT_TRUE(agree(found, expected, bench.extents(), tolerance));
    } else {
      EXPECT_TRUE(same_bits(found, first, bench.extents()));
    }
  }
}

/// Blocks of 4 rows, in strips of 5 blocks and of 2.
TYPED_TEST(Sweep, FftOfPartsHasOneAnswerInAnyOrderAndHoweverItIsCut) {
  Bench<TypeParam> bench(20);
  const double tolerance = oracle::rounding_of_blocks<TypeParam>(bench.problem, 128);
  const std::vector<double> expected = oracle::convolve(bench.problem).values;
  using Host = sweep::HostPasses<TypeParam>;
  using HostFft = sweep::FftSweep<TypeParam, Host, pack::ArraySource>;
  const InstructionSet widest = tile::select_set(InstructionSet::automatic);
  const Host widest_passes = passes_of<TypeParam>(widest);
  const auto first = transformed<HostFft>(bench, tune::host, widest_passes, 2, 3, 1, 3);
  EXPECT_TRUE(agree(first, expected, bench.extents(), tolerance));
  for (std::uint64_t seed = 2; seed <= 6; ++seed) {
    const auto again = transformed<HostFft>(bench, tune::host, widest_passes, 3, 2, seed, 3);
    ASSERT_TRUE(same_bits(again, first, bench.extents())) << "order " << seed;
  }
  Bench<TypeParam> shorter(8);
  const auto cut = transformed<HostFft>(shorter, tune::host, widest_passes, 5, 7, 7, 3);
  EXPECT_TRUE(same_bits(cut, first, bench.extents()));
  for (const auto set : oracle::host_sets()) {
    try {
      tile::select_set(set);
    } catch (const Error&) {
      continue;  // not in this build, or not on this processor
    }
    SCOPED_TRACE(name_of(set));
    const auto found =
        transformed<HostFft>(bench, tune::host, passes_of<TypeParam>(set), 1, 7, 3, 3);
    if (set == InstructionSet::plain && set != widest) {  // rounds product and sum apart
      EXPECT_TRUE(agree(found, expected, bench.extents(), tolerance));
    } else {
      EXPECT_TRUE(same_bits(found, first, bench.extents()));
    }
  }
}

TYPED_TEST(Sweep, RecordsWhatItExecutes) {
  Bench<TypeParam> bench(9);
  auto functor = bench.template functor<DeviceDirect<TypeParam>>(tune::device, 3, 4, 3, 2);
  functor.source = bench.array();
  std::vector<index::WorkItem> items(static_cast<std::size_t>(functor.grid.size()));
  functor.record.items = items.data();
  bench.run(functor, 5);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const index::WorkItem expected = functor.grid.item(static_cast<std::int64_t>(i));
    EXPECT_EQ(items[i].strips, expected.strips) << "item " << i;
    EXPECT_EQ(items[i].channels, expected.channels) << "item " << i;
    EXPECT_EQ(items[i].bases, expected.bases) << "item " << i;
  }
}

TEST(TeamShare, CoversEachItemOnce) {
  for (std::int64_t items : {0, 1, 2, 7, 256, 1000}) {
    for (std::int64_t teams : {1, 2, 3, 7, 300}) {
      std::int64_t next = 0;
      for (std::int64_t team = 0; team < teams; ++team) {
        const sweep::TeamShare share = sweep::team_share(items, team, teams);
        EXPECT_EQ(share.begin, next);
        EXPECT_LE(share.end - share.begin, items / teams + 1);
        next = share.end;
      }
      EXPECT_EQ(next, items);
    }
  }
}

TEST(MockTeam, FindsAMissingBarrier) {
  const auto answer = [](std::uint64_t seed, std::int64_t ignored) {
    std::vector<int> scratch(256, -1);
    std::vector<int> result(256, -1);
    ground::run_on_mock(
        [&](const ground::MockTeam& team) {
          team.collect(256, [&](std::int64_t i) { scratch[static_cast<std::size_t>(i)] = int(i); });
          team.team_barrier();
          team.collect(256, [&](std::int64_t i) {
            result[static_cast<std::size_t>(i)] = scratch[static_cast<std::size_t>(i * 17 % 256)];
          });
          team.team_barrier();
        },
        1, seed, ignored);
    return result;
  };
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_EQ(answer(seed, -1), answer(0, -1));
    EXPECT_NE(answer(seed, 0), answer(0, -1));
    EXPECT_EQ(answer(seed, 1), answer(0, -1));
  }
}

}  // namespace
}  // namespace sweep_tests
