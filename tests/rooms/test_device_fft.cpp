// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/convolution.hpp"
#include "oracle/matchers.hpp"
#include "plan/bound_stages.hpp"
#include "plan/rows.hpp"
#include "rooms/mock_team.hpp"
#include "rooms/spectral_reference.hpp"
#include "sweep/device_bank.hpp"
#include "sweep/device_fft.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// The FFT method of devices on the mock team: values against the oracle, bits over random orders of
// virtual items and however the work is cut, and what a missing barrier does.

namespace {

using namespace synelix;
using oracle::agree;
using oracle::same_bits;

/// How a sweep is cut.
struct Cut {
  std::int64_t strips = 2;
  std::int64_t channels = 3;
  std::int64_t bases = 5;
  std::int64_t lanes = 2;
  std::int64_t teams = 2;
  std::int64_t blocks = 4;  ///< of a strip, with parts
};

/// What a sweep is built from. Sizes are odd, so that no group is full; the epochs are longer than
/// a block, shorter than the window, and in between.
template <class Scalar>
struct FftBench {
  oracle::Problem problem{.samples = 1303,
                          .channels = 5,
                          .window = 37,
                          .bases = 3,
                          .x = {},
                          .taps = {},
                          .epochs = {{2, 1120}, {1121, 1140}, {1143, 1300}}};
  ConvolveOptions options;
  std::int64_t points = 256;
  std::int64_t parts = 1;
  bool is_sample_fastest = false;
  std::vector<float> samples;  ///< (t, c)
  std::vector<std::int16_t> stored;
  std::vector<Scalar> taps;
  std::vector<std::int64_t> begins{0};
  std::vector<std::int64_t> event_samples;
  std::vector<float> event_counts;
  plan::RowTable rows;
  std::vector<Scalar> features;
  std::vector<std::byte> memory;
  std::int64_t barriers = 0;

  FftBench() {
    std::mt19937_64 random(23);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < problem.window * problem.bases; ++i) {
      taps.push_back(static_cast<Scalar>(normal(random)));
      problem.taps.push_back(taps.back());
    }
    for (std::int64_t i = 0; i < problem.samples * problem.channels; ++i) {
      samples.push_back(static_cast<float>(normal(random)));
    }
  }

