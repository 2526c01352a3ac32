// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/functions.hpp"
#include "oracle/design.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"

#include <synelix/features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

// Eval mode case by case: bounds and fill, ranges, Fourier, OrthExponential, stored types, events.

namespace eval_basis_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;
using testing::ElementsAre;

using Space = Kokkos::DefaultHostExecutionSpace;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// The columns of one basis on (samples, channels).
template <class Scalar = double, class Stored = double>
std::vector<Scalar> columns_of(const EvalBasis& basis, const EvalTerm& term,
                               const std::vector<Stored>& x, std::int64_t channels = 1,
                               const SeriesOptions& options = {}) {
  const auto samples = static_cast<std::int64_t>(x.size()) / channels;
  const StridedSeries series(Strided(x.data(), {samples, channels}), options);
  const auto design = compute_features<Scalar>(Space(), eval(basis, term), {series});
  return {design.values.data(), design.values.data() + design.values.size()};
}

TEST(Eval, OutsideOfBoundsFillsTheRowOrTheChannel) {
  const std::vector<double> x{0.5, 2.0, nan_value, 0.25, 3.0, nan_value};  // (3, 2)
  const EvalTerm rows{.bounds = {{0.0, 1.0}}, .fill = -5.0};
  EXPECT_TRUE(oracle::agree(columns_of(Identity{}, rows, x, 2), {-5, -5, nan_value, 0.25, -5, -5},
                            {3, 2}, 0.0));
  const EvalTerm single{.bounds = {{0.0, 1.0}}, .fill = -5.0, .outside = Outside::channel};
  EXPECT_TRUE(oracle::agree(columns_of(Identity{}, single, x, 2),
                            {0.5, -5, nan_value, 0.25, -5, nan_value}, {3, 2}, 0.0));
  const auto bumps =
      columns_of(RaisedCosineLinear{.bases = 2}, EvalTerm{.bounds = {{0.0, 1.0}}}, x, 2);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(bumps[i])) << i;
  EXPECT_FALSE(std::isnan(bumps[6]));
}

TEST(Eval, BoundsThemselvesAreInside) {
  const auto values = columns_of(BSpline{.bases = 5}, EvalTerm{.bounds = {{-1.0, 3.0}}},
                                 std::vector<double>{-1.0, 3.0});
  EXPECT_NEAR(values[0], 1.0, 1e-15);
  EXPECT_NEAR(values[9], 1.0, 1e-14);
}

TEST(Eval, AChannelOfOneValueIsAtTheLowerEnd) {
  const std::vector<double> x(4, 7.5);
  for (const double value : columns_of(MSpline{.bases = 3, .order = 1}, {}, x)) {
    EXPECT_TRUE(value == 0.0 || std::abs(value - 3.0) < 1e-14) << "not divided by 0: " << value;
  }
}

TEST(Eval, MSplineHasUnitIntegralOverItsRange) {
  std::vector<double> x;
  for (int i = 0; i <= 4000; ++i) x.push_back(2.0 + 5.0 * i / 4000);
  const auto values = columns_of(MSpline{.bases = 6, .order = 3}, {}, x);
  for (std::size_t b = 0; b < 6; ++b) {
    double sum = 0;
    for (std::size_t t = 0; t + 1 < x.size(); ++t) {
      sum += (values[t * 6 + b] + values[t * 6 + 6 + b]) / 2 * (x[t + 1] - x[t]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-6) << "basis " << b;
  }
}

TEST(Eval, SplinesOfManyOrdersAgreeWithTheWholeRecursion) {
  std::vector<double> x;
  for (int i = 0; i <= 300; ++i) x.push_back(i / 300.0);
  const oracle::Timeline time{301, {{0, 301}}, Border::nan};
  for (const std::int64_t order : {1, 2, 3, 5, 7, 12, 32}) {
    for (const std::int64_t bases : {order, order + 1, order + 9}) {
      std::vector<EvalBasis> families{BSpline{.bases = bases, .order = order},
                                      MSpline{.bases = bases, .order = order}};
      if (order > 1) families.emplace_back(CyclicBSpline{.bases = bases, .order = order});
      for (const EvalBasis& basis : families) {
        const auto expected = oracle::evaluated(time, x, 1, basis, {}, 0.0, Outside::row);
        EXPECT_TRUE(oracle::agree(columns_of(basis, {}, x), expected.values, {301, bases}, 1e-11))
            << eval_basis_name(basis) << " of order " << order << ", " << bases << " bases";
      }
    }
  }
}

TEST(Eval, InfinitySpreadsAsInTheFormula) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto values = columns_of(BSpline{.bases = 4}, {}, std::vector<double>{1.0, infinity, 2.0});
  EXPECT_EQ(values[0], 1.0) << "(1 - 1) / inf is 0";
  EXPECT_TRUE(std::isnan(values[4])) << "inf / inf is NaN";
  EXPECT_EQ(values[8], 1.0);
  EXPECT_EQ(columns_of(Identity{}, {}, std::vector<double>{infinity})[0], infinity);
}

