// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <synelix/convolve.hpp>
#include <synelix/stream.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// Large values next to small ones: with the FFT method, too, the error of a row is proportional to
// the norm of its own window.

namespace weak_rows_tests {
namespace {

using namespace oracle;
using namespace synelix;

template <class Types>
class WeakRows : public testing::Test {};
TYPED_TEST_SUITE(WeakRows, AllSpaces);

/// How the samples of a channel are generated.
enum class Kind : std::uint8_t { outliers, step, counts, scales, silence };
constexpr Kind all_kinds[] = {Kind::outliers, Kind::step, Kind::counts, Kind::scales,
                              Kind::silence};

template <class Scalar>
struct Recording {
  std::int64_t samples = 2500;
  std::int64_t channels = 3;
  std::int64_t window = 100;
  std::int64_t bases = 3;
  std::vector<double> taps = {};
  std::vector<Scalar> x = {};

  [[nodiscard]] Scalar& at(std::int64_t t, std::int64_t c) {
    return x[static_cast<std::size_t>(t * channels + c)];
  }

  void fill(Kind kind, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    const auto below = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    taps.resize(static_cast<std::size_t>(window * bases));
    for (double& tap : taps) tap = normal(random) / std::sqrt(static_cast<double>(window));
    x.assign(static_cast<std::size_t>(samples * channels), Scalar(0));
    const double most = std::is_same_v<Scalar, float> ? 37.0 : 120.0;
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t turn = below(samples);
      const double level = std::pow(10.0, 1.0 + static_cast<double>(below(12)));
      for (std::int64_t t = 0; t < samples; ++t) {
        double value = normal(random);
        if (kind == Kind::step && t >= turn) value *= level;
        if (kind == Kind::counts)
          value = below(window / 2) == 0 ? 1.0 + static_cast<double>(below(3)) : 0.0;
        if (kind == Kind::scales) value *= std::pow(10.0, static_cast<double>(t / window % 9));
        if (kind == Kind::silence && t / (2 * window) % 2 == 1) value = 0.0;
        at(t, c) = static_cast<Scalar>(value);
      }
      const std::int64_t outliers = kind == Kind::step ? 0 : below(5);
      for (std::int64_t k = 0; k < outliers; ++k) {
        const double power = 3.0 + static_cast<double>(below(1000)) / 1000.0 * (most - 3.0);
        at(below(samples), c) = static_cast<Scalar>(normal(random) * std::pow(10.0, power) / 4.0);
      }
    }
  }

  [[nodiscard]] StridedSeries series(Epochs epochs = {}) const {
    return StridedSeries(Strided(x.data(), {samples, channels}), {.epochs = std::move(epochs)});
  }
  template <class Space>
  [[nodiscard]] FilterBank<Scalar, Space> bank(const Space& exec) const {
    return FilterBank<Scalar, Space>(
        exec, CustomTaps{.window = window, .bases = bases, .taps = taps}, {});
  }
  [[nodiscard]] std::vector<std::int64_t> extents() const { return {samples, channels, bases}; }
};

/// Each row against sums in a wider type, within the bound that docs/explanation/accuracy.md
/// states; of causal windows that leave out the present sample, with zeros beyond an epoch.
template <class Scalar>
testing::AssertionResult is_bounded(const Recording<Scalar>& of, const Epochs& epochs,
                                    const std::vector<Scalar>& found, std::int64_t fft_length) {
  using Wide = std::conditional_t<std::is_same_v<Scalar, float>, double, long double>;
  const Wide per_norm = static_cast<Wide>(std::numeric_limits<Scalar>::epsilon()) * 256 *
                        std::log2(static_cast<Wide>(fft_length));
  std::vector<Wide> norms(static_cast<std::size_t>(of.bases));
  std::vector<Wide> rounded;
  for (const double tap : of.taps) rounded.push_back(static_cast<Wide>(static_cast<Scalar>(tap)));
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    norms[i % norms.size()] += rounded[i] * rounded[i];
  }
  for (const Epoch& epoch : epochs) {
    for (std::int64_t c = 0; c < of.channels; ++c) {
      for (std::int64_t t = epoch.begin; t < epoch.end; ++t) {
        const std::int64_t oldest = std::max(epoch.begin, t - of.window);
        Wide energy = 0;
        for (std::int64_t s = oldest; s < t; ++s) {
          const Wide value = of.x[static_cast<std::size_t>(s * of.channels + c)];
          energy += value * value;
        }
        if (energy == 0) continue;  // the weakest row of its block bounds it
        const Wide share = static_cast<Wide>(t - oldest) / static_cast<Wide>(of.window);
        for (std::int64_t b = 0; b < of.bases; ++b) {
          Wide sum = 0;
          for (std::int64_t s = oldest; s < t; ++s) {
            sum += static_cast<Wide>(of.x[static_cast<std::size_t>(s * of.channels + c)]) *
                   rounded[static_cast<std::size_t>((t - 1 - s) * of.bases + b)];
          }
          const auto value = static_cast<Wide>(
              found[static_cast<std::size_t>((t * of.channels + c) * of.bases + b)]);
          const Wide bound =
              per_norm * std::sqrt(energy / share * norms[static_cast<std::size_t>(b)]);
          if (!(std::abs(value - sum) <= bound)) {
            return testing::AssertionFailure()
                   << "row " << t << ", channel " << c << ", basis " << b << ": "
                   << static_cast<double>(value) << " for " << static_cast<double>(sum)
                   << ", the bound is " << static_cast<double>(bound);
          }
        }
      }
    }
  }
  return testing::AssertionSuccess();
}

