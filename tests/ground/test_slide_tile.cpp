// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"
#include "ground/tile_sets.hpp"
#include "launch/last_of_memory.hpp"
#include "oracle/matchers.hpp"
#include "tile/depthwise.hpp"
#include "tile/slide.hpp"
#include "tile/transpose.hpp"
#include "tune/conv_sizes.hpp"

#include <synelix/choice.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

// Depthwise tiles whose windows slide, the tile of gradients by depthwise weights and the
// transposing tile, of every instruction set that this processor has, bit for bit their slow
// references. Memory ends at the end of the values that a tile reads and writes.

namespace slide_tile_tests {
namespace {

using namespace synelix;
using ground::LastOfMemory;
using ground::usable_sets;
using oracle::same_bits;

template <class Scalar>
class SlideTiles : public testing::Test {
 public:
  static void draw(LastOfMemory<Scalar>& to, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::vector<Scalar> values = to.values();
    for (Scalar& value : values) value = static_cast<Scalar>(normal(random));
    to.copy(values);
  }

  static testing::AssertionResult agree(const LastOfMemory<Scalar>& found,
                                        const LastOfMemory<Scalar>& expected) {
    const auto values = found.values();
    return same_bits(values, expected.values(), {static_cast<std::int64_t>(values.size())});
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SlideTiles, Scalars);

TYPED_TEST(SlideTiles, AlongLinesHaveTheBitsOfTheirTwin) {
  using Self = TestFixture;
  std::mt19937_64 random(51);
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    const int rows = set.table->slide_rows;
    for (const int width : tune::slide_widths) {
      ASSERT_NE(set.table->slide[width], nullptr);
      for (const int count : std::set<int>{1, lanes - 1, lanes, 2 * lanes + 1}) {
        if (count < 1) continue;
        for (const std::int64_t lines : {0, 1, 3}) {
          const std::int64_t row = count + 3;
          const std::int64_t line = (rows + width) * row;
          LastOfMemory<TypeParam> source((lines > 0 ? lines - 1 : 0) * line +
                                         (rows + width - 2) * row + count);
          LastOfMemory<TypeParam> weights((lines * width + 1) * row);
          LastOfMemory<TypeParam> from(count);
          LastOfMemory<TypeParam> found((rows - 1) * row + count);
          LastOfMemory<TypeParam> expected((rows - 1) * row + count);
          for (auto* values : {&source, &weights, &from, &found}) Self::draw(*values, random);
          expected.copy(found.values());
          std::vector<tile::DepthwiseTap> taps;
          for (std::int64_t i = 0; i < lines; ++i) {
            taps.push_back({(lines - 1 - i) * line, i * width * row, i == 1});
          }
          tile::DepthwiseTile<TypeParam> tile{};
          tile.source = tile.ahead = source.data();
          tile.source_row = row;
          tile.weights = weights.data();
          tile.weight_step = row;
          tile.taps = taps.data();
          tile.tap_count = lines;
          tile.from = from.data();
          tile.to = found.data();
          tile.to_row = row;
          tile.lanes = count;
          tile.ends = true;
          set.table->slide[width](tile);
          tile.to = expected.data();
          set.reference->slide(tile, rows, width);
          EXPECT_TRUE(Self::agree(found, expected))
              << name_of(set.set) << ", width " << width << ", " << count << " lanes, " << lines
              << " lines";
        }
      }
    }
  }
}

TYPED_TEST(SlideTiles, OverPlanesHaveTheBitsOfTheirTwin) {
  using Self = TestFixture;
  constexpr int taps = tile::plane_taps;
  std::mt19937_64 random(52);
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    const int rows = set.table->slide_rows;
    for (const int count : std::set<int>{1, lanes - 1, lanes}) {
      if (count < 1) continue;
      for (const std::int64_t planes : {1, 2}) {
        for (const int border : {0, 1}) {
          // A line has as many positions as results; with a border, the first and the last tap of a
          // line reach across it.
          const std::int64_t length = border > 0 ? count : count + taps - 1;
          const std::int64_t lines = planes * (rows + taps - 1);
          LastOfMemory<TypeParam> source(lines * length);
          LastOfMemory<TypeParam> weights(planes * taps * taps * 2 - 1);
          LastOfMemory<TypeParam> from(1);
          LastOfMemory<TypeParam> found((rows - 1) * (count + 2) + count);
          LastOfMemory<TypeParam> expected((rows - 1) * (count + 2) + count);
          for (auto* values : {&source, &weights, &from, &found}) Self::draw(*values, random);
          expected.copy(found.values());
          std::vector<const TypeParam*> starts;
          for (std::int64_t l = 0; l < lines; ++l) {
            starts.push_back(source.data() + (lines - 1 - l) * length - border);
          }
          tile::PlaneTile<TypeParam> tile{};
          tile.lines = starts.data();
          tile.planes = planes;
          tile.at = 0;
          tile.lanes = count;
          for (int k = 0; k < taps; ++k) {
            tile.first[k] = k < border ? border - k : 0;
            tile.end[k] = k > 1 && border > 0 ? count - 1 : count;
          }
          tile.weights = weights.data();
          tile.weight_step = 2;
          tile.from = from.data();
          tile.to = found.data();
          tile.to_row = count + 2;
          set.table->plane(tile);
          tile.to = expected.data();
          set.reference->plane(tile, rows);
          EXPECT_TRUE(Self::agree(found, expected))
              << name_of(set.set) << ", " << count << " lanes, " << planes << " planes, border "
              << border;
        }
      }
    }
  }
}

TYPED_TEST(SlideTiles, OfWeightsHaveTheBitsOfTheirTwin) {
  using Self = TestFixture;
  std::mt19937_64 random(53);
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    for (int taps = 1; taps <= tune::most_weight_taps; ++taps) {
      for (const int count : std::set<int>{1, lanes - 1, lanes, 2 * lanes + 1}) {
        if (count < 1) continue;
        for (const std::int64_t positions : {1, 5}) {
          const std::int64_t row = count + 3;
          LastOfMemory<TypeParam> source((taps + positions - 2) * row + count);
          LastOfMemory<TypeParam> other((positions - 1) * row + count);
          LastOfMemory<TypeParam> found((taps - 1) * row + count);
          LastOfMemory<TypeParam> expected((taps - 1) * row + count);
          for (auto* values : {&source, &other, &found}) Self::draw(*values, random);
          expected.copy(found.values());
          const auto taps_of = [&](LastOfMemory<TypeParam>& sums) {
            std::vector<tile::DepthwiseWeight<TypeParam>> all;
            for (std::int64_t k = 0; k < taps; ++k) {
              all.push_back({source.data() + (taps - 2 - k) * row, sums.data() + k * row});
            }
            return all;
          };
          const auto own = taps_of(found);
          const auto twin = taps_of(expected);
          tile::DepthwiseWeightsTile<TypeParam> tile{own.data(),   row,          row,
                                                     other.data(), row,          positions,
                                                     count,        other.data(), other.data()};
          set.table->depthwise_weights[taps](tile);
          tile.taps = twin.data();
          set.reference->depthwise_weights(tile, taps);
          EXPECT_TRUE(Self::agree(found, expected))
              << name_of(set.set) << ", " << taps << " taps, " << count << " lanes, " << positions;
        }
      }
    }
  }
}

