// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"

#include "oracle/library.hpp"

#include <synelix/convolve.hpp>
#include <synelix/matmul.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// `run` allocates nothing, its first call included: no malloc, no mmap, on any thread.

namespace allocations_tests {
namespace {

using namespace synelix;
using promises::CountAllocations;

#ifdef __clang__
/// LLVM's OpenMP makes a team for each thread that calls it, and keeps its threads for the next.
constexpr std::int64_t most_first_calls = 100;
constexpr bool runtime_keeps_threads = true;
#else
constexpr std::int64_t most_first_calls = 4;
constexpr bool runtime_keeps_threads = false;
#endif

/// Threads of this process.
std::ptrdiff_t number_of_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

TEST(Allocations, AreCounted) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  CountAllocations counter;
  void* volatile memory = std::malloc(1000);
  auto* volatile value = new double[5];
  std::free(memory);
  delete[] value;
  const auto counted = counter.stop();
  EXPECT_EQ(counted.calls, 2);
  EXPECT_EQ(counted.bytes, 1040);
  const std::string large(200, 'x');
  EXPECT_EQ(counter.stop().calls, 2) << "stopped";
}

template <class Types>
class Run : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  using Plan = ConvolvePlan<Scalar, Space>;

  Run()
      : x(samples * channels, Scalar(1)),
        y(samples * channels * bases),
        bank(exec, RaisedCosineLog{.bases = bases}, {.window = 20}) {}

  [[nodiscard]] StridedSeries series() const {
    return StridedSeries(Strided(x.data(), {samples, channels}),
                         {.sample_axis = 0, .epochs = {{0, 100}, {120, samples}}});
  }
  [[nodiscard]] Events events() const {
    std::vector<Events::Train> trains(channels);
    for (auto& train : trains) train.samples = {3, 50, 77, 400};
    return {samples, trains, {{0, 100}, {120, samples}}};
  }
  [[nodiscard]] StridedOutput features() {
    return StridedOutput(y.data(), {samples, channels, bases});
  }

  static constexpr std::int64_t samples = 2000;
  static constexpr std::int64_t channels = 5;
  static constexpr std::int64_t bases = 3;
  static constexpr Block block{{10, 333}, {1, 4}, {0, 2}};
  Space exec;
  std::vector<Scalar> x;
  std::vector<Scalar> y;
  FilterBank<Scalar, Space> bank;
};
TYPED_TEST_SUITE(Run, oracle::AllSpaces);

TYPED_TEST(Run, AllocatesNothingForASeries) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const auto series = this->series();
  const auto features = this->features();
  for (const auto& [method, parts] : {std::pair{Method::automatic, std::optional<std::int64_t>{}},
                                      {Method::fft, {}},
                                      {Method::fft, 3}}) {
    const typename TestFixture::Plan plan(this->exec, series, this->bank,
                                          {.method = method, .fft_parts = parts});
    for (int run = 0; run < 3; ++run) {
      CountAllocations counter;
      plan.run(this->exec, series, features);
      const auto counted = counter.stop();
      EXPECT_EQ(counted.calls, 0) << name_of(method) << ", run " << run << ": " << counted.bytes
                                  << " bytes";
    }
  }
}

TYPED_TEST(Run, AllocatesNothingForABlock) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const typename TestFixture::Plan plan(this->exec, this->series(), this->bank);
  const Strided input(this->x.data() + 1, {TestFixture::samples, 3}, {TestFixture::channels, 1});
  const StridedOutput output(this->y.data(), {323, 3, 2});
  CountAllocations counter;
  plan.run_block(this->exec, TestFixture::block, input, 0, output);
  EXPECT_EQ(counter.stop().calls, 0);
}

TYPED_TEST(Run, AllocatesNothingForEvents) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const Events events = this->events();
  const auto features = this->features();
  const StridedOutput part(this->y.data(), {323, 3, 2});
  for (const auto& [method, parts] : {std::pair{Method::events, std::optional<std::int64_t>{}},
                                      {Method::direct, {}},
                                      {Method::fft, {}},
                                      {Method::fft, 3}}) {
    const typename TestFixture::Plan plan(this->exec, events, this->bank,
                                          {.method = method, .fft_parts = parts});
    CountAllocations whole;
    plan.run(this->exec, events, features);
    EXPECT_EQ(whole.stop().calls, 0) << name_of(method);
    CountAllocations partly;
    plan.run_block(this->exec, TestFixture::block, events, part);
    EXPECT_EQ(partly.stop().calls, 0) << name_of(method);
  }
}

