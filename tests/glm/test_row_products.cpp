// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile/row_products.hpp"
#include "tile/select.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

// Products of rows with one vector, on every instruction set, against sums one by one.

namespace row_products_tests {
namespace {

using namespace synelix;

template <class Feature, class Scalar>
void check(InstructionSet set, std::int64_t rows, std::int64_t columns) {
  const auto& table = tile::row_table_of<Feature, Scalar>(set);
  std::mt19937_64 random(static_cast<std::uint64_t>(rows * 100 + columns));
  std::normal_distribution<double> normal;
  const std::int64_t stride = columns + 3;
  const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  // Values between rows must not be read, and there are none after the last.
  std::vector<Feature> x(size((rows - 1) * stride + columns),
                         std::numeric_limits<Feature>::quiet_NaN());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      x[size(i * stride + j)] = static_cast<Feature>(normal(random));
    }
  }
  std::vector<Scalar> b(size(columns));
  std::vector<Scalar> r(size(rows));
  for (Scalar& value : b) value = static_cast<Scalar>(normal(random));
  for (Scalar& value : r) value = static_cast<Scalar>(normal(random));
  const double tolerance = sizeof(Scalar) == 4 ? 2e-5 : 1e-12;

  std::vector<Scalar> dots(size(rows + 1), Scalar(9));
  table.dots({x.data(), stride, rows, columns, b.data(), dots.data()});
  EXPECT_EQ(dots.back(), Scalar(9));
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      sum += static_cast<double>(x[size(i * stride + j)]) * static_cast<double>(b[size(j)]);
    }
    ASSERT_NEAR(static_cast<double>(dots[size(i)]), sum, tolerance) << i;
    // A row's bits do not depend on its neighbors.
    Scalar alone = 0;
    table.dots({x.data() + i * stride, stride, 1, columns, b.data(), &alone});
    ASSERT_EQ(alone, dots[size(i)]);
  }

  for (const bool begins : {true, false}) {
    std::vector<Scalar> sums(size(columns + 1), Scalar(2));
    table.sums({x.data(), stride, rows, columns, r.data(), sums.data(), begins});
    EXPECT_EQ(sums.back(), Scalar(2));
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = begins ? 0 : 2;
      for (std::int64_t i = 0; i < rows; ++i) {
        sum += static_cast<double>(x[size(i * stride + j)]) * static_cast<double>(r[size(i)]);
      }
      ASSERT_NEAR(static_cast<double>(sums[size(j)]), sum, tolerance) << j;
    }
  }

  const std::int64_t lanes = tile::register_bytes(set) / std::int64_t{sizeof(Scalar)};
  const std::int64_t width = (columns + lanes - 1) / lanes * lanes;
  for (const bool magnitudes : {false, true}) {
    std::vector<Scalar> scaled(size(rows * width), Scalar(9));
    table.scaled({x.data(), stride, rows, columns, r.data(), magnitudes, scaled.data(), width});
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        Scalar expected = 0;
        if (j < columns) {
          const auto value = static_cast<Scalar>(x[size(i * stride + j)]);
          expected = r[size(i)] * (magnitudes ? std::abs(value) : value);
        }
        ASSERT_EQ(scaled[size(i * width + j)], expected);
      }
    }
  }
}

TEST(RowProducts, AreThoseOneByOne) {
  int sets = 0;
  for (const auto wanted : {InstructionSet::plain, InstructionSet::avx2, InstructionSet::avx512,
                            InstructionSet::neon, InstructionSet::sve256}) {
    InstructionSet set = wanted;
    try {
      set = tile::select_set(wanted);
    } catch (const Error&) {
      continue;
    }
    ++sets;
    for (const std::int64_t columns : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 64, 130, 200, 259}) {
      for (const std::int64_t rows : {1, 2, 7, 8, 9, 21}) {
        SCOPED_TRACE(std::string(name_of(set)) + " " + std::to_string(rows) + " x " +
                     std::to_string(columns));
        check<float, float>(set, rows, columns);
        check<float, double>(set, rows, columns);
        check<double, double>(set, rows, columns);
      }
    }
  }
  EXPECT_GE(sets, 1);
}

}  // namespace
}  // namespace row_products_tests
