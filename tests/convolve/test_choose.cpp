// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/choice/choose.hpp"

#include "convolve/choice/calibration.hpp"
#include "convolve/choice/direct_items.hpp"
#include "convolve/choice/fft_blocks.hpp"

#include "oracle/random_case.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

// The chooser on random problems: the effects that batch, budget and teams may have.

namespace choose_tests {
namespace {

using namespace synelix;
using chooser::make_choice;
using chooser::ProblemSize;
using chooser::Resources;
using oracle::draw;
using oracle::once_in;

constexpr std::int64_t plenty = mebibytes(1024);

ProblemSize random_problem(std::mt19937_64& random) {
  ProblemSize problem;
  problem.samples = draw(random, 1, once_in(random, 2) ? 1000 : 10'000'000);
  problem.rows = problem.samples;
  problem.longest_segment = draw(random, 1, problem.rows);
  problem.segments = 1 + problem.rows / problem.longest_segment;
  problem.channels = draw(random, 1, once_in(random, 2) ? 10 : 2000);
  problem.window = draw(random, 1, once_in(random, 2) ? 100 : 5000);
  problem.bases = draw(random, 1, 20);
  problem.taps_in_support = draw(random, 0, problem.window * problem.bases);
  if (once_in(random, 3)) {
    problem.shared_members = draw(random, 2, 20);
    problem.shared_taps = draw(random, 1, problem.window);
    problem.shared_delay = problem.window - problem.shared_taps;
    problem.taps_in_support =
        std::max(problem.taps_in_support, problem.shared_members * problem.shared_taps);
  }
  problem.scalar_bytes = once_in(random, 2) ? 4 : 8;
  problem.table_bytes = problem.window * problem.bases * problem.scalar_bytes + 64;
  problem.lane_bytes = 16;
  problem.has_events = once_in(random, 2);
  problem.events = problem.has_events ? draw(random, 0, problem.samples * problem.channels) : 0;
  return problem;
}

Resources random_resources(std::mt19937_64& random, const ProblemSize& problem) {
  Resources resources;
  resources.concurrency = draw(random, 1, 64);
  resources.register_bytes = 16 << draw(random, 0, 2);
  resources.lanes = resources.register_bytes / static_cast<int>(problem.scalar_bytes);
  resources.mapping = once_in(random, 4) ? tune::device : tune::host;
  resources.nanoseconds = tune::steps_of(resources.register_bytes);
  return resources;
}

ConvolveOptions random_options(std::mt19937_64& random, const ProblemSize& problem) {
  ConvolveOptions options;
  if (once_in(random, 2)) options.batch.samples = problem.window + draw(random, 0, 3000);
  if (once_in(random, 2)) options.batch.channels = draw(random, 1, 3000);
  if (once_in(random, 2)) options.batch.bases = draw(random, 1, 30);
  if (once_in(random, 3)) options.every = draw(random, 1, 50);
  if (once_in(random, 3)) options.fft_parts = draw(random, 1, 16);
  return options;
}

/// Properties of every choice.
void expect_sound(const Choice& choice, const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, std::int64_t budget) {
  EXPECT_LE(choice.workspace_bytes, budget);
  EXPECT_EQ(choice.workspace_bytes,
            problem.table_bytes + chooser::spectra_bytes(problem, resources, choice) +
                choice.teams * chooser::team_bytes(problem, resources, choice));
  EXPECT_GE(choice.strip_rows, 1);
  EXPECT_GE(choice.strips, 1);
  EXPECT_GE(choice.teams, 1);
  EXPECT_LE(choice.teams, resources.concurrency);
  EXPECT_GE(choice.batch_channels, 1);
  EXPECT_GE(choice.batch_bases, 1);
  EXPECT_LE(choice.batch_samples, problem.samples);
  EXPECT_LE(choice.batch_channels, problem.channels);
  EXPECT_LE(choice.batch_bases, problem.bases);
  if (options.batch.samples && choice.method != Method::fft) {  // whose blocks are never cut
    EXPECT_LE(choice.batch_samples, *options.batch.samples);
  }
  if (options.batch.channels) {
    EXPECT_LE(choice.batch_channels, *options.batch.channels);
  }
  if (options.batch.bases) {
    EXPECT_LE(choice.batch_bases, *options.batch.bases);
  }
  EXPECT_EQ(chooser::team_bytes(problem, resources, choice) % 64, 0);
}

TEST(Choose, KeepsToBatchesAndBudgets) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ProblemSize problem = random_problem(random);
    const Resources resources = random_resources(random, problem);
    const ConvolveOptions options = random_options(random, problem);
    expect_sound(make_choice(problem, resources, options, plenty), problem, resources, options,
                 plenty);
    problem.rows = problem.longest_segment = problem.segments = 0;  // shorter than the window
    expect_sound(make_choice(problem, resources, options, plenty), problem, resources, options,
                 plenty);
    if (testing::Test::HasFailure()) return;
  }
}