ConvolveOptions options_with(std::int64_t parts) {
  return {.shift = Shift::on, .border = Border::zero, .method = Method::fft, .fft_parts = parts};
}

std::string name_of(Kind kind, std::int64_t parts, int seed) {
  return "kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(parts) +
         " parts, seed " + std::to_string(seed);
}

TYPED_TEST(WeakRows, HaveTheErrorOfTheirOwnWindows) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  std::mt19937_64 random(41);
  const auto seeds = static_cast<int>(drawn_cases(6));
  for (int seed = 0; seed < seeds; ++seed) {
    for (const Kind kind : all_kinds) {
      Recording<Scalar> recording;
      recording.window = seed % 2 == 0 ? 100 : 37;
      recording.channels = seed % 3 == 0 ? 1 : 5;
      recording.fill(kind, random);
      const Epochs epochs =
          seed % 2 == 0 ? Epochs{{0, recording.samples}} : Epochs{{10, 1200}, {1210, 2400}};
      for (const std::int64_t parts : {1, 2, 5}) {
        const ConvolveOptions options = options_with(parts);
        std::vector<Scalar> found(
            static_cast<std::size_t>(recording.samples * recording.channels * recording.bases));
        const StridedSeries series = recording.series(epochs);
        convolve(exec, series, recording.bank(exec),
                 StridedOutput(found.data(), recording.extents()), options);
        const Choice choice = choose(exec, series, recording.bank(exec), options);
        ASSERT_TRUE(is_bounded(recording, epochs, found, choice.fft_length))
            << name_of(kind, parts, seed);
      }
    }
  }
}

/// A row a few samples after the start of an epoch, and every third row.
TYPED_TEST(WeakRows, OfEveryThirdSampleAreThoseOfAll) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  std::mt19937_64 random(42);
  for (const Kind kind : all_kinds) {
    Recording<Scalar> recording;
    recording.fill(kind, random);
    for (const std::int64_t parts : {1, 3}) {
      ConvolveOptions options = options_with(parts);
      options.every = 3;
      const std::int64_t rows = (recording.samples + 2) / 3;
      std::vector<Scalar> found(
          static_cast<std::size_t>(rows * recording.channels * recording.bases));
      convolve(exec, recording.series(), recording.bank(exec),
               StridedOutput(found.data(), {rows, recording.channels, recording.bases}), options);
      const Choice choice = choose(exec, recording.series(), recording.bank(exec), options);
      std::vector<Scalar> direct(
          static_cast<std::size_t>(recording.samples * recording.channels * recording.bases));
      ConvolveOptions by_sums = options_with(1);
      by_sums.method = Method::direct;
      by_sums.fft_parts.reset();
      convolve(exec, recording.series(), recording.bank(exec),
               StridedOutput(direct.data(), recording.extents()), by_sums);
      const auto values = static_cast<std::size_t>(recording.channels * recording.bases);
      for (std::int64_t r = 0; r < rows; ++r) {
        std::copy_n(
            found.begin() + static_cast<std::ptrdiff_t>(r) * static_cast<std::ptrdiff_t>(values),
            values,
            direct.begin() +
                static_cast<std::ptrdiff_t>(3 * r) * static_cast<std::ptrdiff_t>(values));
      }
      ASSERT_TRUE(is_bounded(recording, {{0, recording.samples}}, direct, choice.fft_length))
          << name_of(kind, parts, 0);
    }
  }
}

