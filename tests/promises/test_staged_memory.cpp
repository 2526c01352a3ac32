// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/kokkos_events.hpp"

#include "oracle/library.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Kokkos' reports of a convolution through a device, on a host that represents one: memory inside
// both budgets, packed samples that stay packed, and steps in an order that overlaps.

namespace staged_memory_tests {
namespace {

using namespace synelix;
using promises::KokkosEvents;
using testing::StartsWith;
using Kind = KokkosEvents::Kind;

template <class Types>
class StagedMemory : public testing::Test {};
TYPED_TEST_SUITE(StagedMemory, oracle::AllSpaces);

constexpr std::int64_t samples = 20'000;
constexpr std::int64_t channels = 12;
constexpr std::int64_t bases = 5;

template <class Scalar, class Space>
struct Problem {
  Space exec;
  FilterBank<Scalar, Space> bank{exec, RaisedCosineLog{.bases = bases}, {.window = 60}};
  oracle::Guarded<std::int8_t> x{samples * channels, std::int8_t{3}, oracle::GuardedEnd::last,
                                 oracle::Reached::by_host};
  oracle::Guarded<Scalar> y{samples * channels * bases, Scalar(0), oracle::GuardedEnd::last,
                            oracle::Reached::by_host};

  [[nodiscard]] StridedSeries series() const {
    return StridedSeries(Strided(x.data(), {samples, channels}));
  }
  [[nodiscard]] StridedOutput features() {
    return StridedOutput(y.data(), {samples, channels, bases});
  }
  [[nodiscard]] Events events() const {
    std::vector<Events::Train> trains(channels);
    for (auto& train : trains) {
      for (std::int64_t t = 0; t < samples; t += 20) train.samples.push_back(t);
    }
    return {samples, trains};
  }
};

/// What was allocated where an instance computes, and of pinned memory, while the events were
/// recorded.
template <class Space>
std::pair<std::int64_t, std::int64_t> allocated(const KokkosEvents& events) {
  std::pair<std::int64_t, std::int64_t> bytes;
  for (const auto& allocation : events.allocations) {
    if (allocation.label.starts_with("Kokkos::")) continue;  // belongs to an instance, for any user
    EXPECT_THAT(allocation.label, StartsWith("synelix::"));
    if (allocation.label.find("pinned") != std::string::npos) {
      bytes.second += allocation.bytes;
    } else if (allocation.space == Space::memory_space::name()) {
      bytes.first += allocation.bytes;
    }
  }
  return bytes;
}

TYPED_TEST(StagedMemory, StaysInsideBothBudgets) {
  using Scalar = typename TypeParam::scalar;
  Problem<Scalar, typename TypeParam::space> problem;
  const Events spikes = problem.events();
  for (const Method method : {Method::direct, Method::fft}) {
    for (const std::int64_t budget : {mebibytes(1), mebibytes(4), mebibytes(64)}) {
      for (const std::int64_t host_budget : {std::int64_t{30'000}, mebibytes(64)}) {
        for (const bool has_events : {false, true}) {
          const ConvolveOptions options{.method = method,
                                        .budget = budget,
                                        .staging = Staging::always,
                                        .host_budget = host_budget};
          SCOPED_TRACE(name_of(method) + std::string(", budget ") + std::to_string(budget) +
                       ", host budget " + std::to_string(host_budget));
          const KokkosEvents events;
          StagedBlocks blocks;
          if (has_events) {
            blocks =
                choose(problem.exec, spikes, problem.bank, problem.features(), options).staging;
            convolve(problem.exec, spikes, problem.bank, problem.features(), options);
          } else {
            const StridedSeries series = problem.series();
            blocks =
                choose(problem.exec, series, problem.bank, problem.features(), options).staging;
            convolve(problem.exec, series, problem.bank, problem.features(), options);
          }
          const auto [device, pinned] = allocated<typename TypeParam::space>(events);
          EXPECT_LE(device, blocks.device_bytes);
          EXPECT_GT(device, blocks.device_bytes / 2);
          EXPECT_LE(blocks.device_bytes, budget);
          EXPECT_EQ(pinned, blocks.host_bytes);
          EXPECT_LE(blocks.host_bytes, host_budget);
        }
      }
    }
  }
}

/// The steps between the tables and the end, without those of Kokkos itself.
std::vector<KokkosEvents::Step> own_steps(const KokkosEvents& events) {
  std::vector<KokkosEvents::Step> steps;
  bool has_begun = false;
  for (const auto& step : events.steps) {
    has_begun = has_begun || step.label == "synelix::convolve: tables and arguments are there";
    if (has_begun && step.label.starts_with("synelix::")) steps.push_back(step);
  }
  return steps;
}

TYPED_TEST(StagedMemory, CopiesOfTheNextBlockAreAskedForBeforeTheLastIsWaitedFor) {
  using Scalar = typename TypeParam::scalar;
  Problem<Scalar, typename TypeParam::space> problem;
  const ConvolveOptions options{.method = Method::direct,
                                .budget = mebibytes(4),
                                .staging = Staging::always,
                                .host_budget = mebibytes(1)};
  const StridedSeries series = problem.series();
  const StagedBlocks blocks =
      choose(problem.exec, series, problem.bank, problem.features(), options).staging;
  ASSERT_EQ(blocks.slots, 3);
  const KokkosEvents events;
  convolve(problem.exec, series, problem.bank, problem.features(), options);
  std::int64_t brought = 0;
  std::int64_t fetched = 0;
  std::int64_t computed = 0;
  std::int64_t waited_for = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  for (const auto& step : own_steps(events)) {
    SCOPED_TRACE(step.label);
    if (step.label == "synelix::convolve::slot_input") {
      EXPECT_EQ(brought, computed) << "one after the other";
      EXPECT_LT(brought - waited_for, 3) << "a slot that is still in flight";
      ++brought;
      bytes_in += step.bytes;
    } else if (step.label == "synelix::convolve::direct") {
      EXPECT_LT(computed, brought) << "the first launches are the constructor's";
      ++computed;
    } else if (step.label == "synelix::convolve::pinned_output") {
      EXPECT_EQ(fetched, computed - 1);
      ++fetched;
      bytes_out += step.bytes;
    } else if (step.label == "synelix::convolve: the block is there") {
      EXPECT_EQ(step.kind, Kind::fence);
      const bool is_last = fetched * blocks.rows >= samples * channels / blocks.channels;
      EXPECT_TRUE(fetched - waited_for == 3 || is_last) << fetched << " " << waited_for;
      ++waited_for;
    } else if (step.kind == Kind::fence) {
      EXPECT_TRUE(step.label == "synelix::convolve: the host has copied" ||
                  step.label == "synelix::convolve: tables and arguments are there");
    } else {
      EXPECT_TRUE(step.label == "synelix::convolve::gather" ||
                  step.label == "synelix::convolve::scatter");
    }
  }
  EXPECT_GT(brought, 6) << "or the test shows nothing";
  EXPECT_EQ(computed, brought);
  EXPECT_EQ(fetched, brought);
  EXPECT_EQ(waited_for, brought);
  // Packed as they are stored, with the windows' halos; features once.
  const std::int64_t stored = samples * channels;
  EXPECT_GE(bytes_in, stored);
  EXPECT_LT(bytes_in, stored + brought * 60 * channels);
  EXPECT_EQ(bytes_out, samples * channels * bases * static_cast<std::int64_t>(sizeof(Scalar)));
}

/// Allocations of Kokkos at the first launch on an instance also belong to the plan, as documented
/// in docs/profiling.md.
TYPED_TEST(StagedMemory, AllocatesAndWarmsUpInTheRegionOfThePlan) {
  using Scalar = typename TypeParam::scalar;
  Problem<Scalar, typename TypeParam::space> problem;
  const Events spikes = problem.events();
  for (const Method method : {Method::direct, Method::fft, Method::events}) {
    const bool has_events = method == Method::events;
    const ConvolveOptions options{.method = method,
                                  .budget = mebibytes(8),
                                  .staging = Staging::always,
                                  .host_budget = mebibytes(1)};
    const StridedSeries series = problem.series();
    const StagedBlocks blocks =
        has_events
            ? choose(problem.exec, spikes, problem.bank, problem.features(), options).staging
            : choose(problem.exec, series, problem.bank, problem.features(), options).staging;
    ASSERT_GT(blocks.slots, 1);
    const std::string kernel = std::string("synelix::convolve::") + name_of(method);
    const KokkosEvents events;
    if (has_events) {
      convolve(problem.exec, spikes, problem.bank, problem.features(), options);
    } else {
      convolve(problem.exec, series, problem.bank, problem.features(), options);
    }
    EXPECT_FALSE(events.allocations.empty());
    for (const auto& allocation : events.allocations) {
      EXPECT_THAT(allocation.within, testing::Contains("synelix::convolve::plan"))
          << allocation.label;
    }
    std::int64_t first_launches = 0;
    std::int64_t launches = 0;
    for (const auto& launch : events.launches) {
      if (launch.label != kernel) continue;
      ASSERT_FALSE(launch.within.empty());
      ++(launch.within.back() == "synelix::convolve::plan" ? first_launches : launches);
    }
    // On a device, weak rows of transforms are a launch of their own.
    constexpr bool is_host =
        std::is_same_v<typename TypeParam::space::memory_space, Kokkos::HostSpace>;
    const std::int64_t of_block = method == Method::fft && !is_host ? 2 : 1;
    // Of the tables' instance and of each slot; the spectra of a bank may be launched as the
    // method.
    EXPECT_GE(first_launches, of_block * (1 + blocks.slots)) << kernel;
    EXPECT_LE(first_launches, of_block * (1 + blocks.slots) + 1) << kernel;
    const std::int64_t least = of_block * ((samples + blocks.rows - 1) / blocks.rows) *
                               ((channels + blocks.channels - 1) / blocks.channels);
    EXPECT_GE(launches, least);
    EXPECT_LE(launches, least + least / 4 + 1) << "blocks that end with a strip";
  }
}

TYPED_TEST(StagedMemory, EventsCrossAsEventsOnceWhereTheyFit) {
  using Scalar = typename TypeParam::scalar;
  Problem<Scalar, typename TypeParam::space> problem;
  const Events spikes = problem.events();
  const std::int64_t lists = spikes.bytes();
  for (const std::int64_t budget : {mebibytes(8), mebibytes(8) / 10}) {
    const ConvolveOptions options{.method = Method::events,
                                  .budget = budget,
                                  .staging = Staging::always,
                                  .host_budget = mebibytes(1)};
    const StagedBlocks blocks =
        choose(problem.exec, spikes, problem.bank, problem.features(), options).staging;
    EXPECT_EQ(blocks.whole_events, budget == mebibytes(8));
    const KokkosEvents events;
    convolve(problem.exec, spikes, problem.bank, problem.features(), options);
    std::int64_t bytes = 0;
    for (const auto& step : events.steps) {
      const bool is_input = step.label == "synelix::convolve::events_on_device" ||
                            step.label == "synelix::convolve::slot_input";
      if (step.kind == Kind::copy && is_input) bytes += step.bytes;
    }
    if (blocks.whole_events) {
      EXPECT_EQ(bytes, lists);
    } else {
      EXPECT_GT(bytes, lists);
      EXPECT_LT(bytes, 3 * lists) << "with the windows' halos";
    }
  }
}

}  // namespace
}  // namespace staged_memory_tests
