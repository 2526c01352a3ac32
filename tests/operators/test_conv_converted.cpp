// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/library.hpp"
#include "oracle/operators.hpp"
#include "oracle/sets.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

// Depthwise convolutions of integers, which are converted a few lines or a channel at a time, and
// those of numbers that are not contiguous: the bits of the same convolution of dense numbers of
// the working type.

namespace conv_converted_tests {
namespace {

namespace sx = synelix;
using Op = sx::ConvOperator;
using Order = sx::ChannelOrder;

/// A depthwise convolution of images of one to three dimensions.
struct Case {
  std::vector<std::int64_t> space;
  std::vector<std::int64_t> taps;
  std::int64_t channels;
  std::int64_t padding;
  sx::PaddingKind kind = sx::PaddingKind::zero;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;

  [[nodiscard]] std::vector<std::int64_t> results() const {
    std::vector<std::int64_t> found;
    for (std::size_t d = 0; d < space.size(); ++d) {
      found.push_back((space[d] + 2 * padding - dilation * (taps[d] - 1) - 1) / stride + 1);
    }
    return found;
  }
};

template <class Types>
class ConvConverted : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  static constexpr std::int64_t batch = 2;

  static std::vector<std::int64_t> image(const std::vector<std::int64_t>& space,
                                         std::int64_t channels, Order order) {
    std::vector<std::int64_t> extents = space;
    extents.insert(order == Order::first ? extents.begin() : extents.end(), channels);
    extents.insert(extents.begin(), batch);
    return extents;
  }
  static std::size_t volume(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    return static_cast<std::size_t>(count);
  }
  /// Strides of an array that has every third value of its memory.
  static std::vector<std::int64_t> apart(const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides(extents.size(), 3);
    for (std::size_t d = extents.size() - 1; d > 0; --d) {
      strides[d - 1] = strides[d] * extents[d];
    }
    return strides;
  }

  /// Integers as bytes, as physical values, and as physical values that are apart.
  struct Array {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;
    std::vector<std::int8_t> stored;
    std::vector<Scalar> physical;
    std::vector<Scalar> spread;

    Array(const std::vector<std::int64_t>& shape, std::mt19937_64& random)
        : extents(shape), strides(apart(shape)) {
      for (std::size_t i = 0; i < volume(shape); ++i) {
        stored.push_back(static_cast<std::int8_t>(oracle::draw(random, -8, 8)));
        physical.push_back(static_cast<Scalar>(stored.back()) / 4);
        spread.insert(spread.end(), {physical.back(), 77, 77});
      }
    }
    [[nodiscard]] sx::Operand bytes() const {
      return sx::scaled(sx::Strided(stored.data(), std::span(extents)), 0.25, 0);
    }
    [[nodiscard]] sx::Operand numbers() const {
      return sx::Strided(physical.data(), std::span(extents));
    }
    [[nodiscard]] sx::Operand numbers_apart() const {
      return sx::Strided(spread.data(), std::span(extents), std::span(strides));
    }
  };

  void expect_same(const Case& test, Order order, const sx::ConvOptions& options,
                   std::mt19937_64& random) {
    const Array x(image(test.space, test.channels, order), random);
    const Array y(image(test.results(), test.channels, order), random);
    std::vector<std::int64_t> w_extents{test.channels, 1};
    w_extents.insert(w_extents.end(), test.taps.begin(), test.taps.end());
    std::vector<Scalar> taps;
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < volume(w_extents); ++i) {
      taps.push_back(static_cast<Scalar>(normal(random)));
    }
    const sx::Operand w = sx::Strided(taps.data(), std::span(w_extents));
    const int dimensions = static_cast<int>(test.space.size());
    const auto run = [&](Op op, const sx::Operand& first, const sx::Operand& second,
                         const std::vector<std::int64_t>& extents) {
      std::vector<Scalar> found(volume(extents), oracle::unwritten<Scalar>);
      sx::ConvArrays arrays{op, dimensions, first, second, {}, {}};
      arrays.result = sx::StridedOutput(found.data(), std::span(extents));
      sx::convolve_arrays(exec, arrays, options);
      return found;
    };
    const auto compare = [](const std::vector<Scalar>& found, const std::vector<Scalar>& expected,
                            const char* what) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(std::memcmp(&found[i], &expected[i], sizeof(Scalar)), 0)
            << what << ", value " << i << ": " << found[i] << ", not " << expected[i];
      }
    };
    const auto result = run(Op::forward, x.numbers(), w, y.extents);
    compare(run(Op::forward, x.bytes(), w, y.extents), result, "bytes");
    compare(run(Op::forward, x.numbers_apart(), w, y.extents), result, "numbers apart");
    // Sums of integers: exact in every order, which depends on the layout.
    const auto gradient = run(Op::grad_weights, x.numbers(), y.numbers(), w_extents);
    compare(run(Op::grad_weights, x.bytes(), y.numbers(), w_extents), gradient, "bytes by weights");
    compare(run(Op::grad_weights, x.numbers(), y.bytes(), w_extents), gradient,
            "by weights, an output gradient of bytes");
    compare(run(Op::grad_weights, x.numbers_apart(), y.bytes(), w_extents), gradient,
            "numbers apart by weights");
  }

  Space exec;
};
TYPED_TEST_SUITE(ConvConverted, oracle::AllSpaces);

TYPED_TEST(ConvConverted, HaveTheBitsOfNumbers) {
  std::mt19937_64 random(83);
  using Kind = sx::PaddingKind;
  const std::vector<Case> cases = {
      {{9, 21}, {3, 3}, 5, 1},
      {{19, 16}, {3, 3}, 37, 1},
      {{33, 7}, {3, 3}, 16, 0},
      {{12, 17}, {3, 3}, 3, 2},
      {{20, 18}, {3, 3}, 21, 1, Kind::circular},
      {{20, 18}, {3, 3}, 21, 1, Kind::reflect},
      {{70, 66}, {3, 3}, 18, 1},
      {{21, 40}, {3, 3}, 4, 2, Kind::zero, 2, 2},
      {{2, 2}, {3, 3}, 4, 1},
      {{5, 9, 20}, {3, 3, 3}, 4, 1},
      {{4, 9, 20}, {1, 3, 3}, 17, 0},
      {{9, 30}, {3, 5}, 6, 1},
      {{300}, {3}, 6, 1},
  };
  for (const auto set : oracle::sets_at_hand()) {
    for (const Case& test : cases) {
      for (const Order order : {Order::first, Order::last}) {
        std::string text = order == Order::first ? "channels first" : "channels last";
        for (const std::int64_t extent : test.space) text += ", " + std::to_string(extent);
        SCOPED_TRACE(text + ", padding " + std::to_string(test.padding));
        sx::ConvOptions options;
        options.channels = order;
        options.groups = test.channels;
        options.padding = test.padding;
        options.padding_kind = test.kind;
        options.stride = test.stride;
        options.dilation = test.dilation;
        options.machine.instruction_set = set;
        this->expect_same(test, order, options, random);
      }
    }
  }
}

}  // namespace
}  // namespace conv_converted_tests
