// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/processes.hpp"
#include "oracle/random_conv.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Calls and errors of convolutions, and settings that affect no bit.

namespace conv_calls_tests {
namespace {

namespace sx = synelix;
using oracle::Array;
using oracle::Convolution;
using oracle::expect_refused;
using oracle::RandomConv;

template <class Types>
class ConvCalls : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  using Shared = oracle::SharedWith<Space>;
  using Line = Kokkos::View<Scalar***, Kokkos::LayoutRight, Shared>;
  using Image = Kokkos::View<Scalar****, Kokkos::LayoutRight, Shared>;
  using Volume = Kokkos::View<Scalar*****, Kokkos::LayoutRight, Shared>;
  using Values = Kokkos::View<Scalar*, Kokkos::LayoutRight, Shared>;
};
TYPED_TEST_SUITE(ConvCalls, oracle::AllSpaces);

/// 1, 2, 3, ... in the order of memory.
template <class View>
View counting(const View& view) {
  for (std::size_t i = 0; i < view.size(); ++i) {
    view.data()[i] = static_cast<typename View::value_type>(i + 1);
  }
  return view;
}

template <class View>
std::vector<double> values_of(const View& view) {
  return {view.data(), view.data() + view.size()};
}

TYPED_TEST(ConvCalls, SmallNumbersByHand) {
  using Self = TestFixture;
  using Line = typename Self::Line;
  using Values = typename Self::Values;
  const typename Self::Space exec;
  const Line x = counting(Line("x", 1, 1, 4));  // 1 2 3 4
  const Line w = counting(Line("w", 1, 1, 2));  // 1 2
  Values bias("bias", 1);
  bias(0) = 10;
  using Numbers = std::vector<double>;
  EXPECT_EQ(values_of(sx::conv1d<Line>(exec, x, w, sx::no_bias)), (Numbers{5, 8, 11}));
  EXPECT_EQ(values_of(sx::conv1d<Line>(exec, x, w, bias)), (Numbers{15, 18, 21}));
  EXPECT_EQ(values_of(sx::true_conv1d<Line>(exec, x, w, sx::no_bias)), (Numbers{4, 7, 10}));
  EXPECT_EQ(values_of(sx::conv1d<Line>(exec, x, w, sx::no_bias, {.padding = 1})),
            (Numbers{2, 5, 8, 11, 4}));
  EXPECT_EQ(
      values_of(sx::conv1d<Line>(exec, x, w, sx::no_bias, {.padding_size = sx::PaddingSize::same})),
      (Numbers{5, 8, 11, 4}));
  EXPECT_EQ(values_of(sx::conv1d<Line>(exec, x, w, sx::no_bias,
                                       {.padding = 1, .padding_kind = sx::PaddingKind::circular})),
            (Numbers{6, 5, 8, 11, 6}));
  EXPECT_EQ(values_of(sx::conv1d<Line>(exec, x, w, sx::no_bias,
                                       {.padding = 1, .padding_kind = sx::PaddingKind::reflect})),
            (Numbers{4, 5, 8, 11, 10}));
  EXPECT_EQ(values_of(sx::conv1d<Line>(exec, x, w, sx::no_bias, {.stride = 2})), (Numbers{5, 11}));
  EXPECT_EQ(values_of(sx::conv1d<Line>(exec, x, w, sx::no_bias, {.dilation = {3}})), (Numbers{9}));
  EXPECT_EQ(values_of(sx::conv1d_transposed<Line>(exec, x, w, bias)),
            (Numbers{11, 14, 17, 20, 18}));
  EXPECT_EQ(values_of(sx::conv1d_transposed<Line>(exec, x, w, sx::no_bias,
                                                  {.stride = 2, .output_padding = 1})),
            (Numbers{1, 2, 2, 4, 3, 6, 4, 8, 0}));
  EXPECT_EQ(
      values_of(sx::conv1d_transposed<Line>(exec, x, w, sx::no_bias, {.stride = 3, .padding = 1})),
      (Numbers{2, 0, 2, 4, 0, 3, 6, 0, 4}));
  EXPECT_EQ(values_of(sx::conv1d_grad_input<Line>(exec, x, w, 5)), (Numbers{1, 4, 7, 10, 8}));
  EXPECT_EQ(values_of(sx::conv1d_grad_weights<Line>(exec, x, counting(Line("y", 1, 1, 3)), 2)),
            (Numbers{14, 20}));
  EXPECT_EQ(values_of(sx::conv1d_grad_bias<Values>(exec, x)), (Numbers{10}));
}

TYPED_TEST(ConvCalls, ViewsOfAnyLayoutAndScaledIntegers) {
  using Self = TestFixture;
  using Scalar = typename Self::Scalar;
  using Shared = typename Self::Shared;
  const typename Self::Space exec;
  Kokkos::View<std::uint8_t****, Kokkos::LayoutLeft, Shared> x("x", 2, 5, 6, 4);
  Kokkos::deep_copy(x, std::uint8_t{6});
  const typename Self::Image w("w", 8, 2, 3, 3);
  Kokkos::deep_copy(w, Scalar(1));
  typename Self::Values bias("bias", 8);
  Kokkos::deep_copy(bias, Scalar(-1));
  const sx::ConvOptions options{.padding = {1, 1}, .groups = 2, .channels = sx::ChannelOrder::last};
  const auto y = sx::conv2d<Kokkos::View<Scalar****, Kokkos::LayoutLeft, Shared>>(
      exec, sx::scaled(x, 0.5, 1), w, bias, options);
  ASSERT_EQ(y.extent(1), 5U);
  ASSERT_EQ(y.extent(2), 6U);
  ASSERT_EQ(y.extent(3), 8U);
  EXPECT_EQ(y(1, 2, 3, 7), Scalar(4 * 18 - 1));  // zeros of the padding are physical ones
  EXPECT_EQ(y(1, 0, 0, 0), Scalar(4 * 8 - 1));
  typename Self::Image again("again", 2, 5, 6, 8);
  sx::conv2d(exec, sx::scaled(x, 0.5, 1), w, bias, again, options);
  EXPECT_EQ(again(0, 4, 5, 3), Scalar(4 * 8 - 1));
  const typename Self::Volume cube("cube", 1, 1, 3, 3, 3);
  Kokkos::deep_copy(cube, Scalar(2));
  const auto sum = sx::conv3d<typename Self::Volume>(exec, cube, cube, sx::no_bias);
  ASSERT_EQ(sum.size(), 1U);
  EXPECT_EQ(sum.data()[0], Scalar(108));
  const auto back = sx::conv3d_grad_input<typename Self::Volume>(exec, sum, cube, {3, 3, 3});
  EXPECT_EQ(back(0, 0, 2, 1, 0), Scalar(216));
}

/// A transposed convolution is the gradient by the input of the convolution with its weights.
TYPED_TEST(ConvCalls, TransposedIsTheGradientByInput) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(41);
  const std::uint64_t cases = oracle::drawn_cases(40);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const int dimensions = static_cast<int>(oracle::draw(random, 1, 3));
    const auto kind = sx::PaddingKind::zero;
    Convolution conv = oracle::random_convolution({dimensions, kind, 2, 1, 2}, random);
    Convolution::Sizes more{0, 0, 0};
    const auto out = conv.out();
    for (auto d = static_cast<std::size_t>(3 - dimensions); d < 3; ++d) {
      const std::int64_t window = conv.dilation[d] * (conv.taps[d] - 1) + 1;
      more[d] =
          conv.before[d] + conv.in[d] + conv.after[d] - window - (out[d] - 1) * conv.stride[d];
    }
    const RandomConv<Scalar> test(conv, dimensions, random);
    sx::ConvOptions options = test.options();
    options.output_padding = oracle::per_dimension(more, dimensions);
    std::vector<float> bias;
    for (std::int64_t c = 0; c < conv.inputs; ++c) bias.push_back(static_cast<float>(c));
    Array<Scalar> x(test.x_extents(), oracle::right_placement(test.x_extents().size()),
                    oracle::unwritten<Scalar>);
    const sx::ConvArrays arrays{sx::ConvOperator::transposed,
                                dimensions,
                                test.y.matrices(),
                                test.w.matrices(),
                                sx::Strided(bias.data(), {conv.inputs}),
                                x.output()};
    EXPECT_EQ(sx::conv_extents(arrays, options), test.x_extents());
    sx::convolve_arrays(exec, arrays, options);
    auto expected = oracle::gradient_by_input(conv, test.y_values(), test.w.physical());
    const std::int64_t space = oracle::volume(conv.in);
    for (std::int64_t p = 0; p < x.size(); ++p) {
      expected.add(p, static_cast<double>(p / space % conv.inputs));
    }
    ASSERT_TRUE(oracle::agree_with_sums(test.order.channels_first(x.values(), conv.inputs, space),
                                        expected, test.x_extents()))
        << test.text();
  }
}