/// The smallest budget, as the chooser names it.
std::int64_t smallest_budget(const ProblemSize& problem, const Resources& resources,
                             const ConvolveOptions& options) {
  try {
    make_choice(problem, resources, options, 1);
  } catch (const Error& error) {
    const std::string text = error.what();
    return std::stoll(text.substr(text.find("at least ") + 9));
  }
  ADD_FAILURE() << "one byte was enough";
  return 1;
}

TEST(Choose, TheMethodIsTheProblemsAlone) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const ProblemSize problem = random_problem(random);
    Resources resources = random_resources(random, problem);
    ConvolveOptions options;
    options.every = once_in(random, 3) ? draw(random, 1, 50) : 1;
    if (once_in(random, 2)) options.fft_parts = draw(random, 1, 16);
    const Choice first = make_choice(problem, resources, options, plenty);
    for (int k = 0; k < 5; ++k) {
      ConvolveOptions other = random_options(random, problem);
      other.every = options.every;
      other.fft_parts = options.fft_parts;
      resources.concurrency = draw(random, 1, 64);
      const std::int64_t budget =
          draw(random, smallest_budget(problem, resources, other), plenty * 4);
      const Choice choice = make_choice(problem, resources, other, budget);
      ASSERT_EQ(choice.method, first.method);
      ASSERT_EQ(choice.rows, first.rows);
      ASSERT_EQ(choice.flops, first.flops);
      ASSERT_EQ(choice.fft_length, first.fft_length);
      ASSERT_EQ(choice.fft_parts, first.fft_parts);
      ASSERT_EQ(choice.fft_part_taps, first.fft_part_taps);
    }
  }
}

TEST(Choose, LargerBudgetsUseMoreAndTheSmallestWorks) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const ProblemSize problem = random_problem(random);
    const Resources resources = random_resources(random, problem);
    const ConvolveOptions options = random_options(random, problem);
    const std::int64_t smallest = smallest_budget(problem, resources, options);
    ASSERT_THROW(make_choice(problem, resources, options, smallest - 1), Error);
    std::int64_t before = 0;
    for (std::int64_t budget = smallest; budget < plenty; budget += budget / 3 + 1) {
      const Choice choice = make_choice(problem, resources, options, budget);
      expect_sound(choice, problem, resources, options, budget);
      ASSERT_GE(choice.workspace_bytes, before) << "of a budget of " << budget;
      before = choice.workspace_bytes;
    }
    if (testing::Test::HasFailure()) return;
  }
}

ProblemSize dense_problem(std::int64_t window) {
  ProblemSize problem;
  problem.samples = problem.rows = problem.longest_segment = 1'000'000;
  problem.segments = 1;
  problem.channels = 16;
  problem.window = window;
  problem.bases = 8;
  problem.taps_in_support = window * problem.bases;
  return problem;
}

Resources wide_registers() {
  Resources resources;
  resources.lanes = 16;
  resources.register_bytes = 64;
  resources.nanoseconds = tune::steps_of(64);
  return resources;
}

