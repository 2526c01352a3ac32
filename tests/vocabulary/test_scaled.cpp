// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/refusals.hpp"

#include <synelix/matmul.hpp>
#include <synelix/scaled.hpp>
#include <synelix/series.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace scaled_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;

using Host = Kokkos::HostSpace;

TEST(Scaled, NumbersOfChannelsAreViewsSpansAndVectors) {
  const std::vector<double> in_vector{1, 2, 3};
  const std::array<double, 3> in_array{1, 2, 3};
  const double plain[] = {1, 2, 3};
  const Kokkos::View<double*, Host> in_view("numbers", 3);
  const PerChannel all = 4;
  EXPECT_FALSE(all.is_each());
  EXPECT_EQ(all.all(), 4.0);
  EXPECT_EQ(all.each(), nullptr);
  for (const PerChannel& each :
       {PerChannel(in_vector), PerChannel(in_array), PerChannel(in_view), PerChannel(plain),
        PerChannel(std::span<const double>(in_vector))}) {
    EXPECT_TRUE(each.is_each());
    EXPECT_EQ(each.count(), 3);
    EXPECT_NE(each.each(), nullptr);
  }
  EXPECT_EQ(std::string_view(PerChannel(in_vector).memory_space()), Host::name());
  EXPECT_EQ(std::string_view(PerChannel(in_view).memory_space()), Host::name());
  EXPECT_EQ(std::string_view(PerChannel(std::span(in_vector)).memory_space()), "")
      << "the caller alone knows where a span lies";
}

TEST(Scaled, NumbersThatLieApartAreRefused) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> numbers("numbers", 4, 3);
  EXPECT_EQ(PerChannel(Kokkos::subview(numbers, 1, Kokkos::ALL)).each(), &numbers(1, 0));
  expect_refused([&] { PerChannel(Kokkos::subview(numbers, Kokkos::ALL, 1)); }, "scaled",
                 "lie 3 apart", "side by side");
}

TEST(Scaled, AViewAndAnArrayBecomeTheSameOperand) {
  const Kokkos::View<std::int8_t**, Kokkos::LayoutRight, Host> view("view", 2, 3);
  const std::vector<double> offset{1, 2, 3};
  const Operand of_view = scaled(view, 0.5, offset);
  const Operand of_array = scaled(Strided(view.data(), {2, 3}), 0.5, offset);
  for (const Operand& operand : {of_view, of_array}) {
    EXPECT_EQ(operand.array().data, view.data());
    EXPECT_EQ(operand.rows(), 2);
    EXPECT_EQ(operand.columns(), 3);
    EXPECT_EQ(operand.count(), 1);
    EXPECT_TRUE(operand.is_scaled() && operand.is_scaled_by_channel());
    EXPECT_EQ(operand.scale().all(), 0.5);
    EXPECT_EQ(operand.offset().each(), offset.data());
  }
  EXPECT_EQ(std::string_view(of_view.memory_space()), Host::name());
  EXPECT_EQ(std::string_view(of_array.memory_space()), "");
  EXPECT_FALSE(Operand(view).is_scaled());
  EXPECT_FALSE(Operand().is_given());
}

TEST(Scaled, TransposedMatricesHaveTheNumbersOfTheirRows) {
  const Kokkos::View<float**, Kokkos::LayoutRight, Host> view("view", 2, 3);
  const std::vector<double> scale{1, 2, 3};
  const Operand rows = transposed(scaled(view, scale));
  EXPECT_TRUE(rows.channels_are_rows());
  EXPECT_EQ(rows.rows(), 3);
  EXPECT_FALSE(transposed(rows).channels_are_rows());
  EXPECT_FALSE(scaled(transposed(view), std::span(scale).first(2)).channels_are_rows());
}

TEST(Scaled, ASeriesCopiesItsNumbers) {
  const Kokkos::View<std::int16_t**, Kokkos::LayoutRight, Host> view("view", 5, 2);
  std::vector<double> scale{0.5, 2};
  const Series series(scaled(view, scale, 3));
  scale[0] = 99;
  EXPECT_EQ(series.shape().scaling.channel_scale, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(series.shape().scaling.offset, 3.0);
  EXPECT_TRUE(series.shape().scaling.channel_offset.empty());
  EXPECT_EQ(series.view().data(), view.data());
}

}  // namespace
}  // namespace scaled_tests
