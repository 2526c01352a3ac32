// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"
#include "ground/tile_sets.hpp"
#include "launch/last_of_memory.hpp"
#include "oracle/matchers.hpp"
#include "tile/matrix.hpp"

#include <synelix/choice.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

// The matrix tile of every shape and instruction set that this processor has, bit for bit its slow
// reference. Values outside of the tile are NaN, and memory ends at the end of an operand or a
// result.

namespace matrix_tile_tests {
namespace {

using namespace synelix;
using ground::LastOfMemory;
using ground::SetOfTiles;
using ground::usable_sets;
using oracle::same_bits;

/// The layout of a left operand.
enum class Left : std::uint8_t { rows, columns, backward };

/// The arguments of a tile besides its shape.
template <class Scalar>
struct Case {
  int last;
  std::int64_t inner;
  Left left;
  bool begins;
  bool ends;
  Scalar alpha;
  Scalar beta;
  std::int64_t runs = 1;  ///< of inner indices; the last is the first in the left operand
};

/// A matrix tile's operands, its sums and its result, twice: for the tile and for its twin.
template <class Scalar>
class MatrixBench {
 public:
  static constexpr std::int64_t gap = 3;

  MatrixBench(int rows, int packs, int lanes, const Case<Scalar>& test, std::mt19937_64& random)
      : m_rows(rows),
        m_columns((packs - 1) * std::int64_t{lanes} + test.last),
        m_left(test.runs * rows * test.inner),
        m_right(rows_of_memory(test.runs * test.inner, m_columns)),
        m_found(rows_of_memory(rows, m_columns)),
        m_expected(rows_of_memory(rows, m_columns)),
        m_sums_row(std::int64_t{packs} * lanes + gap),
        m_found_sums(rows * m_sums_row),
        m_expected_sums(rows * m_sums_row) {
    std::normal_distribution<double> normal;
    const auto fill = [&](LastOfMemory<Scalar>& to, std::int64_t lines, std::int64_t length,
                          std::int64_t step) {
      for (std::int64_t i = 0; i < lines; ++i) {
        for (std::int64_t j = 0; j < length; ++j) {
          to.data()[i * step + j] = static_cast<Scalar>(normal(random));
        }
      }
    };
    fill(m_left, test.runs * rows, test.inner, test.inner);
    fill(m_right, test.runs * test.inner, m_columns, m_columns + gap);
    for (std::int64_t i = test.runs; i > 0; --i) m_runs.push_back((i - 1) * rows * test.inner);
    m_tile.runs = test.runs;
    if (test.runs > 1) m_tile.left_runs = m_runs.data();
    if (test.ends && test.beta != Scalar(0)) fill(m_found, rows, m_columns, m_columns + gap);
    if (!test.begins) fill(m_found_sums, rows, std::int64_t{packs} * lanes, m_sums_row);
    m_expected.copy(m_found.values());
    m_expected_sums.copy(m_found_sums.values());
    m_tile.left = m_left.data();
    m_tile.left_row = test.left == Left::columns ? 1 : test.inner;
    m_tile.left_inner = test.left == Left::columns ? rows : 1;
    if (test.left == Left::backward && test.inner > 0) {
      m_tile.left += rows * test.inner - 1;
      m_tile.left_row = -test.inner;
      m_tile.left_inner = -1;
    }
    m_tile.right = m_right.data();
    m_tile.right_inner = m_columns + gap;
    m_tile.inner = test.inner;
    m_tile.last_columns = test.last;
    m_tile.sums_row = m_sums_row;
    m_tile.begins = test.begins;
    m_tile.ends = test.ends;
    m_tile.result_row = m_columns + gap;
    m_tile.alpha = test.alpha;
    m_tile.beta = test.beta;
  }

  tile::MatrixTile<Scalar>& for_tile() {
    m_tile.sums = m_found_sums.data();
    m_tile.result = m_found.data();
    return m_tile;
  }
  tile::MatrixTile<Scalar>& for_twin() {
    m_tile.sums = m_expected_sums.data();
    m_tile.result = m_expected.data();
    return m_tile;
  }
  [[nodiscard]] testing::AssertionResult agree() const {
    const auto sums =
        same_bits(m_found_sums.values(), m_expected_sums.values(), {m_rows, m_sums_row});
    if (!sums) return testing::AssertionFailure() << "sums: " << sums.message();
    const auto found = m_found.values();
    return same_bits(found, m_expected.values(), {static_cast<std::int64_t>(found.size())});
  }
  /// The output of a tile.
  [[nodiscard]] const LastOfMemory<Scalar>& result() const { return m_found; }

