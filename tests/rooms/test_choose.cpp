// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "choose/choose.hpp"

#include "choose/direct.hpp"

#include "oracle/random_case.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

// The chooser on problems drawn at random: what batch, budget and teams may change, and what not.

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
  problem.scalar_bytes = once_in(random, 2) ? 4 : 8;
  problem.table_bytes = problem.window * problem.bases * problem.scalar_bytes + 64;
  problem.strip_bytes = 56;
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
  return resources;
}

ConvolveOptions random_options(std::mt19937_64& random, const ProblemSize& problem) {
  ConvolveOptions options;
  if (once_in(random, 2)) options.batch.samples = problem.window + draw(random, 0, 3000);
  if (once_in(random, 2)) options.batch.channels = draw(random, 1, 3000);
  if (once_in(random, 2)) options.batch.bases = draw(random, 1, 30);
  if (once_in(random, 3)) options.every = draw(random, 1, 50);
  return options;
}

/// What every choice keeps to.
void expect_sound(const Choice& choice, const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, std::int64_t budget) {
  EXPECT_LE(choice.workspace_bytes, budget);
  EXPECT_EQ(choice.workspace_bytes,
            problem.table_bytes + choice.teams * chooser::team_bytes(problem, resources, choice));
  EXPECT_GE(choice.strip_rows, 1);
  EXPECT_GE(choice.strips, 1);
  EXPECT_GE(choice.teams, 1);
  EXPECT_LE(choice.teams, resources.concurrency);
  EXPECT_GE(choice.batch_channels, 1);
  EXPECT_GE(choice.batch_bases, 1);
  EXPECT_LE(choice.batch_samples, problem.samples);
  EXPECT_LE(choice.batch_channels, problem.channels);
  EXPECT_LE(choice.batch_bases, problem.bases);
  if (options.batch.samples) {
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
    const ProblemSize problem = random_problem(random);
    const Resources resources = random_resources(random, problem);
    const ConvolveOptions options = random_options(random, problem);
    expect_sound(make_choice(problem, resources, options, plenty), problem, resources, options,
                 plenty);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Choose, TheMethodIsTheProblemsAlone) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const ProblemSize problem = random_problem(random);
    Resources resources = random_resources(random, problem);
    ConvolveOptions options;
    options.every = once_in(random, 3) ? draw(random, 1, 50) : 1;
    const Choice first = make_choice(problem, resources, options, plenty);
    for (int k = 0; k < 5; ++k) {
      ConvolveOptions other = random_options(random, problem);
      other.every = options.every;
      resources.concurrency = draw(random, 1, 64);
      const Choice choice = make_choice(problem, resources, other, plenty / draw(random, 1, 4));
      ASSERT_EQ(choice.method, first.method);
      ASSERT_EQ(choice.rows, first.rows);
      ASSERT_EQ(choice.flops, first.flops);
    }
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
  const Choice choice = make_choice(problem, resources, {}, plenty);
  EXPECT_EQ(choice.teams, 16);
  const std::int64_t strips = problem.rows / choice.strip_rows + 1;
  const std::int64_t items =
      (strips / choice.strips + 1) *
      ((problem.channels + choice.batch_channels - 1) / choice.batch_channels);
  EXPECT_GE(items, 2 * choice.teams);
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
    return chooser::make_choice(problem, Resources{}, {}, plenty).strip_rows;
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
    const Choice choice = chooser::make_choice(problem, resources, {}, plenty);
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

}  // namespace
