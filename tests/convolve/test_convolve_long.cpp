// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <synelix/convolve.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

// Series long enough for full tiles of full packs of lanes: banks that are stored while the next
// tile is computed, packs that are rows of the source, and the remainders on each side of them.

namespace convolve_long_tests {
namespace {

using namespace synelix;
using oracle::AllSpaces;
using oracle::same_bits;

template <class Types>
class ConvolveLong : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;

  /// A bank whose filters have a third of the window each.
  static std::vector<double> trimmed_taps(std::int64_t window, std::int64_t bases) {
    std::vector<double> taps(static_cast<std::size_t>(window * bases));
    const std::int64_t support = window / 3 + 1;
    for (std::int64_t b = 0; b < bases; ++b) {
      const std::int64_t first = bases > 1 ? (window - support) * b / (bases - 1) : 0;
      for (std::int64_t w = first; w < first + support; ++w) {
        taps[static_cast<std::size_t>(w * bases + b)] = 1.0 / static_cast<double>(1 + w + b);
      }
    }
    return taps;
  }

  /// samples x channels as (sample, channel), one of them not a number.
  static std::vector<Scalar> samples_of(std::int64_t samples, std::int64_t channels) {
    std::mt19937_64 random(static_cast<std::uint64_t>(channels));
    std::normal_distribution<double> normal;
    std::vector<Scalar> x(static_cast<std::size_t>(samples * channels));
    for (Scalar& value : x) value = static_cast<Scalar>(normal(random));
    x[x.size() / 2] = std::numeric_limits<Scalar>::quiet_NaN();
    return x;
  }

  std::vector<Scalar> features(const Strided& x, const FilterBank<Scalar, Space>& bank,
                               int sample_axis, const ConvolveOptions& options) {
    const StridedSeries series(x, {.sample_axis = sample_axis, .epochs = {}});
    const std::int64_t rows = feature_rows(series.shape(), bank.window(), options);
    const auto channels = x.extents[static_cast<std::size_t>(1 - sample_axis)];
    std::vector<Scalar> y(static_cast<std::size_t>(rows * channels * bank.bases()), Scalar(-7));
    std::vector<std::int64_t> extents{rows, channels, bank.bases()};
    std::vector<std::int64_t> strides{channels * bank.bases(), bank.bases(), 1};
    if (sample_axis == 1) {
      std::swap(extents[0], extents[1]);
      std::swap(strides[0], strides[1]);
    }
    convolve(exec, series, bank, StridedOutput(y.data(), extents, strides), options);
    return y;
  }

  Space exec;
};
TYPED_TEST_SUITE(ConvolveLong, AllSpaces);

/// All divisions of the work, and samples stored as (channel, sample), give the same bits, and the
/// values of the oracle.
TYPED_TEST(ConvolveLong, HasTheSameBitsByAllCutsAndFromBothOrders) {
  using Scalar = typename TypeParam::scalar;
  constexpr std::int64_t samples = 3000;
  constexpr std::int64_t window = 41;
  oracle::OneIn taken(7);
  for (const std::int64_t channels : {1, 3, 16, 20, 40}) {
    const std::vector<Scalar> x = this->samples_of(samples, channels);
    std::vector<Scalar> turned(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto t = static_cast<std::int64_t>(i) / channels;
      const auto c = static_cast<std::int64_t>(i) % channels;
      turned[static_cast<std::size_t>(c * samples + t)] = x[i];
    }
    for (const std::int64_t bases : {1, 2, 4, 7, 8, 12}) {
      if (!taken.is_next()) continue;
      const std::vector<double> taps = this->trimmed_taps(window, bases);
      const FilterBank<Scalar, typename TypeParam::space> bank(this->exec,
                                                               CustomTaps{window, bases, taps}, {});
      ConvolveOptions options{
          .shift = Shift::off, .border = Border::zero, .method = Method::direct};
      const std::vector<Scalar> whole =
          this->features(Strided(x.data(), {samples, channels}), bank, 0, options);
      const std::vector<std::int64_t> extents{samples, channels, bases};
      EXPECT_TRUE(
          same_bits(this->features(Strided(turned.data(), {channels, samples}), bank, 1, options),
                    whole, extents))
          << channels << " channels, " << bases << " bases, (channel, sample)";
      options.batch = {.samples = 500, .channels = 7, .bases = 3};
      EXPECT_TRUE(same_bits(
          this->features(Strided(x.data(), {samples, channels}), bank, 0, options), whole, extents))
          << channels << " channels, " << bases << " bases, in batches";

      oracle::Problem problem{.samples = samples,
                              .channels = channels,
                              .window = window,
                              .bases = bases,
                              .x = {x.begin(), x.end()},
                              .taps = taps,
                              .epochs = {}};
      problem.border = Border::zero;
      problem.shift = Shift::off;
      EXPECT_TRUE(oracle::agree(whole, oracle::convolve(problem).values, extents,
                                oracle::rounding<Scalar>(problem)))
          << channels << " channels, " << bases << " bases";
    }
  }
}

}  // namespace
}  // namespace convolve_long_tests