  void make_rows() {
    SeriesShape shape;
    shape.samples = problem.samples;
    shape.channels = problem.channels;
    shape.epochs = problem.epochs;
    options.every = problem.every;
    rows = plan::make_rows(shape, problem.window, options);
    problem.x.assign(samples.begin(), samples.end());
    features.assign(static_cast<std::size_t>(rows.rows * problem.channels * problem.bases),
                    Scalar(-1));
  }
  void make_events() {
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t t = 0; t < problem.samples; ++t) {
        float& sample = samples[static_cast<std::size_t>(t * problem.channels + c)];
        sample = (t * 7 + c * 3) % 11 == 0 ? static_cast<float>(1 + t % 3) : 0.0F;
        if (sample == 0.0F) continue;
        event_samples.push_back(t);
        event_counts.push_back(sample);
      }
      begins.push_back(static_cast<std::int64_t>(event_samples.size()));
    }
  }
  float& sample(std::int64_t t, std::int64_t c) {
    return samples[static_cast<std::size_t>(t * problem.channels + c)];
  }

  [[nodiscard]] std::vector<std::int64_t> extents() const {
    return {rows.rows, problem.channels, problem.bases};
  }
  [[nodiscard]] double tolerance() const {
    return oracle::rounding_of_blocks<Scalar>(problem, 2 * points);
  }
  [[nodiscard]] spectral::StageSizes sizes(std::int64_t lanes) const {
    spectral::StageSizes result;
    result.scalar_bytes = sizeof(Scalar);
    result.points = points;
    result.lanes = lanes;
    result.parts = parts;
    result.part_taps =
        parts > 1 ? index::round_up(index::ceil_divide(problem.window, parts), problem.every)
                  : problem.window;
    result.block_rows = parts > 1 ? result.part_taps / problem.every
                                  : (2 * points - problem.window) / problem.every + 1;
    return result;
  }
  [[nodiscard]] pack::ArraySource array() const {
    pack::ArraySource source;
    source.data = samples.data();
    source.sample_stride = problem.channels;
    source.channels.append(problem.channels, 1);
    return source;
  }

  /// The features (r, c, b) after a run on the mock team.
  template <class Source>
  std::vector<Scalar> run(const Source& source, const Cut& cut, std::uint64_t seed,
                          std::int64_t ignored = -1) {
    const spectral::StageSizes of_team = sizes(cut.lanes);
    const auto scratch = static_cast<std::size_t>(spectral::stage_scratch_bytes(of_team));
    const plan::BoundStages<Scalar, Kokkos::HostSpace> bound(Kokkos::DefaultHostExecutionSpace(),
                                                             of_team, problem.bases);
    rooms::run_on_mock(sweep::DeviceSpectraOfBank<Scalar>{bound.bank_alone(),
                                                          taps.data(),
                                                          problem.window,
                                                          problem.bases,
                                                          {nullptr, 0, cut.teams}},
                       static_cast<int>(cut.teams), seed, -1, scratch);
    const auto sweep_with = [&]<bool has_parts>() {
      sweep::DeviceFftSweep<Scalar, Source, has_parts> functor{};
      fill(functor, source, cut, of_team.block_rows * (has_parts ? cut.blocks : 1));
      functor.bank = bound.bank();
      functor.workspace.bytes = index::round_up(spectral::stage_ring_bytes(of_team), 64);
      memory.assign(static_cast<std::size_t>(functor.workspace.bytes * cut.teams) + 64,
                    std::byte{0x7f});
      const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
      functor.workspace.data = memory.data() + (64 - address % 64) % 64;
      std::fill(features.begin(), features.end(), Scalar(-1));
      barriers = rooms::run_on_mock(functor, static_cast<int>(cut.teams), seed, ignored, scratch);
    };
    if (parts > 1) {
      sweep_with.template operator()<true>();
    } else {
      sweep_with.template operator()<false>();
    }
    return in_order();
  }

 private:
  template <class Functor, class Source>
  void fill(Functor& functor, const Source& source, const Cut& cut, std::int64_t strip_rows) {
    functor.source = source;
    functor.grid.strips = {0, plan::number_strips(rows, strip_rows)};
    functor.grid.channels = {0, problem.channels};
    functor.grid.bases = {0, problem.bases};
    functor.grid.strip_step = cut.strips;
    functor.grid.channel_step = cut.channels;
    functor.grid.basis_step = cut.bases;
    functor.problem.segments = rows.segments.data();
    functor.problem.segment_count = static_cast<std::int64_t>(rows.segments.size());
    functor.problem.taps = taps.data();
    functor.problem.window = problem.window;
    functor.problem.bases = problem.bases;
    functor.problem.lag = rows.lag;
    functor.problem.layout = rows.layout;
    functor.problem.strip_rows = strip_rows;
    functor.features.data = features.data();
    functor.features.rows = {0, rows.rows};
    if (is_sample_fastest) {  // (b, c, r)
      functor.features.row_stride = 1;
      functor.features.channels.append(problem.channels, rows.rows);
      functor.features.basis_stride = problem.channels * rows.rows;
    } else {
      functor.features.row_stride = problem.channels * problem.bases;
      functor.features.channels.append(problem.channels, problem.bases);
      functor.features.basis_stride = 1;
    }
    functor.workspace.teams = cut.teams;
  }
  [[nodiscard]] std::vector<Scalar> in_order() const {
    if (!is_sample_fastest) return features;
    std::vector<Scalar> turned(features.size());
    const auto outputs = static_cast<std::size_t>(problem.channels * problem.bases);
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::size_t row = i / outputs;
      const std::size_t c = i % outputs / static_cast<std::size_t>(problem.bases);
      const std::size_t b = i % static_cast<std::size_t>(problem.bases);
      turned[i] = features[(b * static_cast<std::size_t>(problem.channels) + c) *
                               static_cast<std::size_t>(rows.rows) +
                           row];
    }
    return turned;
  }
};

