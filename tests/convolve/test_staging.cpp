// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Through the device and back, on a host that represents one: `Staging::always` gives the bits of
// the plan for any blocks; an error for a small budget names a sufficient one.

namespace staging_tests {
namespace {

using namespace oracle;
using namespace synelix;
using testing::HasSubstr;

template <class Types>
class Staged : public testing::Test {};
TYPED_TEST_SUITE(Staged, AllSpaces);

const std::uint64_t cases = drawn_cases(60);

/// The budget in the error of a call is the least.
template <class Call>
std::int64_t least_of(const Call& call, const std::string& argument) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind(argument + ": ", 0), 0U) << text;
    return std::stoll(text.substr(text.find("at least ") + 9));
  }
  ADD_FAILURE() << argument << " was not refused";
  return 0;
}

template <class Scalar>
ConvolveOptions options_with(const RandomCase<Scalar>& test, Method method) {
  ConvolveOptions options = test.options();
  options.method = method;
  const std::int64_t parts = (test.problem.window + 3 * test.problem.bases) % 7;
  if (parts > 0) options.fft_parts = parts;
  return options;
}

/// Staged, with budgets from the least to three times that, and now and then a batch.
template <class Input, class Bank, class Space>
ConvolveOptions staged_options(const Space& exec, const Input& input, const Bank& bank,
                               const StridedOutput& output, ConvolveOptions options,
                               std::mt19937_64& random) {
  options.staging = Staging::always;
  const std::int64_t channels = input.shape().channels;
  if (once_in(random, 3)) options.batch.samples = bank.window() + draw(random, 0, 50);
  if (once_in(random, 3)) options.batch.channels = draw(random, 1, channels + 1);
  const auto least = [&](const char* name, std::optional<std::int64_t> ConvolveOptions::* budget) {
    ConvolveOptions tried = options;
    tried.*budget = 1;
    return least_of([&] { (void)choose(exec, input, bank, output, tried); }, name);
  };
  if (once_in(random, 2)) {
    options.host_budget =
        least("host_budget", &ConvolveOptions::host_budget) * draw(random, 10, 80) / 10;
  }
  options.budget = least("budget", &ConvolveOptions::budget) * draw(random, 10, 30) / 10;
  return options;
}

struct Counted {
  int blocks = 0;          ///< calls with more than one block of rows
  int channel_blocks = 0;  ///< calls with more than one block of channels
  int slots[4] = {};
};

void count(const StagedBlocks& blocks, std::int64_t rows, std::int64_t channels, Counted& counted) {
  counted.blocks += blocks.rows < rows ? 1 : 0;
  counted.channel_blocks += blocks.channels < channels ? 1 : 0;
  ++counted.slots[blocks.slots];
}

/// A one-shot call for a case, input and output placed at random.
template <class Space, class Scalar>
std::vector<Scalar> convolve_staged(const Space& exec, const RandomCase<Scalar>& test,
                                    const ConvolveOptions& options, std::mt19937_64& random,
                                    Counted& counted) {
  const auto bank = bank_of<Scalar>(exec, test.problem);
  std::vector<Scalar> result;
  visit_type(test.type, [&]<class T>() {
    Array<T> input(test.extents, random_placement(test.extents.size(), Signs::any, random), T(99),
                   Reached::by_host);
    for (std::int64_t i = 0; i < input.size(); ++i) {
      const std::int64_t t = i / test.problem.channels;
      const std::int64_t c = i % test.problem.channels;
      input.at(position(test.extents, test.series.sample_axis, t, c)) =
          static_cast<T>(test.stored[static_cast<std::size_t>(i)]);
    }
    const StridedSeries series(oracle::scaled_by(input.strided(), test.scaling), test.series);
    std::vector<std::int64_t> extents = test.extents;
    const std::int64_t rows = feature_rows(series.shape(), bank.window(), options);
    extents[static_cast<std::size_t>(test.series.sample_axis)] = rows;
    extents.push_back(test.problem.bases);
    Array<Scalar> output(extents, random_placement(extents.size(), Signs::positive, random),
                         unwritten<Scalar>, Reached::by_host);
    const ConvolveOptions staged =
        staged_options(exec, series, bank, output.output(), options, random);
    const StagedBlocks blocks = choose(exec, series, bank, output.output(), staged).staging;
    EXPECT_TRUE(blocks.input && blocks.features);
    EXPECT_EQ(blocks.reason, StagingReason::asked_for);
    EXPECT_LE(blocks.device_bytes, *staged.budget);
    EXPECT_LE(blocks.host_bytes, staged.host_budget.value_or(blocks.host_bytes));
    count(blocks, rows, test.problem.channels, counted);
    convolve(exec, series, bank, output.output(), staged);
    EXPECT_EQ(output.damaged(), 0) << "written outside the features";
    result = rows_first(output, test.series.sample_axis);
  });
  return result;
}

