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
/// From a problem and a budget to blocks: pure functions, which run nothing.

namespace synelix::stream {

/// What rows depend on of one source.
struct Feed {
  const Source* source = nullptr;
  index::Reach reach;
};

/// How blocks may be cut.
enum class Cut : std::uint8_t {
  all_sides,  ///< the channels of a block are those of its samples, and bases may be parted
  rows        ///< blocks hold all columns, and their samples all channels
};

/// What blocks that go through a device have there.
struct DeviceSide {
  StagingReason reason = StagingReason::out_of_reach;
  std::int64_t budget = 0;
  std::int64_t most = 0;         ///< where nobody named a budget: what may be taken in need
  std::int64_t event_bytes = 0;  ///< of events that are copied once, and stay
};

/// What is to be streamed.
struct StreamProblem {
  FeaturesShape features;   ///< but its rows, which are the grid's
  const SeriesShape& grid;  ///< samples and epochs
  index::Reach reach;       ///< of the longest window
  std::vector<Feed> feeds;  ///< none for events alone, which lie in memory
  Cut cut = Cut::all_sides;
  index::RowRule rule;
  Batch batch;
  std::optional<std::int64_t> budget;          ///< of host memory; absent: the default
  std::optional<DeviceSide> device;            ///< absent: blocks are computed where they are read
  StagingReason reason = StagingReason::near;  ///< why, where it is absent
  std::optional<Range> samples;                ///< StreamOptions::samples
  std::int64_t held_bytes = 0;                 ///< StreamOptions::held_bytes
  std::int64_t table_bytes = 0;                ///< of epochs, as `prepare` finds it
  const Sink& sink;
  /// What a plan would choose that may take so many bytes.
  std::function<Choice(std::int64_t budget)> choose;
};

/// Blocks that are computed at a time.
inline std::int64_t slots_of(const StreamPlan& plan) {
  return plan.choice.staging.is_staged() ? plan.choice.staging.slots : 1;
}
/// Buffers of each input, and of the output: one more than that, which is read or written.
inline std::int64_t buffers_of(const StreamPlan& plan) { return slots_of(plan) + 1; }

/// A plan, and what it takes to follow it.
struct Prepared {
  StreamPlan plan;
  std::int64_t workspace_budget = 0;  ///< of the plan that computes: its share
  RowMap rows;
  std::vector<index::Reach> reaches;  ///< of each feed
  Cut cut = Cut::all_sides;
};

/// What FeaturesDescription::samples_of_rows asks for. It keeps what it needs.
std::function<void(Range rows, std::int64_t* samples)> samples_of_rows(
    std::shared_ptr<const Prepared> prepared);

/// \throws Error where an option is out of its range, or the budget too small
Prepared prepare(StreamProblem problem);

/// \throws Error where a caller cannot hold so many bytes of a budget. A negative number would
/// raise the budget, and sums with a huge one would overflow.
inline void require_held_bytes(std::int64_t bytes) {
  constexpr std::int64_t most = std::int64_t{1} << 56;
  if (bytes >= 0 && bytes <= most) return;
  throw Error("held_bytes", std::to_string(bytes) + " bytes are not a part of a budget",
              "Give the bytes of the budget that are held already: 0 to 2^56");
}

}  // namespace synelix::stream
