// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/refusals.hpp"

#include <synelix/convolve.hpp>
#include <synelix/features.hpp>
#include <synelix/trials.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// Sizes whose products leave 64 bits are refused before anything is computed with them: this file
// is clean under the sanitizer's check of overflows.

namespace sizes_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;

using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

/// 2^n
constexpr std::int64_t two_to(int n) { return std::int64_t{1} << n; }

class Sizes : public testing::Test {
 public:
  void expect_shape_refused(const SeriesShape& shape, const std::string& argument,
                            const std::string& found) {
    for (const Method method : {Method::automatic, Method::direct, Method::fft}) {
      const ConvolveOptions options{.method = method};
      expect_refused([&] { (void)choose(exec, shape, bank, options); }, argument, found, "at most");
      expect_refused([&] { (void)ConvolvePlan<float, Space>(exec, shape, bank, options); },
                     argument, found, "at most");
    }
  }

  Space exec;
  std::vector<float> x = std::vector<float>(100, 1.0F);
  std::vector<float> y = std::vector<float>(200);
  FilterBank<float, Space> bank{exec, RaisedCosineLinear{.bases = 2}, {.window = 5}};
};

TEST_F(Sizes, OfShapes) {
  for (const std::int64_t samples : {most, most - 1, two_to(62)}) {
    expect_shape_refused({.samples = samples, .channels = 1, .epochs = {}}, "series",
                         std::to_string(samples) + " samples");
    expect_shape_refused({.samples = samples, .channels = 1, .epochs = {}, .has_events = true},
                         "series", std::to_string(samples) + " samples");
    expect_refused(
        [&] { (void)feature_rows({.samples = samples, .channels = 1, .epochs = {}}, 3, {}); },
        "series", std::to_string(samples), "2^61");
    expect_refused([&] { (void)Events(samples, {{}}); }, "samples", std::to_string(samples),
                   "2^61");
  }
  for (const std::int64_t channels : {most, two_to(62), two_to(49)}) {
    expect_shape_refused({.samples = 100, .channels = channels, .epochs = {}}, "series",
                         std::to_string(channels) + " channels");
  }
  // Each of these is a valid size; the features are not.
  expect_shape_refused({.samples = two_to(61), .channels = 1000, .epochs = {}}, "features",
                       "1000 channels x 2 bases");
  expect_shape_refused({.samples = two_to(40), .channels = two_to(48), .epochs = {}}, "features",
                       "channels x 2 bases");
  EXPECT_GT(feature_rows({.samples = two_to(61), .channels = 1, .epochs = {}}, 3, {}), 0);
  EXPECT_EQ(feature_rows({.samples = two_to(61), .channels = 1, .epochs = {}}, 3,
                         {.border = Border::valid, .every = most}),
            0)
      << "the only row that is kept is the first, which has no whole window";
}

TEST_F(Sizes, OfEpochsAndOptions) {
  const SeriesShape whole{.samples = 100, .channels = 1, .epochs = {}};
  for (const Epoch epoch : {Epoch{0, most}, Epoch{least, 5}, Epoch{most, least}, Epoch{5, 101}}) {
    SeriesShape shape = whole;
    shape.epochs = {epoch};
    expect_refused([&] { (void)choose(exec, shape, bank); }, "epochs[0]",
                   std::to_string(epoch.begin), "from 0 to 100");
  }
  for (const std::int64_t huge : {most, most - 1, two_to(62)}) {  // bounds that are beyond all
    const Choice choice = choose(exec, whole, bank,
                                 {.batch = {.samples = huge, .channels = huge, .bases = huge},
                                  .budget = huge,
                                  .every = huge});
    EXPECT_EQ(choice.rows, 1);
    ConvolveOptions in_parts{.method = Method::fft, .every = huge};
    in_parts.fft_parts = 3;
    EXPECT_EQ(choose(exec, whole, bank, in_parts).fft_parts, 1);
  }
}

TEST_F(Sizes, OfArrays) {
  const auto refused = [&](const Strided& array, int axis, const std::string& found) {
    expect_refused([&] { (void)StridedSeries(array, {.sample_axis = axis, .epochs = {}}); },
                   "series", found, "at most 2^48 channels");
  };
  refused(Strided(x.data(), {4, two_to(31), two_to(31)}, {1, 0, 0}), 0, "channels");
  refused(Strided(x.data(), {4, most}, {1, 0}), 0, std::to_string(most) + " channels");
  for (const std::int64_t stride : {most, least, two_to(62), -two_to(62), two_to(60)}) {
    expect_refused([&] { (void)StridedSeries(Strided(x.data(), {50, 2}, {1, stride})); }, "series",
                   std::to_string(stride), "at most 2^56 bytes");
    const StridedSeries series(Strided(x.data(), {50, 1}));
    expect_refused(
        [&] { convolve(exec, series, bank, StridedOutput(y.data(), {50, 1, 2}, {2, 2, stride})); },
        "features", std::to_string(stride), "at most 2^56 bytes");
  }
}

TEST_F(Sizes, OfBlocksAndTrials) {
  const StridedSeries series(Strided(x.data(), {100, 1}));
  const ConvolvePlan<float, Space> plan(exec, series, bank);
  const Block block{{0, 10}, {0, 1}, {0, 2}};
  for (const std::int64_t first : {most, most - 50, least}) {
    expect_refused(
        [&] {
          plan.run_block(exec, block, Strided(x.data(), {100, 1}), first,
                         StridedOutput(y.data(), {10, 1, 2}));
        },
        "input", "from sample " + std::to_string(first), "with samples");
  }
  for (const Range rows : {Range{most, least}, Range{0, most}, Range{least, 5}}) {
    expect_refused([&] { (void)plan.samples_for(rows); }, "rows", std::to_string(rows.begin),
                   "[0,");
  }
  const SeriesShape longest{.samples = two_to(61), .channels = 1, .epochs = {}};
  const std::vector<SeriesShape> trials(5, longest);
  expect_refused([&] { (void)TrialsPlan<float, Space>(exec, trials, bank); }, "trials",
                 "more than 2^61 samples", "2^61");
}

/// Ones that are added to a float stop at 2^24.
TEST_F(Sizes, OfCounts) {
  const std::int64_t limit = two_to(24);
  const auto counted = [](std::int64_t events) {
    std::vector<std::int64_t> train(static_cast<std::size_t>(events) + 1, 3);
    train.front() = 1;
    return Events::from_unsorted(10, {std::move(train)});
  };
  const Events events = counted(limit + 2);
  EXPECT_EQ(events.counts()[0], 1.0F);
  EXPECT_EQ(events.counts()[1], static_cast<float>(limit + 2)) << "2^24 + 2 is a float";
  expect_refused([&] { (void)counted(limit + 1); }, "event_samples[0]",
                 std::to_string(limit + 1) + " events in sample 3", "2^24");
}

TEST_F(Sizes, ARefusedTapIsNamedInFewDigits) {
  try {
    (void)FilterBank<float, Space>(exec, CustomTaps{.window = 1, .bases = 1, .taps = {1e300}}, {});
    ADD_FAILURE() << "1e300 is not a float";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("taps.values[0]: 1e+300 is not finite"));
  }
}

}  // namespace
}  // namespace sizes_tests
