// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"
#include "ground/tile_sets.hpp"
#include "launch/last_of_memory.hpp"
#include "oracle/matchers.hpp"
#include "tile/window_box.hpp"
#include "tune/conv_sizes.hpp"

#include <synelix/choice.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

// Tiles of window boxes, of every instruction set that has them and that this processor has, bit
// for bit their slow references. Memory ends at the end of the values that a tile reads and writes.

namespace window_box_tile_tests {
namespace {

using namespace synelix;
using ground::LastOfMemory;
using ground::usable_sets;
using oracle::same_bits;

template <class Scalar>
class WindowBoxTiles : public testing::Test {
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
TYPED_TEST_SUITE(WindowBoxTiles, Scalars);

/// Lines of a source with places `step` apart, and the outside: some line of `zeros`, and the first
/// and the last place of the others if `has_ends` is false.
template <class Scalar>
struct Lines {
  LastOfMemory<Scalar> source;
  LastOfMemory<Scalar> outside;
  std::vector<tile::WindowTrack<Scalar>> tracks;

  Lines(std::int64_t lines, std::int64_t positions, std::int64_t lanes, bool has_ends,
        std::mt19937_64& random)
      : source((lines * (positions + 2) - 1) * (lanes + 1) + lanes), outside(lanes) {
    WindowBoxTiles<Scalar>::draw(source, random);
    WindowBoxTiles<Scalar>::draw(outside, random);
    const std::int64_t step = lanes + 1;
    for (std::int64_t l = 0; l < lines; ++l) {
      const Scalar* const line = source.data() + (lines - 1 - l) * (positions + 2) * step;
      const Scalar* const other = outside.data();
      if (l == 1) {
        tracks.push_back({other, other, 0, other});
      } else if (has_ends) {
        tracks.push_back({line, line + step, step, line + (positions + 1) * step});
      } else {
        tracks.push_back({other, line + step, step, other});
      }
    }
  }
};

TYPED_TEST(WindowBoxTiles, HaveTheBitsOfTheirTwin) {
  using Self = TestFixture;
  std::mt19937_64 random(61);
  for (const auto& set : usable_sets<TypeParam>()) {
    ASSERT_EQ(set.table->window_box != nullptr,
              set.reference->registers >= tune::window_box_registers);
    if (set.table->window_box == nullptr) continue;
    const int lanes = set.reference->lanes;
    for (const int count : std::set<int>{1, lanes - 1, lanes, 2 * lanes + 1}) {
      for (const std::int64_t positions : {1, 2, 3, 4, 5, 8}) {
        for (const std::int64_t lines : {1, 3}) {
          const bool has_ends = (positions + lines) % 2 == 0;
          Lines<TypeParam> seen(lines + 2, positions, count, has_ends, random);
          const std::int64_t row = count + 2;
          LastOfMemory<TypeParam> weights(8 * row + count);
          LastOfMemory<TypeParam> from(count);
          LastOfMemory<TypeParam> found((lines * (positions + 1) - 2) * row + count);
          LastOfMemory<TypeParam> expected((lines * (positions + 1) - 2) * row + count);
          for (auto* values : {&weights, &from, &found}) Self::draw(*values, random);
          expected.copy(found.values());
          tile::WindowBoxTile<TypeParam> tile{};
          tile.tracks = seen.tracks.data();
          tile.lines = lines;
          tile.positions = positions;
          tile.weights = weights.data();
          tile.weight_track = 3 * row;
          tile.weight_step = row;
          tile.from = from.data();
          tile.to = found.data();
          tile.to_line = (positions + 1) * row;
          tile.to_position = row;
          tile.lanes = count;
          set.table->window_box(tile);
          tile.to = expected.data();
          set.reference->window_box(tile);
          EXPECT_TRUE(Self::agree(found, expected))
              << name_of(set.set) << ", " << count << " lanes, " << lines << " lines of "
              << positions;
        }
      }
    }
  }
}

TYPED_TEST(WindowBoxTiles, OfWeightsHaveTheBitsOfTheirTwin) {
  using Self = TestFixture;
  std::mt19937_64 random(62);
  for (const auto& set : usable_sets<TypeParam>()) {
    if (set.table->window_box_weights == nullptr) continue;
    const int lanes = set.reference->lanes;
    for (const int count : std::set<int>{1, lanes - 1, lanes, 2 * lanes + 1}) {
      for (const bool are_positions : {false, true}) {
        if (are_positions && count > lanes) continue;
        for (const std::int64_t positions : {1, 2, 3, 4, 5, 8}) {
          for (const std::int64_t lines : {1, 3}) {
            const bool has_ends = (positions + lines) % 2 == 0;
            Lines<TypeParam> seen(lines + 2, positions, count, has_ends, random);
            const std::int64_t row = count + 2;
            const std::int64_t sums = (count + lanes - 1) / lanes * lanes;
            LastOfMemory<TypeParam> output_gradient((lines * (positions + 1) - 2) * row + count);
            LastOfMemory<TypeParam> found(9 * sums);
            LastOfMemory<TypeParam> expected(9 * sums);
            for (auto* values : {&output_gradient, &found}) Self::draw(*values, random);
            expected.copy(found.values());
            // Lanes are positions: a border on each side.
            const tile::LaneRange inside[] = {
                {count > 1 ? 1 : 0, count}, {0, count}, {0, count - 1}};
            tile::WindowBoxWeightsTile<TypeParam> tile{};
            tile.tracks = seen.tracks.data();
            tile.lines = lines;
            tile.positions = positions;
            tile.output_gradient = output_gradient.data();
            tile.output_gradient_line = (positions + 1) * row;
            tile.output_gradient_position = row;
            tile.sums = found.data();
            tile.sum_track = are_positions ? sums : 3 * sums;
            tile.sum_step = are_positions ? 3 * sums : sums;
            tile.lanes = count;
            tile.inside = are_positions ? inside : nullptr;
            set.table->window_box_weights(tile);
            tile.sums = expected.data();
            set.reference->window_box_weights(tile);
            auto values = found.values();
            const auto twin = expected.values();
            // The values in the lanes after the last one are undefined.
            for (std::int64_t i = 0; i < 9 * sums; ++i) {
              if (i % sums >= count)
                values[static_cast<std::size_t>(i)] = twin[static_cast<std::size_t>(i)];
            }
            EXPECT_TRUE(same_bits(values, twin, {9 * sums}))
                << name_of(set.set) << ", " << count << " lanes, " << lines << " lines of "
                << positions << (are_positions ? ", positions" : ", channels");
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace window_box_tile_tests
