// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <synelix/convolve.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

// Filters that are one filter, delayed, are computed once.

namespace shared_filters_tests {
namespace {

using namespace synelix;
using oracle::AllSpaces;
using oracle::same_bits;

template <class Types>
class SharedFilters : public testing::Test {
 public:
  typename Types::space exec;
};
TYPED_TEST_SUITE(SharedFilters, AllSpaces);

/// Each has the bits that it has alone.
TYPED_TEST(SharedFilters, HaveTheBitsOfEach) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  constexpr std::int64_t window = 60;
  std::mt19937_64 random(12);
  std::uniform_int_distribution<int> count(-99, 99);
  oracle::OneIn taken(7);
  for (const std::int64_t taps : {1, 7, 30}) {
    for (const std::int64_t bases : {3, 8, 25}) {
      const auto first_of = [&](std::int64_t b) { return (window - taps) * b / (bases - 1); };
      // All are one filter, except the second; with many filters also the last, and with some also
      // the third: it has one more tap after those of the others.
      std::vector<double> values(static_cast<std::size_t>(window * bases));
      for (std::int64_t b = 0; b < bases; ++b) {
        for (std::int64_t i = 0; i < taps; ++i) {
          const double other = b == 1 || b == 24 ? static_cast<double>(b) : 0.0;
          values[static_cast<std::size_t>((first_of(b) + i) * bases + b)] =
              1.0 / static_cast<double>(i + 1) + other;
        }
      }
      if (bases > 3) values[static_cast<std::size_t>((first_of(2) + taps) * bases + 2)] = 0.25;
      const FilterBank<Scalar, Space> bank(this->exec, CustomTaps{window, bases, values}, {});
      for (const std::int64_t channels : {1, 5, 16}) {
        if (!taken.is_next()) continue;
        const std::int64_t samples = 1500 + channels;
        std::vector<Scalar> x(static_cast<std::size_t>(samples * channels));
        for (Scalar& value : x) value = static_cast<Scalar>(count(random)) / Scalar(7);
        if (bases == 8) x[x.size() / 3] = std::numeric_limits<Scalar>::quiet_NaN();
        const StridedSeries series(
            Strided(x.data(), {samples, channels}),
            {.sample_axis = 0, .epochs = {{0, 3}, {5, 170}, {171, samples}}});
        for (const Border border : {Border::nan, Border::zero, Border::valid}) {
          ConvolveOptions options{.shift = Shift::off, .border = border, .method = Method::direct};
          const std::int64_t rows = feature_rows(series.shape(), window, options);
          std::vector<Scalar> each(static_cast<std::size_t>(rows * channels * bases));
          for (std::int64_t b = 0; b < bases; ++b) {
            std::vector<double> own;
            for (std::int64_t w = 0; w < window; ++w) {
              own.push_back(values[static_cast<std::size_t>(w * bases + b)]);
            }
            convolve(this->exec, series,
                     FilterBank<Scalar, Space>(this->exec, CustomTaps{window, 1, own}, {}),
                     StridedOutput(each.data() + b, {rows, channels, 1},
                                   {channels * bases, bases, bases}),
                     options);
          }
          for (const std::int64_t batch : {0, 1}) {
            if (batch == 1) options.batch = {.samples = 200, .channels = 3, .bases = 4};
            std::vector<Scalar> all(each.size(), Scalar(-7));
            convolve(this->exec, series, bank, StridedOutput(all.data(), {rows, channels, bases}),
                     options);
            ASSERT_TRUE(same_bits(all, each, {rows, channels, bases}))
                << taps << " taps, " << bases << " bases, " << channels << " channels, border "
                << static_cast<int>(border) << ", batch " << batch;
          }
        }
      }
    }
  }
}

/// A plan that was made for filters that are one takes banks whose filters are not, or later.
TYPED_TEST(SharedFilters, UpdateToOthers) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  constexpr std::int64_t window = 40;
  constexpr std::int64_t samples = 900;
  const auto bank_of = [&](std::int64_t step, double change) {
    std::vector<double> values(static_cast<std::size_t>(window * 4));
    for (std::int64_t b = 0; b < 4; ++b) {
      for (std::int64_t i = 0; i < 9; ++i) {
        values[static_cast<std::size_t>((b * step + i) * 4 + b)] =
            1.0 + static_cast<double>(i) + change * static_cast<double>(b);
      }
    }
    return FilterBank<Scalar, Space>(this->exec, CustomTaps{window, 4, values}, {});
  };
  std::vector<Scalar> x(samples * 20);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Scalar>(i % 101) / Scalar(7);
  const StridedSeries series(Strided(x.data(), {samples, 20}));
  const ConvolveOptions options{.shift = Shift::off, .method = Method::direct};
  ConvolvePlan<Scalar, Space> plan(this->exec, series, bank_of(5, 0), options);
  const ConvolvePlan<Scalar, Space> other(this->exec, series, bank_of(5, 0.1), options);
  if (!oracle::has_device) {  // where each filter is computed
    EXPECT_GT(plan.choice().workspace_bytes, other.choice().workspace_bytes)
        << "memory for rows that are computed once";
  }
  for (const auto& [step, change] : {std::pair{10, 0.0}, {5, 0.1}, {2, 0.0}, {5, 0.0}}) {
    const FilterBank<Scalar, Space> bank = bank_of(step, change);
    plan.update(this->exec, bank);
    std::vector<Scalar> found(samples * 20 * 4);
    std::vector<Scalar> expected(found.size());
    plan.run(this->exec, series, StridedOutput(found.data(), {samples, 20, 4}));
    convolve(this->exec, series, bank, StridedOutput(expected.data(), {samples, 20, 4}), options);
    this->exec.fence();
    EXPECT_TRUE(same_bits(found, expected, {samples, 20, 4})) << "filters " << step << " apart";
  }
}

}  // namespace
}  // namespace shared_filters_tests