/// A case whose channels come in several blocks, and whose positions in several boxes.
template <class Scalar>
RandomConv<Scalar> large_case(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  return RandomConv<Scalar>({.batch = 2,
                             .groups = 2,
                             .inputs = 40,
                             .outputs = 110,
                             .in = {1, 21, 33},
                             .taps = {1, 3, 5},
                             .stride = {1, 1, 2},
                             .dilation = {1, 2, 1},
                             .before = {0, 2, 1},
                             .after = {0, 1, 4},
                             .kind = sx::PaddingKind::reflect},
                            2, random);
}

/// One channel for each group.
template <class Scalar>
RandomConv<Scalar> depthwise_case(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  return RandomConv<Scalar>({.batch = 1,
                             .groups = 83,
                             .inputs = 83,
                             .outputs = 83,
                             .in = {1, 31, 29},
                             .taps = {1, 3, 3},
                             .before = {0, 1, 1},
                             .after = {0, 1, 1}},
                            2, random);
}

/// Positions of several slices, few weights.
template <class Scalar>
RandomConv<Scalar> sliced_case(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  return RandomConv<Scalar>({.batch = 5,
                             .inputs = 2,
                             .outputs = 5,
                             .in = {1, 64, 70},
                             .taps = {1, 3, 2},
                             .before = {0, 1, 0},
                             .after = {0, 1, 0}},
                            2, random);
}