 private:
  static std::int64_t rows_of_memory(std::int64_t rows, std::int64_t columns) {
    return rows == 0 ? 0 : (rows - 1) * (columns + gap) + columns;
  }

  std::int64_t m_rows;
  std::int64_t m_columns;
  LastOfMemory<Scalar> m_left;
  LastOfMemory<Scalar> m_right;
  LastOfMemory<Scalar> m_found;
  LastOfMemory<Scalar> m_expected;
  std::int64_t m_sums_row;
  LastOfMemory<Scalar> m_found_sums;
  LastOfMemory<Scalar> m_expected_sums;
  std::vector<std::int64_t> m_runs;
  tile::MatrixTile<Scalar> m_tile{};
};

template <class Scalar>
class MatrixTiles : public testing::Test {
 public:
  static void check(const SetOfTiles<Scalar>& set, int rows, int packs, const Case<Scalar>& test,
                    std::mt19937_64& random) {
    const int lanes = set.reference->lanes;
    MatrixBench<Scalar> bench(rows, packs, lanes, test, random);
    set.table->matrix[packs][rows](bench.for_tile());
    set.reference->matrix(bench.for_twin(), rows, packs, lanes, lanes);
    EXPECT_TRUE(bench.agree()) << name_of(set.set) << ", " << rows << " rows of " << packs
                               << " packs, the last of " << test.last << ", " << test.inner
                               << " inner indices, left " << static_cast<int>(test.left) << ", "
                               << test.runs << " runs" << (test.begins ? ", begins" : "")
                               << (test.ends ? ", ends" : "") << ", alpha " << test.alpha
                               << ", beta " << test.beta;
  }

  /// The same for the tile whose last pack is half a pack, if it contains the last columns.
  static void check_half(const SetOfTiles<Scalar>& set, int rows, int packs,
                         const Case<Scalar>& test, std::mt19937_64& random) {
    if (test.last > set.table->half_lanes) return;
    const int lanes = set.reference->lanes;
    MatrixBench<Scalar> bench(rows, packs, lanes, test, random);
    set.table->matrix_half[packs][rows](bench.for_tile());
    set.reference->matrix(bench.for_twin(), rows, packs, lanes, set.table->half_lanes);
    EXPECT_TRUE(bench.agree()) << name_of(set.set) << ", " << rows << " rows of " << packs
                               << " packs, the last of " << test.last << " in half of one";
  }

