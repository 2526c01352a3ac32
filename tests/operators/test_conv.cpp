// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_conv.hpp"
#include "oracle/sets.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace conv_tests {
namespace {

namespace sx = synelix;
using oracle::Array;
using oracle::Convolution;
using oracle::ConvWish;
using oracle::draw;
using oracle::RandomConv;

template <class Types>
class Conv : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
};
TYPED_TEST_SUITE(Conv, oracle::AllSpaces);

/// A result of unwritten values, placed at random.
template <class Scalar>
Array<Scalar> place_for(const std::vector<std::int64_t>& extents, std::mt19937_64& random) {
  const auto placement =
      oracle::once_in(random, 2)
          ? oracle::right_placement(extents.size())
          : oracle::random_placement(extents.size(), oracle::Signs::positive, random);
  return {extents, placement, oracle::unwritten<Scalar>};
}

/// The convolution of a case against the obvious loops.
template <class Scalar, class Space>
void expect_forward(const Space& exec, const RandomConv<Scalar>& test, std::mt19937_64& random) {
  const Convolution& conv = test.conv;
  const bool has_bias = oracle::once_in(random, 2);
  auto y = place_for<Scalar>(test.y_extents(), random);
  sx::convolve_arrays(
      exec,
      {sx::ConvOperator::forward, test.order.dimensions, test.x.matrices(), test.w.matrices(),
       has_bias ? sx::Operand(test.bias_array()) : sx::no_bias, y.output()},
      test.options());
  const auto expected = oracle::convolved(conv, test.x_values(), test.w.physical(),
                                          has_bias ? test.bias_values() : std::vector<double>{});
  EXPECT_TRUE(oracle::agree_with_sums(
      test.order.channels_first(y.values(), conv.outputs, oracle::volume(conv.out())), expected,
      test.y_extents()));
  EXPECT_EQ(y.damaged(), 0) << "written outside y";
}

/// The gradients of a case.
template <class Scalar, class Space>
void expect_gradients(const Space& exec, const RandomConv<Scalar>& test, std::mt19937_64& random) {
  const Convolution& conv = test.conv;
  const sx::ConvOptions options = test.options();
  const int dimensions = test.order.dimensions;
  auto x = place_for<Scalar>(test.x_extents(), random);
  sx::convolve_arrays(exec,
                      {sx::ConvOperator::grad_input, dimensions, test.y.matrices(),
                       test.w.matrices(), sx::no_bias, x.output()},
                      options);
  EXPECT_TRUE(oracle::agree_with_sums(
      test.order.channels_first(x.values(), conv.inputs, oracle::volume(conv.in)),
      oracle::gradient_by_input(conv, test.y_values(), test.w.physical()), test.x_extents()));
  EXPECT_EQ(x.damaged(), 0) << "written outside grad_x";

  auto w = place_for<Scalar>(test.w_extents(), random);
  sx::convolve_arrays(exec,
                      {sx::ConvOperator::grad_weights, dimensions, test.x.matrices(),
                       test.y.matrices(), sx::no_bias, w.output()},
                      options);
  EXPECT_TRUE(oracle::agree_with_sums(
      w.values(), oracle::gradient_by_weights(conv, test.x_values(), test.y_values()),
      test.w_extents()));
  EXPECT_EQ(w.damaged(), 0) << "written outside grad_w";

  auto bias = place_for<Scalar>({conv.outputs}, random);
  sx::convolve_arrays(
      exec, {sx::ConvOperator::grad_bias, dimensions, test.y.matrices(), {}, {}, bias.output()},
      options);
  const auto y = test.y_values();
  oracle::Sums expected(conv.outputs);
  for (std::size_t i = 0; i < y.size(); ++i) {
    expected.add(static_cast<std::int64_t>(i) / oracle::volume(conv.out()) % conv.outputs, y[i]);
  }
  EXPECT_TRUE(oracle::agree_with_sums(bias.values(), expected, {conv.outputs}));
  EXPECT_EQ(bias.damaged(), 0) << "written outside grad_b";
}

TYPED_TEST(Conv, EveryPaddingStrideDilationAndGroupIsTheObviousLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(31);
  for (const int dimensions : {1, 2, 3}) {
    for (const auto kind :
         {sx::PaddingKind::zero, sx::PaddingKind::circular, sx::PaddingKind::reflect}) {
      for (const std::int64_t stride : {1, 2, 3}) {
        for (const std::int64_t dilation : {1, 2}) {
          for (const std::int64_t groups : {1, 2, 0}) {
            const ConvWish wish{dimensions, kind, stride, dilation, groups};
            const RandomConv<Scalar> test(oracle::random_convolution(wish, random), dimensions,
                                          random);
            expect_forward(exec, test, random);
            expect_gradients(exec, test, random);
            ASSERT_FALSE(this->HasFailure()) << test.text();
          }
        }
      }
    }
  }
}