TEST(Choose, TakesTheFastestMethodThatApplies) {
  int taken[4] = {};
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ProblemSize problem = random_problem(random);
    problem.is_pushed = once_in(random, 3);
    const Resources resources = random_resources(random, problem);
    const Choice choice = make_choice(problem, resources, {}, plenty * 16);
    const bool transforms = !problem.is_pushed && problem.window >= tune::fewest_fft_taps;
    ASSERT_EQ(choice.candidates.size(), 1U + problem.has_events + transforms);
    for (const Candidate& candidate : choice.candidates) {
      ASSERT_GT(candidate.seconds, 0.0);
      ASSERT_GE(candidate.seconds, choice.seconds);
      ASSERT_TRUE(candidate.method != Method::fft || transforms);
      ASSERT_TRUE(candidate.method != Method::events || problem.has_events);
    }
    ++taken[static_cast<int>(choice.method)];
  }
  EXPECT_GT(taken[static_cast<int>(Method::direct)], 100);
  EXPECT_GT(taken[static_cast<int>(Method::events)], 30);
  EXPECT_GT(taken[static_cast<int>(Method::fft)], 100);
}

TEST(Choose, LongWindowsTakeTransformsAndShortSupportsDoNot) {
  const auto method_of = [](const ProblemSize& problem) {
    return make_choice(problem, wide_registers(), {}, plenty).method;
  };
  EXPECT_EQ(method_of(dense_problem(5)), Method::direct);
  EXPECT_EQ(method_of(dense_problem(1000)), Method::fft);
  ProblemSize trimmed = dense_problem(1000);
  trimmed.taps_in_support = 8 * 10;
  EXPECT_EQ(method_of(trimmed), Method::direct);
  ProblemSize epochs = dense_problem(1000);  // of 10 samples; each would be a block
  epochs.segments = 100'000;
  epochs.longest_segment = 10;
  for (std::int64_t i = 0; i < epochs.segments; ++i) epochs.lengths.add(10);
  EXPECT_EQ(method_of(epochs), Method::direct);
  ProblemSize sparse = dense_problem(1000);
  sparse.has_events = true;
  sparse.events = 16'000;
  EXPECT_EQ(method_of(sparse), Method::events);
}