/// Integers whose conversion rounds, in channels that items of many threads take one by one.
template <class Scalar, class Space>
std::vector<Scalar> integer_gradients(const Space& exec) {
  constexpr std::int64_t channels = 136;
  std::vector<std::int8_t> x(2 * channels * 20);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int8_t>(i * 7919 % 251);
  std::vector<Scalar> y(2 * 3 * 18);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<Scalar>(i % 7) - Scalar(2.9);
  std::vector<Scalar> w(3 * channels * 3);
  sx::conv1d_grad_weights(exec, scaled(sx::Strided(x.data(), {2, channels, 20}), 0.195, 0.7),
                          sx::Strided(y.data(), {2, 3, 18}),
                          sx::StridedOutput(w.data(), {3, channels, 3}));
  return w;
}

/// The bits of each operator of a case.
template <class Scalar, class Space, class Compute>
std::vector<std::vector<Scalar>> all_bits(const Space&, const RandomConv<Scalar>& test,
                                          const Compute& compute) {
  std::vector<std::vector<Scalar>> results;
  const auto add = [&](sx::ConvOperator op, const sx::Operand& first, const sx::Operand& second,
                       const sx::Operand& bias, const std::vector<std::int64_t>& extents) {
    Array<Scalar> result(extents, oracle::right_placement(extents.size()),
                         oracle::unwritten<Scalar>);
    compute(sx::ConvArrays{op, 2, first, second, bias, result.output()});
    results.push_back(result.values());
  };
  add(sx::ConvOperator::forward, test.x.matrices(), test.w.matrices(), test.bias_array(),
      test.y_extents());
  add(sx::ConvOperator::grad_input, test.y.matrices(), test.w.matrices(), {}, test.x_extents());
  add(sx::ConvOperator::grad_weights, test.x.matrices(), test.y.matrices(), {}, test.w_extents());
  add(sx::ConvOperator::grad_bias, test.y.matrices(), {}, {}, {test.conv.outputs});
  return results;
}

