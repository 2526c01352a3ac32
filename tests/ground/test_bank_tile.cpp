// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/sweep/tiles.hpp"
#include "ground/tile_sets.hpp"
#include "tile/bank.hpp"
#include "tune/tiles.hpp"

#include "oracle/matchers.hpp"

#include <synelix/choice.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

// Bank tiles of every instruction set that this processor has, bit for bit one direct tile for each
// basis and one spread; and packs of lanes transposed.

namespace bank_tile_tests {
namespace {

using namespace synelix;
using ground::Aligned;
using ground::SetOfTiles;
using ground::usable_sets;
using oracle::same_bits;

template <class Scalar>
class BankTile : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(BankTile, Scalars);

/// Filters with these windows, and groups of a number of packs that are stored meanwhile.
template <class Scalar>
struct Bench {
  Bench(const SetOfTiles<Scalar>& tiles, const std::vector<std::int64_t>& windows,
        std::int64_t times, int left_out, std::mt19937_64& random)
      : set(tiles),
        lanes(tiles.reference->lanes),
        count(static_cast<int>(windows.size())),
        longest(std::max<std::int64_t>(1, *std::max_element(windows.begin(), windows.end()))),
        samples(static_cast<std::size_t>((rows + longest + 2) * lanes)),
        taps(static_cast<std::size_t>(longest * count + 1)),
        before(static_cast<std::size_t>(times * count * lanes)) {
    samples.fill(random);
    taps.fill(random);
    before.fill(random);
    for (int b = 0; b < count; ++b) {
      const std::int64_t window = windows[static_cast<std::size_t>(b)];
      const auto behind =
          static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest - window + 1));
      runs.push_back({taps.data() + 1 + b * longest, window, behind * lanes});
      blocks += tile::blocks_of(window);
    }
    groups = {.from = before.data(),
              .pack_step = lanes,
              .group_step = count * lanes,
              .times = times,
              .to = nullptr,
              .stored = std::max(1, count - left_out),
              .shift = lanes,
              .to_step = (count + 1) * lanes,
              .follows = 0};
  }

  static constexpr int rows = tune::tile_rows;

  /// The sample of row 0 and tap 0.
  const Scalar* newest() { return samples.data() + (longest - 1) * lanes; }
  /// The packs of a group go to places in opposite order; for runs, all except the first have the
  /// same order, one value after an aligned address.
  std::vector<Scalar*> places(Aligned<Scalar>& to, tile::Stores stores) {
    std::vector<Scalar*> all;
    groups.follows = 0;
    for (int k = 0; k < count; ++k) all.push_back(to.data() + (count - 1 - k) * lanes);
    if (stores == tile::Stores::streamed_runs) {
      for (int k = 1; k < count; ++k) {
        all[static_cast<std::size_t>(k)] = to.data() + (k - 1) * lanes + 1;
        if (k > 1) groups.follows |= 1U << k;
      }
      all[0] = to.data() + (count - 1) * lanes + 1;
    }
    return all;
  }

  const SetOfTiles<Scalar>& set;
  int lanes;
  int count;
  std::int64_t longest;
  std::int64_t blocks = 0;
  Aligned<Scalar> samples;
  Aligned<Scalar> taps;
  Aligned<Scalar> before;
  std::vector<tile::TapRun<Scalar>> runs;
  tile::Spread<Scalar> groups;
};

