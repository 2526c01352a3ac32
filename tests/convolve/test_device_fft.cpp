// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/fft_bench.hpp"
#include "ground/spectral_reference.hpp"
#include "oracle/convolution.hpp"
#include "oracle/matchers.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// The FFT method of devices on the mock team: values against the oracle, bits over random orders of
// virtual items and however the work is cut. test_device_fft_barriers.cpp takes away barriers.

namespace device_fft_tests {
namespace {

using namespace synelix;
using ground::Cut;
using ground::FftBench;
using oracle::agree;
using oracle::same_bits;

template <class Scalar>
class DeviceFft : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceFft, Scalars);

/// The spectra of a bank, of all sizes that have stages, and of some of their points.
TYPED_TEST(DeviceFft, SpectraAreThoseOfTheDefinition) {
  for (const std::int64_t points : {256, 1024, 2048, 4096, 8192}) {
    FftBench<TypeParam> bench;
    bench.points = points;
    const plan::DeviceFftTables<TypeParam, Kokkos::HostSpace> bound(
        Kokkos::DefaultHostExecutionSpace(), bench.sizes(1), bench.problem.bases);
    ground::run_on_mock(sweep::DeviceSpectraOfBank<TypeParam>{bound.bank_alone(),
                                                              bench.taps.data(),
                                                              bench.problem.window,
                                                              bench.problem.bases,
                                                              {nullptr, 0, 2}},
                        2, 5, -1,
                        static_cast<std::size_t>(spectral::stage_scratch_bytes(bench.sizes(1))));
    const auto shape = spectral::shape_of<TypeParam>(points);
    const ground::SlowTransform<TypeParam> slow(shape);
    const int radix = shape.radix[shape.passes - 1];
    double worst = 0.0;
    for (std::int64_t b = 0; b < bench.problem.bases; ++b) {
      std::vector<double> block(static_cast<std::size_t>(2 * points));
      for (std::int64_t w = 0; w < bench.problem.window; ++w) {
        block[static_cast<std::size_t>(w)] =
            bench.problem.taps[static_cast<std::size_t>(w * bench.problem.bases + b)];
      }
      for (std::int64_t p = b; p < points; p += 1 + points / 61) {
        const auto expected = slow.point(block, p);
        const auto place = spectral::spectrum_place(static_cast<std::int32_t>(p % radix),
                                                    static_cast<std::int32_t>(p / radix),
                                                    static_cast<std::int32_t>(points / radix));
        const auto& found = bound.bank().kernel(b, 0)[place];
        const std::complex<double> as_double(found.re, found.im);
        worst = std::max(worst, std::abs(as_double * static_cast<double>(points) - expected));
      }
    }
    EXPECT_LT(worst, 1e2 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()))
        << points << " points";
    EXPECT_GT(worst, 0.0) << points << " points";
  }
}

constexpr std::uint64_t permutations = 50;

/// The answer, which agrees with the oracle and has the same bits in any order.
template <class Scalar, class Source>
std::vector<Scalar> one_answer(FftBench<Scalar>& bench, const Source& source, const Cut& cut = {},
                               std::uint64_t orders = permutations) {
  bench.make_rows();
  const std::vector<Scalar> first = bench.run(source, cut, 1);
  EXPECT_TRUE(
      agree(first, oracle::convolve(bench.problem).values, bench.extents(), bench.tolerance()));
  for (std::uint64_t seed = 2; seed <= orders; ++seed) {
    const auto result = same_bits(bench.run(source, cut, seed), first, bench.extents());
    EXPECT_TRUE(result) << "order " << seed;
    if (!result) break;
  }
  return first;
}

TYPED_TEST(DeviceFft, HasOneAnswerInAnyOrder) {
  FftBench<TypeParam> bench;
  one_answer(bench, bench.array());
}