/// With the least budget that a case can have, and refused below it.
template <class Scalar, class Space>
void expect_bits_of_any_budget(const Space& exec, const RandomConv<Scalar>& test) {
  const auto expected = all_bits(exec, test, [&](const sx::ConvArrays& arrays) {
    sx::convolve_arrays(exec, arrays, test.options());
  });
  const auto found = all_bits(exec, test, [&](const sx::ConvArrays& arrays) {
    sx::ConvOptions options = test.options();
    const sx::ConvChoice free = sx::choose_conv(exec, arrays, options);
    EXPECT_GT(free.items, 1);
    EXPECT_GT(free.flops, 0);
    std::int64_t refused = 0;
    std::int64_t least = free.workspace_bytes;
    while (least - refused > 1) {
      options.budget = (refused + least) / 2;
      try {
        EXPECT_LE(sx::choose_conv(exec, arrays, options).workspace_bytes, *options.budget);
        least = *options.budget;
      } catch (const sx::Error&) {
        refused = *options.budget;
      }
    }
    options.budget = refused;
    expect_refused([&] { sx::convolve_arrays(exec, arrays, options); }, "budget",
                   std::to_string(refused), "at least " + std::to_string(least));
    options.budget = least;
    const sx::ConvPlan<Scalar, Space> plan(exec, arrays, options);
    if (!oracle::has_device) {  // where teams share the workspace
      EXPECT_EQ(plan.choice().teams, 1);
    }
    for (int run = 0; run < 2; ++run) plan.run(exec);
    exec.fence();
  });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::vector<std::int64_t> extents{static_cast<std::int64_t>(expected[i].size())};
    EXPECT_TRUE(oracle::same_bits(found[i], expected[i], extents)) << "operator " << i;
  }
}

TYPED_TEST(ConvCalls, BudgetDecidesOverNoBitAndIsKept) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  expect_bits_of_any_budget(exec, large_case<Scalar>(42));
  expect_bits_of_any_budget(exec, depthwise_case<Scalar>(44));
  expect_bits_of_any_budget(exec, sliced_case<Scalar>(46));
}

TYPED_TEST(ConvCalls, Hash) {
  const char* const path = std::getenv("SYNELIX_HASH_FILE");
  if (path == nullptr) GTEST_SKIP() << "the part of a child of ConvBits.AreTheSame...";
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::ofstream file(path);
  for (const auto& test :
       {large_case<Scalar>(43), depthwise_case<Scalar>(45), sliced_case<Scalar>(47)}) {
    for (const auto& values : all_bits(exec, test, [&](const sx::ConvArrays& arrays) {
           sx::convolve_arrays(exec, arrays, test.options());
         })) {
      file << oracle::hash_of(values) << '\n';
    }
  }
  file << oracle::hash_of(integer_gradients<Scalar>(exec)) << '\n';
}

TEST(ConvBits, AreTheSameForEveryThreadCount) {
  if (oracle::has_device) GTEST_SKIP() << "threads of hosts compute nothing of a device";
  for (const std::string suite : {"ConvCalls/0", "ConvCalls/1"}) {
    const std::string one = oracle::hashes_of(1, suite + ".Hash");
    ASSERT_EQ(std::count(one.begin(), one.end(), '\n'), 13) << one;
    // With 24 threads, items are smaller.
    for (const int threads : {2, 5, 24}) {
      EXPECT_EQ(oracle::hashes_of(threads, suite + ".Hash"), one) << threads;
    }
  }
}

