// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "operators/fft_cases.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_conv.hpp"
#include "oracle/refusals.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// Convolutions by transforms: values that are not finite, errors, and choices.

namespace conv_fft_ends_tests {
namespace {

namespace sx = synelix;
using oracle::draw;
using oracle::expect_refused;
using Op = sx::ConvOperator;

template <class Types>
class ConvFftEnds : public oracle::ConvLines<Types> {};
TYPED_TEST_SUITE(ConvFftEnds, oracle::AllSpaces);

/// x, w and y's gradient of a line whose windows are 40 taps long.
template <class Scalar>
struct Values {
  static constexpr std::int64_t batch = 2, inputs = 2, outputs = 5, in = 700, taps = 40;
  static constexpr std::int64_t padding = 9, out = in + 2 * padding - taps + 1;
  std::vector<Scalar> x = std::vector<Scalar>(batch * inputs * in);
  std::vector<Scalar> w = std::vector<Scalar>(outputs * inputs * taps);
  std::vector<Scalar> y = std::vector<Scalar>(batch * outputs * out);

  Values() {
    std::mt19937_64 random(55);
    for (std::vector<Scalar>* values : {&x, &w, &y}) {
      for (Scalar& value : *values) value = static_cast<Scalar>(draw(random, -8, 8)) / Scalar(8);
    }
  }

  template <class Space>
  std::vector<Scalar> compute(const Space& exec, Op op, sx::ConvMethod method) const {
    const sx::Strided x_array(x.data(), {batch, inputs, in});
    const sx::Strided w_array(w.data(), {outputs, inputs, taps});
    const sx::Strided y_array(y.data(), {batch, outputs, out});
    std::vector<Scalar> result(op == Op::forward        ? y.size()
                               : op == Op::grad_weights ? w.size()
                                                        : x.size(),
                               oracle::unwritten<Scalar>);
    sx::ConvArrays arrays{op, 1, {}, {}, {}, {}};
    arrays.first = op == Op::grad_input ? y_array : x_array;
    arrays.second = op == Op::grad_weights ? y_array : w_array;
    arrays.result = op == Op::forward ? sx::StridedOutput(result.data(), {batch, outputs, out})
                    : op == Op::grad_weights
                        ? sx::StridedOutput(result.data(), {outputs, inputs, taps})
                        : sx::StridedOutput(result.data(), {batch, inputs, in});
    sx::convolve_arrays(exec, arrays, {.padding = padding, .method = method});
    return result;
  }

  /// The results that are not finite are the same as with direct sums; all others agree.
  template <class Space>
  void expect_as_direct(const Space& exec, Op op, double tolerance, bool has_any) const {
    const auto found = compute(exec, op, sx::ConvMethod::fft);
    const auto expected = compute(exec, op, sx::ConvMethod::direct);
    int not_finite = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!std::isfinite(expected[i])) {
        ++not_finite;
        ASSERT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << "at " << i;
        if (std::isnan(found[i])) {
          ASSERT_FALSE(std::signbit(found[i])) << "one NaN, at " << i;
        } else {
          ASSERT_EQ(found[i], expected[i]) << "at " << i;
        }
      } else {
        ASSERT_NEAR(found[i], expected[i], tolerance) << "at " << i;
      }
      ASSERT_FALSE(found[i] == 0 && std::signbit(found[i])) << "-0 at " << i;
    }
    EXPECT_EQ(not_finite > 0, has_any);
    EXPECT_LT(not_finite, static_cast<int>(found.size()));
  }
};

TYPED_TEST(ConvFftEnds, WhatIsNotFiniteReachesWhatSeesIt) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  for (const Scalar value : {nan, infinity, -infinity}) {
    for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
      Values<Scalar> values;
      values.expect_as_direct(exec, op, 1e-3, false);
      if (op != Op::grad_input) {  // the first sample; the first tap never uses it
        values.x[static_cast<std::size_t>(values.in)] = value;
      } else {
        values.y[static_cast<std::size_t>(values.out + 300)] = value;
      }
      values.expect_as_direct(exec, op, 1e-3, true);
    }
  }
}

/// As with direct sums, weights that are not finite are also multiplied with padding.
TYPED_TEST(ConvFftEnds, WeightsThatAreNotFiniteReachTheirResults) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  Values<Scalar> values;
  values.w[3 * 2 * 40 + 7] = std::numeric_limits<Scalar>::quiet_NaN();
  values.expect_as_direct(exec, Op::forward, 1e-3, true);
}

/// Sums that are finite although a transform is not.
TYPED_TEST(ConvFftEnds, LargeNumbersThatOverflowATransformAreSummed) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Scalar large = std::numeric_limits<Scalar>::max() / Scalar(8);
  const Scalar small = 1 / large;
  Values<Scalar> values;
  for (Scalar& x : values.x) x = large;
  for (Scalar& w : values.w) w *= small;
  values.expect_as_direct(exec, Op::forward, 1e-4, false);
}