TYPED_TEST(DeviceFft, HasOneAnswerHoweverItIsCut) {
  FftBench<TypeParam> bench;
  const auto first = one_answer(bench, bench.array());
  for (const Cut& cut : {Cut{1, 1, 1, 1, 1}, Cut{3, 5, 2, 4, 3}, Cut{1, 4, 3, 8, 2},
                         Cut{7, 2, 3, 16, 5}, Cut{2, 5, 3, 1, 40}}) {
    EXPECT_TRUE(same_bits(bench.run(bench.array(), cut, 7), first, bench.extents()))
        << cut.strips << " strips, " << cut.lanes << " lanes, " << cut.teams << " teams";
  }
  bench.is_sample_fastest = true;
  EXPECT_TRUE(same_bits(bench.run(bench.array(), {}, 3), first, bench.extents()));
}

TYPED_TEST(DeviceFft, TakesLongerBlocksAndWindows) {
  for (const std::int64_t points : {1024, 2048, 4096, 8192}) {
    SCOPED_TRACE(std::to_string(points) + " points");
    FftBench<TypeParam> bench;
    bench.points = points;
    bench.problem.channels = 2;
    bench.problem.samples = 3251;
    bench.problem.epochs = {{1, 3000}, {3010, 3200}};
    bench.problem.bases = 1;
    one_answer(bench, bench.array(), {1, 2, 1, points > 2048 ? 1 : 2, 2});
  }
  FftBench<TypeParam> wide;  // a window of nearly the block
  wide.problem.window = 500;
  wide.problem.bases = 1;
  wide.taps.resize(500, TypeParam(0.25));
  wide.problem.taps.assign(wide.taps.begin(), wide.taps.end());
  one_answer(wide, wide.array(), {1, 2, 1, 2, 2});
}

TYPED_TEST(DeviceFft, RowsOfSomeSamplesAndBorders) {
  for (const std::int64_t every : {2, 3, 50}) {
    for (const Border border : {Border::nan, Border::zero, Border::valid}) {
      SCOPED_TRACE("every " + std::to_string(every));
      FftBench<TypeParam> bench;
      bench.problem.every = every;
      bench.options.border = bench.problem.border = border;
      one_answer(bench, bench.array());
    }
  }
}

TYPED_TEST(DeviceFft, StoredIntegersWithTheirScale) {
  FftBench<TypeParam> bench;
  for (float& sample : bench.samples) {
    bench.stored.push_back(static_cast<std::int16_t>(sample * 100.0F));
    sample = static_cast<float>(0.5 * bench.stored.back() + 3.0);
  }
  pack::ArraySource source = bench.array();
  source.data = bench.stored.data();
  source.type = StoredType::int16;
  source.scale = 0.5;
  source.offset = 3.0;
  one_answer(bench, source);
}

TYPED_TEST(DeviceFft, Events) {
  FftBench<TypeParam> bench;
  bench.make_events();
  const pack::EventSource events{bench.begins.data(), bench.event_samples.data(),
                                 bench.event_counts.data()};
  const auto features = one_answer(bench, events);
  EXPECT_TRUE(same_bits(bench.run(bench.array(), {}, 9), features, bench.extents()));
}

TYPED_TEST(DeviceFft, PartsHaveOneAnswerHoweverTheyAreCut) {
  for (const std::int64_t every : {1, 2}) {
    FftBench<TypeParam> bench;
    bench.parts = 3;
    bench.shorten();
    bench.problem.every = every;
    const auto first = one_answer(bench, bench.array());
    for (const Cut& cut : {Cut{1, 1, 1, 1, 1, 1}, Cut{3, 5, 2, 4, 3, 9}, Cut{1, 4, 3, 8, 2, 40}}) {
      EXPECT_TRUE(same_bits(bench.run(bench.array(), cut, 7), first, bench.extents()))
          << cut.blocks << " blocks in a strip";
    }
  }
  FftBench<TypeParam> counts;
  counts.parts = 2;
  counts.shorten();
  counts.make_events();
  const pack::EventSource events{counts.begins.data(), counts.event_samples.data(),
                                 counts.event_counts.data()};
  one_answer(counts, events);
}

