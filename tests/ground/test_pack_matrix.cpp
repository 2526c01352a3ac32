// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pack/matrix.hpp"

#include "oracle/array.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_case.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Blocks of matrices against single values: all stored types, strides of any sign and order,
// scalings of the matrix, of rows and of columns, and any destination of blocks.

namespace pack_matrix_tests {
namespace {

using namespace synelix;
using oracle::draw;
using oracle::once_in;

/// A matrix with a random layout, and the scaling of a value.
template <class T>
struct RandomMatrix {
  std::int64_t rows;
  std::int64_t columns;
  oracle::Array<T> array;
  std::array<std::vector<double>, 4> numbers;  ///< of rows (scale, offset), and of columns
  pack::MatrixSource source;

  explicit RandomMatrix(std::mt19937_64& random)
      : rows(draw(random, 1, 70)),
        columns(draw(random, 1, 70)),
        array({rows, columns}, oracle::random_placement(2, oracle::Signs::any, random), T(99)) {
    for (std::int64_t i = 0; i < array.size(); ++i) {
      array.at(i) = static_cast<T>(oracle::random_stored(random, stored_type<T>));
    }
    const Strided strided = array.strided();
    source.data = strided.data;
    source.type = strided.type;
    source.row_stride = strided.strides[0];
    source.column_stride = strided.strides[1];
    if (once_in(random, 2)) source.scale = 0.375;
    if (once_in(random, 2)) source.offset = -2.5;
    if (once_in(random, 2)) {  // one axis has numbers, of either kind
      const bool by_row = once_in(random, 2);
      const auto place = by_row ? std::size_t{0} : std::size_t{2};
      const std::int64_t count = by_row ? rows : columns;
      for (std::int64_t i = 0; i < count; ++i) {
        numbers[place].push_back(0.5 * static_cast<double>(i - 3));
        numbers[place + 1].push_back(1.25 * static_cast<double>(i) - 7);
      }
      const std::int64_t which = draw(random, 1, 3);
      if ((which & 1) == 0) numbers[place].clear();
      if ((which & 2) == 0) numbers[place + 1].clear();
      const auto of = [&](std::size_t i) {
        return numbers[i].empty() ? nullptr : numbers[i].data();
      };
      source.row_scale = of(0);
      source.row_offset = of(1);
      source.column_scale = of(2);
      source.column_offset = of(3);
    }
  }
  RandomMatrix(const RandomMatrix&) = delete;
  RandomMatrix& operator=(const RandomMatrix&) = delete;

  [[nodiscard]] double physical(std::int64_t i, std::int64_t j) {
    const auto number = [&](std::size_t kind, double whole) {
      const auto row = static_cast<std::size_t>(i);
      const auto column = static_cast<std::size_t>(j);
      if (!numbers[kind].empty()) return numbers[kind][row];
      return numbers[kind + 2].empty() ? whole : numbers[kind + 2][column];
    };
    const double stored = static_cast<double>(array.at(i * columns + j));
    return stored * number(0, source.scale) + number(1, source.offset);
  }
};

/// The destination of a block's values: contiguous rows or columns, or neither.
enum class To : std::uint8_t { rows, columns, apart };

template <class Scalar, class T>
void check_block(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomMatrix<T> matrix(random);
  pack::MatrixBlock<Scalar> block{};
  block.row = draw(random, 0, matrix.rows - 1);
  block.rows = draw(random, 0, matrix.rows - block.row);
  block.column = draw(random, 0, matrix.columns - 1);
  block.columns = draw(random, 0, matrix.columns - block.column);
  const auto to = static_cast<To>(draw(random, 0, 2));
  const std::int64_t gap = draw(random, 0, 3);
  const std::int64_t near = to == To::apart ? 2 : 1;
  const bool by_rows = to == To::rows || (to == To::apart && once_in(random, 2));
  block.row_step = by_rows ? block.columns * near + gap : near;
  block.column_step = by_rows ? near : block.rows * near + gap;
  constexpr Scalar untouched(-77);
  const std::int64_t reach =
      (block.rows + 1) * block.row_step + (block.columns + 1) * block.column_step;
  std::vector<Scalar> found(static_cast<std::size_t>(reach), untouched);
  std::vector<double> expected(found.size(), untouched);
  for (std::int64_t i = 0; i < block.rows; ++i) {
    for (std::int64_t j = 0; j < block.columns; ++j) {
      const double value = matrix.physical(block.row + i, block.column + j);
      expected[static_cast<std::size_t>(i * block.row_step + j * block.column_step)] =
          static_cast<double>(static_cast<Scalar>(value));
    }
  }
  block.to = found.data();
  const auto wrong = [&](const char* what) {
    return std::string(what) + ", " + std::string(name_of(stored_type<T>)) + ", seed " +
           std::to_string(seed);
  };
  pack::gather_block(matrix.source, matrix.source.data, block);
  ASSERT_TRUE(oracle::agree(found, expected, {reach}, 0.0)) << wrong("block");
  // The same of the transpose.
  found.assign(found.size(), untouched);
  const pack::MatrixBlock<Scalar> turned{block.column, block.columns,     block.row,     block.rows,
                                         found.data(), block.column_step, block.row_step};
  pack::gather_block(matrix.source.transposed(), matrix.source.data, turned);
  ASSERT_TRUE(oracle::agree(found, expected, {reach}, 0.0)) << wrong("transposed");
  for (std::int64_t n = 0; n < 5; ++n) {
    const std::int64_t i = draw(random, 0, matrix.rows - 1);
    const std::int64_t j = draw(random, 0, matrix.columns - 1);
    ASSERT_EQ(pack::matrix_value<Scalar>(matrix.source, matrix.source.data, i, j),
              static_cast<Scalar>(matrix.physical(i, j)))
        << wrong("value");
  }
}

template <class Scalar>
class GatherBlock : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(GatherBlock, Scalars);

TYPED_TEST(GatherBlock, GathersAnyMatrixAnywhere) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    for (int type = 0; type < 6; ++type) {
      oracle::visit_type(static_cast<StoredType>(type), [&]<class T>() {
        check_block<TypeParam, T>(6 * seed + static_cast<std::uint64_t>(type));
      });
      if (this->HasFatalFailure()) return;
    }
  }
}

/// A block of a matrix of a batch is that many values further, of any type.
TYPED_TEST(GatherBlock, BeginsWhereItsMatrixDoes) {
  for (int type = 0; type < 6; ++type) {
    oracle::visit_type(static_cast<StoredType>(type), [&]<class T>() {
      std::vector<T> values;
      for (int i = 0; i < 24; ++i) values.push_back(static_cast<T>(i));
      pack::MatrixSource source;
      source.data = values.data();
      source.type = stored_type<T>;
      source.row_stride = 4;
      source.column_stride = 1;
      TypeParam found[2] = {};
      pack::gather_block(source, pack::matrix_data(source, 12),
                         pack::MatrixBlock<TypeParam>{1, 2, 3, 1, found, 1, 1});
      EXPECT_EQ(found[0], TypeParam(12 + 4 + 3)) << name_of(source.type);
      EXPECT_EQ(found[1], TypeParam(12 + 8 + 3)) << name_of(source.type);
    });
  }
}

}  // namespace
}  // namespace pack_matrix_tests
