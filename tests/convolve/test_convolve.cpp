// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/shared.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The convolution of NeMoS: values by hand, positions of NaN, epochs, lengths about the window,
// non-finite samples.

namespace convolve_tests {
namespace {

using namespace synelix;
using oracle::agree;
using oracle::AllSpaces;
using oracle::on_host;
using oracle::same_bits;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Types>
class Convolve : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;

  /// Features (r, c, b) of samples (t, c), by the one-shot call.
  std::vector<Scalar> features(std::vector<double> x, std::int64_t channels, const Taps& taps,
                               const ConvolveOptions& options, Epochs epochs = {}) {
    const FilterBank<Scalar, Space> bank(exec, taps);
    const std::vector<Scalar> samples(x.begin(), x.end());
    const auto count = static_cast<std::int64_t>(samples.size()) / channels;
    const StridedSeries series(Strided(samples.data(), {count, channels}),
                               {.sample_axis = 0, .epochs = std::move(epochs)});
    rows = feature_rows(series.shape(), taps.window, options);
    std::vector<Scalar> result(static_cast<std::size_t>(rows * channels * taps.bases),
                               oracle::unwritten<Scalar>);
    convolve(exec, series, bank, StridedOutput(result.data(), {rows, channels, taps.bases}),
             options);
    return result;
  }

  /// Features of one channel and one filter.
  std::vector<Scalar> line(const std::vector<double>& x, const std::vector<double>& taps,
                           const ConvolveOptions& options, Epochs epochs = {}) {
    const auto window = static_cast<std::int64_t>(taps.size());
    return features(x, 1, evaluate_taps(CustomTaps{window, 1, taps}), options, std::move(epochs));
  }

  /// Rows that are NaN.
  static std::vector<std::int64_t> nan_rows(const std::vector<Scalar>& line) {
    std::vector<std::int64_t> result;
    for (std::size_t r = 0; r < line.size(); ++r) {
      if (std::isnan(line[r])) result.push_back(static_cast<std::int64_t>(r));
    }
    return result;
  }

  void expect_line(const std::vector<Scalar>& found, const std::vector<double>& expected) {
    EXPECT_TRUE(agree(found, expected, {static_cast<std::int64_t>(expected.size())}, 0.0));
  }