TYPED_TEST(DeviceFft, PartsOfLongWindows) {
  FftBench<TypeParam> bench;
  bench.parts = 3;
  bench.problem.window = 700;
  bench.problem.bases = 1;
  bench.problem.samples = 2000;
  bench.problem.channels = 2;
  bench.problem.epochs = {{0, 1500}, {1500, 1999}};
  bench.taps.resize(700, TypeParam(0.25));
  bench.problem.taps.assign(bench.taps.begin(), bench.taps.end());
  bench.options.border = bench.problem.border = Border::zero;
  const auto first = one_answer(bench, bench.array(), {1, 2, 1, 2, 2, 2});
  EXPECT_TRUE(same_bits(bench.run(bench.array(), {1, 1, 1, 1, 1, 3}, 1), first, bench.extents()));
}

/// Only rows whose windows contain values that are not finite are affected.
template <class Scalar>
void expect_only_windows_spoiled(std::int64_t parts, std::int64_t every) {
  SCOPED_TRACE(std::to_string(parts) + " parts, every " + std::to_string(every));
  FftBench<Scalar> bench;
  bench.parts = parts;
  bench.problem.every = every;
  bench.shorten();
  bench.make_rows();
  const auto sound = bench.run(bench.array(), {}, 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bench.put(150, 1, std::numeric_limits<double>::quiet_NaN());
  bench.put(160, 1, infinity);
  bench.put(200, 2, -infinity);
  bench.put(205, 2, infinity);
  bench.put(430, 2, infinity);
  bench.put(309, 0, infinity);  // the last sample of an epoch
  const auto found = one_answer(bench, bench.array());
  const std::vector<double> expected = oracle::convolve(bench.problem).values;
  EXPECT_TRUE(same_bits(bench.run(bench.array(), {1, 4, 2, 8, 3}, 7), found, bench.extents()));
  std::int64_t touched = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isfinite(found[i]) != std::isfinite(sound[i])) {
      ++touched;
    } else if (std::isfinite(found[i]) && expected[i] == static_cast<double>(sound[i])) {
      EXPECT_NEAR(found[i], sound[i], bench.tolerance());
    }
  }
  EXPECT_GT(touched, 3 * 37 * 3 / every);
}

TYPED_TEST(DeviceFft, NonFiniteSamples) {
  expect_only_windows_spoiled<TypeParam>(1, 1);
  expect_only_windows_spoiled<TypeParam>(1, 3);
}
TYPED_TEST(DeviceFft, NonFiniteSamplesOfParts) {
  expect_only_windows_spoiled<TypeParam>(3, 1);
  expect_only_windows_spoiled<TypeParam>(2, 2);
}

/// The error of each row is within the bound of docs/explanation/accuracy.md for its own window.
template <class Scalar>
testing::AssertionResult is_bounded(const FftBench<Scalar>& bench,
                                    const std::vector<Scalar>& found) {
  const std::vector<double> expected = oracle::convolve(bench.problem).values;
  oracle::Problem ones = bench.problem;
  ones.bases = 1;
  ones.taps.assign(static_cast<std::size_t>(ones.window), 1.0);
  ones.x.assign(ones.x.size(), 1.0);
  const std::vector<double> seen = oracle::convolve(ones).values;  // samples of each window
  ones.x = bench.problem.x;
  for (double& value : ones.x) value *= value;
  const std::vector<double> energies = oracle::convolve(ones).values;
  const auto bases = static_cast<std::size_t>(bench.problem.bases);
  std::vector<double> norms(bases);
  for (std::size_t i = 0; i < bench.problem.taps.size(); ++i) {
    norms[i % bases] += bench.problem.taps[i] * bench.problem.taps[i];
  }
  const double per_norm = static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * 256 *
                          std::log2(2.0 * static_cast<double>(bench.points));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t row = i / bases;  // of a channel
    if (std::isnan(expected[i]) || energies[row] == 0.0) continue;
    const double share = seen[row] / static_cast<double>(bench.problem.window);
    const double bound = per_norm * std::sqrt(energies[row] / share * norms[i % bases]);
    if (!(std::abs(static_cast<double>(found[i]) - expected[i]) <= bound)) {
      return testing::AssertionFailure() << "value " << i << ": " << static_cast<double>(found[i])
                                         << " for " << expected[i] << ", the bound is " << bound;
    }
  }
  return testing::AssertionSuccess();
}