TYPED_TEST(Run, AllocatesNothingThroughViews) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  using Space = typename TypeParam::space;
  using Scalar = typename TypeParam::scalar;
  const Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space> x("x", 500, 3);
  const Kokkos::View<Scalar***, Kokkos::LayoutLeft, Space> y("y", 500, 3, 3);
  const Series series(x);
  const typename TestFixture::Plan plan(this->exec, series, this->bank);
  CountAllocations counter;
  plan.run(this->exec, series, y);
  EXPECT_EQ(counter.stop().calls, 0);
}

TYPED_TEST(Run, AllocatesNothingForProducts) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  using Scalar = typename TypeParam::scalar;
  using Plan = MatmulPlan<Scalar, typename TypeParam::space>;
  std::vector<std::int8_t> stored(40 * 500, 3);
  std::vector<Scalar> a(100 * 500, Scalar(0.5));
  std::vector<Scalar> b(500 * 300, Scalar(0.25));
  std::vector<Scalar> c(281 * 10 * 20);
  const auto expect_none = [&](const char* name, const Plan& plan) {
    EXPECT_EQ(plan.choice().multiplier, Multiplier::tiles);
    for (int run = 0; run < 3; ++run) {
      CountAllocations counter;
      plan.run(this->exec);
      const auto counted = counter.stop();
      this->exec.fence();
      EXPECT_EQ(counted.calls, 0) << name << ", run " << run << ": " << counted.bytes << " bytes";
    }
  };
  const Operand left(Strided(a.data(), {100, 500}));
  const Operand right(Strided(b.data(), {500, 300}));
  const std::vector<Product> list{
      {left, right, StridedOutput(c.data(), {100, 300})},
      {scaled(Strided(stored.data(), {40, 500}), 0.5, 1), transposed(left),
       StridedOutput(c.data() + 30000, {40, 100}, {1, 40})},
      {Strided(a.data(), {2, 2}), Strided(b.data(), {2, 1}),
       StridedOutput(c.data() + 40000, {2, 1})}};
  expect_none("a list", Plan(this->exec, list, {.beta = 0.5}));
  expect_none("a product", Plan(this->exec, left, right, StridedOutput(c.data(), {100, 300}),
                                {.multiplier = Multiplier::tiles}));
  expect_none("a batch",
              Plan(this->exec, Strided(a.data(), {50, 10, 20}), Strided(b.data(), {50, 20, 15}),
                   StridedOutput(c.data(), {50, 10, 15})));
  const Plan slices(this->exec, Strided(a.data(), {10, 20}),
                    windows(Strided(b.data(), {20, 300}), 20),
                    StridedOutput(c.data(), {281, 10, 20}));
  EXPECT_TRUE(slices.choice().is_sliced);
  expect_none("slices", slices);
}

TYPED_TEST(Run, ASecondThreadAllocatesOnceAtMost) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const auto series = this->series();
  const auto features = this->features();
  const typename TestFixture::Plan plan(this->exec, series, this->bank);
  std::vector<promises::Allocations> counted(3);
  const auto threads_before = number_of_threads();
  std::thread([&] {
    for (auto& allocations : counted) {
      CountAllocations counter;
      plan.run(this->exec, series, features);
      allocations = counter.stop();
    }
  }).join();
  // The threads of g++'s OpenMP that served it end after it, and allocate as they do: not in a run
  // that the next test counts.
  for (int wait = 0;
       !runtime_keeps_threads && wait < 600'000 && number_of_threads() > threads_before; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  this->RecordProperty("first_run_calls", static_cast<int>(counted[0].calls));
  EXPECT_LE(counted[0].calls, most_first_calls)
      << counted[0].bytes << " bytes, inside Kokkos and the runtime";
  EXPECT_EQ(counted[1].calls, 0);
  EXPECT_EQ(counted[2].calls, 0);
}

}  // namespace
}  // namespace allocations_tests
