// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

// Short calls: their system calls, and that they wait for no other thread.

namespace small_calls_tests {
namespace {

using namespace synelix;
using promises::CountAllocations;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t samples = 100;
constexpr std::int64_t window = 20;
constexpr std::int64_t bases = 8;

/// A series, spikes and filters, and calls on them.
class SmallCalls : public testing::Test {
 protected:
  [[nodiscard]] StridedSeries series() const {
    return StridedSeries(Strided(m_x.data(), {samples, 1}));
  }
  [[nodiscard]] StridedOutput features() { return {m_y.data(), {samples, 1, bases}}; }

  /// Each one-shot verb once.
  void call_all(const std::function<void(const char*)>& ended) {
    for (const Method method : {Method::direct, Method::fft}) {
      convolve(m_exec, series(), m_bank, features(), {.method = method});
      ended(name_of(method));
    }
    convolve(m_exec, Events(samples, {{{3, 50, 77}, {}}}), m_bank, features(),
             {.method = Method::events});
    ended("events");
    {
      ConvolvePlan<float, Space> plan(m_exec, series(), m_bank);
      plan.run(m_exec, series(), features());
      m_exec.fence("synelix::test: the plan ends");
    }
    ended("a plan");
    const Expression expression = conv(RaisedCosineLog{.bases = bases}, {.window = window}) *
                                  eval(BSpline{.bases = 5}, {.bounds = {{0.0, 1.0}}});
    std::vector<float> design(samples * bases * 5);
    const StridedSeries one = series();
    const AnySeries inputs[] = {one, one};
    (void)compute_features(m_exec, expression, inputs,
                           StridedOutput(design.data(), {samples, bases * 5}));
    ended("a design");
    matmul(m_exec, Strided(m_x.data(), {10, 10}), Strided(m_x.data(), {10, 10}),
           StridedOutput(m_y.data(), {10, 10}));
    ended("a product");
  }

  const Space m_exec = instance_with_threads<Space>(1);
  const FilterBank<float, Space> m_bank{
      m_exec, RaisedCosineLog{.bases = bases}, {.window = window}};

 private:
  std::vector<float> m_x = std::vector<float>(samples, 0.5F);
  std::vector<float> m_y = std::vector<float>(samples * bases);
};

/// The budget of a call without a given one is a share of the system's free memory. Reading that
/// opens files, whose streams allocate; a short call must not do it, because it would take most of
/// its time.
TEST_F(SmallCalls, DoNotAskTheSystemForMemoryThatIsFree) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const auto calls_with = [&](const ConvolveOptions& options) {
    convolve(m_exec, series(), m_bank, features(), options);  // the first one's own are made
    CountAllocations counter;
    convolve(m_exec, series(), m_bank, features(), options);
    return counter.stop();
  };
  const auto without = calls_with({});
  const auto with = calls_with({.budget = mebibytes(64)});
  EXPECT_EQ(without.calls, with.calls);
  EXPECT_EQ(without.bytes, with.bytes);
  CountAllocations counter;
  (void)default_budget();
  EXPECT_GT(counter.stop().bytes, 0) << "if asking allocates nothing, this test sees nothing";
}

/// A kernel waits here until it is released; a fence is recorded, and releases it.
struct Held {
  std::atomic<bool> has_begun = false;
  std::atomic<bool> is_released = false;
  std::vector<std::string> fences;  ///< of all instances, while the kernel was held
};
Held* held = nullptr;

/// Another thread's kernel is held in the middle while each call is made and ends. Kokkos fences
/// all instances when a View is freed, which would wait for that kernel.
TEST_F(SmallCalls, DoNotWaitForTheKernelsOfOtherThreads) {
  call_all([](const char*) {});  // then Kokkos has made its allocations for an instance
  Held state;
  held = &state;
  const Space other = instance_with_threads<Space>(1);
  Kokkos::Tools::Experimental::set_begin_fence_callback(
      [](const char* label, std::uint32_t, std::uint64_t*) {
        const std::string text = label;
        if (held->is_released || text.starts_with("synelix::")) return;  // of one instance
        held->fences.push_back(text);
        held->is_released = true;  // otherwise the fence would wait forever
      });
  std::thread thread([&] {
    Kokkos::parallel_for("held", Kokkos::RangePolicy<Space>(other, 0, 1), [&](int) {
      state.has_begun = true;
      while (!state.is_released) std::this_thread::yield();
    });
    other.fence("synelix::test: the held kernel has ended");
  });
  while (!state.has_begun) std::this_thread::yield();
  call_all([&](const char* call) {
    EXPECT_FALSE(state.is_released)
        << call << " waits for all instances: '"
        << (state.fences.empty() ? std::string() : state.fences.front()) << "'";
  });
  {
    const Kokkos::View<int*, Space> freed(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "synelix::test::freed"), 1);
  }
  EXPECT_EQ(state.fences.size(), 1U) << "where freeing a View fences nothing, this sees nothing";
  state.is_released = true;
  thread.join();
  Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
  held = nullptr;
}

}  // namespace
}  // namespace small_calls_tests
