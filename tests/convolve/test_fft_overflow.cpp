// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <synelix/convolve.hpp>
#include <synelix/stream.hpp>
#include <synelix/trials.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// Samples close to the largest number. An addition inside a transform may overflow in one row of a
// block where no explicit sum does: rows that are finite by the direct method are finite by fft.

namespace fft_overflow_tests {
namespace {

using namespace oracle;
using namespace synelix;

template <class Types>
class FftOverflow : public testing::Test {};
TYPED_TEST_SUITE(FftOverflow, AllSpaces);

/// A series of one value with two large ones in each channel, and filters that sum them up to no
/// more than nine tenths of the largest number, or beyond it.
template <class Scalar>
struct Recording {
  std::int64_t samples = 64;
  std::int64_t channels = 1;
  std::int64_t window = 40;
  std::int64_t bases = 1;
  std::vector<double> taps = {};
  std::vector<Scalar> x = {};
  std::vector<Events::Train> trains = {};

  void fill(int seed, double share) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> normal;
    double largest = 0.0;
    taps.resize(static_cast<std::size_t>(window * bases));
    for (double& tap : taps) largest = std::max(largest, std::abs(tap = normal(random)));
    const double most = std::numeric_limits<float>::max();  // a count is a float
    const double widest =
        std::is_same_v<Scalar, double> && !has_counts ? std::numeric_limits<double>::max() : most;
    x.assign(static_cast<std::size_t>(samples * channels), Scalar(1));
    for (std::int64_t c = 0; c < channels; ++c) {
      for (int k = 0; k < 2; ++k) {
        const auto t = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(samples));
        const double sign = random() % 2 == 0 ? 1.0 : -1.0;
        x[static_cast<std::size_t>(t * channels + c)] =
            static_cast<Scalar>(share * widest / largest * sign);
      }
    }
    trains.assign(static_cast<std::size_t>(channels), {});
    for (std::int64_t t = 0; has_counts && t < samples; ++t) {
      for (std::size_t c = 0; c < trains.size(); ++c) {
        trains[c].samples.push_back(t);
        trains[c].counts.push_back(
            static_cast<float>(x[static_cast<std::size_t>(t) * trains.size() + c]));
      }
    }
  }
  bool has_counts = false;

  [[nodiscard]] StridedSeries series() const {
    return StridedSeries(Strided(x.data(), {samples, channels}));
  }
  template <class Space>
  [[nodiscard]] FilterBank<Scalar, Space> bank(const Space& exec) const {
    return FilterBank<Scalar, Space>(
        exec, CustomTaps{.window = window, .bases = bases, .taps = taps}, {});
  }
};

ConvolveOptions options_with(Method method, std::int64_t parts = 1) {
  ConvolveOptions options{.border = Border::zero, .method = method};
  if (method == Method::fft) options.fft_parts = parts;
  return options;
}

/// Features as (sample, channel, basis), aligned to 64 bytes: rows of full cache lines are
/// streamed.
template <class Scalar>
struct Output {
  std::vector<Scalar> memory;
  std::int64_t ahead = 0;
  StridedOutput strided;

  template <class Case>
  explicit Output(const Case& test)
      : memory(static_cast<std::size_t>(test.samples * test.channels * test.bases) + 64,
               Scalar(-7)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    ahead = static_cast<std::int64_t>((64 - address % 64) % 64 / sizeof(Scalar));
    strided = StridedOutput(memory.data() + ahead, {test.samples, test.channels, test.bases});
  }
  [[nodiscard]] std::vector<Scalar> values() const {
    return {memory.begin() + ahead, memory.end() - (64 - ahead)};
  }
};

/// Whether all rows that are finite by the direct method are finite and close by fft, and all NaN
/// have the bits of the quiet NaN.
template <class Scalar>
testing::AssertionResult keeps_finite_rows(const std::vector<Scalar>& by_fft,
                                           const std::vector<Scalar>& by_direct) {
  using Bits = std::conditional_t<std::is_same_v<Scalar, float>, std::uint32_t, std::uint64_t>;
  const Scalar quiet = std::numeric_limits<Scalar>::quiet_NaN();
  const Scalar close = Scalar(1e-4) * std::numeric_limits<Scalar>::max();
  for (std::size_t i = 0; i < by_direct.size(); ++i) {
    const Scalar found = by_fft[i];
    if (std::isfinite(by_direct[i]) && !(std::abs(found - by_direct[i]) <= close)) {
      return testing::AssertionFailure()
             << "value " << i << ": " << found << " by fft, " << by_direct[i] << " by direct";
    }
    if (std::isnan(found) && std::bit_cast<Bits>(found) != std::bit_cast<Bits>(quiet)) {
      return testing::AssertionFailure()
             << "value " << i << ": NaN of other bits, " << std::bit_cast<Bits>(found);
    }
  }
  return testing::AssertionSuccess();
}

