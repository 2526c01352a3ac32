// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/block_search.hpp"
#include "blocks/buffer.hpp"
#include "streams/stream_plan.hpp"
#include "tune/staging.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

/// \file
/// `BlockPlanner`: the best blocks within a budget of the host, and of a device that they go
/// through.

namespace synelix::stream {

using blocks::Budgets;
using blocks::is_inside;
using blocks::last_that;

/// On a busy machine, blocks of 2 and 8 MiB are slower because of the fences between them (by
/// factors of 4 and 1.5 on two shared cores). For larger blocks than this, the first touch of
/// memory takes longer.
inline constexpr std::int64_t block_bytes_enough = mebibytes(32);
/// Blocks of fewer rows are only tried if nothing else fits.
inline constexpr std::int64_t rows_of_small_block = 256;
/// The cost of one more block, in bytes that could be moved in the same time.
inline constexpr double bytes_per_block = 1 << 16;
/// The cost of halving the channels or the bases of a block, as a fraction of the bytes moved:
/// smaller parts of a row are contiguous in both files.
inline constexpr double price_of_halving = 0.1;

/// Cuts one problem into blocks, with the workspace of one choice.
class BlockPlanner {
 public:
  /// \param slots  blocks in flight on a device; 0 without a device
  BlockPlanner(const StreamProblem& problem, const FeaturesShape& features, const Choice& choice,
               std::int64_t slots)
      : m_problem(problem),
        m_features(features),
        m_choice(choice),
        m_slots(slots),
        m_bounds(bounds()) {}

  /// The best blocks within both budgets; no value if none fit.
  [[nodiscard]] std::optional<StreamPlan> within(Budgets room) const {
    const blocks::Sides most{m_bounds.channels, m_bounds.bases};
    const bool is_whole = m_problem.cut == Cut::rows;
    return blocks::best_blocks(*this, most, is_whole ? most : blocks::Sides{1, 1}, room);
  }

  /// The smallest blocks, which `within` tries last for any budget. Fewer rows take less memory of
  /// a block, and more of a sink for each chunk: this is the minimum of the sum.
  [[nodiscard]] StreamPlan smallest() const {
    const auto smallest_of = [&](std::int64_t rows) {
      BlockShape block{rows, 1, 1};
      if (m_problem.cut == Cut::rows) block = {rows, m_features.channels, m_features.bases};
      return filled(block, chunk_for(block, 0), 0);
    };
    StreamPlan least = smallest_of(small_rows());
    for (std::int64_t rows = small_rows() / 2; rows > 0; rows /= 2) {
      StreamPlan plan = smallest_of(rows);
      if (plan.total_bytes < least.total_bytes) least = std::move(plan);
    }
    return least;
  }

  /// Bytes moved for each row, with a cost for each block and for steps that do not overlap.
  [[nodiscard]] double cost(const StreamPlan& plan) const {
    return bytes_for_row(plan) * (m_slots == 0 ? 1.0 : tune::price_of_slots(m_slots));
  }

  /// The most rows of a block with this many channels and bases; in complete chunks if the sink
  /// needs that. Otherwise the number is exact, so that no part of the budget is unused.
  [[nodiscard]] std::optional<StreamPlan> most_rows(blocks::Sides sides, Budgets room) const {
    const BlockShape most{m_bounds.rows, sides.channels, sides.bases};
    const std::int64_t rest =
        room.host - m_problem.table_bytes - (m_slots == 0 ? m_choice.workspace_bytes : 0);
    for (std::int64_t bytes = rest / 8; bytes > 0; bytes /= 2) {
      const Chunked chunks = chunked(most, chunk_for(most, bytes), rest);
      if (auto plan = in_chunks(chunks, room)) return plan;
    }
    // The last tries are small blocks, whose chunks are at most as long as the blocks.
    for (std::int64_t rows = small_rows(); rows > 0; rows /= 2) {
      const BlockShape block{rows, sides.channels, sides.bases};
      const Chunked chunks = chunked(block, chunk_for(block, 0), rest);
      if (auto plan = in_chunks(chunks, room)) return plan;
      if (!of_rows(rows, chunks, room)) continue;
      const std::int64_t top = std::max(rows, std::min(chunks.enough, m_bounds.rows));
      return of_rows(
          last_that(rows, top,
                    [&](std::int64_t n) { return of_rows(n, chunks, room).has_value(); }),
          chunks, room);
    }
    return std::nullopt;
  }