/// A run for fewer rows gives the same bits as a run for all.
TYPED_TEST(WeakRows, HaveTheSameBitsByAllCuts) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  std::mt19937_64 random(44);
  const auto seeds = static_cast<int>(drawn_cases(3));
  for (int seed = 0; seed < seeds; ++seed) {
    for (const Kind kind : all_kinds) {
      Recording<Scalar> recording;
      recording.fill(kind, random);
      for (const std::int64_t parts : {1, 3}) {
        std::vector<Scalar> whole(
            static_cast<std::size_t>(recording.samples * recording.channels * recording.bases));
        std::vector<Scalar> cut(whole.size());
        ConvolveOptions options = options_with(parts);
        const FilterBank bank = recording.bank(exec);
        const StridedSeries series = recording.series();
        convolve(exec, series, bank, StridedOutput(whole.data(), recording.extents()), options);
        options.batch = {.samples = 700, .channels = 2, .bases = 2};
        convolve(exec, series, bank, StridedOutput(cut.data(), recording.extents()), options);
        ASSERT_TRUE(same_bits(cut, whole, recording.extents())) << name_of(kind, parts, seed);
        std::fill(cut.begin(), cut.end(), Scalar(0));
        MemorySource source(series);
        MemorySink sink(StridedOutput(cut.data(), recording.extents()));
        stream_convolve(exec, source, bank, sink, options);
        ASSERT_TRUE(same_bits(cut, whole, recording.extents()))
            << name_of(kind, parts, seed) << ", streamed";
      }
    }
  }
}

/// A count is a value, too.
TYPED_TEST(WeakRows, OfEventsHaveTheErrorOfTheirOwnWindows) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  std::mt19937_64 random(45);
  const auto seeds = static_cast<int>(drawn_cases(4));
  for (int seed = 0; seed < seeds; ++seed) {
    Recording<Scalar> recording;
    recording.fill(Kind::counts, random);
    std::vector<Events::Train> trains(static_cast<std::size_t>(recording.channels));
    for (std::int64_t t = 0; t < recording.samples; ++t) {
      for (std::int64_t c = 0; c < recording.channels; ++c) {
        Scalar& value = recording.at(t, c);
        if (!(std::abs(value) < Scalar(1e37))) value = Scalar(1e37);
        value = static_cast<Scalar>(static_cast<float>(value));
        if (value == Scalar(0)) continue;
        trains[static_cast<std::size_t>(c)].samples.push_back(t);
        trains[static_cast<std::size_t>(c)].counts.push_back(static_cast<float>(value));
      }
    }
    for (const std::int64_t parts : {1, 3}) {
      std::vector<Scalar> found(recording.x.size() * static_cast<std::size_t>(recording.bases));
      const Events events(recording.samples, trains);
      const ConvolveOptions options = options_with(parts);
      convolve(exec, events, recording.bank(exec), StridedOutput(found.data(), recording.extents()),
               options);
      const Choice choice = choose(exec, recording.series(), recording.bank(exec), options);
      ASSERT_TRUE(is_bounded(recording, {{0, recording.samples}}, found, choice.fft_length))
          << name_of(Kind::counts, parts, seed);
    }
  }
}

}  // namespace
}  // namespace weak_rows_tests
