// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/refusals.hpp"

#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace strided_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;

std::vector<std::int64_t> first(const std::array<std::int64_t, max_rank>& values, int count) {
  return {values.begin(), values.begin() + count};
}

TEST(Strided, LastIndexIsFastestWithoutStrides) {
  std::vector<double> data(24);
  const Strided array(data.data(), {2, 3, 4});
  EXPECT_EQ(array.rank, 3);
  EXPECT_EQ(array.type, StoredType::float64);
  EXPECT_EQ(array.data, data.data());
  EXPECT_EQ(first(array.extents, 3), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(first(array.strides, 3), (std::vector<std::int64_t>{12, 4, 1}));
}

TEST(Strided, TakesStridesOfAnyOrderAndSign) {
  const std::vector<std::int16_t> data(24);
  const Strided array(data.data() + 23, {4, 6}, {-1, -4});
  EXPECT_EQ(array.type, StoredType::int16);
  EXPECT_EQ(first(array.strides, 2), (std::vector<std::int64_t>{-1, -4}));
}

TEST(Strided, RefusesOtherRanksAndCounts) {
  float value = 0;
  expect_refused([&] { Strided(&value, {1, 1, 1, 1, 1, 1, 1, 1, 1}); }, "Strided extents",
                 "9 dimensions", "1 to 8");
  expect_refused([&] { StridedOutput(&value, std::initializer_list<std::int64_t>{}); },
                 "Strided extents", "0 dimensions", "1 to 8");
  expect_refused([&] { Strided(&value, {1, 1}, {1}); }, "Strided strides",
                 "1 strides for 2 extents", "one stride for each");
}

/// Strides of a dense array are products of its extents.
TEST(Strided, RefusesExtentsWhoseProductLeaves64Bits) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  float value = 0;
  for (const std::int64_t extent : {most, limit, limit / 16}) {
    expect_refused([&] { (void)Strided(&value, {4, extent, 4}); }, "Strided extents",
                   "(4, " + std::to_string(extent) + ", 4)", "less than 2^62 elements");
    expect_refused([&] { (void)StridedOutput(&value, {extent, 4, 4}); }, "Strided extents",
                   std::to_string(extent), "less than 2^62 elements");
  }
  for (const std::int64_t extent : {std::int64_t{-1}, -limit, -most - 1}) {
    expect_refused([&] { (void)Strided(&value, {4, extent, 4}); }, "Strided extents",
                   std::to_string(extent), "0 or more");
  }
  const Strided largest(&value, {2, limit / 2 - 1});
  EXPECT_EQ(first(largest.strides, 2), (std::vector<std::int64_t>{limit / 2 - 1, 1}));
  const Strided empty(&value, {2, 0, limit / 2 - 1});
  EXPECT_EQ(first(empty.strides, 3), (std::vector<std::int64_t>{0, limit / 2 - 1, 1}));
}

TEST(Strided, KnowsItsTypes) {
  static_assert(Stored<float> && Stored<const double> && Stored<std::uint16_t>);
  static_assert(!Stored<int> && !Stored<long double> && !Stored<bool>);
  static_assert(size_of(StoredType::float64) == 8 && size_of(StoredType::float32) == 4);
  static_assert(size_of(StoredType::int16) == 2 && size_of(StoredType::uint8) == 1);
  EXPECT_EQ(name_of(stored_type<std::int8_t>), "int8");
  EXPECT_EQ(name_of(stored_type<const std::uint16_t>), "uint16");
  static_assert(std::is_constructible_v<Strided, const float*, std::initializer_list<long>>);
  static_assert(!std::is_constructible_v<StridedOutput, const float*, std::initializer_list<long>>);
}

TEST(Strided, ComesFromViewsOfAnyLayout) {
  const Kokkos::View<float***, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 2, 3, 4);
  const auto strided = seam::strided_of(left);
  EXPECT_EQ(first(strided.extents, 3), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(first(strided.strides, 3), (std::vector<std::int64_t>{1, 2, 6}));
  EXPECT_EQ(strided.data, left.data());
  const auto part = Kokkos::subview(left, 1, Kokkos::ALL, std::pair(1, 3));
  const auto of_part = seam::strided_of(part);
  EXPECT_EQ(of_part.rank, 2);
  EXPECT_EQ(of_part.data, &left(1, 0, 1));
  EXPECT_EQ(first(of_part.strides, 2), (std::vector<std::int64_t>{2, 6}));
  const Kokkos::View<const float***, Kokkos::LayoutLeft, Kokkos::HostSpace> constant = left;
  static_assert(std::is_same_v<decltype(seam::strided_of(constant)), Strided>);
  static_assert(std::is_same_v<decltype(seam::strided_of(left)), StridedOutput>);
}

}  // namespace
}  // namespace strided_tests
