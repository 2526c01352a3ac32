// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/refusals.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

// Stored values with a scale and an offset of each channel give the same result as the physical
// values.

namespace conv_scaled_tests {
namespace {

namespace sx = synelix;
using oracle::expect_refused;

template <class Types>
class ConvScaled : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
};
TYPED_TEST_SUITE(ConvScaled, oracle::AllSpaces);

/// An image array of integers, its numbers of each channel, and its physical values.
template <class Scalar>
struct Image {
  std::vector<std::int64_t> extents;
  std::vector<std::int8_t> stored;
  std::vector<double> scale;
  std::vector<double> offset;
  std::vector<Scalar> physical;

  Image(const std::vector<std::int64_t>& shape, sx::ChannelOrder order, std::mt19937_64& random)
      : extents(shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    const std::size_t axis = order == sx::ChannelOrder::first ? 1 : shape.size() - 1;
    std::int64_t behind = 1;  // values from one channel to the next
    for (std::size_t d = axis + 1; d < shape.size(); ++d) behind *= shape[d];
    std::uniform_real_distribution<double> any(-1, 1);
    for (std::int64_t c = 0; c < shape[axis]; ++c) {
      scale.push_back(any(random) / 64);
      offset.push_back(any(random));
    }
    std::uniform_int_distribution<int> integer(-128, 127);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto c = static_cast<std::size_t>(i / behind % shape[axis]);
      stored.push_back(static_cast<std::int8_t>(integer(random)));
      physical.push_back(static_cast<Scalar>(stored.back() * scale[c] + offset[c]));
    }
  }

  [[nodiscard]] sx::Operand by_channel() const {
    // Of a vector the library takes it that a device does not reach it; in a test one does.
    return sx::scaled(sx::Strided(stored.data(), std::span(extents)), std::span(scale),
                      std::span(offset));
  }
  [[nodiscard]] sx::Operand plain() const {
    return sx::Strided(physical.data(), std::span(extents));
  }
};

/// An operator of the stored values and of the physical ones.
template <class Scalar, class Space>
void expect_same(const Space& exec, sx::ConvArrays stored, sx::ConvArrays physical,
                 const std::vector<std::int64_t>& extents, const sx::ConvOptions& options,
                 const std::string& what) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  std::vector<Scalar> found(static_cast<std::size_t>(count), Scalar(77));
  std::vector<Scalar> expected = found;
  stored.result = sx::StridedOutput(found.data(), std::span(extents));
  physical.result = sx::StridedOutput(expected.data(), std::span(extents));
  sx::convolve_arrays(exec, stored, options);
  sx::convolve_arrays(exec, physical, options);
  double most = 1;
  for (const Scalar value : expected) most = std::max(most, std::abs(double(value)));
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], most * (sizeof(Scalar) == 4 ? 2e-5 : 1e-13))
        << what << ", value " << i;
  }
}

struct Case {
  std::vector<std::int64_t> space;
  std::vector<std::int64_t> taps;
  std::int64_t channels;
  std::int64_t results;
  std::int64_t groups;
};