template <class Scalar>
void check_bank(Bench<Scalar>& bench, tile::Stores stores) {
  const std::int64_t values = Bench<Scalar>::rows * bench.count * bench.lanes;
  const std::int64_t left = (bench.groups.times + 1) * (bench.count + 1) * bench.lanes + 1;
  Aligned<Scalar> found(static_cast<std::size_t>(values));
  Aligned<Scalar> expected(static_cast<std::size_t>(values));
  Aligned<Scalar> found_left(static_cast<std::size_t>(left));
  Aligned<Scalar> expected_left(static_cast<std::size_t>(left));

  std::vector<Scalar*> places = bench.places(found_left, stores);
  bench.groups.to = places.data();
  const auto& table = *bench.set.table;
  table.bank[tile::way_of(stores)][bench.count]({.samples = bench.newest(),
                                                 .runs = bench.runs.data(),
                                                 .bases = bench.count,
                                                 .blocks = std::max<std::int64_t>(1, bench.blocks),
                                                 .results = found.data(),
                                                 .before = &bench.groups});
  table.fence_streams();

  for (int b = 0; b < bench.count; ++b) {
    const tile::TapRun<Scalar>& run = bench.runs[static_cast<std::size_t>(b)];
    bench.set.reference->direct({.samples = bench.newest() - run.behind,
                                 .row_step = bench.lanes,
                                 .taps = run.taps,
                                 .window = run.window,
                                 .results = expected.data() + b * bench.lanes,
                                 .results_step = std::int64_t{bench.count} * bench.lanes},
                                Bench<Scalar>::rows, bench.lanes);
  }
  places = bench.places(expected_left, stores);
  bench.groups.to = places.data();
  tile::spread_reference(bench.groups, bench.count, bench.lanes);
  EXPECT_TRUE(
      same_bits(found.values(), expected.values(), {Bench<Scalar>::rows, bench.count, bench.lanes}))
      << name_of(bench.set.set) << ", " << bench.count << " bases, longest window "
      << bench.longest;
  EXPECT_TRUE(same_bits(found_left.values(), expected_left.values(), {left}))
      << name_of(bench.set.set) << ", " << bench.groups.times << " groups of " << bench.count
      << ", way " << tile::way_of(stores);
}

TYPED_TEST(BankTile, HasTheBitsOfDirectTilesAndOfASpread) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(21);
    for (int count = 1; count <= tune::most_bank_packs; ++count) {
      if (set.table->bank[0][count] == nullptr) {
        EXPECT_LT(set.reference->registers, 32);
        continue;
      }
      for (const std::int64_t most : {0, 1, 3, 4, 9, 40}) {
        for (const std::int64_t times : {0, 1, 15, 16}) {
          std::vector<std::int64_t> windows;
          for (int b = 0; b < count; ++b) {
            windows.push_back(
                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1)));
          }
          windows[0] = most;
          Bench<TypeParam> bench(set, windows, times, static_cast<int>(random() % 2), random);
          for (const tile::Stores stores :
               {tile::Stores::cached, tile::Stores::streamed, tile::Stores::streamed_runs}) {
            check_bank(bench, stores);
          }
        }
      }
    }
  }
}

/// Lanes that are rows of the source become columns. The number of rows may exceed the number of
/// lanes by any amount.
TYPED_TEST(BankTile, CopiesTransposeAPackOfLanes) {
  for (const auto& set : usable_sets<TypeParam>()) {
    const sweep::HostCopies<TypeParam> copies{set.table};
    const std::int64_t lanes = set.reference->lanes;
    std::mt19937_64 random(22);
    for (const std::int64_t rows : {lanes - 1, lanes, lanes + 1, 5 * lanes, 6 * lanes - 1}) {
      const std::int64_t step = rows + 3;
      Aligned<TypeParam> from(static_cast<std::size_t>(lanes * step + 1));
      from.fill(random);
      Aligned<TypeParam> to(static_cast<std::size_t>((rows + 1) * lanes));
      const pack::RowCopy<TypeParam, TypeParam> copy{.to = to.data(),
                                                     .to_step = lanes,
                                                     .from = from.data() + 1,
                                                     .from_step = 1,
                                                     .step = step,
                                                     .rows = rows};
      EXPECT_FALSE(copies.transpose(copy, lanes - 1));
      std::vector<TypeParam> expected = to.values();
      if (rows < lanes) {
        EXPECT_FALSE(copies.transpose(copy, lanes));
      } else {
        EXPECT_TRUE(copies.transpose(copy, lanes));
        for (std::int64_t i = 0; i < rows * lanes; ++i) {
          expected[static_cast<std::size_t>(i)] = from.data()[1 + i % lanes * step + i / lanes];
        }
      }
      EXPECT_EQ(to.values(), expected) << name_of(set.set) << ", " << rows << " rows";
    }
  }
}

}  // namespace
}  // namespace bank_tile_tests
