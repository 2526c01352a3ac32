// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/staged/staging.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string>

// The choice of blocks that pass through a device, or the refusal if none fits: pure functions of
// the problem and the free memory.

namespace choose_staging_tests {
namespace {

using namespace synelix;
using chooser::find_staged_choice;
using chooser::make_staged_choice;
using chooser::ProblemSize;
using chooser::Resources;

ProblemSize a_problem(bool has_events) {
  ProblemSize problem;
  problem.samples = problem.rows = problem.longest_segment = 1'000'000;
  problem.segments = 1;
  problem.channels = 64;
  problem.window = 100;
  problem.bases = 8;
  problem.taps_in_support = problem.window * problem.bases;
  problem.table_bytes = problem.window * problem.bases * problem.scalar_bytes + 64;
  problem.lane_bytes = 16;
  problem.has_events = has_events;
  problem.events = has_events ? problem.samples : 0;
  return problem;
}

StagedBlocks both_staged() {
  StagedBlocks blocks;
  blocks.input = blocks.features = true;
  blocks.reason = StagingReason::out_of_reach;
  return blocks;
}

TEST(ChooseStaging, FindsNothingWhereMakingItRefuses) {
  const ProblemSize problem = a_problem(false);
  const Resources resources;
  const ConvolveOptions options;
  int refused = 0;
  int made = 0;
  for (const std::int64_t device : {std::int64_t{1} << 12, std::int64_t{1} << 16, mebibytes(8)}) {
    for (const std::int64_t host : {std::int64_t{64}, std::int64_t{1} << 16, mebibytes(8)}) {
      const blocks::Budgets room{.host = host, .device = device};
      const auto found = find_staged_choice(problem, resources, options, both_staged(), room);
      if (found) {
        EXPECT_EQ(make_staged_choice(problem, resources, options, both_staged(), room).staging.rows,
                  found->staging.rows);
        EXPECT_LE(found->staging.device_bytes, device);
        EXPECT_LE(found->staging.host_bytes, host);
        ++made;
      } else {
        EXPECT_THROW(make_staged_choice(problem, resources, options, both_staged(), room), Error);
        ++refused;
      }
    }
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(refused, 0);
}

/// Errors for other reasons than memory are not reported as a lack of memory.
TEST(ChooseStaging, RefusesWhatNoRoomHelps) {
  ConvolveOptions options;
  options.method = Method::events;  // of samples
  EXPECT_THROW(find_staged_choice(a_problem(false), Resources(), options, both_staged(),
                                  {mebibytes(64), mebibytes(64)}),
               Error);
}

TEST(ChooseStaging, CountsEventsThatCrossAtOnceBesideTheBlocks) {
  ProblemSize problem = a_problem(true);
  problem.events = 1000;
  const auto found = find_staged_choice(problem, Resources(), {.budget = mebibytes(64)},
                                        both_staged(), {mebibytes(64), mebibytes(64)});
  ASSERT_TRUE(found.has_value());
  ASSERT_TRUE(found->staging.whole_events);
  const std::int64_t of_slots =
      (found->staging.slots - 1) * chooser::slot_workspace_bytes(problem, Resources(), *found);
  EXPECT_EQ(found->staging.device_bytes,
            found->workspace_bytes + of_slots + found->staging.host_bytes +
                chooser::event_list_bytes(problem.channels, problem.events));
}

/// More events than a block's share of them, in double, could be as an integer.
TEST(ChooseStaging, CountsNoMoreEventsThanThereAre) {
  ProblemSize problem = a_problem(true);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t events : {std::int64_t{0}, std::int64_t{5}, problem.samples, most / 64}) {
    problem.events = events;
    const auto found = find_staged_choice(problem, Resources(), {.budget = mebibytes(64)},
                                          both_staged(), {mebibytes(64), mebibytes(64)});
    ASSERT_TRUE(found.has_value() || events == most / 64) << events;
    if (!found) continue;
    EXPECT_LE(found->staging.events, events);
    EXPECT_GE(found->staging.events, 0);
  }
}

}  // namespace
}  // namespace choose_staging_tests