TEST(Eval, GapsBetweenEpochsHaveNoValuesAndDoNotCount) {
  std::vector<float> x{0, 1, 99, 2, 4};
  const auto values = columns_of(RaisedCosineLinear{.bases = 2}, {}, x, 1,
                                 {.sample_axis = 0, .epochs = {{0, 2}, {3, 5}}});
  EXPECT_EQ(values[0], 1.0);
  EXPECT_TRUE(std::isnan(values[4]) && std::isnan(values[5]));
  EXPECT_NEAR(values[9], 1.0, 1e-15) << "4 is the greatest, not 99";
}

TEST(Eval, StoredIntegersAreScaledFirst) {
  const std::vector<std::int16_t> x{0, 100, 200, 50, 400, 300};  // (3, 2)
  const std::vector<double> scale{0.01, 0.1};
  const std::vector<double> offset{1.0, -3.0};
  const auto design = compute_features<double>(Space(), eval(Identity{}),
                                               {scaled(Strided(x.data(), {3, 2}), scale, offset)});
  EXPECT_THAT(std::vector<double>(design.values.data(), design.values.data() + 6),
              ElementsAre(1.0, 7.0, 3.0, 2.0, 5.0, 27.0));
}

TEST(Eval, EventsAreCountsAndZeros) {
  const Events events(6, {{{1, 4}, {2.0F, 4.0F}}, {{0, 1, 2, 3, 4, 5}, {}}});
  const auto design = compute_features<double>(
      Space(), eval(Identity{}) + eval(RaisedCosineLinear{.bases = 2}), {events, events});
  EXPECT_EQ(design.values(1, 0), 2.0);
  EXPECT_EQ(design.values(2, 0), 0.0);
  EXPECT_EQ(design.values(3, 1), 1.0);
  EXPECT_NEAR(design.values(1, 2), 0.5 * (1 + std::cos(std::numbers::pi / 4)), 1e-15)
      << "the range is 0 to 4";
  EXPECT_EQ(find_ranges(Space(), events.shape(), {{}, 0, &events}),
            (std::vector<SampleRange>{{0, 4}, {1, 1}}));
}

TEST(Eval, RangesOfBlocksMergeIntoTheWhole) {
  std::vector<float> x;
  for (int i = 0; i < 5000 * 11; ++i) x.push_back(static_cast<float>((i * 7919) % 10007) - 5000);
  x[37] = NAN;
  x[11 * 700] = 1e9F;  // in a gap
  SeriesShape shape{.samples = 5000, .channels = 11, .type = StoredType::float32, .epochs = {}};
  shape.epochs = {{0, 600}, {800, 5000}};
  const auto whole = find_ranges(Space(), shape, {Strided(x.data(), {5000, 11}), 0, nullptr});
  std::vector<SampleRange> merged(11);
  for (std::int64_t first = 0; first < 5000; first += 613) {
    const std::int64_t count = std::min<std::int64_t>(613, 5000 - first);
    const auto part =
        find_ranges(Space(), shape, {Strided(x.data() + first * 11, {count, 11}), first, nullptr});
    for (std::size_t c = 0; c < 11; ++c) merged[c].merge(part[c]);
  }
  EXPECT_EQ(whole, merged);
  for (std::int64_t c = 0; c < 11; ++c) {
    SampleRange expected;
    for (std::int64_t t = 0; t < 5000; ++t) {
      const auto value = static_cast<double>(x[static_cast<std::size_t>(t * 11 + c)]);
      if ((t < 600 || t >= 800) && !std::isnan(value)) expected.merge({value, value});
    }
    EXPECT_EQ(whole[static_cast<std::size_t>(c)], expected) << c;
  }
}

TEST(Eval, RangesOfBlocksBeyondTheSeriesAreRefused) {
  const std::vector<float> x(100);
  const SeriesShape shape{
      .samples = 5000, .channels = 1, .type = StoredType::float32, .epochs = {}};
  const auto find = [&](std::int64_t first, std::int64_t count) {
    return find_ranges(Space(), shape, {Strided(x.data(), {count, 1}), first, nullptr});
  };
  EXPECT_EQ(find(4900, 100).size(), 1U);
  EXPECT_THROW(find(4901, 100), Error);
  EXPECT_THROW(find(-1, 100), Error);
  EXPECT_THROW(find(std::numeric_limits<std::int64_t>::max() - 4, 100), Error);
  EXPECT_THROW(find(5, std::numeric_limits<std::int64_t>::max() - 4), Error);
}