TYPED_TEST(ConvFftEnds, IsRefusedWhereItDoesNotServe) {
  testing::Test::RecordProperty("launches_nothing", "calls are refused before");
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::vector<Scalar> values(4000, Scalar(1));
  std::vector<Scalar> results(4000, Scalar(1));
  const auto refuse = [&](const sx::ConvArrays& arrays, sx::ConvOptions options,
                          const std::string& found) {
    options.method = sx::ConvMethod::fft;
    expect_refused([&] { sx::convolve_arrays(exec, arrays, options); }, "method", found,
                   "automatic or direct");
    options.method = sx::ConvMethod::automatic;
    EXPECT_EQ(sx::choose_conv(exec, arrays, options).method, sx::ConvMethod::direct);
  };
  const sx::Strided x(values.data(), {1, 1, 100});
  const sx::Strided w(values.data() + 1000, {1, 1, 1});
  refuse({Op::forward,
          2,
          sx::Strided(values.data(), {1, 1, 10, 10}),
          sx::Strided(values.data() + 1000, {1, 1, 1, 1}),
          {},
          sx::StridedOutput(results.data(), {1, 1, 10, 10})},
         {}, "fft does not serve more than one dimension");
  refuse({Op::forward, 1, x, w, {}, sx::StridedOutput(results.data(), {1, 1, 50})}, {.stride = 2},
         "fft does not serve a stride other than 1");
  refuse({Op::grad_bias, 1, x, {}, {}, sx::StridedOutput(results.data(), {1})}, {},
         "fft does not serve a gradient by bias");
  refuse({Op::forward,
          1,
          sx::Strided(values.data(), {0, 1, 100}),
          w,
          {},
          sx::StridedOutput(results.data(), {0, 1, 100})},
         {}, "fft does not serve arrays without values");
}

/// The choice depends only on the problem, and is the method with the shorter predicted time.
TYPED_TEST(ConvFftEnds, LongWindowsAreTransformed) {
  testing::Test::RecordProperty("launches_nothing", "choices are made without running");
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::vector<Scalar> values(200'000);
  std::vector<Scalar> results(8 * 100'000);
  const auto method = [&](std::int64_t taps, const sx::ConvOptions& options) {
    return sx::choose_conv(exec,
                           {Op::forward,
                            1,
                            sx::Strided(values.data(), {1, 1, 100'000}),
                            sx::Strided(values.data(), {8, 1, taps}),
                            {},
                            sx::StridedOutput(results.data(), {1, 8, 100'001 - taps})},
                           options)
        .method;
  };
  EXPECT_EQ(method(1000, {}), sx::ConvMethod::fft);
  EXPECT_EQ(method(1000, {.budget = sx::mebibytes(8)}), sx::ConvMethod::fft);
  EXPECT_EQ(method(1000, {.method = sx::ConvMethod::direct}), sx::ConvMethod::direct);
  EXPECT_EQ(method(5, {}), sx::ConvMethod::direct);
  EXPECT_EQ(method(5, {.method = sx::ConvMethod::fft}), sx::ConvMethod::fft);
  EXPECT_STREQ(sx::name_of(sx::ConvMethod::automatic), "automatic");
  EXPECT_STREQ(sx::name_of(sx::ConvMethod::direct), "direct");
  EXPECT_STREQ(sx::name_of(sx::ConvMethod::fft), "fft");
}

TYPED_TEST(ConvFftEnds, NotANumberAsBiasIsTheOneOfAllResults) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const std::vector<Scalar> x(700, Scalar(1));
  const std::vector<Scalar> w(64, Scalar(1));
  const std::vector<Scalar> bias{-std::numeric_limits<Scalar>::quiet_NaN()};
  for (const auto method : {sx::ConvMethod::direct, sx::ConvMethod::fft}) {
    if (!TestFixture::is_host && method == sx::ConvMethod::fft) continue;  // transforms: on hosts
    std::vector<Scalar> y(637);
    sx::ConvOptions options;
    options.method = method;
    sx::conv1d(exec, sx::Strided(x.data(), {1, 1, 700}), sx::Strided(w.data(), {1, 1, 64}),
               sx::Strided(bias.data(), {1}), sx::StridedOutput(y.data(), {1, 1, 637}), options);
    const std::vector<Scalar> one(y.size(), std::numeric_limits<Scalar>::quiet_NaN());
    EXPECT_TRUE(oracle::same_bits(y, one, {637})) << name_of(method);
  }
}

}  // namespace
}  // namespace conv_fft_ends_tests
