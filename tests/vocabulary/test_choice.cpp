// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile/select.hpp"
#include "tune/steps.hpp"

#include <synelix/calibrate.hpp>
#include <synelix/choice.hpp>
#include <synelix/convolve.hpp>
#include <synelix/convolve_stream.hpp>
#include <synelix/error.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <string>

namespace choice_tests {
namespace {

using namespace synelix;
using Space = Kokkos::DefaultExecutionSpace;

SeriesShape shape_of(std::int64_t samples, std::int64_t channels) {
  SeriesShape shape;
  shape.samples = samples;
  shape.channels = channels;
  return shape;
}

TEST(Choice, NamesMethodsAndSets) {
  EXPECT_STREQ(name_of(Method::automatic), "automatic");
  EXPECT_STREQ(name_of(Method::direct), "direct");
  EXPECT_STREQ(name_of(Method::events), "events");
  EXPECT_STREQ(name_of(InstructionSet::plain), "plain");
  EXPECT_STREQ(name_of(InstructionSet::avx512), "avx512");
  EXPECT_STREQ(name_of(InstructionSet::neon), "neon");
  EXPECT_STREQ(name_of(InstructionSet::sve256), "sve256");
  static_assert(mebibytes(3) == 3 * 1024 * 1024 && gibibytes(2) == mebibytes(2048));
}

TEST(Choice, SaysWhatAPlanDoesWithoutRunning) {
  const Space exec;
  const FilterBank<float, Space> bank(exec, RaisedCosineLog{.bases = 8}, {.window = 100});
  const SeriesShape shape = shape_of(10'000, 10);
  const ConvolveOptions options{.method = Method::direct,
                                .batch = {.samples = 2000, .channels = 5, .bases = 2}};
  const Choice choice = choose(exec, shape, bank, options);
  const ConvolvePlan plan(exec, shape, bank, options);
  EXPECT_EQ(choice.method, Method::direct);
  EXPECT_EQ(choice.rows, 10'000);
  EXPECT_LE(choice.batch_samples, 2000);
  EXPECT_LE(choice.batch_channels, 5);
  EXPECT_LE(choice.batch_bases, 2);
  EXPECT_EQ(choice.workspace_bytes, plan.choice().workspace_bytes);
  EXPECT_EQ(choice.strip_rows, plan.choice().strip_rows);
  EXPECT_DOUBLE_EQ(choice.flops, 2.0 * 10'000 * 10 * 8 * 100);
  EXPECT_DOUBLE_EQ(choice.bytes, 4.0 * 10'000 * 10 + 4.0 * 10'000 * 10 * 8);
  EXPECT_GT(choice.seconds, 0.0);
  ASSERT_EQ(choice.candidates.size(), 2U);  // values that were not requested are predicted, too
  EXPECT_EQ(choice.candidates[0].method, Method::direct);
  EXPECT_EQ(choice.candidates[0].seconds, choice.seconds);
  EXPECT_EQ(choice.candidates[1].method, Method::fft);
}

TEST(Choice, ObeysWhatIsKnownOfTheMachine) {
  const Space exec;
  const FilterBank<float, Space> bank(exec, RaisedCosineLog{.bases = 8}, {.window = 100});
  const SeriesShape shape = shape_of(100'000, 16);
  ConvolveOptions options;
  options.machine.nanoseconds = Steps{.multiply_add = 1.0};  // all else costs nothing
  EXPECT_EQ(choose(exec, shape, bank, options).method, Method::fft);
  options.machine.nanoseconds = Steps{.fft_point = 1.0};
  EXPECT_EQ(choose(exec, shape, bank, options).method, Method::direct);
}

TEST(Choice, CalibrationMeasuresEveryStep) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "some seconds become minutes";
#endif
  const Machine machine = calibrate(Space());
  EXPECT_NE(machine.instruction_set, InstructionSet::automatic);
  ASSERT_TRUE(machine.nanoseconds.has_value());
  const int bytes = tile::register_bytes(machine.instruction_set);
  for (const NamedStep& step : all_steps) {
    const double found = *machine.nanoseconds.*step.value;
    EXPECT_GE(found, 0.0) << step.name;
    EXPECT_LT(found, 1e6) << step.name;
    if (seam::is_on_host<Space>) {
      EXPECT_NE(found, tune::steps_of(bytes).*step.value) << step.name << " was not measured";
    }
  }
  for (const NamedBytes& size : all_work_bytes) {
    EXPECT_GE(machine.bytes.*size.value, 0) << size.name;
    EXPECT_LE(machine.bytes.*size.value, most_work_bytes) << size.name;
  }
}

TEST(Choice, CalibrationIsFollowedAndEnded) {
  const std::atomic<bool> cancel = true;
  EXPECT_THROW(calibrate(Space(), InstructionSet::automatic, {.cancel = &cancel}), Cancelled);
  std::int64_t asked = 0;
  const auto follow = [&](const CallProgress& done) {
    EXPECT_LE(done.rows_done, done.rows);
    if (++asked == 2) throw Error("enough");
  };
  EXPECT_THROW(calibrate(Space(), InstructionSet::automatic, {.progress = follow}), Error);
  EXPECT_EQ(asked, 2);
}

TEST(Choice, AStreamOfBlocksNeverWaitsForTransforms) {
  const Space exec;
  const FilterBank<float, Space> bank(exec, RaisedCosineLog{.bases = 8}, {.window = 2000});
  const SeriesShape shape = shape_of(100'000, 16);
  EXPECT_EQ(choose(exec, shape, bank).method, Method::fft);
  EXPECT_EQ(choose_stream(exec, shape, bank).method, Method::direct);
  EXPECT_THROW(choose_stream(exec, shape, bank, {.method = Method::fft}), Error);
}

TEST(Choice, PrefersEventsWhereTheyAreRare) {
  const Space exec;
  const FilterBank<float, Space> bank(exec, RaisedCosineLog{.bases = 8}, {.window = 100});
  SeriesShape shape = shape_of(100'000, 10);
  shape.has_events = true;
  shape.events = 5'000;  // one in 200 samples
  EXPECT_EQ(choose(exec, shape, bank).method, Method::events);
  shape.events = 100'000 * 10;
  EXPECT_NE(choose(exec, shape, bank).method, Method::events);
}

std::int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::string unit;
  std::int64_t value = 0;
  while (file >> key >> value) {
    std::getline(file, unit);
    if (key == "MemAvailable:") return value * 1024;
  }
  return 0;
}

TEST(Choice, TheDefaultBudgetIsAQuarterOfWhatIsAvailable) {
  const std::int64_t budget = default_budget();
  EXPECT_GE(budget, mebibytes(64));
  const std::int64_t available = available_bytes();
  if (available == 0) GTEST_SKIP() << "no /proc/meminfo on this system";
  EXPECT_LE(static_cast<double>(budget), 1.1 * std::max(static_cast<double>(available) / 4.0,
                                                        static_cast<double>(mebibytes(64))));
}

}  // namespace
}  // namespace choice_tests