/// Channels of several blocks, columns of several panels, positions of several boxes.
TYPED_TEST(Conv, ManyChannelsAndPositionsAreTheObviousLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(32);
  std::vector<Convolution> all(6);
  all[0] = {.inputs = 70,
            .outputs = 67,
            .in = {1, 19, 40},
            .taps = {1, 3, 3},
            .before = {0, 1, 1},
            .after = {0, 1, 1}};
  all[1] = {.batch = 2,
            .inputs = 150,
            .outputs = 230,
            .in = {1, 9, 11},
            .taps = {1, 3, 2},
            .stride = {1, 2, 2},
            .dilation = {1, 2, 1},
            .before = {0, 2, 1},
            .after = {0, 1, 1},
            .kind = sx::PaddingKind::circular};
  all[2] = {.inputs = 3,
            .outputs = 101,
            .in = {1, 1, 1003},
            .taps = {1, 1, 25},
            .stride = {1, 1, 2},
            .before = {0, 0, 12},
            .after = {0, 0, 12},
            .kind = sx::PaddingKind::reflect};
  all[3] = {.groups = 3,
            .inputs = 60,
            .outputs = 9,
            .in = {5, 8, 9},
            .taps = {2, 3, 3},
            .stride = {1, 1, 3},
            .before = {1, 1, 1},
            .after = {0, 1, 2},
            .kind = sx::PaddingKind::reflect};
  all[4] = {
      .inputs = 1, .outputs = 2, .in = {1, 1, 700}, .taps = {1, 1, 300}, .dilation = {1, 1, 2}};
  all[5] = {.batch = 2,
            .groups = 151,
            .inputs = 151,
            .outputs = 151,
            .in = {1, 9, 30},
            .taps = {1, 3, 5},
            .stride = {1, 1, 2},
            .before = {0, 1, 2},
            .after = {0, 1, 3},
            .kind = sx::PaddingKind::reflect};
  for (const Convolution& conv : all) {
    const int dimensions = conv.in[0] > 1 ? 3 : conv.in[1] > 1 ? 2 : 1;
    const RandomConv<Scalar> test(conv, dimensions, random);
    expect_forward(exec, test, random);
    expect_gradients(exec, test, random);
    ASSERT_FALSE(this->HasFailure()) << test.text();
  }
}

/// One channel in each group: long and short lines, with and without borders, one or several
/// passes, arrays that are read in place and others.
TYPED_TEST(Conv, DepthwiseOfAnyOrderIsTheObviousLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(34);
  const auto depthwise = [](std::int64_t channels, Convolution conv) {
    conv.groups = conv.inputs = conv.outputs = channels;
    return conv;
  };
  const Convolution all[] = {
      depthwise(67, {.batch = 2,
                     .in = {1, 21, 30},
                     .taps = {1, 3, 3},
                     .before = {0, 1, 1},
                     .after = {0, 1, 1}}),
      depthwise(5, {.in = {1, 1, 777}, .taps = {1, 1, 9}, .before = {0, 0, 8}}),
      depthwise(18, {.in = {1, 1, 300}, .taps = {1, 1, 4}, .dilation = {1, 1, 3}}),
      depthwise(33, {.in = {1, 17, 23},
                     .taps = {1, 2, 4},
                     .stride = {1, 2, 1},
                     .dilation = {1, 2, 2},
                     .before = {0, 1, 0},
                     .after = {0, 2, 3}}),
      depthwise(20, {.in = {5, 7, 19},
                     .taps = {2, 3, 2},
                     .before = {1, 2, 1},
                     .after = {1, 0, 1},
                     .kind = sx::PaddingKind::circular}),
      // Window boxes, with one place outside of a line and with several.
      depthwise(19, {.batch = 2,
                     .in = {1, 18, 21},
                     .taps = {1, 3, 3},
                     .before = {0, 2, 2},
                     .after = {0, 2, 2}}),
      depthwise(17, {.in = {3, 9, 20}, .taps = {2, 3, 3}, .before = {1, 1, 1}, .after = {1, 1, 1}}),
      depthwise(16, {.in = {1, 11, 13},
                     .taps = {1, 3, 3},
                     .before = {0, 1, 1},
                     .after = {0, 1, 1},
                     .kind = sx::PaddingKind::circular}),
      depthwise(35, {.in = {1, 8, 40},
                     .taps = {1, 3, 3},
                     .stride = {1, 2, 2},
                     .dilation = {1, 2, 2},
                     .before = {0, 2, 2},
                     .after = {0, 2, 2},
                     .kind = sx::PaddingKind::reflect}),
      depthwise(3, {.in = {1, 2, 1}, .taps = {1, 3, 3}, .before = {0, 1, 1}, .after = {0, 1, 1}})};
  for (const Convolution& conv : all) {
    const int dimensions = conv.in[0] > 1 ? 3 : conv.in[1] > 1 ? 2 : 1;
    for (int i = 0; i < 6; ++i) {
      const RandomConv<Scalar> test(conv, dimensions, random);
      expect_forward(exec, test, random);
      expect_gradients(exec, test, random);
      ASSERT_FALSE(this->HasFailure()) << test.text();
    }
  }
}

