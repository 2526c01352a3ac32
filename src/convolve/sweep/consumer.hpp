// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "index/work_grid.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The receiver of the rows that a sweep has finished: the last template parameter of each sweep of
/// a convolution. `StoreRows` stores them in the caller's array. A tile consumer gets them as tiles
/// in its own memory and reads them while they are in the caches, for example to add products with
/// them to sums.
///
/// A tile consumer is a trivially copyable value in the functor, with three members:
///
///     static constexpr bool takes_tiles = true;
///     // The memory for the tiles of a team.
///     KOKKOS_FUNCTION TileMemory<Scalar> tile_memory(std::int64_t team) const;
///     // Reads one tile. All threads of the team call it.
///     template <class Team>
///     KOKKOS_FUNCTION void consume(const Team& team, const FeatureTile<Scalar>& tile) const;
///
/// The sweep guarantees:
///
/// * A tile has the rows of one strip (so of one segment), and all channels and bases of its work
///   item. A plan that needs complete rows makes items of all channels and bases.
/// * Each requested row is in exactly one tile for each of its channels and bases. Values are those
///   that `StoreRows` stores, bit by bit; rows without a value are NaN.
/// * A team takes a contiguous share of the items in their order (index/work_grid.hpp), and the
///   strips of an item in theirs. Sums that must not depend on the number of teams are kept for
///   each item, and added by `FeatureTile::item`.
/// * There is a barrier before and after each call.
///
/// The consumer owns its memory. A team needs `tile_values` values.

namespace synelix::sweep {

/// Stores rows in the features.
struct StoreRows {
  static constexpr bool takes_tiles = false;
};

/// Finished rows of a strip: feature (r, c, b) is
/// `values[(r - rows.begin) * row_stride + (c - channels.begin) * bases.size() + b - bases.begin]`.
template <class Scalar>
struct FeatureTile {
  const Scalar* values;
  std::int64_t row_stride;
  Range rows;         ///< rows of one segment, numbered among all rows
  Range valued;       ///< those of them that have a value; the others are NaN
  Range channels;     ///< of the work item
  Range bases;        ///< of the work item
  std::int64_t item;  ///< number of the work item
};

/// The place where the rows of a work item are collected.
template <class Scalar>
struct TileMemory {
  Scalar* values;
  std::int64_t row_stride;  ///< values from one row to the next, at least channels x bases
};

/// The number of values of a team's memory, with rows `row_stride` apart.
constexpr std::int64_t tile_values(const index::WorkGrid& grid, std::int64_t strip_rows,
                                   std::int64_t row_stride) {
  return grid.strip_step * strip_rows * row_stride;
}

/// The destination of a work item's rows in a sweep that stores rows: the requested features.
template <class Scalar>
KOKKOS_INLINE_FUNCTION const FeatureTarget<Scalar>& item_target(
    const StoreRows&, const FeatureTarget<Scalar>& features, const Problem<Scalar>&,
    const index::WorkItem&, std::int64_t) {
  return features;  // NOLINT(bugprone-return-const-ref-from-parameter): a member of the sweep
}

/// The destination in any other sweep: the memory of the team. Rows are numbered through all
/// strips, so those of an item are consecutive.
template <class Consumer, class Scalar>
KOKKOS_FUNCTION FeatureTarget<Scalar> item_target(const Consumer& consumer,
                                                  const FeatureTarget<Scalar>& features,
                                                  const Problem<Scalar>& problem,
                                                  const index::WorkItem& item, std::int64_t team) {
  std::int64_t segment = problem.segment_of(item.strips.begin);
  const index::Strip first = problem.strip_from(segment, item.strips.begin, features.rows);
  segment = problem.segment_of(item.strips.end - 1);
  const index::Strip last = problem.strip_from(segment, item.strips.end - 1, features.rows);
  const TileMemory<Scalar> memory = consumer.tile_memory(team);
  FeatureTarget<Scalar> target;
  target.data = memory.values;
  target.rows = {first.row, last.row + last.rows};
  target.first_channel = item.channels.begin;
  target.first_basis = item.bases.begin;
  target.row_stride = memory.row_stride;
  target.basis_stride = 1;
  target.channels.append(item.channels.size(), item.bases.size());
  return target;
}

/// Passes the rows of a finished work item to the consumer. The caller has a barrier before it.
template <class Team, class Consumer, class Scalar>
KOKKOS_FUNCTION void consume_item(const Team& team, const Consumer& consumer,
                                  const Problem<Scalar>& problem,
                                  const FeatureTarget<Scalar>& target, const index::WorkItem& item,
                                  std::int64_t number) {
  if constexpr (Consumer::takes_tiles) {
    std::int64_t segment = problem.segment_of(item.strips.begin);
    for (std::int64_t i = item.strips.begin; i < item.strips.end; ++i) {
      const index::Strip strip = problem.strip_from(segment, i, target.rows);
      if (strip.rows == 0) continue;
      const Range valued = index::valued_rows(strip, problem.layout.every);
      const bool has_values = valued.size() > 0;
      consumer.consume(
          team, FeatureTile<Scalar>{
                    .values = target.data + (strip.row - target.rows.begin) * target.row_stride,
                    .row_stride = target.row_stride,
                    .rows = {strip.row, strip.row + strip.rows},
                    .valued = {strip.row + (has_values ? valued.begin : 0),
                               strip.row + (has_values ? valued.end : 0)},
                    .channels = item.channels,
                    .bases = item.bases,
                    .item = number});
      team.team_barrier();
    }
  }
}

/// The work items of a team in turn: all threads run compute(number, item, target), which ends with
/// a barrier, then the sweep's consumer. Only the bases of an item that are in `bases` are
/// computed.
template <class Team, class Sweep, class Compute>
KOKKOS_INLINE_FUNCTION void compute_items(const Team& team, const Sweep& sweep, Range bases,
                                          const Compute& compute) {
  const std::int64_t teams = sweep.workspace.teams;
  for_each_team_item(team, sweep.grid.size(), teams, [&](std::int64_t number) {
    index::WorkItem item = sweep.grid.item(number);
    item.bases = index::common(item.bases, bases);
    const auto& target =
        item_target(sweep.consumer, sweep.features, sweep.problem, item, team.league_rank());
    compute(number, item, target);
    consume_item(team, sweep.consumer, sweep.problem, target, item, number);
  });
}

}  // namespace synelix::sweep
