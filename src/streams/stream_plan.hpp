// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streams/row_map.hpp"

#include <synelix/error.hpp>
#include <synelix/types/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Plans blocks from a problem and a budget: pure functions, which run nothing. And `PieceWalk`:
/// the order in which a stream processes its pieces.

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

/// Rows and channels that are read together: a block, or as much of it as fits in the input
/// buffers. (Adjacent rows are not always adjacent samples, because Border::valid drops some.)
struct Piece {
  Range rows;
  Range channels;
  Range bases;
  std::vector<Range> samples;  ///< of each source; {0, 0} if its rows need none
};

/// The boxes of features to compute. Their rows are counted among all rows of the series.
inline std::vector<Block> boxes_of(const StreamPlan& plan,
                                   const std::optional<Unwritten>& unwritten) {
  if (!unwritten) {
    return {{plan.rows, {0, plan.features.channels}, {0, plan.features.bases}}};
  }
  const auto is_within = [](Range range, std::int64_t size) {
    return range.begin >= 0 && range.begin <= range.end && range.end <= size;
  };
  std::vector<Block> boxes = unwritten->boxes;
  for (Block& box : boxes) {
    if (!is_within(box.rows, plan.features.rows) ||
        !is_within(box.channels, plan.features.channels) ||
        !is_within(box.bases, plan.features.bases)) {
      throw Error("unwritten", "a box reaches beyond the features",
                  "Give boxes within the rows, channels and bases of the features");
    }
    box.rows = {box.rows.begin + plan.rows.begin, box.rows.end + plan.rows.begin};
  }
  return boxes;
}

inline std::int64_t blocks_in(const Block& box, const BlockShape& block) {
  return index::ceil_divide(box.rows.size(), block.rows) *
         index::ceil_divide(box.channels.size(), block.channels) *
         index::ceil_divide(box.bases.size(), block.bases);
}

/// Iterates over all pieces of the boxes, with channels outermost, so that a source's chunks stay
/// in its cache.
class PieceWalk {
 public:
  PieceWalk(const Prepared& prepared, const std::vector<Block>& boxes)
      : m_prepared(prepared), m_boxes(boxes) {
    if (!m_boxes.empty()) start_box();
  }

  std::optional<Piece> next() {
    const StreamPlan& plan = m_prepared.plan;
    while (m_box < m_boxes.size()) {
      const Block& box = m_boxes[m_box];
      if (m_row >= box.rows.end) {
        m_row = box.rows.begin;
        m_channel += plan.block.channels;
      }
      if (m_channel < box.channels.end && box.rows.size() > 0) break;
      ++m_box;
      if (m_box < m_boxes.size()) start_box();
    }
    if (m_box == m_boxes.size()) return std::nullopt;
    const Block& box = m_boxes[m_box];
    Piece piece;
    const std::int64_t block_begin = m_row - (m_row - box.rows.begin) % plan.block.rows;
    piece.rows = {m_row, std::min(block_begin + plan.block.rows, box.rows.end)};
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
      piece.rows =
          m_prepared.rows.piece(piece.rows, plan.inputs[i].block_samples, m_prepared.reaches[i]);
    }
    for (const index::Reach& reach : m_prepared.reaches) {
      piece.samples.push_back(m_prepared.rows.samples_for(piece.rows, reach));
    }
    piece.channels = {m_channel, std::min(m_channel + plan.block.channels, box.channels.end)};
    piece.bases = box.bases;
    m_row = piece.rows.end;
    return piece;
  }

 private:
  void start_box() {
    m_row = m_boxes[m_box].rows.begin;
    m_channel = m_boxes[m_box].channels.begin;
  }

  const Prepared& m_prepared;
  const std::vector<Block>& m_boxes;
  std::size_t m_box = 0;
  std::int64_t m_row = 0;
  std::int64_t m_channel = 0;
};

}  // namespace synelix::stream
