// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_sets.hpp"
#include "launch/matrix_panels.hpp"
#include "pack/matrix.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The converting tile of every instruction set that this processor has against its reference, which
// computes in double: within rounding of the value itself, even with cancellation, and bit for bit
// if scale and offset are floats of few digits. Values around a block are unchanged.

namespace convert_tile_tests {
namespace {

using namespace synelix;
using ground::usable_sets;

constexpr float untouched = -77;

/// The kind of scaling of a matrix.
enum class Scaled : std::uint8_t { not_at_all, all, rows, columns };

/// A matrix of stored values with gaps between its lines, and the destination of a block of it.
template <class Stored>
struct Problem {
  std::vector<Stored> values;
  std::vector<double> scales;
  std::vector<double> offsets;
  pack::MatrixSource source;
  pack::MatrixBlock<float> block;
  std::int64_t reach = 0;

  Problem(std::uint64_t seed, Scaled scaled, bool is_transposed, bool is_exact) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const std::int64_t lines = draw(1, 9);
    const std::int64_t length = draw(1, 70);
    const std::int64_t stride = length + draw(0, 3);
    const double most =
        std::min<double>(static_cast<double>(std::numeric_limits<Stored>::max()), 1e5);
    const double least =
        std::max<double>(static_cast<double>(std::numeric_limits<Stored>::lowest()), -1e5);
    for (std::int64_t i = 0; i < lines * stride; ++i) {
      values.push_back(static_cast<Stored>(
          least + (most - least) * std::generate_canonical<double, 53>(random)));
    }
    for (std::int64_t i = 0; i < lines + length; ++i) {
      scales.push_back(is_exact ? 0.125 * static_cast<double>(draw(1, 3))
                                : 0.1 + 1e-3 * static_cast<double>(draw(1, 9)));
      // An offset that almost cancels one of the values.
      const auto one = static_cast<double>(
          values[static_cast<std::size_t>(draw(0, static_cast<int>(values.size()) - 1))]);
      offsets.push_back(is_exact ? static_cast<double>(draw(-9, 9))
                                 : -one * scales.back() * (1 + 1e-9));
    }
    source.data = values.data();
    source.type = stored_type<Stored>;
    source.row_stride = stride;
    source.column_stride = 1;
    if (scaled == Scaled::all) {
      source.scale = scales[0];
      source.offset = offsets[0];
    }
    if (scaled == Scaled::rows) {
      source.row_scale = scales.data();
      if (draw(0, 1) == 1) source.row_offset = offsets.data();
    }
    if (scaled == Scaled::columns) {
      source.column_offset = offsets.data();
      if (draw(0, 1) == 1) source.column_scale = scales.data();
    }
    block.row = draw(0, static_cast<int>(lines - 1));
    block.rows = draw(1, static_cast<int>(lines - block.row));
    block.column = draw(0, static_cast<int>(length - 1));
    block.columns = draw(1, static_cast<int>(length - block.column));
    block.row_step = block.columns + draw(0, 3);
    block.column_step = 1;
    reach = block.rows * block.row_step + 64;
    if (is_transposed) {
      source = source.transposed();
      std::swap(block.row, block.column);
      std::swap(block.rows, block.columns);
      std::swap(block.row_step, block.column_step);
    }
  }
};

template <class Stored>
void check(std::uint64_t seed, Scaled scaled, bool is_transposed, bool is_exact) {
  Problem<Stored> problem(seed, scaled, is_transposed, is_exact);
  pack::MatrixBlock<float>& block = problem.block;
  std::vector<double> expected(static_cast<std::size_t>(problem.reach), untouched);
  for (std::int64_t i = 0; i < block.rows; ++i) {
    for (std::int64_t j = 0; j < block.columns; ++j) {
      expected[static_cast<std::size_t>(i * block.row_step + j * block.column_step)] =
          pack::matrix_value<double>(problem.source, problem.source.data, block.row + i,
                                     block.column + j);
    }
  }
  for (const auto& tiles : usable_sets<float>()) {
    std::vector<float> found(expected.size(), untouched);
    block.to = found.data();
    sweep::gather(*tiles.table, problem.source, problem.source.data, block);
    for (std::size_t i = 0; i < found.size(); ++i) {
      // The two floats of a pair hold 48 digits of scale and offset: the error of the rest.
      const double rest = is_exact ? 0 : 1e5 * 0x1p-48;
      const double allowed = is_exact ? 0 : std::abs(expected[i]) * 0x1p-23 + rest;
      ASSERT_LE(std::abs(static_cast<double>(found[i]) - expected[i]), allowed)
          << "value " << i << " of " << name_of(tiles.set) << ", " << name_of(stored_type<Stored>)
          << ", scaled " << static_cast<int>(scaled) << ", seed " << seed;
    }
  }
}

template <class Stored>
class ConvertTile : public testing::Test {};
using StoredTypes =
    testing::Types<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(ConvertTile, StoredTypes);

TYPED_TEST(ConvertTile, AgreesWithDouble) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const Scaled scaled : {Scaled::not_at_all, Scaled::all, Scaled::rows, Scaled::columns}) {
      for (const bool is_transposed : {false, true}) {
        check<TypeParam>(seed, scaled, is_transposed, false);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(ConvertTile, IsExactWhereFloatsAre) {
  if constexpr (std::is_integral_v<TypeParam>) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      for (const Scaled scaled : {Scaled::not_at_all, Scaled::all, Scaled::rows, Scaled::columns}) {
        check<TypeParam>(seed, scaled, seed % 2 == 0, true);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TEST(ConvertTiles, AreThereForIntegers) {
  for (const auto& tiles : usable_sets<float>()) {
    const bool has = tiles.set != InstructionSet::plain;
    for (const StoredType type :
         {StoredType::int8, StoredType::uint8, StoredType::int16, StoredType::uint16}) {
      EXPECT_EQ(sweep::converter_of(*tiles.table, type) != nullptr, has) << name_of(tiles.set);
    }
    for (const StoredType type : {StoredType::float32, StoredType::float64}) {
      EXPECT_EQ(sweep::converter_of(*tiles.table, type), nullptr) << name_of(tiles.set);
    }
  }
}

/// Values by rows, by columns, or apart, into places by rows, by columns, or apart: the same bits,
/// also of a part.
TEST(ConvertTiles, HowValuesLieDecidesOverNoBit) {
  constexpr std::int64_t rows = 70;
  constexpr std::int64_t columns = 90;
  struct Strides {
    std::int64_t row;
    std::int64_t column;
  };
  const Strides all[] = {{columns, 1}, {1, rows}, {2 * columns, 2}, {3, 3 * rows}};
  std::mt19937_64 random(5);
  std::vector<double> scales;
  for (std::int64_t i = 0; i < columns; ++i) {
    scales.push_back(0.195 + 1e-3 * static_cast<double>(i));
  }
  for (const auto& tiles : usable_sets<float>()) {
    for (const bool by_column : {false, true}) {
      std::vector<float> expected;
      for (const Strides& from : all) {
        std::vector<std::int16_t> stored(3 * rows * columns);
        for (std::int64_t i = 0; i < rows * columns; ++i) {
          stored[static_cast<std::size_t>(i / columns * from.row + i % columns * from.column)] =
              static_cast<std::int16_t>(i * 7919 % 65'521 - 32'760);
        }
        pack::MatrixSource source;
        source.type = StoredType::int16;
        source.row_stride = from.row;
        source.column_stride = from.column;
        source.scale = 0.195;
        source.offset = -123.4;
        if (by_column) source.column_scale = scales.data();
        for (const Strides& to : all) {
          std::vector<float> found(3 * rows * columns, untouched);
          for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}}) {  // a row, the rest
            const std::int64_t count = first == 0 ? 1 : rows - 1;
            sweep::gather(
                *tiles.table, source, stored.data(),
                pack::MatrixBlock<float>{first, count, 0, columns, found.data() + first * to.row,
                                         to.row, to.column});
          }
          std::vector<float> values;
          for (std::int64_t i = 0; i < rows * columns; ++i) {
            values.push_back(
                found[static_cast<std::size_t>(i / columns * to.row + i % columns * to.column)]);
          }
          if (expected.empty()) expected = values;
          ASSERT_EQ(values, expected) << name_of(tiles.set) << ", from " << from.row << " "
                                      << from.column << " to " << to.row << " " << to.column;
          EXPECT_EQ(std::count(found.begin(), found.end(), untouched),
                    std::int64_t{2} * rows * columns);
        }
      }
    }
  }
}

/// Values that are not finite stay the same: floats are converted in double.
TEST(ConvertTiles, InfinitiesOfFloatsStayInfinite) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> stored{infinity, -infinity, 1, std::numeric_limits<float>::quiet_NaN()};
  pack::MatrixSource source;
  source.row_stride = 4;
  source.column_stride = 1;
  source.scale = 2;
  source.offset = 0.5;
  for (const auto& tiles : usable_sets<float>()) {
    std::vector<float> found(4);
    sweep::gather(*tiles.table, source, stored.data(),
                  pack::MatrixBlock<float>{0, 1, 0, 4, found.data(), 4, 1});
    EXPECT_EQ(found[0], infinity);
    EXPECT_EQ(found[1], -infinity);
    EXPECT_EQ(found[2], 2.5F);
    EXPECT_TRUE(std::isnan(found[3]));
  }
}

}  // namespace
}  // namespace convert_tile_tests