TEST(Choose, VeryLongWindowsAreCutIntoParts) {
  ProblemSize problem = dense_problem(100'000);
  problem.channels = 2;
  problem.bases = 5;
  const auto seconds_of = [&](std::optional<std::int64_t> parts) {
    return make_choice(problem, wide_registers(), {.method = Method::fft, .fft_parts = parts},
                       plenty)
        .seconds;
  };
  const Choice parted = make_choice(problem, wide_registers(), {}, plenty);
  EXPECT_GT(parted.fft_parts, 1);
  EXPECT_EQ(2 * parted.fft_part_taps, parted.fft_length);
  EXPECT_LT(parted.seconds, seconds_of(1));
  for (std::int64_t parts = 2; parts <= 16; ++parts) {
    EXPECT_LE(parted.seconds, 1.001 * seconds_of(parts)) << parts << " parts";
  }
  EXPECT_EQ(make_choice(dense_problem(1000), wide_registers(), {}, plenty).fft_parts, 1);
  EXPECT_EQ(make_choice(dense_problem(5), wide_registers(), {}, plenty).fft_parts, 0);
}

/// Whatever is chosen, a window in parts needs no more memory than a window in one piece.
TEST(Choose, PartsNeedNoMoreThanOnePiece) {
  for (std::int64_t window = 3000; window < 1'000'000; window += window / 3) {
    ProblemSize problem = dense_problem(window);
    for (problem.bases = 1; problem.bases < 10; problem.bases += 4) {
      const ConvolveOptions chosen{.method = Method::fft};
      if (make_choice(problem, wide_registers(), chosen, plenty).fft_parts == 1) continue;
      EXPECT_LE(smallest_budget(problem, wide_registers(), chosen),
                smallest_budget(problem, wide_registers(), {.method = Method::fft, .fft_parts = 1}))
          << window << " taps, " << problem.bases << " bases";
    }
  }
}

/// Runs of blocks are as long as there are teams to share them.
TEST(Choose, RunsOfBlocksAreForAllTeams) {
  ProblemSize problem = dense_problem(100'000);
  problem.samples = problem.rows = problem.longest_segment = 20'000'000;
  problem.channels = 4;
  Resources resources = wide_registers();
  for (const std::int64_t teams : {1, 4, 16}) {
    resources.concurrency = teams;
    const Choice choice =
        make_choice(problem, resources, {.method = Method::fft, .fft_parts = 8}, 4 * plenty);
    const std::int64_t strips = (problem.rows - 1) / choice.strip_rows + 1;
    EXPECT_GE((strips - 1) / choice.strips + 1, teams) << teams << " teams";
    EXPECT_EQ(choice.strip_rows % choice.fft_part_taps, 0);
  }
}

/// And as long as a batch has room for, one block at least.
TEST(Choose, RunsOfBlocksFitTheBatch) {
  ProblemSize problem = dense_problem(100'000);
  problem.samples = problem.rows = problem.longest_segment = 20'000'000;
  problem.channels = 4;
  for (const std::int64_t samples : {100'000, 200'000, 300'000, 1'000'000, 5'000'000}) {
    const Choice choice = make_choice(
        problem, wide_registers(),
        {.method = Method::fft, .batch = {.samples = samples}, .fft_parts = 4}, 4 * plenty);
    const std::int64_t least = choice.fft_part_taps * (choice.fft_parts + 1);
    EXPECT_LE(choice.batch_samples, std::max(samples, least)) << samples;
    EXPECT_EQ(choice.strip_rows % choice.fft_part_taps, 0);
    if (samples < least) {
      EXPECT_EQ(choice.strip_rows, choice.fft_part_taps) << samples;
    }
  }
}

/// A calibration affects the choice of a method, but not the bits of a method.
TEST(Choose, PartsFollowFromTheProblemAlone) {
  Resources other = wide_registers();
  other.nanoseconds.fft_point *= 10.0;
  other.nanoseconds.sample *= 0.1;
  for (const std::int64_t window : {1000, 10'000, 30'000, 100'000}) {
    const ConvolveOptions options{.method = Method::fft};
    const Choice choice = make_choice(dense_problem(window), wide_registers(), options, plenty);
    const Choice again = make_choice(dense_problem(window), other, options, plenty);
    EXPECT_EQ(choice.fft_parts, again.fft_parts) << window;
    EXPECT_EQ(choice.fft_length, again.fft_length) << window;
  }
}

/// Bytes of work items cut work, and decide over no bit.
TEST(Choose, BytesOfWorkItemsChangeNeitherMethodNorBlocks) {
  std::mt19937_64 random(91);
  int cut_otherwise = 0;
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    const ProblemSize problem = random_problem(random);
    Resources resources = random_resources(random, problem);
    resources.mapping = tune::host;
    const ConvolveOptions options = random_options(random, problem);
    const Choice first = make_choice(problem, resources, options, gibibytes(64));
    resources.bytes.direct_block = draw(random, 1, mebibytes(8));
    resources.bytes.fft_block = draw(random, 1, mebibytes(8));
    const Choice other = make_choice(problem, resources, options, gibibytes(64));
    ASSERT_EQ(other.method, first.method);
    ASSERT_EQ(other.fft_length, first.fft_length);
    ASSERT_EQ(other.fft_parts, first.fft_parts);
    for (std::size_t k = 0; k < first.candidates.size(); ++k) {
      ASSERT_DOUBLE_EQ(other.candidates[k].seconds * static_cast<double>(other.teams),
                       first.candidates[k].seconds * static_cast<double>(first.teams));
    }
    expect_sound(other, problem, resources, options, gibibytes(64));
    if (other.strip_rows != first.strip_rows || other.strips != first.strips ||
        other.batch_channels != first.batch_channels) {
      ++cut_otherwise;
    }
  }
  EXPECT_GE(cut_otherwise, 100);
}

/// Measured times have errors, so they differ from the table's choice only if they predict a clear
/// gain.
TEST(Choose, ACalibrationReplacesTheTablesMethodWhereItWinsClearly) {
  ProblemSize problem = dense_problem(100);
  problem.taps_in_support = problem.bases * 15;
  Resources resources = wide_registers();
  ASSERT_EQ(make_choice(problem, resources, {}, plenty).method, Method::direct);
  ConvolveOptions options;
  std::set<Method> before;
  for (double slower = 0.5; slower < 20; slower *= 1.02) {
    resources.nanoseconds.multiply_add = slower * tune::steps_of(64).multiply_add;
    options.machine.nanoseconds = resources.nanoseconds;
    const Choice choice = make_choice(problem, resources, options, plenty);
    double direct = 0;
    double fft = 0;
    for (const Candidate& candidate : choice.candidates) {
      (candidate.method == Method::direct ? direct : fft) = candidate.seconds;
    }
    EXPECT_EQ(choice.method, fft < tune::calibrated_gain * direct ? Method::fft : Method::direct)
        << slower;
    if (fft < direct) before.insert(choice.method);
  }
  EXPECT_EQ(before, (std::set<Method>{Method::direct, Method::fft}))
      << "no time between a gain and a clear gain";
}

/// Filters that are delayed copies of one filter cost no more than that filter and copies.
TEST(Choose, FiltersThatAreOneAreCountedOnce) {
  ProblemSize problem = dense_problem(200);
  problem.taps_in_support = problem.bases * 60;
  const auto choice_of = [&] {
    ConvolveOptions options;
    options.method = Method::direct;
    return make_choice(problem, wide_registers(), options, plenty);
  };
  const Choice apart = choice_of();
  problem.shared_members = problem.bases;
  problem.shared_taps = 60;
  problem.shared_delay = 30;
  const Choice together = choice_of();
  EXPECT_LT(together.seconds, 0.7 * apart.seconds);
  EXPECT_GT(together.workspace_bytes, apart.workspace_bytes);
}

TEST(Choose, FiltersThatAreOneAreSharedWhereCopiesCostLess) {
  EXPECT_TRUE(tune::suits_sharing(8, 33, 67, 500));
  EXPECT_FALSE(tune::suits_sharing(1, 33, 0, 500)) << "there is one";
  EXPECT_FALSE(tune::suits_sharing(2, 1, 1, 500)) << "a tap each costs no more than two copies";
  EXPECT_FALSE(tune::suits_sharing(2, 33, 4000, 500)) << "more rows than both have";
}

TEST(Choose, FollowsTheMachine) {
  Resources resources = wide_registers();
  resources.nanoseconds.fft_point *= 100;
  EXPECT_EQ(make_choice(dense_problem(200), resources, {}, plenty).method, Method::direct);
  resources.nanoseconds = {.multiply_add = 1, .fft_point = 1};
  EXPECT_EQ(make_choice(dense_problem(200), resources, {}, plenty).method, Method::fft);
}

TEST(Choose, AShortWindowIsTransformedWhereThatIsAskedFor) {
  const Choice choice =
      make_choice(dense_problem(10), wide_registers(), {.method = Method::fft}, plenty);
  EXPECT_EQ(choice.method, Method::fft);
  EXPECT_GT(choice.seconds, 0.0);
}

TEST(Choose, RefusesTimesThatAreNone) {
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    ConvolveOptions options;
    options.machine.nanoseconds = tune::steps_of(64);
    options.machine.nanoseconds->fft_point = bad;
    EXPECT_THROW(make_choice(dense_problem(10), wide_registers(), options, plenty), Error);
  }
}

/// A method that needs more memory is not given up for another one: its bits would differ.
TEST(Choose, ABudgetBelowTheMethodsLeastIsRefusedWithAWayOut) {
  const ProblemSize problem = dense_problem(2000);
  const std::int64_t least = smallest_budget(problem, wide_registers(), {});
  EXPECT_EQ(make_choice(problem, wide_registers(), {}, least).method, Method::fft);
  try {
    make_choice(problem, wide_registers(), {}, least - 1);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::size_t at = text.find("by the method direct, which is slower here, ");
    ASSERT_NE(at, std::string::npos) << text;
    const std::int64_t direct = std::stoll(text.substr(at + 44));
    ASSERT_LT(direct, least);
    EXPECT_NO_THROW(make_choice(problem, wide_registers(), {.method = Method::direct}, direct));
    EXPECT_THROW(make_choice(problem, wide_registers(), {.method = Method::direct}, direct - 1),
                 Error);
  }
}

TEST(Choose, CalibrationFindsTheTimesThatMadeTheRuns) {
  std::mt19937_64 random(1);
  const Steps expected = tune::steps_of(64);
  Steps actual = expected;
  for (const NamedStep& step : all_steps)
    actual.*step.value *= 0.25 * static_cast<double>(draw(random, 1, 12));
  std::vector<chooser::Measurement> runs;
  for (int i = 0; i < 600; ++i) {
    const ProblemSize problem = random_problem(random);
    Resources resources = wide_registers();
    resources.lanes = 64 / static_cast<int>(problem.scalar_bytes);
    for (const Candidate& candidate : make_choice(problem, resources, {}, plenty * 16).candidates) {
      const Choice choice =
          make_choice(problem, resources, {.method = candidate.method}, plenty * 16);
      const Steps counts = chooser::count_steps(problem, resources, choice);
      const double noise = once_in(random, 10) ? 3.0 : 1.0;  // another process ran, too
      runs.push_back({counts, noise * chooser::total_of(counts, actual)});
    }
  }
  const Steps found = chooser::fit_steps(runs, expected);
  for (const NamedStep& step : all_steps) {
    EXPECT_NEAR(found.*step.value, actual.*step.value, 0.15 * actual.*step.value) << step.name;
  }
}

TEST(Choose, CalibrationKeepsWhatRunsSayNothingOf) {
  const Steps expected = tune::steps_of(64);
  const Steps found = chooser::fit_steps({}, expected);
  for (const NamedStep& step : all_steps) EXPECT_DOUBLE_EQ(found.*step.value, expected.*step.value);
}

TEST(Choose, NoTeamStandsIdleInALongSeries) {
  ProblemSize problem;
  problem.samples = problem.rows = problem.longest_segment = 1'000'000;
  problem.segments = 1;
  problem.channels = 20;
  problem.window = 100;
  problem.bases = 8;
  Resources resources;
  resources.concurrency = 16;
  resources.lanes = 16;
  resources.register_bytes = 64;
  const Choice choice = make_choice(problem, resources, {.method = Method::direct}, plenty);
  EXPECT_EQ(choice.teams, 16);
  const std::int64_t strips = problem.rows / choice.strip_rows + 1;
  const std::int64_t items =
      (strips / choice.strips + 1) *
      ((problem.channels + choice.batch_channels - 1) / choice.batch_channels);
  EXPECT_GE(items, 2 * choice.teams);

  problem.channels = 500;  // a line of all channels is a work item
  problem.samples = problem.rows = problem.longest_segment = 3000;
  problem.taps_in_support = problem.window * problem.bases;
  const Choice line = make_choice(problem, resources, {.method = Method::direct}, plenty);
  EXPECT_EQ(line.batch_channels, 500);
  EXPECT_GE(problem.rows / line.strip_rows, 2 * line.teams);
}

/// Strips follow the epochs that most of the work is in, not the longest one.
TEST(Choose, StripsSuitEpochsOfAllLengths) {
  ProblemSize problem;
  problem.samples = problem.rows = 10'000'000;
  problem.channels = 1;
  problem.window = 100;
  problem.bases = 8;
  problem.longest_segment = 1'000'000;
  const auto strip_rows = [&](std::int64_t length) {
    const std::int64_t count = (problem.rows - problem.longest_segment) / length;
    problem.segments = count + 1;
    problem.lengths = {};
    problem.lengths.add(problem.longest_segment);
    for (std::int64_t i = 0; i < count; ++i) problem.lengths.add(length);
    return make_choice(problem, Resources{}, {.method = Method::direct}, plenty).strip_rows;
  };
  const std::int64_t longest = strip_rows(1'000'000);
  EXPECT_GT(longest, 200);
  EXPECT_LE(strip_rows(10), 20);
  EXPECT_LE(strip_rows(60), 64);
  EXPECT_GT(strip_rows(100'000), longest / 2);
}

/// A short block fills lanes with strips, where channels alone leave them empty.
TEST(Choose, AShortBlockIsCutAcrossLanes) {
  ProblemSize problem;
  problem.samples = problem.rows = problem.longest_segment = 1000;
  problem.segments = 1;
  problem.window = 100;
  problem.bases = 8;
  Resources resources;
  resources.lanes = 16;
  resources.register_bytes = 64;
  for (const std::int64_t channels : {1, 16, 64}) {
    problem.channels = channels;
    const Choice choice = make_choice(problem, resources, {.method = Method::direct}, plenty);
    for (const std::int64_t rows : {1, 7, 100, 1000}) {
      const std::int64_t cut = chooser::strip_rows_for(problem, resources, choice, rows);
      EXPECT_GE(cut, 1);
      EXPECT_LE(cut, std::min(rows, choice.strip_rows));
      if (channels == 1 && rows == 100) {
        EXPECT_LE(cut, 100 / 8) << "16 lanes, one channel";
      }
      if (channels == 64 && rows == 7) {
        EXPECT_EQ(cut, 7) << "whole registers already";
      }
    }
  }
}

/// The scratch of a team: of CUDA with Kokkos before 5.2, of HIP, and of CUDA since.
TEST(Choose, BlocksOfADeviceFitItsScratch) {
  constexpr std::int64_t old_cuda = 41'900;
  constexpr std::int64_t hip = 58'368;
  constexpr std::int64_t cuda = 206'848;
  ProblemSize problem;
  problem.samples = problem.rows = problem.longest_segment = 10'000'000;
  problem.segments = 1;
  problem.channels = 10;
  problem.bases = 8;
  Resources resources;
  resources.mapping = tune::device;
  resources.concurrency = 1000;
  ConvolveOptions options;
  options.method = Method::fft;
  struct Expected {
    std::int64_t scratch;
    std::int64_t scalar_bytes;
    std::int64_t window;
    std::int64_t length;
    std::int64_t lanes;
    std::int64_t parts;
  };
  for (const Expected& expected :
       {Expected{old_cuda, 4, 100, 512, 8, 1}, Expected{hip, 4, 100, 512, 8, 1},
        Expected{cuda, 4, 100, 512, 16, 1}, Expected{old_cuda, 8, 100, 512, 4, 1},
        Expected{hip, 8, 100, 512, 4, 1}, Expected{cuda, 8, 100, 512, 8, 1},
        Expected{cuda, 4, 1000, 8192, 1, 1}, Expected{cuda, 8, 1000, 4096, 1, 1}}) {
    SCOPED_TRACE(std::to_string(expected.scratch) + " bytes of scratch, scalars of " +
                 std::to_string(expected.scalar_bytes) + ", window " +
                 std::to_string(expected.window));
    problem.window = expected.window;
    problem.scalar_bytes = expected.scalar_bytes;
    problem.taps_in_support = problem.window * problem.bases;
    resources.scratch_bytes = expected.scratch;
    const Choice choice = make_choice(problem, resources, options, plenty);
    const spectral::StageSizes sizes = chooser::stage_sizes(problem, resources, choice);
    EXPECT_EQ(choice.fft_length, expected.length);
    EXPECT_EQ(choice.fft_parts, expected.parts);
    EXPECT_EQ(sizes.lanes, expected.lanes);
  }
}

TEST(Choose, DevicesTakeWhatTheirScratchHolds) {
  std::mt19937_64 random(29);
  int transformed = 0;
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const ProblemSize problem = random_problem(random);
    Resources resources = random_resources(random, problem);
    resources.mapping = tune::device;
    resources.scratch_bytes = draw(random, 1000, 210'000);
    ConvolveOptions options = random_options(random, problem);
    options.batch = {};
    options.method = once_in(random, 2) ? Method::fft : Method::automatic;
    try {
      const Choice choice = make_choice(problem, resources, options, plenty * 100);
      if (choice.method != Method::fft) continue;
      ++transformed;
      const spectral::StageSizes sizes = chooser::stage_sizes(problem, resources, choice);
      EXPECT_GE(sizes.lanes, 1);
      EXPECT_LE(spectral::stage_scratch_bytes(sizes), resources.scratch_bytes);
      EXPECT_GE(sizes.block_rows, 1);
      EXPECT_GE(sizes.parts * sizes.part_taps, problem.window);
      EXPECT_LT((sizes.block_rows - 1) * options.every + sizes.first_row(), choice.fft_length);
      EXPECT_EQ(choice.strip_rows % sizes.block_rows, 0);
      EXPECT_LE(choice.fft_parts, options.fft_parts.value_or(choice.fft_parts));
    } catch (const Error& error) {
      EXPECT_EQ(options.method, Method::fft) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(transformed, 300);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace choose_tests