/// Samples of which some are much larger than others: an artifact, a step, a silence.
template <class Scalar>
FftBench<Scalar> uneven_bench(std::int64_t parts, std::int64_t every, Border border) {
  FftBench<Scalar> bench;
  bench.parts = parts;
  bench.problem.every = every;
  bench.options.border = bench.problem.border = border;
  bench.shorten();
  const double large = std::is_same_v<Scalar, float> ? 1e7 : 1e16;
  bench.put(120, 0, 1e3 * large);
  bench.put(345, 0, large);
  for (std::int64_t t = 90; t < 200; ++t) bench.put(t, 1, bench.sample(t, 1) * large);
  for (std::int64_t t = 140; t < 230; ++t) bench.put(t, 2, 0.0);
  bench.put(135, 2, large);
  return bench;
}

TYPED_TEST(DeviceFft, WeakRowsHaveTheErrorOfTheirOwnWindows) {
  for (const std::int64_t parts : {1, 2, 3}) {
    for (const std::int64_t every : {1, 3}) {
      for (const Border border : {Border::nan, Border::zero}) {
        SCOPED_TRACE(std::to_string(parts) + " parts, every " + std::to_string(every));
        auto bench = uneven_bench<TypeParam>(parts, every, border);
        const Cut cut{.blocks = 2};
        const auto found = one_answer(bench, bench.array(), cut, 5);
        EXPECT_TRUE(is_bounded(bench, found));
        EXPECT_EQ(bench.suspect, 1);
        for (const Cut& other : {Cut{1, 1, 1, 1, 1, 1}, Cut{3, 5, 2, 4, 3, 9}}) {
          EXPECT_TRUE(same_bits(bench.run(bench.array(), other, 7), found, bench.extents()));
        }
      }
    }
  }
}

/// A short silence in one channel, anywhere in its block.
TYPED_TEST(DeviceFft, AnySilenceIsSuspect) {
  for (const std::int64_t parts : {1, 2}) {
    for (std::int64_t first = 40; first < 480; first += 55) {
      SCOPED_TRACE(std::to_string(parts) + " parts, from sample " + std::to_string(first));
      FftBench<TypeParam> bench;
      bench.parts = parts;
      bench.problem.channels = 1;
      bench.problem.samples = 600;
      bench.problem.epochs = {};
      bench.samples.resize(600);
      for (std::int64_t t = first; t < first + 80; ++t) bench.sample(t, 0) *= 1e-4F;
      bench.make_rows();
      const auto found = bench.run(bench.array(), {}, 1);
      EXPECT_EQ(bench.suspect, 1);
      EXPECT_TRUE(is_bounded(bench, found));
    }
  }
}

/// Zeros between weak rows are zeros.
TYPED_TEST(DeviceFft, SilenceBetweenWeakRowsIsExact) {
  FftBench<TypeParam> bench;
  bench.shorten();
  for (std::int64_t t = 2; t < 310; ++t) bench.put(t, 0, 0.0);
  bench.put(50, 0, 1e10);
  bench.put(100, 0, 1.0);
  bench.put(180, 0, 1.0);
  const auto found = one_answer(bench, bench.array());
  EXPECT_TRUE(is_bounded(bench, found));
  for (std::int64_t row = 140; row < 180; ++row) {
    const auto at = static_cast<std::size_t>(row * bench.problem.channels * bench.problem.bases);
    EXPECT_EQ(found[at], TypeParam(0)) << "row " << row;
  }
}