template <class Scalar, class Space>
void expect_all(const Space& exec, const Case& test, sx::ChannelOrder order,
                std::mt19937_64& random) {
  const auto image_extents = [&](std::int64_t channels, bool is_result) {
    std::vector<std::int64_t> extents = test.space;
    for (std::size_t d = 0; is_result && d < extents.size(); ++d) extents[d] -= test.taps[d] - 1;
    extents.insert(extents.begin(), 2);
    extents.insert(order == sx::ChannelOrder::first ? extents.begin() + 1 : extents.end(),
                   channels);
    return extents;
  };
  std::vector<std::int64_t> w_extents{test.results, test.channels / test.groups};
  w_extents.insert(w_extents.end(), test.taps.begin(), test.taps.end());
  std::int64_t weights = 1;
  for (const std::int64_t extent : w_extents) weights *= extent;
  std::vector<Scalar> taps;
  std::uniform_real_distribution<double> any(-1, 1);
  for (std::int64_t i = 0; i < weights; ++i) taps.push_back(static_cast<Scalar>(any(random)));
  const sx::Operand w = sx::Strided(taps.data(), std::span(w_extents));
  const auto x_extents = image_extents(test.channels, false);
  const auto y_extents = image_extents(test.results, true);
  const Image<Scalar> x(x_extents, order, random);
  const Image<Scalar> y(y_extents, order, random);
  const int dimensions = static_cast<int>(test.space.size());
  sx::ConvOptions options;
  options.groups = test.groups;
  options.channels = order;
  const std::string what = std::string(order == sx::ChannelOrder::first ? "first" : "last") +
                           ", groups " + std::to_string(test.groups) + ", operator ";
  using sx::ConvOperator;
  expect_same<Scalar>(exec, {ConvOperator::forward, dimensions, x.by_channel(), w, {}, {}},
                      {ConvOperator::forward, dimensions, x.plain(), w, {}, {}}, y_extents, options,
                      what + "forward");
  expect_same<Scalar>(exec, {ConvOperator::transposed, dimensions, y.by_channel(), w, {}, {}},
                      {ConvOperator::transposed, dimensions, y.plain(), w, {}, {}}, x_extents,
                      options, what + "transposed");
  expect_same<Scalar>(exec, {ConvOperator::grad_input, dimensions, y.by_channel(), w, {}, {}},
                      {ConvOperator::grad_input, dimensions, y.plain(), w, {}, {}}, x_extents,
                      options, what + "grad_input");
  expect_same<Scalar>(
      exec, {ConvOperator::grad_weights, dimensions, x.by_channel(), y.by_channel(), {}, {}},
      {ConvOperator::grad_weights, dimensions, x.plain(), y.plain(), {}, {}}, w_extents, options,
      what + "grad_weights");
  expect_same<Scalar>(exec, {ConvOperator::grad_bias, dimensions, y.by_channel(), {}, {}, {}},
                      {ConvOperator::grad_bias, dimensions, y.plain(), {}, {}, {}}, {test.results},
                      options, what + "grad_bias");
}

TYPED_TEST(ConvScaled, ChannelByChannelIsThePhysicalValues) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(51);
  const Case cases[] = {{{9, 14}, {3, 2}, 6, 10, 2},    // groups of several channels
                        {{8, 40}, {3, 3}, 21, 21, 21},  // depthwise
                        {{900}, {120}, 3, 4, 1},        // long windows
                        {{4, 6, 7}, {2, 3, 2}, 5, 3, 1}};
  for (const Case& test : cases) {
    for (const auto order : {sx::ChannelOrder::first, sx::ChannelOrder::last}) {
      expect_all<Scalar>(exec, test, order, random);
    }
  }
}

/// They are read by each run: a plan uses the current values.
TYPED_TEST(ConvScaled, NumbersAreReadByEachRun) {
  using Scalar = typename TestFixture::Scalar;
  using Space = typename TestFixture::Space;
  const Space exec;
  const std::vector<std::int8_t> stored{1, 2, 3, 4, 5, 6};
  std::vector<double> offset{0, 0};
  const std::vector<Scalar> w{1, 1};
  std::vector<Scalar> y(3);
  const sx::Operand x = sx::scaled(sx::Strided(stored.data(), {1, 2, 3}), 1, std::span(offset));
  const sx::ConvPlan<Scalar, Space> plan(exec, {sx::ConvOperator::forward,
                                                1,
                                                x,
                                                sx::Strided(w.data(), {1, 2, 1}),
                                                {},
                                                sx::StridedOutput(y.data(), {1, 1, 3})});
  plan.run(exec);
  exec.fence();
  EXPECT_EQ(y, (std::vector<Scalar>{5, 7, 9}));
  offset = {100, -3};
  plan.run(exec);
  exec.fence();
  EXPECT_EQ(y, (std::vector<Scalar>{102, 104, 106}));
}

TEST(ConvScaledRefusals, SayWhatIsAllowed) {
  const std::vector<float> values(24);
  const std::vector<double> numbers(3, 1.0);
  const sx::Strided array(values.data(), {2, 3, 4});
  const sx::Operand once = sx::scaled(array, numbers);
  expect_refused([&] { sx::scaled(once, numbers); }, "scaled", "an operand that is scaled already",
                 "stored values");
  const Kokkos::DefaultHostExecutionSpace exec;
  std::vector<float> y(2 * 2 * 1);
  const std::vector<float> image(2 * 3 * 4);
  const sx::StridedOutput result(y.data(), {2, 2, 1});
  expect_refused(
      [&] { sx::conv1d(exec, sx::Strided(image.data(), {2, 3, 4}), once, sx::no_bias, result); },
      "w", "scales and offsets of each channel", "one scale and offset for all values");
}

}  // namespace
}  // namespace conv_scaled_tests
