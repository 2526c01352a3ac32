// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"
#include "promises/kokkos_events.hpp"

#include <synelix/bilinear_forms.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

// A run of a plan of bilinear forms: no allocations, copies or fences, and launches with labels of
// the library; its workspace has the size in the choice.

namespace forms_runs_tests {
namespace {

using namespace synelix;
using promises::CountAllocations;
using promises::KokkosEvents;
using testing::ElementsAre;
using testing::IsEmpty;

using Space = Kokkos::DefaultHostExecutionSpace;
using Plan = BilinearFormsPlan<float, Space>;

/// Vectors, a matrix and room for their forms.
struct Vectors {
  static constexpr std::int64_t count = 1000;
  static constexpr std::int64_t n = 200;

  std::vector<float> x = std::vector<float>(count * n, 0.5F);
  std::vector<float> a = std::vector<float>(n * n, 0.25F);
  std::vector<float> q = std::vector<float>(count);

  [[nodiscard]] Plan plan(const BilinearFormsOptions& options = {}) {
    return {Space(), Strided(x.data(), {count, n}), Strided(a.data(), {n, n}),
            StridedOutput(q.data(), {count}), options};
  }
};

constexpr std::int64_t small_budget = 128 * 1024;  // less than the matrix' copy takes

TEST(FormsRuns, AllocateNothing) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const Space exec;
  Vectors vectors;
  for (const auto& options : {BilinearFormsOptions{}, BilinearFormsOptions{.budget = small_budget},
                              BilinearFormsOptions{.method = FormMethod::product}}) {
    const Plan plan = vectors.plan(options);
    EXPECT_EQ(plan.choice().is_packed, !options.budget);
    for (int run = 0; run < 3; ++run) {
      CountAllocations counter;
      plan.run(exec);
      const auto counted = counter.stop();
      EXPECT_EQ(counted.calls, 0) << "run " << run << ": " << counted.bytes << " bytes";
    }
  }
}

TEST(FormsRuns, LaunchUnderTheirLabels) {
  const Space exec;
  Vectors vectors;
  const auto labels_of = [&](const Plan& plan) {
    const KokkosEvents events;
    plan.run(exec);
    EXPECT_THAT(events.regions, ElementsAre("synelix::bilinear_forms"));
    EXPECT_THAT(events.copies, IsEmpty());
    EXPECT_THAT(events.fences, IsEmpty());
    EXPECT_THAT(events.allocations, IsEmpty());
    std::vector<std::string> labels;
    for (const auto& launch : events.launches) labels.push_back(launch.label);
    return labels;
  };
  EXPECT_THAT(labels_of(vectors.plan()),
              ElementsAre("synelix::bilinear_forms::panels", "synelix::bilinear_forms::tiles"));
  EXPECT_THAT(labels_of(vectors.plan({.budget = small_budget})),
              ElementsAre("synelix::bilinear_forms::tiles"));
}

TEST(FormsRuns, PlansAllocateWhatTheyChose) {
  Vectors vectors;
  for (const auto& options :
       {BilinearFormsOptions{}, BilinearFormsOptions{.budget = small_budget}}) {
    const KokkosEvents events;
    const Plan plan = vectors.plan(options);
    EXPECT_THAT(events.regions, ElementsAre("synelix::bilinear_forms::plan"));
    std::int64_t bytes = 0;
    for (const auto& allocation : events.allocations) {
      EXPECT_THAT(allocation.label, testing::StartsWith("synelix::bilinear_forms::"));
      bytes += static_cast<std::int64_t>(allocation.bytes);
    }
    EXPECT_EQ(bytes, plan.choice().workspace_bytes);
  }
}

}  // namespace
}  // namespace forms_runs_tests