template <class Scalar>
class DeviceFft : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceFft, Scalars);

/// The spectra of a bank, of all sizes that have stages, and of some of their points.
TYPED_TEST(DeviceFft, SpectraAreThoseOfTheDefinition) {
  for (const std::int64_t points : {256, 1024, 2048, 4096, 8192}) {
    FftBench<TypeParam> bench;
    bench.points = points;
    const plan::BoundStages<TypeParam, Kokkos::HostSpace> bound(
        Kokkos::DefaultHostExecutionSpace(), bench.sizes(1), bench.problem.bases);
    rooms::run_on_mock(sweep::DeviceSpectraOfBank<TypeParam>{bound.bank_alone(),
                                                             bench.taps.data(),
                                                             bench.problem.window,
                                                             bench.problem.bases,
                                                             {nullptr, 0, 2}},
                       2, 5, -1,
                       static_cast<std::size_t>(spectral::stage_scratch_bytes(bench.sizes(1))));
    const auto shape = spectral::shape_of<TypeParam>(points);
    const int radix = shape.radix[shape.passes - 1];
    double worst = 0.0;
    for (std::int64_t b = 0; b < bench.problem.bases; ++b) {
      std::vector<double> block(static_cast<std::size_t>(2 * points));
      for (std::int64_t w = 0; w < bench.problem.window; ++w) {
        block[static_cast<std::size_t>(w)] =
            bench.problem.taps[static_cast<std::size_t>(w * bench.problem.bases + b)];
      }
      for (std::int64_t p = b; p < points; p += 1 + points / 61) {
        const auto expected = rooms::slow_point(shape, block, p);
        const auto& found = bound.bank().kernel(b, 0)[p % radix * (points / radix) + p / radix];
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
                               std::uint64_t orders = 5) {
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
  one_answer(bench, bench.array(), {}, permutations);
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
    one_answer(bench, bench.array(), {1, 2, 1, points > 2048 ? 1 : 2, 2}, 2);
  }
  FftBench<TypeParam> wide;  // a window of nearly the block
  wide.problem.window = 500;
  wide.problem.bases = 1;
  wide.taps.resize(500, TypeParam(0.25));
  wide.problem.taps.assign(wide.taps.begin(), wide.taps.end());
  one_answer(wide, wide.array(), {1, 2, 1, 2, 2}, 2);
}

TYPED_TEST(DeviceFft, RowsOfSomeSamplesAndBorders) {
  for (const std::int64_t every : {2, 3, 50}) {
    for (const Border border : {Border::nan, Border::zero, Border::valid}) {
      SCOPED_TRACE("every " + std::to_string(every));
      FftBench<TypeParam> bench;
      bench.problem.every = every;
      bench.options.border = bench.problem.border = border;
      one_answer(bench, bench.array(), {}, 3);
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
    bench.problem.every = every;
    const auto first = one_answer(bench, bench.array(), {}, 10);
    for (const Cut& cut : {Cut{1, 1, 1, 1, 1, 1}, Cut{3, 5, 2, 4, 3, 9}, Cut{1, 4, 3, 8, 2, 40}}) {
      EXPECT_TRUE(same_bits(bench.run(bench.array(), cut, 7), first, bench.extents()))
          << cut.blocks << " blocks in a strip";
    }
  }
  FftBench<TypeParam> counts;
  counts.parts = 2;
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
  const auto first = one_answer(bench, bench.array(), {1, 2, 1, 2, 2, 2}, 3);
  EXPECT_TRUE(same_bits(bench.run(bench.array(), {1, 1, 1, 1, 1, 3}, 1), first, bench.extents()));
}

/// How many orders show that barrier number `ignored` is missing.
template <class Scalar>
int orders_that_differ(FftBench<Scalar>& bench, const Cut& cut, const std::vector<Scalar>& right,
                       std::int64_t ignored) {
  int differ = 0;
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
    const auto found = bench.run(bench.array(), cut, seed, ignored);
    differ += same_bits(found, right, bench.extents()) ? 0 : 1;
  }
  return differ;
}

/// The last output's barrier and the one behind rows without a value come one after the other where
/// there are no such rows: here one stands in for the other, but threads of a device read between
/// them whether anything is to be mended, which the next block may not change before.
TYPED_TEST(DeviceFft, NeedsEachOfItsBarriers) {
  for (const std::int64_t parts : {1, 2}) {
    FftBench<TypeParam> bench;
    bench.parts = parts;
    bench.points = 1024;  // with a pass in the middle
    bench.problem.channels = parts == 1 ? 3 : 2;
    bench.problem.samples = parts == 1 ? 1303 : 45;
    bench.problem.epochs = {};
    bench.options.border = bench.problem.border = Border::zero;
    const Cut cut{1, 3, 3, 1, 1, 50};
    bench.make_rows();
    const auto right = bench.run(bench.array(), cut, 1);
    const std::int64_t barriers = bench.barriers;
    // A pack: its strips; with parts, a block before them of which nothing comes; then whole
    // blocks.
    const std::int64_t of_block = parts == 1 ? 3 + 3 * 3 + 1 : 1 + 3 + 3 * 4 + 1;
    const std::int64_t ahead = parts == 1 ? 1 : 3;
    const std::int64_t of_pack = ahead + (parts == 1 ? 1 : 3) * of_block;
    ASSERT_EQ(barriers % of_pack, 0);
    for (std::int64_t k = 0; k < barriers; ++k) {
      const std::int64_t place = k % of_pack - ahead;
      const int differ = orders_that_differ(bench, cut, right, k);
      if (place >= 0 && place % of_block >= of_block - 2) {
        EXPECT_EQ(differ, 0) << "barrier " << k << " of " << barriers;
      } else if (place >= 0 || parts == 1) {
        EXPECT_GT(differ, 0) << "barrier " << k << " of " << barriers;
      }
    }
  }
}

/// Only rows that see what is not finite are touched by it.
TYPED_TEST(DeviceFft, NonFiniteSamples) {
  for (const std::int64_t parts : {1, 3}) {
    FftBench<TypeParam> bench;
    bench.parts = parts;
    const auto sound = one_answer(bench, bench.array(), {}, 1);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    bench.sample(300, 1) = std::numeric_limits<float>::quiet_NaN();
    bench.sample(310, 1) = infinity;
    bench.sample(700, 3) = -infinity;
    bench.sample(705, 3) = infinity;
    bench.sample(1200, 4) = infinity;
    bench.sample(1139, 0) = infinity;
    bench.make_rows();
    const std::vector<double> expected = oracle::convolve(bench.problem).values;
    const auto found = one_answer(bench, bench.array());
    EXPECT_TRUE(same_bits(bench.run(bench.array(), {1, 4, 2, 8, 3}, 7), found, bench.extents()));
    int touched = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::isfinite(found[i]) != std::isfinite(sound[i])) {
        ++touched;
      } else if (std::isfinite(found[i]) && expected[i] == static_cast<double>(sound[i])) {
        EXPECT_NEAR(found[i], sound[i], bench.tolerance());
      }
    }
    EXPECT_GT(touched, 3 * 37 * 3);
  }
}

/// Samples that are finite, and a transform that is not.
TYPED_TEST(DeviceFft, Overflow) {
  if (std::is_same_v<TypeParam, double>) GTEST_SKIP() << "samples are float";
  for (const std::int64_t parts : {1, 3}) {
    FftBench<TypeParam> bench;
    bench.parts = parts;
    for (std::int64_t t = 400; t < 500; ++t)
      bench.sample(t, 2) = 3e38F * (t % 2 == 0 ? 1.0F : -1.0F);
    for (TypeParam& tap : bench.taps) tap *= TypeParam(1e-3);
    bench.problem.taps.assign(bench.taps.begin(), bench.taps.end());
    bench.make_rows();
    const auto found = bench.run(bench.array(), {}, 1);
    EXPECT_TRUE(
        agree(found, oracle::convolve(bench.problem).values, bench.extents(), bench.tolerance()));
    EXPECT_TRUE(same_bits(bench.run(bench.array(), {1, 5, 2, 4, 3}, 2), found, bench.extents()));
  }
}

}  // namespace