/// Many ones: a sequential sum of floats would stop at 2^24.
TYPED_TEST(ConvCalls, SumsOfManyMillionPositionsAreRight) {
  using Scalar = typename TestFixture::Scalar;
  using Line = typename TestFixture::Line;
  const typename TestFixture::Space exec;
  const std::int64_t positions = oracle::usual_or(20'000'000, 1'000'000);
  const std::vector<std::int8_t> ones(static_cast<std::size_t>(positions), std::int8_t{1});
  const sx::Strided y(ones.data(), {1, 1, positions});
  const auto by_bias = sx::conv1d_grad_bias<typename TestFixture::Values>(exec, y);
  EXPECT_EQ(by_bias(0), Scalar(positions));
  const sx::Strided x(ones.data(), {1, 1, positions - 3});
  const auto by_weights = sx::conv1d_grad_weights<Line>(
      exec, x, y, 4, {.padding = 3, .method = sx::ConvMethod::direct});
  for (int k = 0; k < 4; ++k) {  // to the resolution of a float of that size
    EXPECT_NEAR(by_weights(0, 0, k), static_cast<double>(positions - 3), 2) << k;
  }
}

TYPED_TEST(ConvCalls, NotANumberReachesWhatSeesIt) {
  using Self = TestFixture;
  using Scalar = typename Self::Scalar;
  using Image = typename Self::Image;
  const typename Self::Space exec;
  const Image x("x", 1, 4, 5, 5);
  const Image w("w", 6, 2, 3, 3);
  Kokkos::deep_copy(x, Scalar(1));
  Kokkos::deep_copy(w, Scalar(1));
  x(0, 1, 0, 0) = std::numeric_limits<Scalar>::quiet_NaN();
  const auto y = sx::conv2d<Image>(exec, x, w, sx::no_bias, {.groups = 2});
  int count = 0;
  for (const double value : values_of(y)) count += std::isnan(value) ? 1 : 0;
  EXPECT_EQ(count, 3);  // one position of the three results of its group
  EXPECT_TRUE(std::isnan(y(0, 2, 0, 0)));
}

