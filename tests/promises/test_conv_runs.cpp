// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"
#include "promises/kokkos_events.hpp"

#include <synelix/conv.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

// A run of a convolution's plan: nothing allocated, copied or fenced, and launches under labels of
// the library's.

namespace conv_runs_tests {
namespace {

using namespace synelix;
using promises::CountAllocations;
using promises::KokkosEvents;
using testing::ElementsAre;
using testing::IsEmpty;

using Space = Kokkos::DefaultHostExecutionSpace;
using Plan = ConvPlan<float, Space>;

/// A convolution and its gradients, in memory.
struct Layer {
  std::vector<float> x = std::vector<float>(2 * 4 * 9 * 9, 0.5F);
  std::vector<float> w = std::vector<float>(6 * 4 * 3 * 3, 0.25F);
  std::vector<float> y = std::vector<float>(2 * 6 * 7 * 7, 2.0F);
  std::vector<float> result = std::vector<float>(2 * 6 * 9 * 9);

  [[nodiscard]] ConvArrays forward() {
    return {ConvOperator::forward,
            2,
            x_array(),
            w_array(),
            no_bias,
            StridedOutput(result.data(), {2, 6, 7, 7})};
  }
  [[nodiscard]] ConvArrays by_input() {
    return {ConvOperator::grad_input,
            2,
            y_array(),
            w_array(),
            no_bias,
            StridedOutput(result.data(), {2, 4, 9, 9})};
  }
  [[nodiscard]] ConvArrays by_weights() {
    return {ConvOperator::grad_weights,
            2,
            x_array(),
            y_array(),
            no_bias,
            StridedOutput(result.data(), {6, 4, 3, 3})};
  }

  /// Of one dimension, by transforms: x and y's gradient as lines.
  [[nodiscard]] ConvArrays by_transforms(ConvOperator op) {
    const Strided taps(w.data(), {3, 1, 40});
    const Strided gradient(y.data(), {1, 3, 196});
    switch (op) {
      case ConvOperator::grad_input:
        return {op, 1, gradient, taps, no_bias, StridedOutput(result.data(), {1, 1, 235})};
      case ConvOperator::grad_weights:
        return {op,       1,       Strided(x.data(), {1, 1, 235}),
                gradient, no_bias, StridedOutput(result.data(), {3, 1, 40})};
      default:
        return {op,   1,       Strided(x.data(), {1, 1, 300}),
                taps, no_bias, StridedOutput(result.data(), {1, 3, 261})};
    }
  }

 private:
  [[nodiscard]] Strided x_array() const { return {x.data(), {2, 4, 9, 9}}; }
  [[nodiscard]] Strided w_array() const { return {w.data(), {6, 4, 3, 3}}; }
  [[nodiscard]] Strided y_array() const { return {y.data(), {2, 6, 7, 7}}; }
};

TEST(ConvRuns, AllocateNothing) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const Space exec;
  Layer layer;
  for (const ConvArrays& arrays : {layer.forward(), layer.by_input(), layer.by_weights()}) {
    const Plan plan(exec, arrays);
    for (int run = 0; run < 3; ++run) {
      CountAllocations counter;
      plan.run(exec);
      const auto counted = counter.stop();
      EXPECT_EQ(counted.calls, 0) << "run " << run << ": " << counted.bytes << " bytes";
    }
  }
}

TEST(ConvRuns, ByTransformsAllocateNothing) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  const Space exec;
  Layer layer;
  for (const ConvOperator op :
       {ConvOperator::forward, ConvOperator::grad_input, ConvOperator::grad_weights}) {
    const Plan plan(exec, layer.by_transforms(op), {.method = ConvMethod::fft});
    for (int run = 0; run < 3; ++run) {
      CountAllocations counter;
      plan.run(exec);
      const auto counted = counter.stop();
      EXPECT_EQ(counted.calls, 0) << "run " << run << ": " << counted.bytes << " bytes";
    }
  }
}

TEST(ConvRuns, LaunchUnderTheirLabels) {
  const Space exec;
  Layer layer;
  const Plan forward(exec, layer.forward());
  const Plan by_input(exec, layer.by_input());
  const Plan by_weights(exec, layer.by_weights());
  const ConvOptions fft{.method = ConvMethod::fft};
  const Plan line(exec, layer.by_transforms(ConvOperator::forward), fft);
  const Plan line_by_weights(exec, layer.by_transforms(ConvOperator::grad_weights), fft);
  const auto labels_of = [&](const Plan& plan) {
    const KokkosEvents events;
    plan.run(exec);
    EXPECT_THAT(events.regions, ElementsAre("synelix::conv"));
    EXPECT_THAT(events.copies, IsEmpty());
    EXPECT_THAT(events.fences, IsEmpty());
    EXPECT_THAT(events.allocations, IsEmpty());
    std::vector<std::string> labels;
    for (const auto& launch : events.launches) labels.push_back(launch.label);
    return labels;
  };
  EXPECT_THAT(labels_of(forward), ElementsAre("synelix::conv::weights", "synelix::conv::windows"));
  EXPECT_THAT(labels_of(by_input), ElementsAre("synelix::conv::weights", "synelix::conv::windows"));
  EXPECT_THAT(labels_of(by_weights), ElementsAre("synelix::conv::grad_weights"));
  EXPECT_THAT(labels_of(line), ElementsAre("synelix::conv::spectra", "synelix::conv::blocks"));
  EXPECT_THAT(labels_of(line_by_weights),
              ElementsAre("synelix::conv::grad_blocks", "synelix::conv::reduce_split_k"));
}

TEST(ConvRuns, PlansAreNamed) {
  const Space exec;
  Layer layer;
  const KokkosEvents events;
  const Plan plan(exec, layer.forward());
  EXPECT_THAT(events.regions, ElementsAre("synelix::conv::plan"));
  for (const auto& allocation : events.allocations) {
    EXPECT_THAT(allocation.label, testing::StartsWith("synelix::conv::"));
  }
}

}  // namespace
}  // namespace conv_runs_tests