 private:
  /// The largest block that the problem and the user's batch allow.
  [[nodiscard]] BlockShape bounds() const {
    const Batch& batch = m_problem.batch;
    BlockShape result{m_features.rows, m_features.channels, m_features.bases};
    if (batch.channels) result.channels = std::min(result.channels, *batch.channels);
    if (batch.bases) result.bases = std::min(result.bases, *batch.bases);
    if (batch.samples) {
      result.rows = std::min(result.rows,
                             (*batch.samples - m_problem.reach.window) / m_problem.rule.every + 1);
    }
    result.rows = std::max<std::int64_t>(result.rows, 1);
    return result;
  }

  [[nodiscard]] std::int64_t small_rows() const {
    return std::min(m_bounds.rows, rows_of_small_block);
  }

  /// The largest number of samples of a feed that this many rows depend on.
  [[nodiscard]] std::int64_t samples_for(std::int64_t rows, const Feed& feed) const {
    const std::int64_t all = m_problem.grid.samples;
    if (rows - 1 > all / m_problem.rule.every) return all;  // whose product might not be a number
    return std::min(all, (rows - 1) * m_problem.rule.every + feed.reach.window);
  }

  /// The share of a block in a feed whose source may hold this many bytes.
  [[nodiscard]] StreamInputPlan input_for(const BlockShape& block, const Feed& feed,
                                          std::int64_t allowed) const {
    const SeriesShape& shape = feed.source->shape();
    StreamInputPlan input;
    input.block_samples = samples_for(block.rows, feed);
    input.block_channels = m_problem.cut == Cut::rows ? shape.channels : block.channels;
    input.input_bytes =
        buffers() *
        blocks::buffer_bytes(input.block_samples * input.block_channels * size_of(shape.type));
    input.source_bytes = feed.source->own_bytes(input.block_samples, input.block_channels, allowed);
    return input;
  }

  [[nodiscard]] BlockShape chunk_for(const BlockShape& block, std::int64_t bytes) const {
    FeaturesShape resident = m_features;
    resident.rows = block.rows;
    resident.channels = block.channels;
    resident.bases = block.bases;
    return m_problem.sink.chunk(resident, bytes);
  }

  /// The plan of such blocks, with the bytes of its parts.
  [[nodiscard]] StreamPlan filled(const BlockShape& block, const BlockShape& chunk,
                                  std::int64_t allowed) const {
    StreamPlan plan;
    plan.features = m_features;
    plan.choice = m_choice;
    plan.block = block;
    plan.chunk = chunk;
    plan.output_bytes = buffers() * blocks::buffer_bytes(block.rows * block.channels * block.bases *
                                                         size_of(m_features.type));
    plan.workspace_bytes = m_choice.workspace_bytes;
    plan.sink_bytes = m_problem.sink.own_bytes(m_features, chunk, block);
    plan.source_bytes = m_problem.table_bytes;  // for finding the samples of rows
    for (const Feed& feed : m_problem.feeds) {
      const auto share = static_cast<std::int64_t>(m_problem.feeds.size());
      const StreamInputPlan input = input_for(block, feed, allowed / share);
      plan.block_samples = std::max(plan.block_samples, input.block_samples);
      plan.input_bytes += input.input_bytes;
      plan.source_bytes += input.source_bytes;
      plan.inputs.push_back(input);
    }
    plan.total_bytes = plan.input_bytes + plan.output_bytes + plan.source_bytes + plan.sink_bytes;
    if (m_slots == 0) {
      plan.total_bytes += plan.workspace_bytes;
    } else {
      plan.choice.staging = staged(plan);
    }
    return plan;
  }

  /// The staging through the device: the blocks of the pipeline itself.
  [[nodiscard]] StagedBlocks staged(const StreamPlan& plan) const {
    const DeviceSide device = m_problem.device.value_or(DeviceSide());
    StagedBlocks blocks;
    blocks.reason = device.reason;
    blocks.input = true;
    blocks.features = true;
    blocks.whole_events = device.event_bytes > 0;
    blocks.slots = m_slots;
    blocks.rows = plan.block.rows;
    blocks.channels = plan.block.channels;
    blocks.samples = plan.block_samples;
    blocks.host_bytes = plan.input_bytes + plan.output_bytes;
    // The host has one buffer more than slots; each slot has one.
    blocks.device_bytes = m_slots * plan.workspace_bytes + device.event_bytes +
                          blocks.host_bytes / buffers() * m_slots;
    return blocks;
  }