/// At the border of an epoch, which the transforms do not check.
TYPED_TEST(DeviceFft, WeakRowsAtBordersAreFoundWithoutSuspicion) {
  FftBench<TypeParam> bench;
  bench.options.border = bench.problem.border = Border::zero;
  for (std::int64_t t = 0; t < 20; ++t) {
    for (std::int64_t c = 0; c < 5; ++c) bench.sample(2 + t, c) *= 1e-4F;
  }
  const auto found = one_answer(bench, bench.array());
  EXPECT_EQ(bench.suspect, 0);
  EXPECT_TRUE(is_bounded(bench, found));
}

/// Usual samples are not checked twice.
TYPED_TEST(DeviceFft, UsualSamplesAreNotSuspect) {
  for (const std::int64_t parts : {1, 2, 3}) {
    FftBench<TypeParam> bench;
    bench.parts = parts;
    bench.problem.window = parts == 1 ? 37 : 400;
    bench.points = 256;
    bench.taps.resize(static_cast<std::size_t>(bench.problem.window * bench.problem.bases),
                      TypeParam(0.25));
    bench.problem.taps.assign(bench.taps.begin(), bench.taps.end());
    const auto is_suspect = [&](auto&& source) {
      bench.make_rows();
      bench.run(source, {}, 1);
      return bench.suspect != 0;
    };
    EXPECT_FALSE(is_suspect(bench.array())) << parts << " parts, noise";
    for (std::int64_t t = 0; t < bench.problem.samples; ++t) {
      const double angle = 0.11 * static_cast<double>(t);
      bench.put(t, 0, 3.0 * std::sin(angle));                      // a rhythm
      bench.put(t, 1, 5.0);                                        // an offset
      bench.put(t, 2, std::floor(3.0 * std::sin(angle * angle)));  // counts, with zeros
      bench.put(t, 3, t % 50 == 0 ? 20.0 : bench.sample(t, 4));    // spikes in noise
    }
    EXPECT_FALSE(is_suspect(bench.array())) << parts << " parts, signals";
    for (float& sample : bench.samples) sample = 0.0F;
    EXPECT_FALSE(is_suspect(bench.array())) << parts << " parts, zeros";
    bench.make_events();
    EXPECT_FALSE(is_suspect(pack::EventSource{bench.begins.data(), bench.event_samples.data(),
                                              bench.event_counts.data()}))
        << parts << " parts, events";
  }
}

TYPED_TEST(DeviceFft, WeakRowsOfEvents) {
  for (const std::int64_t parts : {1, 3}) {
    FftBench<TypeParam> bench;
    bench.parts = parts;
    bench.shorten();
    bench.make_events();
    bench.event_counts[40] = 1e10F;
    bench.put(bench.event_samples[40], 0, 1e10F);
    const pack::EventSource events{bench.begins.data(), bench.event_samples.data(),
                                   bench.event_counts.data()};
    const auto found = one_answer(bench, events);
    EXPECT_EQ(bench.suspect, 1);
    EXPECT_TRUE(is_bounded(bench, found));
    EXPECT_TRUE(same_bits(bench.run(bench.array(), {}, 9), found, bench.extents()));
  }
}

/// Sums that underflow are zeros, and no zero has a sign: in rows of complete blocks, of other
/// blocks, and of some samples.
TYPED_TEST(DeviceFft, NoZeroHasASign) {
  for (const std::int64_t every : {1, 3}) {
    SCOPED_TRACE("every " + std::to_string(every));
    FftBench<TypeParam> bench;
    bench.problem.every = every;
    bench.overflow(0, 0, 0);  // in double, samples are
    const double tiny = std::numeric_limits<TypeParam>::denorm_min();
    for (std::int64_t t = 0; t < bench.problem.samples; ++t) {
      for (std::int64_t c = 0; c < bench.problem.channels; ++c) bench.put(t, c, (t % 5 - 2) * tiny);
    }
    bench.make_rows();
    std::int64_t zeros = 0;
    for (const TypeParam value : bench.run(bench.array(), {}, 1)) {
      if (value != TypeParam(0)) continue;
      ++zeros;
      ASSERT_FALSE(std::signbit(value));
    }
    EXPECT_GT(zeros, 0);
  }
}

