// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"
#include "ground/tile_sets.hpp"
#include "tile/column.hpp"
#include "tile/column_table.hpp"
#include "tile/select.hpp"
#include "tune/tiles.hpp"

#include "oracle/matchers.hpp"

#include <synelix/choice.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

// Every column tile has the same bits as its slow equivalent. Also tests which shapes have a column
// tile.

namespace column_tile_tests {
namespace {

using namespace synelix;
using ground::Aligned;
using ground::SetOfTiles;
using ground::usable_sets;
using oracle::same_bits;

template <class Scalar>
class ColumnTile : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ColumnTile, Scalars);

/// One tile against its reference, cached and past the caches; one sample is `bad` if that is not
/// 0.
template <class Scalar>
void check(const SetOfTiles<Scalar>& set, int bases, int step, std::int64_t channels,
           std::int64_t window, Scalar bad, std::mt19937_64& random) {
  const std::int64_t blocks = 2;
  const std::int64_t values = blocks * tune::column_packs * step * channels;
  const std::int64_t before = (window - 1) * channels;
  Aligned<Scalar> samples(static_cast<std::size_t>(before + values));
  samples.fill(random);
  if (bad != Scalar(0)) samples.data()[random() % samples.values().size()] = bad;
  Aligned<Scalar> taps(static_cast<std::size_t>(window * bases));
  taps.fill(random);
  const std::int64_t lanes = set.reference->lanes;
  const auto size = static_cast<std::size_t>(values * bases + 2 * lanes);
  for (const bool streams : {false, true}) {
    // Of any alignment where results stay in the caches.
    const std::int64_t shift = streams ? lanes : 1;
    Aligned<Scalar> found(size);
    Aligned<Scalar> expected(size);
    tile::ColumnTile<Scalar> tile{
        .samples = samples.data() + before,
        .tap_step = channels,
        .taps = taps.data(),
        .window = window,
        .blocks = blocks,
        .to = found.data() + shift,
        .stores = streams ? tile::Stores::streamed : tile::Stores::cached};
    tile::column_table_of<Scalar>(set.set).column[tile::power_of(bases)][tile::power_of(step)](
        tile);
    set.table->fence_streams();
    tile.to = expected.data() + shift;
    set.reference->column(tile, bases, step);
    EXPECT_TRUE(same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size)}))
        << name_of(set.set) << ", " << bases << " bases, step " << step << ", " << channels
        << " channels, window " << window << (streams ? ", streamed" : "") << ", with " << bad;
  }
}

TYPED_TEST(ColumnTile, HasTheBitsOfItsTwin) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const TypeParam tiny = -std::numeric_limits<TypeParam>::denorm_min();  // their sums may be -0
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(8);
    for (int bases = 1; bases <= set.reference->lanes; bases *= 2) {
      for (const std::int64_t channels : {1, 2, 3, 4, 10, 16, 20, 50}) {
        for (const std::int64_t window : {1, 2, 4, 7, 8, 10, 16, 23, 24, 100}) {
          const int step =
              tune::column_step(window, bases, channels, set.reference->lanes, sizeof(TypeParam));
          if (step == 0) continue;
          for (const TypeParam bad : {TypeParam(0), nan, tiny}) {
            check(set, bases, step, channels, window, bad, random);
          }
        }
      }
    }
  }
}

TYPED_TEST(ColumnTile, IsThereForEachShapeThatAsksForIt) {
  for (const auto& set : usable_sets<TypeParam>()) {
    const std::int64_t lanes = set.reference->lanes;
    const bool is_wide = lanes * static_cast<std::int64_t>(sizeof(TypeParam)) == 64;
    int found = 0;
    for (std::int64_t bases = 1; bases <= 20; ++bases) {
      for (std::int64_t channels = 1; channels <= 64; ++channels) {
        for (const std::int64_t window : {16, 1000}) {
          const int step = tune::column_step(window, bases, channels, lanes, sizeof(TypeParam));
          if (step == 0) continue;
          ++found;
          EXPECT_EQ(channels * step * bases % lanes, 0) << "packs of a column begin no line";
          EXPECT_NE(tile::column_table_of<TypeParam>(set.set)
                        .column[tile::power_of(static_cast<int>(bases))][tile::power_of(step)],
                    nullptr)
              << name_of(set.set) << ", " << bases << " bases, step " << step;
        }
      }
    }
    EXPECT_EQ(found > 0, is_wide) << name_of(set.set);
  }
}

}  // namespace
}  // namespace column_tile_tests