  [[nodiscard]] std::int64_t buffers() const { return std::max<std::int64_t>(m_slots, 1) + 1; }

  /// Blocks of a chunk's columns, and the bytes that their sources may hold.
  struct Chunked {
    BlockShape sides;  ///< rows are not used
    BlockShape chunk;
    std::int64_t rest = 0;    ///< bytes without the workspace
    std::int64_t enough = 1;  ///< blocks of more rows are not better
  };
  [[nodiscard]] std::int64_t enough_rows(const BlockShape& most) const {
    const std::int64_t row_bytes = most.channels * most.bases * size_of(m_features.type);
    return std::max<std::int64_t>({block_bytes_enough / std::max<std::int64_t>(row_bytes, 1),
                                   16 * m_problem.reach.window / m_problem.rule.every, 1});
  }
  [[nodiscard]] Chunked chunked(const BlockShape& most, const BlockShape& chunk,
                                std::int64_t rest) const {
    return {{0, whole(most.channels, chunk.channels, m_features.channels),
             whole(most.bases, chunk.bases, m_features.bases)},
            chunk,
            rest,
            enough_rows(most)};
  }

  [[nodiscard]] std::optional<StreamPlan> of_rows(std::int64_t rows, const Chunked& chunks,
                                                  Budgets room) const {
    const BlockShape block{rows, chunks.sides.channels, chunks.sides.bases};
    for (const std::int64_t allowed : {chunks.rest / 4, std::int64_t{0}}) {
      StreamPlan plan = filled(block, chunks.chunk, allowed);
      if (is_inside({plan.total_bytes, plan.choice.staging.device_bytes}, room)) return plan;
    }
    return std::nullopt;
  }

  /// As many complete chunks as fit; no value if one does not.
  [[nodiscard]] std::optional<StreamPlan> in_chunks(const Chunked& chunks, Budgets room) const {
    const std::int64_t rows = chunks.chunk.rows;
    if (rows > m_bounds.rows || !of_rows(rows, chunks, room)) return std::nullopt;
    const std::int64_t step = m_problem.sink.needs_whole_chunks() ? rows : 1;
    const std::int64_t steps =
        last_that(rows / step, steps_in(step, chunks.enough),
                  [&](std::int64_t n) { return of_rows(n * step, chunks, room).has_value(); });
    return of_rows(std::min(steps * step, m_bounds.rows), chunks, room);
  }

  /// The number of steps for enough rows, or for all rows.
  [[nodiscard]] std::int64_t steps_in(std::int64_t step, std::int64_t enough) const {
    const bool is_everything = m_bounds.rows == m_features.rows && enough >= m_bounds.rows;
    return is_everything ? index::ceil_divide(m_bounds.rows, step)
                         : std::min(enough, m_bounds.rows) / step;
  }

  /// An extent of a block: everything, or complete chunks if one fits.
  static std::int64_t whole(std::int64_t most, std::int64_t chunk, std::int64_t everything) {
    return most == everything || chunk > most ? most : most / chunk * chunk;
  }

  /// The cost without that of steps that do not overlap.
  [[nodiscard]] double bytes_for_row(const StreamPlan& plan) const {
    const auto rows = static_cast<double>(plan.block.rows);
    const auto channels = static_cast<double>(m_features.channels);
    double bytes = channels * static_cast<double>(m_features.bases * size_of(m_features.type));
    const bool in_chunks = !m_problem.sink.needs_whole_chunks() ||
                           plan.block.rows % plan.chunk.rows == 0 ||
                           plan.block.rows >= m_features.rows;
    if (!in_chunks) bytes *= 2;
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
      const Source& source = *m_problem.feeds[i].source;
      const StreamInputPlan& input = plan.inputs[i];
      bytes += static_cast<double>(source.shape().channels) *
               static_cast<double>(size_of(source.shape().type) * input.block_samples) / rows *
               source.read_cost(input.block_samples, input.block_channels, input.source_bytes);
    }
    const auto blocks =
        static_cast<double>(index::ceil_divide(m_features.channels, plan.block.channels) *
                            index::ceil_divide(m_features.bases, plan.block.bases));
    bytes *= 1.0 + price_of_halving * std::log2(blocks);
    return bytes + blocks * bytes_per_block / rows;
  }

  const StreamProblem& m_problem;
  const FeaturesShape& m_features;
  const Choice& m_choice;
  std::int64_t m_slots;
  BlockShape m_bounds;
};

}  // namespace synelix::stream