/// Of hosts alone: a device has no instruction sets to choose from.
template <class Types>
class ConvOnHosts : public Conv<Types> {};
TYPED_TEST_SUITE(ConvOnHosts, oracle::HostSpaces);

TYPED_TEST(ConvOnHosts, EveryInstructionSetIsTheObviousLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(33);
  const RandomConv<Scalar> test({.batch = 2,
                                 .groups = 2,
                                 .inputs = 14,
                                 .outputs = 54,
                                 .in = {1, 13, 12},
                                 .taps = {1, 3, 4},
                                 .before = {0, 1, 0},
                                 .after = {0, 1, 2}},
                                2, random);
  const auto expected = oracle::convolved(test.conv, test.x_values(), test.w.physical(), {});
  int sets = 0;
  for (const auto set : oracle::host_sets()) {
    sx::ConvOptions options = test.options();
    options.machine.instruction_set = set;
    Array<Scalar> y(test.y_extents(), oracle::right_placement(4), oracle::unwritten<Scalar>);
    const sx::ConvArrays arrays{sx::ConvOperator::forward, 2,  test.x.matrices(),
                                test.w.matrices(),         {}, y.output()};
    try {
      EXPECT_EQ(sx::choose_conv(exec, arrays, options).instruction_set, set);
    } catch (const sx::Error&) {
      continue;  // neither here nor in the build
    }
    sx::convolve_arrays(exec, arrays, options);
    EXPECT_TRUE(oracle::agree_with_sums(
        test.order.channels_first(y.values(), 54, oracle::volume(test.conv.out())), expected,
        test.y_extents()))
        << sx::name_of(set);
    ++sets;
  }
  EXPECT_GE(sets, 1);
}

TYPED_TEST(Conv, SizesOfNoneAndOne) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(34);
  std::vector<Convolution> all(5);
  all[0] = {.batch = 0, .inputs = 3, .outputs = 2, .in = {1, 4, 4}, .taps = {1, 2, 2}};
  all[1] = {.batch = 2, .inputs = 0, .outputs = 2, .in = {1, 4, 4}, .taps = {1, 2, 2}};
  all[2] = {.batch = 2, .inputs = 3, .outputs = 0, .in = {1, 4, 4}, .taps = {1, 2, 2}};
  all[3] = {.batch = 1, .inputs = 1, .outputs = 1, .in = {1, 1, 1}, .taps = {1, 1, 1}};
  all[4] = {.batch = 2,
            .inputs = 3,
            .outputs = 2,
            .in = {1, 0, 4},
            .taps = {1, 2, 2},
            .before = {0, 2, 0},
            .after = {0, 1, 0}};
  for (const Convolution& conv : all) {
    const RandomConv<Scalar> test(conv, 2, random);
    expect_forward(exec, test, random);
    expect_gradients(exec, test, random);
    ASSERT_FALSE(this->HasFailure()) << test.text();
  }
}

/// <conv(x, w), y> = <x, grad_input(y, w)> = <w, grad_weights(x, y)>, with the library's results.
TYPED_TEST(Conv, GradientsAreAdjoint) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(35);
  const auto product = [](const std::vector<double>& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * static_cast<double>(b[i]);
    return sum;
  };
  for (int i = 0; i < 60; ++i) {
    const ConvWish wish{static_cast<int>(draw(random, 1, 3)),
                        static_cast<sx::PaddingKind>(draw(random, 0, 2)), draw(random, 1, 3),
                        draw(random, 1, 2), draw(random, 0, 2)};
    const RandomConv<Scalar> test(oracle::random_convolution(wish, random), wish.dimensions,
                                  random);
    const auto compute = [&](sx::ConvOperator op, const sx::Operand& first,
                             const sx::Operand& second, const std::vector<std::int64_t>& extents) {
      Array<Scalar> result(extents, oracle::right_placement(extents.size()), Scalar(0));
      sx::convolve_arrays(exec, {op, wish.dimensions, first, second, {}, result.output()},
                          test.options());
      return result.values();
    };
    const auto& [conv, order, x, w, y, bias, set] = test;
    const auto of_y =
        compute(sx::ConvOperator::forward, x.matrices(), w.matrices(), test.y_extents());
    const auto of_x =
        compute(sx::ConvOperator::grad_input, y.matrices(), w.matrices(), test.x_extents());
    const auto of_w =
        compute(sx::ConvOperator::grad_weights, x.matrices(), y.matrices(), test.w_extents());
    double most = 0;
    const auto magnitudes = oracle::convolved(conv, test.x_values(), w.physical(), {});
    const auto y_values = test.y_values();
    for (std::size_t k = 0; k < y_values.size(); ++k) {
      most += std::fabs(y_values[k]) * magnitudes.magnitudes[k];
    }
    const double tolerance = oracle::product_tolerance<Scalar>(most, 100);
    const double sum = product(y.physical(), of_y);
    EXPECT_NEAR(product(x.physical(), of_x), sum, tolerance) << test.text();
    EXPECT_NEAR(product(w.physical(), of_w), sum, tolerance) << test.text();
  }
}

}  // namespace
}  // namespace conv_tests