  Space exec;
  std::int64_t rows = 0;
};
TYPED_TEST_SUITE(Convolve, AllSpaces);

std::vector<double> counting(std::int64_t n) {
  std::vector<double> x(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

TYPED_TEST(Convolve, GivesTheExampleByHand) {
  const std::vector<double> x = counting(8);
  const std::vector<double> taps{1, 2, 3, 4};
  const auto expect = [&](Causality causality, Shift shift, const std::vector<double>& expected) {
    this->expect_line(this->line(x, taps, {.causality = causality, .shift = shift}), expected);
  };
  expect(Causality::causal, Shift::automatic, {nan, nan, nan, nan, 20, 30, 40, 50});
  expect(Causality::causal, Shift::on, {nan, nan, nan, nan, 20, 30, 40, 50});
  expect(Causality::causal, Shift::off, {nan, nan, nan, 20, 30, 40, 50, 60});
  expect(Causality::anti_causal, Shift::automatic, {30, 40, 50, 60, nan, nan, nan, nan});
  expect(Causality::anti_causal, Shift::off, {20, 30, 40, 50, 60, nan, nan, nan});
  expect(Causality::acausal, Shift::automatic, {nan, 20, 30, 40, 50, 60, nan, nan});
  expect(Causality::acausal, Shift::off, {nan, 20, 30, 40, 50, 60, nan, nan});
}

TYPED_TEST(Convolve, ExtendsByZeroOrKeepsWholeWindows) {
  const std::vector<double> x = counting(8);
  const std::vector<double> taps{1, 2, 3, 4};
  this->expect_line(this->line(x, taps, {.shift = Shift::off, .border = Border::zero}),
                    {1, 4, 10, 20, 30, 40, 50, 60});
  this->expect_line(this->line(x, taps, {.border = Border::zero}), {0, 1, 4, 10, 20, 30, 40, 50});
  this->expect_line(this->line(x, taps, {.border = Border::valid}), {20, 30, 40, 50});
  this->expect_line(this->line(x, taps, {.shift = Shift::off, .border = Border::valid, .every = 2}),
                    {30, 50});
  this->expect_line(this->line(x, taps, {.every = 3}), {nan, nan, 40});
}

TYPED_TEST(Convolve, AnImpulseReadsTheTaps) {
  std::vector<double> x(30, 0.0);
  x[10] = 1.0;
  const std::vector<double> taps{3, 5, 7, 11, 13};
  const auto expect = [&](Causality causality, Shift shift, std::int64_t lag) {
    const auto y = this->line(x, taps, {.causality = causality, .shift = shift});
    for (std::int64_t w = 0; w < 5; ++w) {
      EXPECT_EQ(y[static_cast<std::size_t>(10 - lag + w)], taps[static_cast<std::size_t>(w)])
          << "tap " << w << " of causality " << static_cast<int>(causality);
    }
  };
  expect(Causality::causal, Shift::on, -1);
  expect(Causality::causal, Shift::off, 0);
  expect(Causality::anti_causal, Shift::on, 5);
  expect(Causality::anti_causal, Shift::off, 4);
  expect(Causality::acausal, Shift::automatic, 2);
}

TYPED_TEST(Convolve, PutsNanWhereNemosDoes) {
  const std::vector<double> x = counting(30);
  const auto at = [&](std::int64_t window, Causality causality, Shift shift) {
    const std::vector<double> taps(static_cast<std::size_t>(window), 1.0);
    return this->nan_rows(this->line(x, taps, {.causality = causality, .shift = shift}));
  };
  EXPECT_THAT(at(3, Causality::causal, Shift::on), ElementsAre(0, 1, 2));
  EXPECT_THAT(at(2, Causality::causal, Shift::on), ElementsAre(0, 1));
  EXPECT_THAT(at(3, Causality::causal, Shift::off), ElementsAre(0, 1));
  EXPECT_THAT(at(2, Causality::causal, Shift::off), ElementsAre(0));
  EXPECT_THAT(at(3, Causality::anti_causal, Shift::on), ElementsAre(27, 28, 29));
  EXPECT_THAT(at(2, Causality::anti_causal, Shift::on), ElementsAre(28, 29));
  EXPECT_THAT(at(3, Causality::anti_causal, Shift::off), ElementsAre(28, 29));
  EXPECT_THAT(at(2, Causality::anti_causal, Shift::off), ElementsAre(29));
  EXPECT_THAT(at(3, Causality::acausal, Shift::automatic), ElementsAre(0, 29));
  EXPECT_THAT(at(1, Causality::causal, Shift::off), IsEmpty());
  EXPECT_THAT(at(1, Causality::causal, Shift::on), ElementsAre(0));
  EXPECT_THAT(at(4, Causality::acausal, Shift::automatic), ElementsAre(0, 28, 29));
}

TYPED_TEST(Convolve, KeepsWindowsInsideEpochs) {
  const std::vector<double> x = counting(47);  // pynapple's 0..20 and 50..75, consecutively
  const auto at = [&](std::int64_t window, Causality causality, Epochs epochs) {
    const std::vector<double> taps(static_cast<std::size_t>(window), 1.0);
    return this->nan_rows(this->line(x, taps, {.causality = causality}, std::move(epochs)));
  };
  const Epochs two{{0, 21}, {21, 47}};
  EXPECT_THAT(at(3, Causality::causal, two), ElementsAre(0, 1, 2, 21, 22, 23));
  EXPECT_THAT(at(3, Causality::anti_causal, two), ElementsAre(18, 19, 20, 44, 45, 46));
  EXPECT_THAT(at(3, Causality::acausal, two), ElementsAre(0, 20, 21, 46));
  EXPECT_THAT(at(5, Causality::acausal, two), ElementsAre(0, 1, 19, 20, 21, 22, 45, 46));
  EXPECT_THAT(at(3, Causality::acausal, {{0, 21}, {24, 47}}),
              ElementsAre(0, 20, 21, 22, 23, 24, 46));
}

TYPED_TEST(Convolve, EpochsEqualSeparateCalls) {
  const std::vector<double> x = counting(60);
  const std::vector<double> taps{0.5, -2, 4};
  for (const Border border : {Border::nan, Border::zero, Border::valid}) {
    const ConvolveOptions options{.causality = Causality::acausal, .border = border};
    const auto whole = this->line(x, taps, options, {{0, 25}, {25, 60}});
    auto parts = this->line({x.begin(), x.begin() + 25}, taps, options);
    const auto second = this->line({x.begin() + 25, x.end()}, taps, options);
    parts.insert(parts.end(), second.begin(), second.end());
    EXPECT_TRUE(same_bits(whole, parts, {static_cast<std::int64_t>(parts.size())}));
  }
}

TYPED_TEST(Convolve, LengthsAboutTheWindow) {
  constexpr std::int64_t window = 5;
  std::vector<double> taps{1, 10, 100, 1000, 10000};
  for (const Causality causality :
       {Causality::causal, Causality::acausal, Causality::anti_causal}) {
    for (const Shift shift : {Shift::off, Shift::on}) {
      if (causality == Causality::acausal && shift == Shift::on) continue;
      for (std::int64_t n = 1; n <= 2 * window + 1; ++n) {
        for (const Border border : {Border::nan, Border::zero, Border::valid}) {
          const oracle::Problem problem{.samples = n,
                                        .window = window,
                                        .x = counting(n),
                                        .taps = taps,
                                        .epochs = {},
                                        .causality = causality,
                                        .shift = shift,
                                        .border = border};
          SCOPED_TRACE("n " + std::to_string(n) + " causality " +
                       std::to_string(static_cast<int>(causality)));
          this->expect_line(this->line(problem.x, taps,
                                       {.causality = causality, .shift = shift, .border = border}),
                            oracle::convolve(problem).values);
        }
      }
    }
  }
}

TYPED_TEST(Convolve, AWindowOfOneIsADelayedScaling) {
  this->expect_line(this->line(counting(4), {3}, {}), {nan, 3, 6, 9});
  this->expect_line(this->line(counting(4), {3}, {.shift = Shift::off}), {3, 6, 9, 12});
  this->expect_line(this->line(counting(4), {3}, {.causality = Causality::anti_causal}),
                    {6, 9, 12, nan});
  this->expect_line(this->line({7}, {3}, {.causality = Causality::acausal}), {21});
}

TYPED_TEST(Convolve, ManyShortEpochs) {
  constexpr std::int64_t epochs = 100'000;
  Epochs ranges;
  oracle::Problem problem{.samples = 0, .window = 3, .bases = 2, .x = {}, .taps = {}, .epochs = {}};
  for (std::int64_t e = 0; e < epochs; ++e) {
    ranges.push_back({problem.samples, problem.samples + e % 7});
    problem.samples += e % 7 + (e % 11 == 0 ? 1 : 0);
  }
  for (std::int64_t t = 0; t < problem.samples; ++t) {
    problem.x.push_back(static_cast<double>(t % 101));
  }
  problem.taps = {1, 2, 4, 8, 16, 32};
  problem.epochs = ranges;
  const auto found =
      this->features(problem.x, 1, evaluate_taps(CustomTaps{3, 2, problem.taps}), {}, ranges);
  const auto expected = oracle::convolve(problem);
  EXPECT_TRUE(agree(found, expected.values, {this->rows, 1, 2}, 0.0));
}

TYPED_TEST(Convolve, ShortEpochsHaveTheBitsOfAnyOtherWay) {
  // Contiguous rows are computed strip by strip, and columns in packs of lanes.
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  Epochs epochs;
  for (std::int64_t begin = 0; begin < 1500;) {
    const auto length = static_cast<std::int64_t>(1 + random() % 30);
    epochs.push_back({begin, begin + length});
    begin += length + static_cast<std::int64_t>(random() % 3);  // a gap, or none
  }
  for (const std::int64_t channels : {1, 3}) {
    Kokkos::View<Scalar**, Kokkos::LayoutRight, oracle::SharedWith<Space>> x("x", epochs.back().end,
                                                                             channels);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<Scalar>(normal(random));
    for (const double bad : {nan, infinity, -infinity}) {
      x.data()[random() % x.size()] = static_cast<Scalar>(bad);
    }
    const Series<decltype(x)> series(x, {.sample_axis = 0, .epochs = epochs});
    for (const std::int64_t window : {1, 9, 60}) {
      const FilterBank<Scalar, Space> bank(
          this->exec, window == 1 ? Taps(evaluate_taps(CustomTaps{1, 2, {0.5, 0.0}}))
                                  : evaluate_taps(RaisedCosineLog{.bases = 5}, window));
      for (const Causality causality :
           {Causality::causal, Causality::acausal, Causality::anti_causal}) {
        for (const Border border : {Border::nan, Border::zero, Border::valid}) {
          const ConvolveOptions options{.causality = causality, .border = border, .machine = {}};
          const auto rows =
              on_host(convolve<Kokkos::LayoutRight>(this->exec, series, bank, options));
          const auto columns =
              on_host(convolve<Kokkos::LayoutLeft>(this->exec, series, bank, options));
          ASSERT_EQ(rows.extent(0), columns.extent(0));
          std::vector<Scalar> found;
          std::vector<Scalar> expected;
          for (std::size_t r = 0; r < rows.extent(0); ++r) {
            for (std::size_t c = 0; c < rows.extent(1); ++c) {
              for (std::size_t b = 0; b < rows.extent(2); ++b) {
                found.push_back(rows(r, c, b));
                expected.push_back(columns(r, c, b));
              }
            }
          }
          EXPECT_TRUE(same_bits(found, expected, {static_cast<std::int64_t>(found.size())}))
              << channels << " channels, window " << window << ", causality "
              << static_cast<int>(causality) << ", border " << static_cast<int>(border);
        }
      }
    }
  }
}

TYPED_TEST(Convolve, ShortEpochsOfPackedSamplesAreTheScaledOnes) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  constexpr std::int64_t samples = 600;
  Kokkos::View<std::int16_t*, oracle::SharedWith<Space>> packed("packed", samples);
  Kokkos::View<Scalar*, oracle::SharedWith<Space>> x("x", samples);
  for (std::int64_t t = 0; t < samples; ++t) {
    packed(t) = static_cast<std::int16_t>(t * 37 % 1001 - 500);
    x(t) = static_cast<Scalar>(packed(t) * 0.25 - 3.0);
  }
  Epochs epochs;
  for (std::int64_t t = 0; t < samples; t += 12) epochs.push_back({t, std::min(t + 12, samples)});
  const FilterBank<Scalar, Space> bank(this->exec, RaisedCosineLog{.bases = 3}, {.window = 7});
  const ConvolveOptions options{.border = Border::zero, .machine = {}};
  const Series of_packed(scaled(packed, 0.25, -3.0), {.sample_axis = 0, .epochs = epochs});
  const Series<decltype(x)> of_x(x, {.sample_axis = 0, .epochs = epochs});
  const auto found = on_host(convolve<Kokkos::LayoutRight>(this->exec, of_packed, bank, options));
  const auto expected = on_host(convolve<Kokkos::LayoutRight>(this->exec, of_x, bank, options));
  EXPECT_TRUE(same_bits(std::vector<Scalar>(found.data(), found.data() + found.span()),
                        std::vector<Scalar>(expected.data(), expected.data() + expected.span()),
                        {samples, 3}));
}

TYPED_TEST(Convolve, NonFiniteSamplesBehaveAsInTheSum) {
  oracle::Problem problem{.samples = 40,
                          .channels = 3,
                          .window = 4,
                          .bases = 4,
                          .x = std::vector<double>(120, 1.0),
                          .taps = evaluate_taps(History{}, 4).values,
                          .epochs = {}};
  problem.x[10 * 3 + 1] = nan;
  problem.x[20 * 3 + 0] = infinity;
  problem.x[22 * 3 + 0] = -infinity;
  problem.x[0 * 3 + 2] = infinity;
  for (const Border border : {Border::nan, Border::zero}) {
    problem.border = border;
    const auto found =
        this->features(problem.x, 3, evaluate_taps(History{}, 4), {.border = border});
    EXPECT_TRUE(agree(found, oracle::convolve(problem).values, {40, 3, 4}, 0.0));
    for (std::int64_t t = 0; t < 40; ++t) {  // 0 x NaN is NaN in every column of rows t = 11..14
      for (std::int64_t b = 0; b < 4; ++b) {
        if (border == Border::nan && t < 4) continue;
        const bool has_nan = std::isnan(found[static_cast<std::size_t>((t * 3 + 1) * 4 + b)]);
        EXPECT_EQ(has_nan, 11 <= t && t <= 14) << "row " << t << " basis " << b;
      }
    }
  }
}

TYPED_TEST(Convolve, RowsSamplesAndValidRowsAgree) {
  this->RecordProperty("launches_nothing", "numbers of rows are counted on the host");
  const SeriesShape shape = Events(20, {{}}, {{2, 9}, {9, 11}, {14, 20}}).shape();
  const auto samples = [&](Border border, std::int64_t every) {
    const ConvolveOptions options{.shift = Shift::off, .border = border, .every = every};
    const auto result = feature_samples(shape, 3, options);
    EXPECT_EQ(static_cast<std::int64_t>(result.size()), feature_rows(shape, 3, options));
    return result;
  };
  EXPECT_EQ(samples(Border::nan, 1).size(), 20U);
  EXPECT_THAT(samples(Border::valid, 1), ElementsAre(4, 5, 6, 7, 8, 16, 17, 18, 19));
  EXPECT_THAT(samples(Border::valid, 3), ElementsAre(5, 8, 17));
  EXPECT_THAT(samples(Border::zero, 3), ElementsAre(0, 2, 5, 8, 9, 11, 14, 17));
  const auto valid = [&](Border border, std::int64_t every) {
    return valid_rows(shape, 3, {.shift = Shift::off, .border = border, .every = every});
  };
  EXPECT_THAT(valid(Border::nan, 1), ElementsAre(Range{4, 9}, Range{16, 20}));
  EXPECT_THAT(valid(Border::zero, 1), ElementsAre(Range{2, 11}, Range{14, 20}));
  EXPECT_THAT(valid(Border::valid, 1), ElementsAre(Range{0, 9}));
  EXPECT_THAT(valid(Border::zero, 3), ElementsAre(Range{1, 5}, Range{6, 8}));
  EXPECT_THAT(valid(Border::nan, 3), ElementsAre(Range{2, 4}, Range{7, 8}));
}

TYPED_TEST(Convolve, StepsLargerThanAnEpochKeepItsFirstRow) {
  const std::int64_t far = std::numeric_limits<std::int64_t>::max();
  this->expect_line(
      this->line(counting(6), {1, 2}, {.border = Border::zero, .every = far}, {{0, 2}, {3, 6}}),
      {0, nan, 0});
  EXPECT_THAT(this->line(counting(6), {1, 2}, {.border = Border::valid, .every = far}, {{1, 6}}),
              IsEmpty());
}

/// Transforms sum an entire block, so they may overflow although no window does.
TYPED_TEST(Convolve, OverflowsWhereTheSumDoes) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Scalar large = std::numeric_limits<Scalar>::max() / Scalar(4);
  std::vector<Scalar> x(500 * 2, large);
  x[101 * 2] = Scalar(4) * large;  // and two of those overflow
  x[102 * 2] = Scalar(4) * large;
  for (std::size_t t = 0; t < 500; ++t) x[t * 2 + 1] = Scalar(t % 7);
  const StridedSeries series(Strided(x.data(), {500, 2}));
  const FilterBank<Scalar, Space> bank(this->exec, CustomTaps{2, 1, {1, 1}}, {});
  std::vector<Scalar> y(500 * 2);
  const StridedOutput output(y.data(), {500, 2, 1});
  const ConvolvePlan<Scalar, Space> plan(
      this->exec, series, bank,
      {.shift = Shift::off, .border = Border::zero, .method = Method::fft});
  plan.run(this->exec, series, output);
  this->exec.fence();
  for (std::size_t t = 1; t < 500; ++t) {
    EXPECT_EQ(y[t * 2], x[t * 2] + x[(t - 1) * 2]) << "row " << t;
    EXPECT_NEAR(static_cast<double>(y[t * 2 + 1]),
                static_cast<double>(x[t * 2 + 1] + x[(t - 1) * 2 + 1]),
                1000.0 * std::numeric_limits<Scalar>::epsilon());
  }
}

/// Contiguous rows are computed in place, as lines, and others in packs of lanes. The bits must be
/// the same.
TYPED_TEST(Convolve, LinesHaveTheBitsOfPacks) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  std::mt19937_64 random(11);
  std::uniform_int_distribution<int> count(-99, 99);
  oracle::OneIn taken(13);
  for (const std::int64_t channels : {1, 3, 16, 37, 150}) {
    for (const std::int64_t bases : {1, 2, 4, 7, 12, 16}) {
      for (const std::int64_t window : {1, 2, 9, 40}) {
        if (!taken.is_next()) continue;
        const std::int64_t samples = 300 + channels % 16;
        std::vector<Scalar> x(static_cast<std::size_t>(samples * channels));
        std::vector<std::int16_t> counts(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
          counts[i] = static_cast<std::int16_t>(count(random));
          x[i] = static_cast<Scalar>(counts[i]) / Scalar(7);
        }
        if (bases == 7) x[x.size() / 3] = std::numeric_limits<Scalar>::quiet_NaN();
        std::vector<double> values(static_cast<std::size_t>(window * bases));
        for (double& value : values) value = count(random) / 10.0;
        const FilterBank<Scalar, Space> bank(this->exec, CustomTaps{window, bases, values}, {});
        const Epochs epochs{{0, 3}, {5, samples / 2}, {samples / 2 + 1, samples}};
        for (const Border border : {Border::nan, Border::zero, Border::valid}) {
          const ConvolveOptions options{
              .shift = Shift::off, .border = border, .method = Method::direct};
          const auto compare = [&](const StridedSeries& series) {
            const std::int64_t rows = feature_rows(series.shape(), window, options);
            const std::int64_t row = channels * bases;
            std::vector<Scalar> dense(static_cast<std::size_t>(rows * row), Scalar(-7));
            std::vector<Scalar> apart(static_cast<std::size_t>(rows * (row + 3)), Scalar(-7));
            convolve(this->exec, series, bank, StridedOutput(dense.data(), {rows, channels, bases}),
                     options);
            convolve(this->exec, series, bank,
                     StridedOutput(apart.data(), {rows, channels, bases}, {row + 3, bases, 1}),
                     options);
            std::vector<Scalar> together;
            for (std::int64_t r = 0; r < rows; ++r) {
              const auto from = apart.begin() + r * (row + 3);
              together.insert(together.end(), from, from + row);
            }
            ASSERT_TRUE(same_bits(dense, together, {rows, channels, bases}))
                << channels << " channels, " << bases << " bases, window " << window << ", border "
                << static_cast<int>(border);
          };
          compare(StridedSeries(Strided(x.data(), {samples, channels})));
          compare(StridedSeries(Strided(x.data(), {samples, channels}),
                                {.sample_axis = 0, .epochs = epochs}));
          compare(StridedSeries(Strided(x.data(), {samples, channels}, {1, samples})));
          compare(StridedSeries(scaled(Strided(counts.data(), {samples, channels}), 0.3),
                                {.sample_axis = 0, .epochs = epochs}));
        }
      }
    }
  }
}

}  // namespace
}  // namespace convolve_tests