TYPED_TEST(ConvCalls, WrongArgumentsAreRefused) {
  using Self = TestFixture;
  using Scalar = typename Self::Scalar;
  const typename Self::Space exec;
  std::vector<Scalar> values(4000, Scalar(1));
  std::vector<Scalar> results(4000, Scalar(1));
  const sx::Strided x(values.data(), {2, 4, 6, 7});
  const sx::Strided w(values.data() + 1000, {6, 2, 3, 3});
  const sx::StridedOutput y(results.data(), {2, 6, 4, 5});
  const auto refuse = [&](const sx::ConvOptions& options, const std::string& argument,
                          const std::string& found, const std::string& allowed) {
    expect_refused([&] { sx::conv2d(exec, x, w, sx::no_bias, y, options); }, argument, found,
                   allowed);
  };
  sx::conv2d(exec, x, w, sx::no_bias, y, {.groups = 2});
  refuse({}, "w", "(6, 2, 3, 3)", "6 results by 4 channels");
  refuse({.groups = 3}, "groups", "3 does not divide 4 channels", "divides both");
  refuse({.groups = 0}, "groups", "0", "1 to 2147483647");
  refuse({.stride = 0, .groups = 2}, "stride", "0", "1 or more");
  refuse({.dilation = {1, -1}, .groups = 2}, "dilation", "-1", "1 or more");
  refuse({.stride = {1, 1, 1}, .groups = 2}, "stride", "3 numbers", "2 dimensions");
  refuse({.padding = -1, .groups = 2}, "padding", "-1", "0 or more");
  refuse({.padding = 6, .padding_kind = sx::PaddingKind::reflect, .groups = 2}, "padding",
         "6 of kind reflect", "at most 5");
  refuse({.padding = 7, .padding_kind = sx::PaddingKind::circular, .groups = 2}, "padding",
         "7 of kind circular", "at most 6");
  refuse({.stride = 2, .padding_size = sx::PaddingSize::same, .groups = 2}, "padding_size",
         "stride of 2", "stride of 1");
  refuse({.dilation = 3, .groups = 2}, "w", "window of 7", "at most 6");
  refuse({.padding = 1, .groups = 2}, "y", "(2, 6, 4, 5)", "(2, 6, 6, 7)");
  const sx::ConvOptions groups{.groups = 2};
  const auto refuse_arrays = [&](const sx::ConvArrays& arrays, const sx::ConvOptions& options,
                                 const std::string& argument, const std::string& found,
                                 const std::string& allowed) {
    expect_refused([&] { sx::convolve_arrays(exec, arrays, options); }, argument, found, allowed);
    expect_refused([&] { (void)sx::choose_conv(exec, arrays, options); }, argument, found, allowed);
  };
  using Op = sx::ConvOperator;
  const sx::Strided bias(values.data(), {5});
  refuse_arrays({Op::forward, 2, x, w, bias, y}, groups, "bias", "(5,)", "(6,)");
  refuse_arrays({Op::forward, 3, x, w, {}, y}, groups, "x", "(2, 4, 6, 7)", "5 dimensions");
  refuse_arrays({Op::forward, 4, x, w, {}, y}, groups, "dimensions", "4", "1, 2 or 3");
  refuse_arrays({Op::forward, 2, {}, w, {}, y}, groups, "x", "none", "4 dimensions");
  const sx::StridedOutput over_x(values.data() + 300, {2, 6, 4, 5});
  refuse_arrays({Op::forward, 2, x, w, {}, over_x}, groups, "y", "overlaps that of x", "apart");
  const sx::StridedOutput itself(results.data(), {2, 6, 4, 5}, {100, 16, 5, 1});
  refuse_arrays({Op::forward, 2, x, w, {}, itself}, groups, "y", "overlap", "place of its own");
  std::vector<std::int16_t> integers(240);
  refuse_arrays({Op::forward, 2, x, w, {}, sx::StridedOutput(integers.data(), {2, 6, 4, 5})},
                groups, "y", "int16", "float");
  const sx::Strided gradient(values.data() + 2000, {2, 6, 4, 4});
  refuse_arrays(
      {Op::grad_input, 2, gradient, w, {}, sx::StridedOutput(results.data(), {2, 4, 6, 7})}, groups,
      "grad_y", "(2, 6, 4, 4)", "(2, 6, 4, 5)");
  refuse_arrays(
      {Op::grad_weights, 2, x, gradient, {}, sx::StridedOutput(results.data(), {6, 2, 3, 3})},
      groups, "grad_y", "(2, 6, 4, 4)", "(2, 6, 4, 5)");
  refuse_arrays({Op::transposed, 2, gradient, w, {}, y}, {.groups = 2, .output_padding = 1},
                "output_padding", "1", "at most 0");
  refuse_arrays({Op::transposed, 2, gradient, w, {}, y},
                {.padding_kind = sx::PaddingKind::circular, .groups = 2}, "padding", "circular",
                "zeros");
  refuse_arrays({Op::grad_bias, 2, gradient, {}, {}, sx::StridedOutput(results.data(), {5})}, {},
                "grad_b", "(5,)", "(6,)");
  refuse_arrays({Op::grad_bias, 2, gradient, x, {}, sx::StridedOutput(results.data(), {6})}, {},
                "second", "(2, 4, 6, 7)", "Leave it out");
  refuse_arrays({Op::grad_input, 2, gradient, w, sx::Strided(values.data(), {6}),
                 sx::StridedOutput(results.data(), {2, 4, 6, 7})},
                groups, "bias", "(6,)", "Leave it out");
  refuse_arrays({Op::grad_weights, 7, x, gradient, {}, y}, groups, "dimensions", "7", "1, 2 or 3");
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  refuse_arrays({Op::forward, 2, x, w, {}, y}, {.dilation = huge, .groups = 2}, "dilation",
                std::to_string(huge), "at most 2147483647");
  refuse_arrays({Op::forward, 2, x, w, {}, y}, {.padding = huge, .groups = 2}, "padding",
                std::to_string(huge), "at most 2147483647");
  EXPECT_THROW(sx::PerDimension({1, 2, 3, 4}), sx::Error);
  EXPECT_THROW((void)sx::flipped(sx::Strided(values.data(), {2, 2})), sx::Error);
  const std::vector<double> scales(7, 2.0);
  refuse_arrays({Op::forward, 2, sx::scaled(x, std::span(scales)), w, {}, y}, groups, "x's scales",
                "7 numbers", "each of the 4 channels");
}

}  // namespace
}  // namespace conv_calls_tests