  /// Every (packs, rows) of every set.
  template <class Visit>
  static void for_each_shape(const Visit& visit) {
    for (const auto& set : usable_sets<Scalar>()) {
      ASSERT_GT(set.table->matrix_packs, 0);
      for (int packs = 1; packs <= set.table->matrix_packs; ++packs) {
        for (int rows = 1; rows <= set.table->matrix_rows[packs]; ++rows) visit(set, packs, rows);
      }
    }
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixTiles, Scalars);

// Windows of a convolution: runs of inner indices that are apart.
TYPED_TEST(MatrixTiles, TakeRunsOfInnerIndices) {
  using Self = TestFixture;
  std::mt19937_64 random(22);
  Self::for_each_shape([&](const auto& set, int packs, int rows) {
    const int lanes = set.reference->lanes;
    for (const int last : std::set<int>{1, lanes / 2, lanes}) {
      for (const std::int64_t inner : {1, 3}) {
        for (const bool ends : {true, false}) {
          const Case<TypeParam> test{last, inner, Left::rows, false, ends, 1, 0, 4};
          Self::check(set, rows, packs, test, random);
          Self::check_half(set, rows, packs, test, random);
        }
      }
    }
  });
}

TYPED_TEST(MatrixTiles, HaveTheBitsOfTheirTwin) {
  using Self = TestFixture;
  std::mt19937_64 random(21);
  Self::for_each_shape([&](const auto& set, int packs, int rows) {
    const int lanes = set.reference->lanes;
    for (const int last : std::set<int>{1, lanes / 2, lanes / 2 + 1, lanes - 1, lanes}) {
      for (const std::int64_t inner : {0, 1, 13}) {
        for (const Left left : {Left::rows, Left::columns, Left::backward}) {
          for (const bool begins : {true, false}) {
            Self::check(set, rows, packs, {last, inner, left, begins, false, 2, 3}, random);
            Self::check(set, rows, packs, {last, inner, left, begins, true, 1, 0}, random);
            Self::check(set, rows, packs,
                        {last, inner, left, begins, true, TypeParam(0.3), TypeParam(-1.7)}, random);
            Self::check_half(set, rows, packs, {last, inner, left, begins, false, 2, 3}, random);
            Self::check_half(set, rows, packs, {last, inner, left, begins, true, 1, 0}, random);
            Self::check_half(set, rows, packs,
                             {last, inner, left, begins, true, TypeParam(0.3), TypeParam(-1.7)},
                             random);
          }
        }
      }
    }
  });
}

/// Inner indices in one tile or in three, whose sums are carried: the same bits.
TYPED_TEST(MatrixTiles, CarrySumsWithoutChangingABit) {
  using Self = TestFixture;
  std::mt19937_64 random(22);
  Self::for_each_shape([&](const auto& set, int packs, int rows) {
    const int lanes = set.reference->lanes;
    const Case<TypeParam> test{lanes - 1, 23, Left::rows, true, true, TypeParam(0.7), 0};
    MatrixBench<TypeParam> bench(rows, packs, lanes, test, random);
    const auto tile = set.table->matrix[packs][rows];
    tile(bench.for_tile());
    const auto whole = bench.result().values();
    tile::MatrixTile<TypeParam> part = bench.for_tile();
    std::int64_t begin = 0;
    for (const std::int64_t end : {4, 5, 23}) {
      part.begins = begin == 0;
      part.ends = end == 23;
      part.inner = end - begin;
      tile(part);
      part.left += part.inner * part.left_inner;
      part.right += part.inner * part.right_inner;
      begin = end;
    }
    EXPECT_TRUE(
        same_bits(bench.result().values(), whole, {static_cast<std::int64_t>(whole.size())}))
        << name_of(set.set) << ", " << rows << " rows of " << packs << " packs";
  });
}

/// Dot products read nothing after the last column, and may be divided after any pack.
TYPED_TEST(MatrixTiles, DotsHaveTheBitsOfTheirTwinHoweverTheyAreCut) {
  std::mt19937_64 random(23);
  std::normal_distribution<double> normal;
  constexpr std::int64_t rows = 3;
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    for (const std::int64_t packs : {1, 2, 5}) {
      for (const int last : std::set<int>{1, lanes - 1, lanes}) {
        const std::int64_t columns = (packs - 1) * lanes + last;
        LastOfMemory<TypeParam> left(rows * columns);
        LastOfMemory<TypeParam> right(rows * columns);
        for (std::int64_t i = 0; i < rows * columns; ++i) {
          left.data()[i] = static_cast<TypeParam>(normal(random));
          right.data()[i] = static_cast<TypeParam>(normal(random));
        }
        const auto begun = static_cast<std::size_t>(rows * lanes);
        std::vector<TypeParam> found(begun, TypeParam(0.5));
        std::vector<TypeParam> expected = found;
        std::vector<TypeParam> cut = found;
        tile::DotTile<TypeParam> dot{left.data(),  columns, right.data(), columns,
                                     found.data(), rows,    packs,        last};
        set.table->dot(dot);
        dot.sums = expected.data();
        set.reference->dot(dot, lanes);
        const std::string name = std::string(name_of(set.set)) + ", " + std::to_string(packs) +
                                 " packs, the last of " + std::to_string(last);
        EXPECT_TRUE(same_bits(found, expected, {rows, lanes})) << name;
        dot.sums = cut.data();
        if (packs > 1) {
          dot.packs = 1;
          dot.last_columns = lanes;
          set.table->dot(dot);
          dot.left += lanes;
          dot.right += lanes;
          dot.packs = packs - 1;
          dot.last_columns = last;
        }
        set.table->dot(dot);
        EXPECT_TRUE(same_bits(cut, expected, {rows, lanes})) << name << ", in two";
      }
    }
  }
}

}  // namespace
}  // namespace matrix_tile_tests