/// Finite samples with a transform that is not finite; also next to samples that are not finite.
TYPED_TEST(DeviceFft, Overflow) {
  for (const std::int64_t parts : {1, 3}) {
    SCOPED_TRACE(std::to_string(parts) + " parts");
    FftBench<TypeParam> bench;
    bench.parts = parts;
    bench.shorten();
    bench.weaken_taps();
    bench.overflow(100, 200, 2);
    bench.overflow(350, 450, 1);
    bench.put(400, 1, std::numeric_limits<double>::infinity());
    const auto found = one_answer(bench, bench.array());
    EXPECT_TRUE(same_bits(bench.run(bench.array(), {1, 5, 2, 4, 3}, 2), found, bench.extents()));
  }
}

/// An addition of the last butterfly may overflow in one row of a block alone.
TYPED_TEST(DeviceFft, OverflowInOneRowIsSeen) {
  const double widest = std::numeric_limits<TypeParam>::max();
  for (const std::int64_t parts : {1, 3}) {
    for (int seed = 0; seed < 25; ++seed) {
      SCOPED_TRACE(std::to_string(parts) + " parts, seed " + std::to_string(seed));
      FftBench<TypeParam> bench;
      bench.parts = parts;
      bench.points = spectral::fewest_stage_points;
      bench.shorten();
      bench.overflow(0, 0, 0);  // in double, samples are
      std::mt19937_64 random(static_cast<std::uint64_t>(seed));
      const double share = 0.9 / (1 + seed % 10);  // some transforms are just about in range
      double largest = 0;
      for (const TypeParam tap : bench.taps) largest = std::max<double>(largest, std::abs(tap));
      for (int k = 0; k < 12; ++k) {  // further apart than a window is long
        const std::int64_t t = k / 3 * 120 + static_cast<std::int64_t>(random() % 60);
        bench.put(t, k % 3, (random() % 2 == 0 ? share : -share) * widest / largest);
      }
      bench.make_rows();
      const auto expected = oracle::convolve(bench.problem).values;  // in double
      const auto found = bench.run(bench.array(), {}, 1);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const bool is_missing = std::isnan(expected[i]);
        if (is_missing) continue;  // each window contains one large sample: its sum is in range
        ASSERT_TRUE(std::isfinite(found[i])) << "value " << i << ": " << expected[i];
      }
    }
  }
}

/// Usual samples, and taps whose transform is not finite: rows are tested for that, too.
TYPED_TEST(DeviceFft, OverflowOfABankIsSeen) {
  const double large = std::numeric_limits<TypeParam>::max() / 20;
  for (const std::int64_t parts : {1, 3}) {
    SCOPED_TRACE(std::to_string(parts) + " parts");
    FftBench<TypeParam> bench;
    bench.parts = parts;
    bench.shorten();
    for (std::size_t i = 0; i < bench.taps.size(); ++i) {
      bench.taps[i] = static_cast<TypeParam>(i / 3 % 2 == 0 ? large : -large);
    }
    bench.problem.taps.assign(bench.taps.begin(), bench.taps.end());
    for (float& sample : bench.samples) sample *= 0.01F;
    bench.make_rows();
    const auto expected = oracle::convolve(bench.problem).values;
    const auto found = bench.run(bench.array(), {}, 1);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::isnan(expected[i])) continue;  // a row without a value
      ASSERT_TRUE(std::isfinite(found[i])) << "value " << i << ": " << expected[i];
    }
  }
}

}  // namespace
}  // namespace device_fft_tests
