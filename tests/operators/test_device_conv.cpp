// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "launch/mock_team.hpp"
#include "operators/plan/conv_shape.hpp"
#include "operators/sweep/device_conv.hpp"
#include "oracle/random_conv.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

// The sweeps of convolutions that only devices run, on the mock team.

namespace {

using namespace synelix;
using oracle::Array;
using oracle::RandomConv;

template <class Scalar>
class DeviceConv : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceConv, Scalars);

/// An operator with its tables in memory.
template <class Scalar>
plan::ConvShape placed(const ConvArrays& arrays, const ConvOptions& options) {
  return plan::shape_of(arrays, options, stored_type<Scalar>);
}
void place_tables(plan::ConvShape& shape) {
  for (int d = 0; d < index::conv_dimensions; ++d) {
    index::ConvAxis& axis = shape.tables.axes[d];
    axis.passes = shape.tables.passes.data();
    axis.first_pass = shape.tables.numbers.data() + shape.tables.first_pass[d];
    axis.tap_order = shape.tables.numbers.data() + shape.tables.tap_order[d];
    shape.problem.axes[d] = axis;
    shape.by_weights.axes[d] = axis;
  }
}

/// Runs an operator on some teams.
template <class Scalar>
void run(const ConvArrays& arrays, const ConvOptions& options, std::uint64_t seed) {
  constexpr int teams = 3;
  plan::ConvShape shape = placed<Scalar>(arrays, options);
  place_tables(shape);
  if (shape.is_by_weights) {
    using Sweep = sweep::DeviceConvGradWeightsSweep<Scalar>;
    ground::run_on_mock(Sweep{shape.by_weights,
                              sweep::count_results(shape.by_weights, shape.tables.axes),
                              {nullptr, 0, teams}},
                        teams, seed);
  } else {
    using Sweep = sweep::DeviceConvSweep<Scalar>;
    ground::run_on_mock(Sweep{shape.problem,
                              sweep::count_results(shape.problem, shape.tables.axes),
                              {nullptr, 0, teams}},
                        teams, seed);
  }
}

TYPED_TEST(DeviceConv, EveryOperatorIsTheObviousLoops) {
  using Scalar = TypeParam;
  using Op = ConvOperator;
  std::mt19937_64 random(51);
  for (std::uint64_t i = 0; i < 54; ++i) {
    const auto dimensions = static_cast<int>(1 + i % 3);
    const oracle::ConvWish wish{dimensions, static_cast<PaddingKind>(i / 3 % 3),
                                static_cast<std::int64_t>(1 + i / 9 % 3),
                                oracle::draw(random, 1, 2), oracle::draw(random, 0, 2)};
    const RandomConv<Scalar> test(oracle::random_convolution(wish, random), dimensions, random);
    const auto& conv = test.conv;
    const auto compute = [&](Op op, const Operand& first, const Operand& second,
                             const Operand& bias, const std::vector<std::int64_t>& extents) {
      Array<Scalar> result(
          extents, oracle::random_placement(extents.size(), oracle::Signs::positive, random),
          Scalar(-12345));
      run<Scalar>({op, dimensions, first, second, bias, result.output()}, test.options(), i);
      EXPECT_EQ(result.damaged(), 0);
      return result.values();
    };
    const auto y = compute(Op::forward, test.x.matrices(), test.w.matrices(), test.bias_array(),
                           test.y_extents());
    EXPECT_TRUE(oracle::agree_with_sums(
        test.order.channels_first(y, conv.outputs, oracle::volume(conv.out())),
        oracle::convolved(conv, test.x_values(), test.w.physical(), test.bias_values()),
        test.y_extents()));
    const auto x =
        compute(Op::grad_input, test.y.matrices(), test.w.matrices(), {}, test.x_extents());
    EXPECT_TRUE(oracle::agree_with_sums(
        test.order.channels_first(x, conv.inputs, oracle::volume(conv.in)),
        oracle::gradient_by_input(conv, test.y_values(), test.w.physical()), test.x_extents()));
    const auto w =
        compute(Op::grad_weights, test.x.matrices(), test.y.matrices(), {}, test.w_extents());
    EXPECT_TRUE(oracle::agree_with_sums(
        w, oracle::gradient_by_weights(conv, test.x_values(), test.y_values()), test.w_extents()));
    const auto bias = compute(Op::grad_bias, test.y.matrices(), {}, {}, {conv.outputs});
    const auto y_values = test.y_values();
    oracle::Sums sums(conv.outputs);
    for (std::size_t k = 0; k < y_values.size(); ++k) {
      const std::int64_t positions = oracle::volume(conv.out());
      sums.add(static_cast<std::int64_t>(k) / positions % conv.outputs, y_values[k]);
    }
    EXPECT_TRUE(oracle::agree_with_sums(bias, sums, {conv.outputs}));
    ASSERT_FALSE(this->HasFailure()) << test.text();
  }
}

/// Sums of ones past what a float counts, which slices reach.
TYPED_TEST(DeviceConv, SumsOfManyMillionPositionsAreRight) {
  using Scalar = TypeParam;
  constexpr std::int64_t positions = 20'000'000;
  const std::vector<std::int8_t> ones(positions, std::int8_t{1});
  Scalar sum = 0;
  run<Scalar>({ConvOperator::grad_bias,
               1,
               Strided(ones.data(), {1, 1, positions}),
               {},
               {},
               StridedOutput(&sum, {1})},
              {}, 1);
  EXPECT_EQ(sum, Scalar(positions));
}

}  // namespace
