// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/kokkos_events.hpp"

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/conv.hpp>
#include <synelix/convolve.hpp>
#include <synelix/matmul.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

// Kokkos' reports of a run: one launch, on the given instance, with a label of the library; no
// allocation, no fence, no copy. And two plans on two instances.

namespace launches_tests {
namespace {

using namespace synelix;
using promises::KokkosEvents;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

using Space = Kokkos::DefaultExecutionSpace;
using Bank = FilterBank<float, Space>;
using Plan = ConvolvePlan<float, Space>;

constexpr std::int64_t samples = 5000;
constexpr std::int64_t channels = 6;
constexpr std::int64_t bases = 3;

std::vector<float> samples_of(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::normal_distribution<float> normal;
  std::vector<float> x(samples * channels);
  for (float& value : x) value = normal(random);
  return x;
}

/// Epochs of `length` samples each, all the way.
Epochs epochs_of(std::int64_t length) {
  Epochs epochs;
  for (std::int64_t t = 0; t < samples; t += length) {
    epochs.push_back({t, std::min(samples, t + length)});
  }
  return epochs;
}

StridedSeries series_of(const std::vector<float>& x, Epochs epochs = {}) {
  return StridedSeries(Strided(x.data(), {samples, channels}),
                       {.sample_axis = 0, .epochs = std::move(epochs)});
}

/// In the memory of a space.
Events some_events(const Space& exec, Epochs epochs) {
  std::vector<Events::Train> trains(channels);
  for (auto& train : trains) train.samples = {3, 50, 77, 4000};
  return copy_events(exec, Events(samples, trains, std::move(epochs)));
}

Bank bank_on(const Space& exec) { return {exec, RaisedCosineLog{.bases = bases}, {.window = 10}}; }

/// One launch on `exec` with the method's label, and nothing else.
void expect_one_launch(const Space& exec, const char* label, const std::function<void()>& run,
                       const char* region = "synelix::convolve") {
  const KokkosEvents events;
  run();
  ASSERT_EQ(events.launches.size(), 1U);
  EXPECT_EQ(events.launches[0].label, label);
  EXPECT_EQ(events.launches[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_THAT(events.fences, IsEmpty());
  EXPECT_THAT(events.copies, IsEmpty());
  EXPECT_EQ(events.allocations.size(), 0U);
  EXPECT_THAT(events.regions, ElementsAre(region));
}

TEST(Launches, ARunIsOneLaunchWhateverTheEpochs) {
  const Space exec;
  const Bank bank = bank_on(exec);
  const std::vector<float> x = samples_of(1);
  std::vector<float> y(samples * channels * bases);
  const StridedOutput features(y.data(), {samples, channels, bases});
  for (const std::int64_t length : {samples, std::int64_t{100}, std::int64_t{3}}) {
    const StridedSeries series = series_of(x, epochs_of(length));
    const Plan plan(exec, series, bank);
    expect_one_launch(exec, "synelix::convolve::direct", [&] { plan.run(exec, series, features); });
    const Events events = some_events(exec, epochs_of(length));
    const Plan by_events(exec, events, bank, {.method = Method::events});
    expect_one_launch(exec, "synelix::convolve::events",
                      [&] { by_events.run(exec, events, features); });
    const Plan by_direct(exec, events, bank, {.method = Method::direct});
    expect_one_launch(exec, "synelix::convolve::direct",
                      [&] { by_direct.run(exec, events, features); });
    expect_one_launch(exec, "synelix::convolve::events", [&] {
      by_events.run_block(exec, {{0, 100}, {0, 1}, {0, bases}}, events,
                          StridedOutput(y.data(), {100, 1, bases}));
    });
  }
}

/// Products of ragged shapes, one of them of several parts, and one of converted values.
struct Products {
  std::vector<float> a = std::vector<float>(130 * 250, 0.5F);
  std::vector<float> b = std::vector<float>(250 * 400, 0.25F);
  std::vector<std::int8_t> small = std::vector<std::int8_t>(100, 2);
  std::vector<float> c = std::vector<float>(200 * 400);

  [[nodiscard]] std::vector<Product> list() {
    return {{Strided(a.data(), {130, 250}), Strided(b.data(), {250, 400}),
             StridedOutput(c.data(), {130, 400})},
            {Strided(small.data(), {3, 7}), Strided(b.data(), {7, 5}),
             StridedOutput(c.data() + 60000, {3, 5})},
            {Strided(a.data(), {1, 1}), Strided(small.data(), {1, 9}),
             StridedOutput(c.data() + 61000, {1, 9})}};
  }
};

TEST(Launches, AListOfProductsIsOne) {
  const Space exec;
  Products products;
  const auto list = products.list();
  const MatmulPlan<float, Space> plan(exec, list);
  EXPECT_GE(plan.choice().parts, 4);
  for (int run = 0; run < 2; ++run) {
    expect_one_launch(exec, "synelix::matmul::tiles", [&] { plan.run(exec); }, "synelix::matmul");
  }
  const KokkosEvents events;
  matmul(exec, std::span<const Product>(list));
  EXPECT_EQ(events.launches.size(), 1U) << "of a call";
}

TEST(Launches, OfProductsAreOnTheirInstanceAndLabelled) {
  const Space all;
  for (const Space& exec : Kokkos::Experimental::partition_space(all, 1, 1)) {
    Products products;
    const auto list = products.list();
    const KokkosEvents events;
    const MatmulPlan<float, Space> plan(exec, list);
    plan.run(exec);
    exec.fence("synelix::test: done");
    const MatmulPlan<float, Space> slices(exec, Strided(products.a.data(), {4, 10}),
                                          windows(Strided(products.b.data(), {10, 200}), 20),
                                          StridedOutput(products.c.data(), {181, 4, 20}));
    EXPECT_TRUE(slices.choice().is_sliced);
    slices.run(exec);
    exec.fence("synelix::test: done");
    std::vector<std::string> labels;
    for (const auto& launch : events.launches) {
      EXPECT_EQ(launch.device, Kokkos::Tools::Experimental::device_id(exec)) << launch.label;
      labels.push_back(launch.label);
    }
    const char* const tiles = "synelix::matmul::tiles";
    const char* const copies = "synelix::matmul::slices";
    EXPECT_THAT(labels, ElementsAre(tiles, tiles, tiles, copies, tiles, copies))
        << "each kernel once without work, then the run";
    const bool is_host = std::is_same_v<Space::memory_space, Kokkos::HostSpace>;
    EXPECT_GE(events.allocations.size(), is_host ? 1U : 4U)
        << "the workspace, on a device products, parts and shares too";
    for (const auto& allocation : events.allocations) {
      // Kokkos' own: scratch of an instance of Serial, before its first launch.
      EXPECT_THAT(allocation.label,
                  testing::AnyOf(StartsWith("synelix::matmul::"), StartsWith("Kokkos::")));
    }
  }
}

TEST(Launches, AnEmptyBlockIsNone) {
  const Space exec;
  const Bank bank = bank_on(exec);
  const std::vector<float> x = samples_of(1);
  const Plan plan(exec, series_of(x), bank);
  float value = 0;
  const KokkosEvents events;
  plan.run_block(exec, {{5, 5}, {0, channels}, {0, bases}}, Strided(x.data(), {1, channels}), 0,
                 StridedOutput(&value, {0, channels, bases}));
  EXPECT_EQ(events.launches.size(), 0U);
}

TEST(Launches, TheConstructorLabelsAllItDoes) {
  const Space exec;
  const Bank bank = bank_on(exec);
  const std::vector<float> x = samples_of(1);
  const std::vector<double> scale(channels, 2.0);
  const std::vector<double> offset(channels, 1.0);
  const StridedSeries series(scaled(Strided(x.data(), {samples, channels}), scale, offset));
  const KokkosEvents events;
  const Plan plan(exec, series, bank);
  EXPECT_GE(events.allocations.size(), 4U) << "workspace, taps, scales, offsets";
  for (const auto& allocation : events.allocations) {
    EXPECT_THAT(allocation.label, StartsWith("synelix::"));
  }
  for (const auto& launch : events.launches) {
    EXPECT_TRUE(launch.label.starts_with("synelix::") || launch.label.starts_with("Kokkos::"))
        << launch.label;
    EXPECT_EQ(launch.device, Kokkos::Tools::Experimental::device_id(exec)) << launch.label;
  }
}

TEST(Launches, ARefusedCallLaunchesNothing) {
  const Space exec;
  const Bank bank = bank_on(exec);
  const std::vector<float> x = samples_of(1);
  const Plan plan(exec, series_of(x), bank);
  std::vector<float> y(samples * channels * bases);
  const KokkosEvents events;
  EXPECT_THROW(plan.run(exec, series_of(x), StridedOutput(y.data(), {samples, channels, 2})),
               Error);
  EXPECT_THROW(Plan(exec, series_of(x), bank, {.batch = {.samples = 3}}), Error);
  EXPECT_THROW(Plan(exec, series_of(x), bank, {.budget = 10}), Error);
  EXPECT_EQ(events.launches.size(), 0U);
  EXPECT_EQ(events.allocations.size(), 0U);
}

/// Two instances that share no thread, if the space has two threads or is Serial.
std::vector<Space> two_instances() {
  const Space exec;
  const auto parts = Kokkos::Experimental::partition_space(exec, 1, 1);
  return {parts.begin(), parts.end()};
}

TEST(Launches, TheGivenInstanceIsUsed) {
  const std::vector<Space> instances = two_instances();
  const std::vector<float> x = samples_of(2);
  std::vector<float> y(samples * channels * bases);
  for (const Space& exec : instances) {
    const Bank bank = bank_on(exec);
    const StridedSeries series = series_of(x);
    const KokkosEvents events;
    const Plan plan(exec, series, bank);
    plan.run(exec, series, StridedOutput(y.data(), {samples, channels, bases}));
    exec.fence();
    convolve(exec, series, bank, StridedOutput(y.data(), {samples, channels, bases}));
    ASSERT_GE(events.launches.size(), 4U);
    for (const auto& launch : events.launches) {
      EXPECT_EQ(launch.device, Kokkos::Tools::Experimental::device_id(exec)) << launch.label;
    }
  }
}

TEST(Launches, TwoPlansOnTwoInstancesFromTwoThreads) {
  const std::vector<Space> instances = two_instances();
  const std::vector<float> x[] = {samples_of(3), samples_of(4)};
  std::vector<float> expected[2];
  std::vector<float> found[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const Space exec;
    expected[i].resize(samples * channels * bases);
    found[i].resize(expected[i].size());
    convolve(exec, series_of(x[i]), bank_on(exec),
             StridedOutput(expected[i].data(), {samples, channels, bases}));
  }
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < 2; ++i) {
    plans.emplace_back(instances[i], series_of(x[i]), bank_on(instances[i]));
  }
  for (int round = 0; round < 20; ++round) {
    for (auto& values : found) std::fill(values.begin(), values.end(), -1.0F);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        plans[i].run(instances[i], series_of(x[i]),
                     StridedOutput(found[i].data(), {samples, channels, bases}));
        instances[i].fence();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(oracle::same_bits(found[i], expected[i], {samples, channels, bases}));
    }
  }
}

/// A call that makes a plan and runs it waits for its launches before the plan's workspace is
/// freed. Otherwise, kernels of a device would write to memory that others use by then. On a host
/// only the events of Kokkos show whether it waited.
TEST(OneShots, WaitForWhatTheyLaunched) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  const Exec exec;
  const std::vector<float> x(200, 1.0F);
  std::vector<float> y(200);
  const auto expect_fence = [](const char* call, const auto& compute) {
    SCOPED_TRACE(call);
    const KokkosEvents events;
    compute();
    std::vector<std::string> since_launched;  // fences of our own
    for (const KokkosEvents::Step& step : events.steps) {
      if (step.kind == KokkosEvents::Kind::launch) since_launched.clear();
      const bool is_ours = step.label.rfind("synelix::", 0) == 0;
      if (step.kind == KokkosEvents::Kind::fence && is_ours) since_launched.push_back(step.label);
    }
    ASSERT_FALSE(events.launches.empty());
    ASSERT_EQ(since_launched.size(), 1U);
    EXPECT_THAT(since_launched.front(), testing::HasSubstr("workspace is released"));
  };
  const Operand a(Strided(x.data(), {5, 5}));
  const StridedOutput c(y.data(), {5, 5});
  expect_fence("matmul", [&] { matmul(exec, a, a, c); });
  const std::vector<Product> products{{a, a, c}};
  expect_fence("matmul of a list", [&] { matmul(exec, std::span<const Product>(products)); });
  expect_fence("matmul of windows",
               [&] { matmul(exec, a, windows(a, 3), StridedOutput(y.data(), {3, 5, 3})); });
  const StridedOutput q(y.data(), {5});
  expect_fence("bilinear_forms", [&] { bilinear_forms(exec, a, a, a, q); });
  expect_fence("quadratic_forms", [&] { quadratic_forms(exec, a, a, q); });
  expect_fence("conv1d", [&] {
    conv1d(exec, Strided(x.data(), {1, 2, 9}), Strided(x.data(), {3, 2, 2}), no_bias,
           StridedOutput(y.data(), {1, 3, 8}));
  });
  const FilterBank<float, Exec> bank(exec, RaisedCosineLinear{.bases = 2}, {.window = 5});
  const StridedSeries series(Strided(x.data(), {20}));
  expect_fence("convolve", [&] { convolve(exec, series, bank, StridedOutput(y.data(), {20, 2})); });
}

}  // namespace
}  // namespace launches_tests