TYPED_TEST(SlideTiles, TransposesHaveTheBitsOfTheirTwin) {
  using Self = TestFixture;
  std::mt19937_64 random(54);
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    for (const std::int64_t vectors : std::set<std::int64_t>{1, 3, lanes, 2 * lanes + 1}) {
      for (const std::int64_t values : std::set<std::int64_t>{1, 2, lanes, 2 * lanes + 3}) {
        for (const bool ends : {false, true}) {
          LastOfMemory<TypeParam> from((vectors - 1) * (values + 2) + values);
          LastOfMemory<TypeParam> found((values - 1) * (vectors + 1) + vectors);
          LastOfMemory<TypeParam> expected((values - 1) * (vectors + 1) + vectors);
          for (auto* all : {&from, &found}) Self::draw(*all, random);
          from.data()[0] = ends ? -std::numeric_limits<TypeParam>::quiet_NaN() : TypeParam(-0.0);
          expected.copy(found.values());
          tile::TransposeTile<TypeParam> tile{from.data(), values + 2, found.data(), vectors + 1,
                                              vectors,     values,     ends};
          set.table->transpose(tile);
          tile.to = expected.data();
          set.reference->transpose(tile);
          EXPECT_TRUE(Self::agree(found, expected))
              << name_of(set.set) << ", " << vectors << " vectors of " << values;
        }
      }
    }
  }
}

}  // namespace
}  // namespace slide_tile_tests
