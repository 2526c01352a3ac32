// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/refusals.hpp"

#include <synelix/features.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Errors of expressions and plans of features, each before anything is launched.

namespace expression_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;

using Space = Kokkos::DefaultHostExecutionSpace;
using Plan = FeaturesPlan<float, Space>;

Expression spline() { return eval(BSpline{.bases = 4}, {.bounds = {{0.0, 1.0}}}); }

InputShape shape_of(std::int64_t samples, std::int64_t channels,
                    std::vector<std::int64_t> extents = {}) {
  return {{.samples = samples, .channels = channels, .type = StoredType::float32, .epochs = {}},
          std::move(extents)};
}

TEST(Expressions, AreComposedByRules) {
  const Expression wave = eval(Fourier{.frequencies = {{1}}});
  expect_refused([&] { wave* wave; }, "product", "two factors", "at most one");
  expect_refused([&] { (wave + spline()) * (spline() * wave); }, "product", "two", "one");
  expect_refused([&] { power(wave, 2); }, "product", "two", "one");
  EXPECT_EQ((wave * spline()).inputs(), 2);
  expect_refused([] { power(spline(), 0); }, "power", "0", "at least 1");
  expect_refused([] { spline() * -1; }, "repeated", "-1", "at least 1");
  expect_refused([] { spline() * 1025; }, "expression", "1025 inputs", "1024");
  const Expression named = eval(Identity{}, {.label = "speed"});
  expect_refused([&] { named * 2; }, "repeated", "speed", "without labels");
  expect_refused([&] { power(named, 2); }, "power", "speed", "without labels");
  expect_refused([&] { named + named; }, "label", "speed", "once");
  expect_refused([&] { return (named + spline()).labelled("x"); }, "label", "x", "products");
  expect_refused([&] { return (named * spline()).labelled("speed"); }, "label", "speed", "once");
  expect_refused([&] { return (named * spline()).labelled("BSpline"); }, "label", "BSpline",
                 "name");
  EXPECT_EQ((named * spline()).label(), "(speed * BSpline)");
  EXPECT_EQ((spline() + named * spline() + spline()).label(),
            "((BSpline + (speed * BSpline_1)) + BSpline_2)");
}

TEST(Expressions, ConvTermsAreChecked) {
  expect_refused([] { conv(BSpline{.bases = 5}); }, "window", "none", "at least 1");
  expect_refused([] { conv(BSpline{.bases = 5}, {.window = -2}); }, "window", "-2", "at least 1");
  expect_refused(
      [] { conv(History{}, {.window = 3, .causality = Causality::acausal, .shift = Shift::on}); },
      "shift", "acausal", "not shifted");
  const CustomTaps taps{.window = 2, .bases = 1, .taps = {1, 2}};
  EXPECT_EQ(input_uses(conv(taps)).size(), 1U);
}