template <class Scalar>
std::vector<std::int64_t> shape_of(const RandomCase<Scalar>& test, std::size_t size) {
  const std::int64_t row = test.problem.channels * test.problem.bases;
  return {static_cast<std::int64_t>(size) / row, test.problem.channels, test.problem.bases};
}

TYPED_TEST(Staged, SamplesGiveTheBitsOfThePlan) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  Counted counted;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const auto test = random_case<Scalar>(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    std::mt19937_64 random(seed);
    for (const Method method : {Method::automatic, Method::direct, Method::fft}) {
      SCOPED_TRACE(name_of(method));
      const ConvolveOptions options = options_with(test, method);
      const std::vector<Scalar> once = run_case(exec, test, options, random);
      const std::vector<Scalar> staged = convolve_staged(exec, test, options, random, counted);
      ASSERT_TRUE(same_bits(staged, once, shape_of(test, once.size())));
    }
  }
  if (cases < 60) return;
  EXPECT_GT(counted.blocks, 40) << "of " << 3 * cases;
  EXPECT_GT(counted.channel_blocks, 20);
  EXPECT_GT(counted.slots[1], 5);
  EXPECT_GT(counted.slots[2] + counted.slots[3], 20);
}

TYPED_TEST(Staged, EventsGiveTheBitsOfThePlan) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  Counted counted;
  int whole = 0;
  int found = 0;
  for (std::uint64_t seed = 1; found < std::min(40, static_cast<int>(cases)); ++seed) {
    const auto test = random_case<Scalar>(seed);
    if (!test.is_counts()) continue;
    ++found;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    std::mt19937_64 random(seed);
    const auto bank = bank_of<Scalar>(exec, test.problem);
    const Events events = events_of(test);
    for (const Method method : {Method::events, Method::direct, Method::fft}) {
      SCOPED_TRACE(name_of(method));
      const ConvolveOptions options = options_with(test, method);
      const std::vector<Scalar> once = run_events(exec, test, options, random);
      const std::int64_t rows = feature_rows(events.shape(), bank.window(), options);
      Array<Scalar> output({rows, test.problem.channels, test.problem.bases},
                           random_placement(3, Signs::positive, random), unwritten<Scalar>,
                           Reached::by_host);
      const ConvolveOptions staged =
          staged_options(exec, events, bank, output.output(), options, random);
      const StagedBlocks blocks = choose(exec, events, bank, output.output(), staged).staging;
      EXPECT_LE(blocks.device_bytes, *staged.budget);
      whole += blocks.whole_events ? 1 : 0;
      count(blocks, rows, test.problem.channels, counted);
      convolve(exec, events, bank, output.output(), staged);
      ASSERT_EQ(output.damaged(), 0);
      ASSERT_TRUE(same_bits(output.values(), once, shape_of(test, once.size())));
    }
  }
  if (cases < 60) return;
  EXPECT_GT(counted.blocks, 20);
  EXPECT_GT(whole, 10);
  EXPECT_LT(whole, 110) << "some go block by block";
}

TYPED_TEST(Staged, ViewsOfBothLayoutsAndReturnedOnesToo) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 3}, {.window = 20});
  const Kokkos::View<Scalar***, Kokkos::LayoutLeft, Kokkos::HostSpace> x("x", 2000, 3, 2);
  for (std::size_t i = 0; i < x.span(); ++i) x.data()[i] = static_cast<Scalar>(i * 7919 % 101);
  const Series series(x, {.sample_axis = 0, .epochs = {{0, 700}, {750, 2000}}});
  const auto expected = convolve<Kokkos::LayoutRight>(exec, series, bank);
  const ConvolveOptions options{
      .budget = 60'000, .staging = Staging::always, .host_budget = 30'000};
  const auto right = convolve<Kokkos::LayoutRight>(exec, series, bank, options);
  const auto left = convolve<Kokkos::LayoutLeft>(exec, series, bank, options);
  const Kokkos::View<Scalar****, Kokkos::LayoutLeft, Kokkos::HostSpace> given("given", 2000, 3, 2,
                                                                              3);
  convolve(exec, series, bank, given, options);
  EXPECT_LT(choose(exec, series, bank, given, options).staging.rows, 500);
  const auto values = [](const auto& y) {
    const auto near = on_host(y);
    std::vector<Scalar> result;
    for (int t = 0; t < 2000; ++t) {
      for (int i = 0; i < 18; ++i) result.push_back(near(t, i / 6, i / 3 % 2, i % 3));
    }
    return result;
  };
  const std::vector<std::int64_t> extents{2000, 3, 2, 3};
  EXPECT_TRUE(same_bits(values(right), values(expected), extents));
  EXPECT_TRUE(same_bits(values(left), values(expected), extents));
  EXPECT_TRUE(same_bits(values(given), values(expected), extents));
}

