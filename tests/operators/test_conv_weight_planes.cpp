// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/library.hpp"
#include "oracle/operators.hpp"
#include "oracle/products.hpp"
#include "oracle/sets.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Gradients by the weights of depthwise convolutions whose arrays are dense, channels first: lanes
// are positions there. Values are small integers, so that every order of a sum is exact.

namespace conv_weight_planes_tests {
namespace {

namespace sx = synelix;
using oracle::Convolution;
using oracle::draw;
using Op = sx::ConvOperator;

template <class Types>
class ConvWeightPlanes : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;

  static std::vector<double> whole_numbers(std::int64_t count, std::mt19937_64& random) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = static_cast<double>(draw(random, -8, 8));
    return values;
  }

  /// Extents of an image, or of weights, with as many dimensions of space as there are.
  static std::vector<std::int64_t> extents(std::int64_t first, std::int64_t second,
                                           const Convolution::Sizes& space, int dimensions) {
    std::vector<std::int64_t> all{first, second};
    for (int d = 3 - dimensions; d < 3; ++d) all.push_back(space[static_cast<std::size_t>(d)]);
    return all;
  }

  static sx::PerDimension sizes(const Convolution::Sizes& all, int dimensions) {
    if (dimensions == 2) return {all[1], all[2]};
    return {all[0], all[1], all[2]};
  }

  void expect_gradient(const Convolution& conv, sx::InstructionSet set, std::mt19937_64& random) {
    const int dimensions = conv.in[0] > 1 ? 3 : 2;
    const auto x = whole_numbers(conv.batch * conv.inputs * oracle::volume(conv.in), random);
    const auto y = whole_numbers(conv.batch * conv.outputs * oracle::volume(conv.out()), random);
    const std::vector<Scalar> x_stored(x.begin(), x.end());
    const std::vector<Scalar> y_stored(y.begin(), y.end());
    std::vector<Scalar> found(static_cast<std::size_t>(conv.outputs * oracle::volume(conv.taps)),
                              oracle::unwritten<Scalar>);
    sx::ConvArrays arrays{Op::grad_weights, dimensions, {}, {}, {}, {}};
    arrays.first =
        sx::Strided(x_stored.data(), extents(conv.batch, conv.inputs, conv.in, dimensions));
    arrays.second =
        sx::Strided(y_stored.data(), extents(conv.batch, conv.outputs, conv.out(), dimensions));
    arrays.result =
        sx::StridedOutput(found.data(), extents(conv.outputs, 1, conv.taps, dimensions));
    sx::ConvOptions options;
    options.stride = sizes(conv.stride, dimensions);
    options.dilation = sizes(conv.dilation, dimensions);
    options.padding = sizes(conv.before, dimensions);
    options.padding_after = sizes(conv.after, dimensions);
    options.padding_kind = conv.kind;
    options.groups = conv.groups;
    options.machine.instruction_set = set;
    sx::convolve_arrays(exec, arrays, options);
    const oracle::Sums expected = oracle::gradient_by_weights(conv, x, y);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(static_cast<double>(found[i]), expected.values[i]) << "weight " << i;
    }
  }

  Space exec;
};
TYPED_TEST_SUITE(ConvWeightPlanes, oracle::AllSpaces);

Convolution depthwise(std::int64_t channels, Convolution conv) {
  conv.groups = conv.inputs = conv.outputs = channels;
  return conv;
}

TYPED_TEST(ConvWeightPlanes, AreTheObviousLoops) {
  std::mt19937_64 random(71);
  for (const auto set : oracle::sets_at_hand()) {
    for (const std::int64_t width : {1, 3, 15, 16, 17, 33, 50}) {
      for (const std::int64_t padding : {0, 1, 2}) {
        if (width + 2 * padding < 3) continue;
        SCOPED_TRACE("width " + std::to_string(width) + ", padding " + std::to_string(padding));
        this->expect_gradient(depthwise(5, {.batch = 2,
                                            .in = {1, 7, width},
                                            .taps = {1, 3, 3},
                                            .before = {0, 1, padding},
                                            .after = {0, 1, padding}}),
                              set, random);
      }
    }
    // Rows that are circular, and rows of a stride and a dilation.
    this->expect_gradient(depthwise(4, {.batch = 2,
                                        .in = {1, 9, 21},
                                        .taps = {1, 3, 3},
                                        .before = {0, 1, 0},
                                        .after = {0, 1, 0},
                                        .kind = sx::PaddingKind::circular}),
                          set, random);
    this->expect_gradient(depthwise(3, {.in = {1, 19, 37},
                                        .taps = {1, 3, 3},
                                        .stride = {1, 2, 1},
                                        .dilation = {1, 2, 1},
                                        .before = {0, 0, 1},
                                        .after = {0, 0, 1}}),
                          set, random);
    // Three dimensions, with planes of taps that are outside.
    this->expect_gradient(depthwise(6, {.batch = 2,
                                        .in = {4, 6, 23},
                                        .taps = {3, 3, 3},
                                        .before = {1, 1, 1},
                                        .after = {1, 1, 1}}),
                          set, random);
    // More positions than a box and a slice have, and more channels than a panel.
    this->expect_gradient(depthwise(37, {.batch = 9,
                                         .in = {1, 40, 70},
                                         .taps = {1, 3, 3},
                                         .before = {0, 1, 1},
                                         .after = {0, 1, 1}}),
                          set, random);
  }
}

}  // namespace
}  // namespace conv_weight_planes_tests