TEST(Expressions, SayWhatTheyNeed) {
  const auto uses =
      input_uses(conv(History{}, {.window = 2}) + eval(BSpline{.bases = 4}) + eval(Identity{}) +
                 eval(Fourier{.frequencies = {{1}}, .dimensions = 2}) +
                 eval(OrthExponential{.decay_rates = {1}}, {.bounds = {{0.0, 1.0}}}));
  ASSERT_EQ(uses.size(), 6U);
  const std::vector<int> ranges{0, 1, 0, 1, 1, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(uses[i].needs_ranges, ranges[i] == 1) << i;
  EXPECT_EQ(uses[0].mode, Mode::conv);
  EXPECT_EQ(uses[4].dimension, 1);
  EXPECT_TRUE(uses[5].needs_samples);
}

TEST(FeaturesPlans, RefuseInputsThatDoNotFit) {
  const Space exec;
  const Expression sum = spline() + conv(History{}, {.window = 2});
  expect_refused([&] { Plan(exec, sum, {shape_of(9, 1)}); }, "inputs", "1", "2, as (BSpline + ");
  expect_refused([&] { Plan(exec, sum, {shape_of(9, 1), shape_of(8, 1)}); }, "inputs[1]",
                 "8 samples", "9 samples");
  expect_refused([&] { Plan(exec, sum, {shape_of(9, 1), shape_of(9, 6, {2, 2})}); }, "inputs[1]",
                 "(samples, 2, 2)", "6 channels");
  expect_refused([&] { Plan(exec, sum, {shape_of(9, 1), shape_of(9, 6, {-2, -3})}); }, "inputs[1]",
                 "-3", "6 channels");
  InputShape other = shape_of(9, 1);
  other.series.epochs = {{0, 4}};
  expect_refused([&] { Plan(exec, sum, {shape_of(9, 1), other}); }, "inputs[1]", "1 epochs differ",
                 "0 epochs");
  expect_refused([&] { Plan(exec, spline() * spline(), {shape_of(9, 6, {2, 3}), shape_of(9, 6)}); },
                 "inputs[1]", "(samples, 6)", "(samples, 2, 3)");
  EXPECT_EQ(Plan(exec, sum, {shape_of(9, 2), shape_of(9, 3)}).columns(), 14);
  expect_refused([&] { Plan(exec, eval(BSpline{.bases = 4}), {shape_of(9, 2)}); },
                 "statistics[0].ranges", "0", "2 channels, since BSpline has no bounds");
  expect_refused([&] { Plan(exec, sum, {shape_of(9, 1), shape_of(9, 1)}, {.every = 0}); }, "every",
                 "0", "at least 1");
  expect_refused([&] { Plan(exec, sum, {shape_of(9, 1), shape_of(9, 1)}, {.budget = 64}); },
                 "budget", "64 bytes", "at least");
}

TEST(FeaturesPlans, RefuseColumnsThatNoBasisHas) {
  const Space exec;
  const auto refuse = [&](const Expression& expression, std::int64_t columns,
                          const std::string& allowed) {
    InputStatistics statistics;
    statistics.ranges = {{0.0, 1.0}};
    statistics.orthonormal_columns = columns;
    expect_refused([&] { Plan(exec, expression, {shape_of(9, 1)}, {}, {statistics}); },
                   "statistics[0].orthonormal_columns", std::to_string(columns), allowed);
  };
  const OrthExponential exponentials{{0.5, 1.5}};
  refuse(conv(History{}, {.window = 2}), 7, "0 to 0 for History");
  refuse(conv(exponentials, {.window = 8}), 1, "0 to 0");
  refuse(eval(BSpline{.bases = 5}), 4, "0 to 0 for BSpline");
  refuse(eval(exponentials), 3, "0 to 2 for OrthExponential");
  refuse(eval(exponentials), -1, "0 to 2 for OrthExponential");
}

TEST(FeaturesPlans, RefuseMapsThatAreTooLarge) {
  OrthExponential exponentials;
  for (int i = 0; i < 100; ++i) exponentials.decay_rates.push_back(0.01 * (i + 1));
  expect_refused(
      [&] { choose_features<float>(Space(), eval(exponentials), {shape_of(9, 300'000)}); },
      "expression", "300000 channels x 100 x 100 values", "at most 2^31 - 1 values");
}

TEST(FeaturesPlans, RefuseRunsThatDoNotFit) {
  const Space exec;
  std::vector<float> x(40);
  std::vector<float> y(200);
  const Expression sum = spline() + conv(History{}, {.window = 2});
  const StridedSeries series(Strided(x.data(), {9}));
  const AnySeries input(series);
  const Plan plan(exec, sum, {shape_of(9, 1), shape_of(9, 1)});
  const StridedOutput out(y.data(), {9, 6});
  expect_refused([&] { plan.run(exec, {input}, out); }, "inputs", "1", "2, as the plan");
  const StridedSeries longer(Strided(x.data(), {10}));
  expect_refused([&] { plan.run(exec, {input, longer}, out); }, "series", "10 samples",
                 "9 samples");
  const Kokkos::View<double*, Kokkos::HostSpace> doubles("doubles", 9);
  expect_refused([&] { plan.run(exec, {input, doubles}, out); }, "inputs[1]", "float64", "float32");
  expect_refused([&] { plan.run(exec, {input, input}, StridedOutput(y.data(), {9, 5})); },
                 "features", "(9, 5)", "(9, 6)");
  expect_refused([&] { plan.run(exec, {input, input}, StridedOutput(x.data(), {9, 6})); },
                 "features", "overlaps", "apart");
  expect_refused([&] { plan.run(exec, {input, input}, StridedOutput(y.data(), {9, 6}, {1, 1})); },
                 "features", "overlap", "place of its own");
  const std::vector<InputBlock> blocks{{Strided(x.data(), {4, 1}), 3, nullptr},
                                       {Strided(x.data(), {4, 1}), 3, nullptr}};
  expect_refused([&] { plan.run_block(exec, {3, 8}, blocks, StridedOutput(y.data(), {5, 6})); },
                 "blocks[0]", "from sample 3", "[3, 8)");
  expect_refused([&] { plan.run_block(exec, {3, 7}, blocks, StridedOutput(y.data(), {4, 6})); },
                 "blocks[1]", "from sample 3", "[1, 6)");
  expect_refused([&] { plan.run_block(exec, {3, 10}, blocks, StridedOutput(y.data(), {7, 6})); },
                 "rows", "[3, 10)", "[0, 9)");
  expect_refused([&] { return plan.samples_for(2, {0, 1}); }, "input", "2", "0 to 1");
  EXPECT_EQ(plan.samples_for(1, {4, 7}), (Range{2, 6}));
  EXPECT_EQ(plan.samples_for(0, {4, 7}), (Range{4, 7}));
}

}  // namespace
}  // namespace expression_tests