TEST(Eval, FourierAnglesAreExactAtHighFrequencies) {
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(i / 1000.0);
  x.push_back(1.0);
  const Fourier basis{.frequencies = {{999, 100'003}}};
  const auto found = columns_of<float>(basis, {}, x);
  const oracle::Timeline time{1001, {{0, 1001}}, Border::nan};
  const auto expected = oracle::fourier(time, {x}, 1, {999, 100'003}, {});
  EXPECT_TRUE(oracle::agree(found, expected.values, {1001, 4}, 1e-6));
}

TEST(Eval, FourierIsInvariantWhereDataAndPeriodAreScaledTogether) {
  std::vector<double> x, scaled;
  for (int i = 0; i < 50; ++i) {
    x.push_back(std::sin(i) * 3);
    scaled.push_back(x.back() * 8);
  }
  const Fourier basis{.frequencies = {frequencies_between(1, 5)}};
  const auto plain = columns_of(basis, EvalTerm{.bounds = {{-0.5, 0.5}}}, x);
  const auto other = columns_of(basis, EvalTerm{.bounds = {{-4.0, 4.0}}}, scaled);
  EXPECT_TRUE(oracle::same_bits(plain, other, {50, 8})) << "and nothing is outside";
}

TEST(Eval, FourierCombinationsAndMasks) {
  const auto combinations = [](const Fourier& basis) { return frequency_combinations(basis); };
  EXPECT_THAT(combinations({.frequencies = {{0, 1, 2}}}), ElementsAre(1, 2));
  EXPECT_THAT(combinations({.frequencies = {{0, 1}}, .intercept = Intercept::with}),
              ElementsAre(0, 1));
  EXPECT_THAT(combinations({.frequencies = {{3, 1}}}), ElementsAre(1, 3)) << "sorted";
  EXPECT_THAT(combinations({.frequencies = {{0, 1}}, .dimensions = 2}),
              ElementsAre(0, 1, 1, 0, 1, 1));
  EXPECT_THAT(combinations({.frequencies = {{1}, {2, 5}}, .dimensions = 2}),
              ElementsAre(1, 2, 1, 5));
  EXPECT_THAT(combinations({.frequencies = {{0, 1, 2}}, .mask = {1, 0, 1}}), ElementsAre(0, 2));
  const Fourier selected = with_mask({.frequencies = {{0, 1, 2}}, .dimensions = 2},
                                     [](auto f) { return f[0] + f[1] == 2; });
  EXPECT_THAT(combinations(selected), ElementsAre(0, 2, 1, 1, 2, 0));
  const oracle::Warnings warnings;
  eval(Fourier{.frequencies = {{3, 1}}});
  EXPECT_EQ(warnings.texts().size(), 1U);
}

TEST(Eval, FourierRefuses) {
  const auto refuse = [](const Fourier& basis, const std::string& argument,
                         const std::string& found, const std::string& allowed) {
    expect_refused([&] { eval(basis); }, argument, found, allowed);
  };
  refuse({}, "Fourier.frequencies", "0 lists", "one list");
  refuse({.frequencies = {{}}}, "Fourier.frequencies[0]", "none", "at least one");
  refuse({.frequencies = {{1, -2}}}, "Fourier.frequencies[0]", "-2", "0 or more");
  refuse({.frequencies = {{0}}}, "Fourier", "no combination", "at least one");
  refuse({.frequencies = {{1}, {2}, {3}}, .dimensions = 2}, "Fourier.frequencies", "3 lists", "2");
  refuse({.frequencies = {{1}}, .dimensions = 5}, "Fourier.dimensions", "5", "1 to 4");
  refuse({.frequencies = {{1, 2}}, .mask = {1}}, "Fourier.mask", "1 flags", "2 combinations");
  refuse({.frequencies = {{1, 2}}, .mask = {1, 2}}, "Fourier.mask", "2", "0 and 1");
  refuse({.frequencies = {{1, 2}}, .mask = {0, 0}}, "Fourier", "no combination", "mask");
  expect_refused([] { frequencies_below(0); }, "frequencies_below", "0", "at least 1");
  expect_refused([] { frequencies_between(3, 3); }, "frequencies_between", "(3, 3)",
                 "first < last");
}

TEST(Eval, OrthExponentialIsOrthonormalOnTheSamplesOfEachChannel) {
  const std::int64_t samples = 9001;
  std::vector<double> x;
  for (std::int64_t t = 0; t < samples; ++t) {
    x.push_back(t % 50 == 0 ? nan_value : std::sin(static_cast<double>(t * t % 1009)));
    x.push_back(static_cast<double>(t) / 100);
  }
  const auto found = columns_of(OrthExponential{.decay_rates = {1, 3, 9}}, {}, x, 2);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < 3; ++i) {
      double greatest = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::size_t t = 0; t < static_cast<std::size_t>(samples); ++t) {
          const double a = found[(t * 2 + c) * 3 + i];
          EXPECT_EQ(std::isnan(a), std::isnan(x[t * 2 + c]));
          if (std::isnan(a)) continue;
          dot += a * found[(t * 2 + c) * 3 + j];
          if (std::abs(a) > std::abs(greatest)) greatest = a;
        }
        EXPECT_NEAR(dot, i == j ? 1.0 : 0.0, 1e-11) << c << i << j;
      }
      EXPECT_GT(greatest, 0.0) << "the value of largest magnitude is positive";
    }
  }
}

TEST(Eval, OrthExponentialOnAGridIsItsConvModeAndReportsItsRank) {
  std::vector<double> grid;
  for (int w = 0; w < 40; ++w) grid.push_back(w / 39.0);
  OrthExponential basis{.decay_rates = {1, 2, 5}};
  const Taps taps = evaluate_taps(basis, 40);
  EXPECT_TRUE(oracle::agree(columns_of(basis, {}, grid), taps.values, {40, 3}, 1e-11));
  for (double rate = 6; rate <= 22; ++rate) basis.decay_rates.push_back(rate);
  const StridedSeries series(Strided(grid.data(), {40}));
  const auto design = compute_features<double>(Space(), eval(basis), {series});
  EXPECT_LT(design.terms[0].bases, 20) << "the numerical rank";
  EXPECT_EQ(design.terms[0].columns.end, static_cast<std::int64_t>(design.values.extent(1)));
  const std::vector<double> few{0.0, 1.0};
  expect_refused([&] { columns_of(OrthExponential{.decay_rates = {1, 2, 5}}, {}, few); },
                 "inputs[0]", "2 samples in channel 0", "3");
}

TEST(Functions, HoldWhatAKernelReadsOfAFamily) {
  EXPECT_TRUE(bases::Functions().is<Identity>());
  const bases::Functions splines(MSpline{.bases = 5, .order = 3}, nullptr);
  EXPECT_TRUE(splines.is<MSpline>());
  EXPECT_FALSE(splines.is<BSpline>());
  EXPECT_EQ(splines.as<MSpline>().order, 3);
  const bases::Functions cosines(RaisedCosineLog{.bases = 5, .width = 1.5}, nullptr);
  EXPECT_EQ(cosines.as<RaisedCosineLog>().spacings, 5.5);
  const double table[] = {0, 1, 2};
  const Fourier with_constant{.frequencies = {{0, 1, 2}}, .intercept = Intercept::with};
  const bases::Waves waves = bases::Functions(with_constant, table).as<Fourier>();
  EXPECT_EQ(waves.frequencies, table);
  EXPECT_EQ(waves.cosines, 3);
  EXPECT_EQ(waves.sines_from, 1);
}

TEST(Eval, TermsAreChecked) {
  expect_refused([] { eval(BSpline{.bases = 3}); }, "BSpline.order", "4", "at most");
  expect_refused([] { eval(BSpline{.bases = 40, .order = 33}); }, "BSpline.order", "33", "32");
  expect_refused([] { eval(RaisedCosineLog{.bases = 1}); }, "RaisedCosineLog.bases", "1", "2");
  expect_refused([] { eval(Identity{}, {.bounds = {{1.0, 1.0}}}); }, "bounds", "1.0", "less");
  expect_refused([] { eval(Identity{}, {.bounds = {{0.0, nan_value}}}); }, "bounds", "nan",
                 "finite");
  expect_refused([] { eval(Identity{}, {.bounds = {{0, 1}, {0, 1}}}); }, "bounds", "2", "one");
  expect_refused([] { eval(Zero{}, {.bounds = {{0.0, 1.0}}}); }, "bounds", "Zero has no functions",
                 "Leave them out");
  expect_refused([] { eval(Identity{}, {.label = "Fourier"}); }, "label", "Fourier", "another");
}

}  // namespace
}  // namespace eval_basis_tests
