// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streams/row_map.hpp"

#include <synelix/error.hpp>
#include <synelix/types/stream.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Plans blocks from a problem and a budget: pure functions, which run nothing.

namespace synelix::stream {

/// A source, and the samples of it that rows depend on.
struct Feed {
  const Source* source = nullptr;
  index::Reach reach;
};

/// How blocks may be cut.
enum class Cut : std::uint8_t {
  all_sides,  ///< a block has the channels of its samples, and bases may be split
  rows        ///< blocks have all columns, and their samples all channels
};

/// The memory on a device for blocks that go through it.
struct DeviceSide {
  StagingReason reason = StagingReason::out_of_reach;
  std::int64_t budget = 0;
  std::int64_t most = 0;         ///< without a user's budget: what may be used if needed
  std::int64_t event_bytes = 0;  ///< of events that are copied once and stay
};

/// The problem of a stream.
struct StreamProblem {
  FeaturesShape features;   ///< without its rows, which are those of the grid
  const SeriesShape& grid;  ///< samples and epochs
  index::Reach reach;       ///< of the longest window
  std::vector<Feed> feeds;  ///< none for events alone, which are in memory
  Cut cut = Cut::all_sides;
  index::RowRule rule;
  Batch batch;
  std::optional<std::int64_t> budget;          ///< of host memory; absent: the default
  std::optional<DeviceSide> device;            ///< absent: blocks are computed in place
  StagingReason reason = StagingReason::near;  ///< if there is no device side
  std::optional<Range> samples;                ///< StreamOptions::samples
  std::int64_t held_bytes = 0;                 ///< StreamOptions::held_bytes
  std::int64_t table_bytes = 0;                ///< of epochs, found by `prepare`
  const Sink& sink;
  /// The choice of a plan with this budget.
  std::function<Choice(std::int64_t budget)> choose;
};

/// Blocks that are computed at a time.
inline std::int64_t slots_of(const StreamPlan& plan) {
  return plan.choice.staging.is_staged() ? plan.choice.staging.slots : 1;
}
/// Buffers of each input, and of the output: one more, which is being read or written.
inline std::int64_t buffers_of(const StreamPlan& plan) { return slots_of(plan) + 1; }

/// A plan, and what is needed to run it.
struct Prepared {
  StreamPlan plan;
  std::int64_t workspace_budget = 0;  ///< of the plan that computes: its share
  RowMap rows;
  std::vector<index::Reach> reaches;  ///< of each feed
  Cut cut = Cut::all_sides;
};

/// The function for FeaturesDescription::samples_of_rows. It owns its data.
std::function<void(Range rows, std::int64_t* samples)> samples_of_rows(
    std::shared_ptr<const Prepared> prepared);

/// \throws Error if an option is out of its range, or the budget too small
Prepared prepare(StreamProblem problem);

/// \throws Error if a caller cannot hold this many bytes of a budget. A negative number would raise
/// the budget, and sums with a huge one would overflow.
inline void require_held_bytes(std::int64_t bytes) {
  constexpr std::int64_t most = std::int64_t{1} << 56;
  if (bytes >= 0 && bytes <= most) return;
  throw Error("held_bytes", std::to_string(bytes) + " bytes are not a part of a budget",
              "Give the bytes of the budget that are held already: 0 to 2^56");
}

}  // namespace synelix::stream