/// Runs `call(recording, options)`, which returns features, by both methods over many recordings.
template <class Scalar, class Call>
void expect_kept(Recording<Scalar> recording, const std::vector<std::int64_t>& parts, int usual,
                 const Call& call) {
  const auto seeds = static_cast<int>(drawn_cases(static_cast<std::uint64_t>(usual)));
  // Sums that stay in range, whose transforms do not; and sums that leave it.
  for (const double share : {0.9, 0.3, 0.1, 2.0, 1e3}) {
    for (int seed = 0; seed < seeds; ++seed) {
      recording.fill(seed, std::min(share, 0.999));
      if (share > 1.0) {
        for (double& tap : recording.taps) tap *= share;
      }
      const auto by_direct = call(recording, options_with(Method::direct));
      for (const std::int64_t number : parts) {
        const auto by_fft = call(recording, options_with(Method::fft, number));
        ASSERT_TRUE(keeps_finite_rows(by_fft, by_direct))
            << recording.channels << " channels, " << recording.bases << " bases, " << number
            << " parts, share " << share << ", seed " << seed;
      }
    }
  }
}

TYPED_TEST(FftOverflow, InOneRowOfABlockLosesNoOther) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const auto call = [&](const Recording<Scalar>& recording, const ConvolveOptions& options) {
    Output<Scalar> output(recording);
    convolve(exec, recording.series(), recording.bank(exec), output.strided, options);
    return output.values();
  };
  OneIn taken(5);
  for (const std::int64_t channels : {1, 4, 16, 5}) {
    for (const std::int64_t bases : {1, 4, 3}) {
      if (!taken.is_next()) continue;
      Recording<Scalar> recording{.channels = channels, .bases = bases};
      expect_kept(recording, {1}, 25, call);
    }
  }
}

TYPED_TEST(FftOverflow, InOneRowOfABlockWithAWindowInParts) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const auto call = [&](const Recording<Scalar>& recording, const ConvolveOptions& options) {
    Output<Scalar> output(recording);
    convolve(exec, recording.series(), recording.bank(exec), output.strided, options);
    return output.values();
  };
  Recording<Scalar> recording{.samples = 300, .window = 60};
  expect_kept(recording, {2, 5, 12}, 40, call);
  recording.channels = 3;
  recording.bases = 16;
  expect_kept(recording, {2, 5}, 10, call);
}

TYPED_TEST(FftOverflow, OfEvents) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const auto call = [&](const Recording<Scalar>& recording, const ConvolveOptions& options) {
    Output<Scalar> output(recording);
    convolve(exec, Events(recording.samples, recording.trains), recording.bank(exec),
             output.strided, options);
    return output.values();
  };
  Recording<Scalar> recording{.channels = 2};
  recording.has_counts = true;
  expect_kept(recording, {1, 3}, 25, call);
}

TYPED_TEST(FftOverflow, OfTrials) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const auto call = [&](const Recording<Scalar>& recording, const ConvolveOptions& options) {
    const std::vector<StridedSeries> trials(3, recording.series());
    std::vector<Output<Scalar>> outputs(trials.size(), Output<Scalar>(recording));
    std::vector<StridedOutput> strided;
    std::vector<Scalar> values;
    for (Output<Scalar>& output : outputs) {
      output = Output<Scalar>(recording);
      strided.push_back(output.strided);
    }
    convolve(exec, trials, recording.bank(exec), strided, options);
    for (const Output<Scalar>& output : outputs) {
      const std::vector<Scalar> own = output.values();
      values.insert(values.end(), own.begin(), own.end());
    }
    return values;
  };
  expect_kept(Recording<Scalar>{.channels = 2}, {1, 3}, 15, call);
}

/// A stream requests parts of blocks: it makes the same decisions as for complete blocks, and so
/// has the same bits.
TYPED_TEST(FftOverflow, OfAStreamHasTheBitsOfTheWhole) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  Recording<Scalar> recording{.samples = 500, .channels = 3, .bases = 4};
  const auto seeds = static_cast<int>(drawn_cases(10));
  for (int seed = 0; seed < seeds; ++seed) {
    recording.fill(seed, 0.9);
    for (const std::int64_t parts : {1, 3}) {
      Output<Scalar> whole(recording);
      Output<Scalar> streamed(recording);
      ConvolveOptions options = options_with(Method::fft, parts);
      convolve(exec, recording.series(), recording.bank(exec), whole.strided, options);
      const StridedSeries series = recording.series();
      MemorySource source(series);
      MemorySink sink(streamed.strided);
      options.batch = {.samples = 130, .channels = 2, .bases = 3};
      stream_convolve(exec, source, recording.bank(exec), sink, options);
      ASSERT_TRUE(same_bits(streamed.values(), whole.values(), {500, 3, 4}))
          << parts << " parts, seed " << seed;
    }
  }
}

}  // namespace
}  // namespace fft_overflow_tests