/// Consecutive rows of Border::valid may be far apart in the recording.
TYPED_TEST(Staged, RowsThatLieFarApartGoInBlocksOfTheirOwn) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 3}, {.window = 20});
  constexpr std::int64_t samples = 100'000;
  Guarded<std::int16_t> x(samples, std::int16_t{0}, GuardedEnd::last, Reached::by_host);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int16_t>(i * 7919 % 101);
  const StridedSeries series(
      Strided(x.data(), {samples}),
      {.sample_axis = 0, .epochs = {{10, 60}, {40'000, 40'070}, {99'000, 99'100}}});
  ConvolveOptions options{.border = Border::valid};
  const std::int64_t rows = feature_rows(series.shape(), bank.window(), options);
  const auto values = static_cast<std::size_t>(rows * 3);
  Guarded<Scalar> expected(values, Scalar(0), GuardedEnd::last, Reached::by_host);
  Guarded<Scalar> found(values, Scalar(0), GuardedEnd::last, Reached::by_host);
  convolve(exec, series, bank, StridedOutput(expected.data(), {rows, 3}), options);
  options.staging = Staging::always;
  options.host_budget = 12'000;
  const Choice choice = choose(exec, series, bank, StridedOutput(found.data(), {rows, 3}), options);
  EXPECT_LT(choice.staging.samples, 1000) << "or the test shows nothing";
  EXPECT_GT(choice.staging.rows, 50) << "or the test shows nothing";
  convolve(exec, series, bank, StridedOutput(found.data(), {rows, 3}), options);
  EXPECT_TRUE(same_bits(found.values(), expected.values(), {rows, 3}));
}

TYPED_TEST(Staged, WhatDoesNotFitIsRefusedWithTheLeastThatDoes) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 5}, {.window = 100});
  const Guarded<Scalar> x(5000 * 4, Scalar(1), GuardedEnd::last, Reached::by_host);
  const StridedSeries series(Strided(x.data(), {5000, 4}));
  Guarded<Scalar> y(5000 * 4 * 5, Scalar(0), GuardedEnd::last, Reached::by_host);
  Guarded<Scalar> expected = y;
  const StridedOutput features(y.data(), {5000, 4, 5});
  convolve(exec, series, bank, StridedOutput(expected.data(), {5000, 4, 5}));
  for (const Method method : {Method::direct, Method::fft}) {
    ConvolveOptions options{.method = method, .budget = 1, .staging = Staging::always};
    const auto call = [&] { convolve(exec, series, bank, features, options); };
    const std::int64_t least = least_of(call, "budget");
    options.budget = least - 1;
    expect_refused(call, "budget", std::to_string(least - 1) + " bytes", std::to_string(least));
    options.budget = least;
    call();
    options.host_budget = 1;
    const std::int64_t least_host = least_of(call, "host_budget");
    EXPECT_LE(least_host, least);
    options.host_budget = least_host - 1;
    expect_refused(call, "host_budget", std::to_string(least_host - 1), "one row and one channel");
    options.host_budget = least_host;
    call();
    options.host_budget = 0;
    expect_refused(call, "host_budget", "0 bytes", "at least 1 byte");
  }
}

TYPED_TEST(Staged, ArgumentsAreCheckedAsByAPlan) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 5}, {.window = 10});
  std::vector<Scalar> memory(100 * 5 + 100);
  const StridedSeries series(Strided(memory.data(), {100}));
  const ConvolveOptions options{.staging = Staging::always};
  const auto with = [&](const StridedOutput& features) {
    return [&, features] { convolve(exec, series, bank, features, options); };
  };
  expect_refused(with(StridedOutput(memory.data() + 100, {99, 5})), "features", "(99, 5)",
                 "(100, 5)");
  expect_refused(with(StridedOutput(memory.data() + 50, {100, 5})), "features", "overlaps",
                 "apart from all other arguments");
  expect_refused(with(StridedOutput(memory.data() + 100, {100, 5}, {1, 1})), "features", "overlap",
                 "a place of its own");
}

/// Of hosts alone: where automatic staging does nothing.
template <class Types>
class StagedOnHosts : public testing::Test {};
TYPED_TEST_SUITE(StagedOnHosts, HostSpaces);

TYPED_TEST(StagedOnHosts, OnlyWhereItIsAskedFor) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 5}, {.window = 10});
  const Kokkos::View<Scalar**, Kokkos::HostSpace> x("x", 1000, 3);
  const Series series(x);
  for (const Staging staging : {Staging::automatic, Staging::never}) {
    const Choice choice = choose(exec, series, bank, {.staging = staging});
    EXPECT_FALSE(choice.staging.is_staged());
    EXPECT_EQ(choice.staging, StagedBlocks{});
    EXPECT_STREQ(name_of(choice.staging.reason), "near");
  }
  const Choice staged = choose(exec, series, bank, {.staging = Staging::always});
  EXPECT_TRUE(staged.staging.is_staged());
  EXPECT_STREQ(name_of(staged.staging.reason), "asked for");
  EXPECT_EQ(staged.method, choose(exec, series, bank).method);
}

}  // namespace
}  // namespace staging_tests
