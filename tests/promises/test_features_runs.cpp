// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"
#include "promises/kokkos_events.hpp"

#include "oracle/library.hpp"

#include <synelix/features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// A run of a features plan: nothing allocated, copied or fenced, and every launch on the given
// instance under a label of the library's.

namespace features_runs_tests {
namespace {

using namespace synelix;
using promises::CountAllocations;
using promises::KokkosEvents;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

using Space = Kokkos::DefaultHostExecutionSpace;
using Plan = FeaturesPlan<float, Space>;

constexpr std::int64_t samples = 3000;
constexpr std::int64_t columns = 3 * 4 + 2 * 5 + 2 * 8 + 2;

/// Filters of events, splines, a product of both, and Fourier.
struct Recording {
  std::vector<float> x = std::vector<float>(samples * 2, 0.25F);
  Epochs epochs{{0, 1000}, {1200, samples}};
  Events events{samples, {{{3, 50, 77, 2000}, {}}, {{4}, {}}, {{5}, {}}}, epochs};
  StridedSeries series{Strided(x.data(), {samples, 2}), {.sample_axis = 0, .epochs = epochs}};
  StridedSeries angle{Strided(x.data(), {samples}), {.sample_axis = 0, .epochs = epochs}};
  Expression expression =
      conv(RaisedCosineLog{.bases = 4}, {.window = 20}) +
      eval(BSpline{.bases = 5}, {.bounds = {{0.0, 1.0}}}) +
      conv(History{}, {.window = 2}) * eval(BSpline{.bases = 4}, {.bounds = {{0.0, 1.0}}}) +
      eval(Fourier{.frequencies = {{1}}}, {.bounds = {{0.0, 1.0}}});
  std::vector<AnySeries> inputs{events, series, series, series, angle};
  std::vector<float> y = std::vector<float>(samples * columns);

  [[nodiscard]] Plan plan(const Space& exec, const FeaturesOptions& options = {}) const {
    std::vector<InputShape> shapes;
    for (const AnySeries& input : inputs) shapes.push_back(input.shape());
    return {exec, expression, shapes, options};
  }
  [[nodiscard]] StridedOutput output() { return {y.data(), {samples, columns}}; }
};

TEST(FeaturesRuns, AllocateNothing) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const Space exec;
  Recording recording;
  const Plan plan = recording.plan(exec);
  for (int run = 0; run < 3; ++run) {
    CountAllocations counter;
    plan.run(exec, recording.inputs, recording.output());
    const auto counted = counter.stop();
    EXPECT_EQ(counted.calls, 0) << "run " << run << ": " << counted.bytes << " bytes";
  }
  const std::vector<InputBlock> blocks{{{}, 0, &recording.events},
                                       {Strided(recording.x.data(), {samples, 2}), 0, nullptr},
                                       {Strided(recording.x.data(), {samples, 2}), 0, nullptr},
                                       {Strided(recording.x.data(), {samples, 2}), 0, nullptr},
                                       {Strided(recording.x.data(), {samples, 1}), 0, nullptr}};
  CountAllocations counter;
  plan.run_block(exec, {900, 1500}, blocks, StridedOutput(recording.y.data(), {600, columns}));
  EXPECT_EQ(counter.stop().calls, 0);
}

TEST(FeaturesRuns, LaunchOnTheGivenInstanceAndNothingElse) {
  const Space exec;
  Recording recording;
  const Plan plan = recording.plan(exec);
  const KokkosEvents events;
  plan.run(exec, recording.inputs, recording.output());
  std::vector<std::string> labels;
  for (const auto& launch : events.launches) {
    labels.push_back(launch.label);
    EXPECT_EQ(launch.device, Kokkos::Tools::Experimental::device_id(exec));
  }
  ASSERT_EQ(labels.size(), 6U);
  EXPECT_THAT(labels[0], StartsWith("synelix::convolve::"));
  labels.erase(labels.begin());
  EXPECT_THAT(labels, ElementsAre("synelix::features::eval", "synelix::convolve::direct",
                                  "synelix::features::eval", "synelix::features::product",
                                  "synelix::features::eval"));
  EXPECT_THAT(events.fences, IsEmpty());
  EXPECT_THAT(events.copies, IsEmpty());
  EXPECT_EQ(events.allocations.size(), 0U);
  EXPECT_THAT(events.regions, ElementsAre("synelix::compute_features"));
}

TEST(FeaturesRuns, TheConstructorLabelsAllItDoesAndKeepsToTheBudget) {
  const Space exec;
  Recording recording;
  const KokkosEvents events;
  const Plan plan = recording.plan(exec, {.budget = 400'000});
  std::int64_t bytes = 0;
  for (const auto& allocation : events.allocations) {
    EXPECT_THAT(allocation.label, StartsWith("synelix::"));
    bytes += allocation.bytes;
  }
  EXPECT_LE(bytes, 400'000 + 4096) << "Kokkos adds a header to each allocation";
  for (const auto& launch : events.launches) {
    EXPECT_TRUE(launch.label.starts_with("synelix::") || launch.label.starts_with("Kokkos::"))
        << launch.label;
  }
}

TEST(FeaturesRuns, ARefusedCallLaunchesNothing) {
  const Space exec;
  Recording recording;
  const Plan plan = recording.plan(exec);
  const KokkosEvents events;
  EXPECT_THROW(
      plan.run(exec, recording.inputs, StridedOutput(recording.y.data(), {samples, columns - 1})),
      Error);
  EXPECT_THROW(static_cast<void>(recording.plan(exec, {.budget = 10})), Error);
  EXPECT_EQ(events.launches.size(), 0U);
  EXPECT_EQ(events.allocations.size(), 0U);
}

TEST(FeaturesRuns, WhatIsRefusedIsRefusedBeforeSamplesAreLookedAt) {
  const Space exec;
  const std::vector<float> x(2 * samples, 0.25F);
  const StridedSeries series(Strided(x.data(), {samples}));
  const StridedSeries longer(Strided(x.data(), {2 * samples}));
  const Expression ranged = eval(BSpline{.bases = 5}) + eval(Identity{});
  const std::vector<AnySeries> alike{series, series};
  const std::vector<AnySeries> other{series, longer};
  const KokkosEvents events;
  EXPECT_THROW(compute_features(exec, ranged, alike, {.every = 0}), Error);
  EXPECT_THROW(compute_features(exec, ranged, alike, {.budget = 10}), Error);
  EXPECT_THROW(compute_features(exec, ranged, other), Error);
  EXPECT_THROW(find_statistics(exec, ranged, std::span<const AnySeries>(other)), Error);
  EXPECT_EQ(events.launches.size(), 0U);
  EXPECT_EQ(events.allocations.size(), 0U);
}

}  // namespace
}  // namespace features_runs_tests
