// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/kokkos_events.hpp"

#include "oracle/library.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A plan stays within its budget: by its own numbers, and by the allocations that Kokkos reports.

namespace budget_tests {
namespace {

using namespace synelix;
using promises::KokkosEvents;

template <class Types>
class Budget : public testing::Test {};
TYPED_TEST_SUITE(Budget, oracle::AllSpaces);

SeriesShape shape_of(std::int64_t samples, std::int64_t channels, bool has_events) {
  SeriesShape shape;
  shape.samples = samples;
  shape.channels = channels;
  shape.has_events = has_events;
  shape.events = has_events ? samples * channels / 50 : 0;
  return shape;
}

TYPED_TEST(Budget, IsWhatAPlanAllocatesAtMost) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  for (const bool has_events : {false, true}) {
    for (const std::int64_t window : {1, 30, 1000}) {
      const FilterBank<Scalar, Space> bank(exec, MSpline{.bases = 5, .order = 1},
                                           {.window = std::max<std::int64_t>(window, 5)});
      for (const std::int64_t budget : {mebibytes(1) / 3, mebibytes(1), mebibytes(8)}) {
        const bool has_room = window < 1000 || budget > mebibytes(1);
        SeriesShape shape = shape_of(100'000, 40, has_events);
        shape.scaling.channel_scale.assign(40, 2.0);
        shape.epochs = {{0, 40'000}, {40'010, 100'000}};
        for (const auto& [method, parts] :
             {std::pair{Method::automatic, std::optional<std::int64_t>{}},
              {Method::direct, {}},
              {Method::fft, {}},
              {Method::fft, 4}}) {
          if (method != Method::direct && !has_room) continue;  // for a block of samples
          SCOPED_TRACE(name_of(method) + std::string(" of parts: ") +
                       std::to_string(parts.value_or(0)));
          const ConvolveOptions options{.method = method, .budget = budget, .fft_parts = parts};
          // Kokkos keeps the scratch of its threads from then on.
          const ConvolvePlan<Scalar, Space> before(exec, shape, bank, options);
          const KokkosEvents events;
          const ConvolvePlan<Scalar, Space> plan(exec, shape, bank, options);
          const std::int64_t allocated = events.bytes_of(exec);
          EXPECT_LE(plan.choice().workspace_bytes, budget);
          EXPECT_LE(allocated, plan.choice().workspace_bytes);
          EXPECT_GT(allocated, plan.choice().workspace_bytes / 2);
        }
      }
    }
  }
}

TYPED_TEST(Budget, GoesDownToTheSmallest) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 5}, {.window = 100});
  const SeriesShape shape = shape_of(100'000, 40, false);
  std::int64_t smallest = 0;
  try {
    (void)choose(exec, shape, bank, {.method = Method::direct, .budget = 1});
  } catch (const Error& error) {
    const std::string text = error.what();
    smallest = std::stoll(text.substr(text.find("at least ") + 9));
  }
  ASSERT_GT(smallest, 0);
  EXPECT_LT(smallest, 2 * (100 * 5 * 8 + 400) + 64 * 100 + 2000)
      << "taps and filters, one pack of a window, a few records";
  const KokkosEvents events;
  const ConvolvePlan<Scalar, Space> plan(exec, shape, bank,
                                         {.method = Method::direct, .budget = smallest});
  EXPECT_GT(events.bytes_of(exec), 0);
  EXPECT_LE(events.bytes_of(exec), smallest);
}

TYPED_TEST(Budget, ABorrowedWorkspaceIsNotAllocated) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 5}, {.window = 100});
  const SeriesShape shape = shape_of(100'000, 40, false);
  for (const Method method : {Method::automatic, Method::direct, Method::fft}) {
    const ConvolveOptions options{.method = method};
    const Choice choice = choose(exec, shape, bank, options);
    std::vector<std::byte> memory(static_cast<std::size_t>(choice.workspace_bytes));
    const KokkosEvents events;
    const ConvolvePlan<Scalar, Space> plan(
        exec, shape, bank, options,
        typename ConvolvePlan<Scalar, Space>::Workspace(memory.data(), memory.size()));
    for (const auto& allocation : events.allocations) {
      EXPECT_NE(allocation.label, "synelix::convolve::workspace");
      if (allocation.label == "synelix::convolve::spectra" ||
          allocation.label == "synelix::convolve::turns") {  // tables of the plan
        EXPECT_EQ(choice.method, Method::fft);
        EXPECT_LT(allocation.bytes, std::max(choice.workspace_bytes / 2, std::int64_t{1} << 15));
      } else {
        EXPECT_LE(allocation.bytes, 100 * 5 * 8 + 2 * 400) << allocation.label;  // between zeros
      }
    }
  }
}

}  // namespace
}  // namespace budget_tests
