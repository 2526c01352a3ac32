// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/direct/flat_strips.hpp"
#include "convolve/direct/line_strips.hpp"
#include "convolve/direct/pack_extent.hpp"
#include "convolve/direct/pack_output.hpp"
#include "convolve/direct/row_stage.hpp"
#include "convolve/direct/tap_runs.hpp"
#include "convolve/sweep/problem.hpp"
#include "convolve/sweep/tiles.hpp"
#include "index/range.hpp"
#include "index/team_memory.hpp"
#include "launch/team.hpp"
#include "pack/gather.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The direct method as a parallel loop. A work item is a group of strips x channels x bases. Its
/// samples are packed into the team's share of the workspace, one lane for each strip and channel,
/// so every number of channels fills packs. Then tiles run over each pack of lanes. Accumulators
/// are in registers, and results of a tile are in the first-level cache until they are stored in
/// the features. Samples and taps that only meet zeros, or rows without a value, are neither packed
/// nor computed. This skips most of the work for short epochs and for filters of short support. If
/// several filters of the bank are equal except for a delay, they are computed once, and their rows
/// are copied. Strips of an item are ordered by length, so that a pack has strips of similar
/// length. Strips of one channel that are so short that packing is most of the work are computed
/// one by one instead (flat_strips.hpp).

namespace synelix::sweep {

/// The functor. `Source` is pack::ArraySource or pack::EventSource. A team's share of the workspace
/// holds strips and their order, lane targets, extents of packs, the stage, the packed block and
/// rows of the shared filter. Each starts at a cache line.
template <class Scalar, class Tiles, class Source>
struct DirectSweep {
  using Bounds = Kokkos::LaunchBounds<tune::device.team_size, 1>;

  Problem<Scalar> problem;
  Source source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Tiles tiles;
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    compute_items(team, *this, grid.bases, [&](std::int64_t number, const index::WorkItem& item) {
      compute_item(team, number, item);
    });
  }

 private:
  using Runs = TapRuns<Scalar, Tiles::bases>;

  /// The positions of an item in the memory of its team, and the destination of its rows.
  struct Layout {
    pack::PackedBlock<Scalar> block;
    index::Strip* strips;
    std::int32_t* order;
    LaneTarget* targets;
    PackExtent* extents;
    Scalar* stage;
    std::int64_t stage_values;
    std::int64_t packs;
    Scalar* shared;  ///< rows of the shared filter, (pack, row, lane)
  };

  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, std::int64_t number,
                                    const index::WorkItem& item) const {
    const Layout at = layout_of(item, workspace.data + team.league_rank() * workspace.bytes);
    const pack::PackedBlock<Scalar>& block = at.block;
    locate_strips(team, problem, mapping, item.strips, features.rows, at.strips, at.order);
    if (record.items != nullptr) {
      for_each_item(team, 1, [=, this](std::int64_t) { record.items[number] = item; });
    }

    if constexpr (Tiles::spreads && requires { source.sample_stride; }) {  // samples, not events
      const LineStrips<Scalar, Tiles> line(problem, source, features, block, tiles);
      if (line.is_missing(item.bases) || line.serves(item.bases)) {
        for_each_item(team, 1, [&](std::int64_t) { line.compute(); });
        team.team_barrier();
        return;
      }
      FlatStrips<Scalar, Tiles> flat(problem, source, features, block, tiles, at.stage,
                                     at.stage_values);
      if (flat.serves(item.bases)) {
        for_each_item(team, 1, [&](std::int64_t) { flat.compute(); });
        team.team_barrier();
        return;
      }
    }

    for_each_item(team, 1, [=, this](std::int64_t) { order_strips(at); });
    team.team_barrier();

    for_each_item(team, at.packs, [=, this](std::int64_t pack) {
      const std::int64_t first = pack * tiles.lanes();
      for (int lane = 0; lane < tiles.lanes(); ++lane) {
        at.targets[first + lane] = lane_target(features, block, first + lane);
      }
      at.extents[pack] = pack_extent(problem, block, first);
    });
    team.team_barrier();

    const bool scans = leaves_out_taps(item.bases) && !pack::is_always_finite(source);
    const std::int64_t row_groups = index::ceil_divide(block.rows, mapping.pack_rows);
    for_each_item(team, row_groups * at.packs, [=, this](std::int64_t i) {
      gather_rows(at, i % at.packs, i / at.packs, scans);
    });
    team.team_barrier();

    if constexpr (Tiles::spreads) {
      if (members_of(item.bases) > 1) {
        for_each_item(team, at.packs, [=, this](std::int64_t i) { compute_shared(at, i); });
        team.team_barrier();
      }
      if (mapping.stage_rows > 0 &&
          RowStage<Scalar, Tiles>::serves(features, block, tiles, item.bases)) {
        for_each_item(team, 1, [=, this](std::int64_t) { compute_staged(at, item.bases); });
        team.team_barrier();
        return;
      }
    }
    const std::int64_t all = index::ceil_divide(problem.strip_rows, Tiles::rows);
    const std::int64_t chunk = mapping.tiles > 0 ? mapping.tiles : all;
    const std::int64_t chunks = index::ceil_divide(all, chunk);
    for_each_item(team, chunks * at.packs, [=, this](std::int64_t i) {
      const std::int64_t first = i % chunks * chunk * Tiles::rows;
      compute_rows(at, i / chunks, item.bases, {first, first + chunk * Tiles::rows});
      fence_streams();
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION Layout layout_of(const index::WorkItem& item, std::byte* memory) const {
    Layout at;
    pack::PackedBlock<Scalar>& block = at.block;
    block.rows = (problem.strip_rows - 1) * problem.layout.every + problem.window;
    block.channels = item.channels.size();
    block.lanes = index::round_up(item.strips.size() * block.channels, tiles.lanes());
    block.pack_lanes = tiles.lanes();
    block.first_channel = item.channels.begin;
    block.strip_count = item.strips.size();
    block.lag = problem.lag - (problem.window - 1);
    block.window = problem.window;
    block.every = problem.layout.every;
    at.packs = block.lanes / tiles.lanes();
    const index::DirectMemory parts = index::direct_memory(
        {.strips = grid.strip_step,
         .channels = grid.channel_step,
         .staged_bases = index::smaller(grid.basis_step, tune::most_bases),
         .staged_rows = mapping.stage_rows,
         .packed_rows = block.rows,
         .shared_rows = problem.delays != nullptr ? problem.strip_rows + problem.most_delay : 0,
         .register_lanes = tiles.lanes(),
         .scalar_bytes = sizeof(Scalar),
         .lane_bytes = sizeof(LaneTarget),
         .pack_bytes = sizeof(PackExtent)},
        block.lanes);
    at.strips = reinterpret_cast<index::Strip*>(memory);
    at.order = reinterpret_cast<std::int32_t*>(memory + index::strip_memory(grid.strip_step).order);
    at.targets = reinterpret_cast<LaneTarget*>(memory += parts.strips);
    at.extents = reinterpret_cast<PackExtent*>(memory += parts.lane_records);
    at.stage = reinterpret_cast<Scalar*>(memory += parts.pack_records);
    at.stage_values = parts.stage_values;
    block.values = reinterpret_cast<Scalar*>(memory += parts.stage);
    at.shared = reinterpret_cast<Scalar*>(memory + parts.samples);
    block.strips = at.strips;
    block.order = at.order;
    return at;
  }

  /// Longest strips first: a counting sort by classes of length, in place if all are equal.
  KOKKOS_FUNCTION void order_strips(const Layout& at) const {
    const auto count = static_cast<std::int32_t>(at.block.strip_count);
    std::int64_t longest = 0;
    std::int64_t shortest = problem.strip_rows;
    for (std::int32_t i = 0; i < count; ++i) {
      longest = index::larger(longest, at.strips[i].rows);
      shortest = index::smaller(shortest, at.strips[i].rows);
    }
    if (longest == shortest) return;
    constexpr int classes = 32;
    std::int32_t next[classes + 1] = {};
    const auto class_of = [&](std::int32_t i) {
      return (longest - at.strips[i].rows) * (classes - 1) / longest;
    };
    for (std::int32_t i = 0; i < count; ++i) ++next[class_of(i) + 1];
    for (int k = 1; k < classes; ++k) next[k] += next[k - 1];
    for (std::int32_t i = 0; i < count; ++i) at.order[next[class_of(i)]++] = i;
  }

  /// Whether some filter has zeros that are skipped if all samples are finite.
  KOKKOS_FUNCTION bool leaves_out_taps(Range bases) const {
    for (std::int64_t b = bases.begin; b < bases.end; ++b) {
      if (problem.supports[b].size() < problem.window) return true;
    }
    return false;
  }

  /// Packs group number `group` of a pack's rows.
  KOKKOS_FUNCTION void gather_rows(const Layout& at, std::int64_t pack, std::int64_t group,
                                   bool scans) const {
    const std::int64_t begin = at.extents[pack].packed.begin + group * mapping.pack_rows;
    const std::int64_t end = index::smaller(begin + mapping.pack_rows, at.extents[pack].packed.end);
    if (end <= begin) return;
    const std::int64_t lane = pack * tiles.lanes();
    pack::gather(at.block, source, lane, lane + tiles.lanes(), begin, end, tiles.copies());
    if (scans && !tiles.is_finite(at.block.lane(lane) + begin * tiles.lanes(), end - begin)) {
      Kokkos::atomic_store(&at.extents[pack].has_non_finite, std::int32_t{1});
    }
  }

  /// The number of these bases that use the shared filter.
  KOKKOS_FUNCTION std::int64_t members_of(Range bases) const {
    std::int64_t members = 0;
    for (std::int64_t b = bases.begin; problem.delays != nullptr && b < bases.end; ++b) {
      if (problem.delays[b] >= 0) ++members;
    }
    return members;
  }

  /// The rows of the shared filter for a pack: the first one is `most_delay` before the pack's
  /// first row with a value.
  KOKKOS_FUNCTION Scalar* shared_of(const Layout& at, std::int64_t pack) const {
    return at.shared + pack * (problem.strip_rows + problem.most_delay) * tiles.lanes();
  }

  /// Computes the rows of the shared filter for a pack whose windows are packed with all their
  /// taps.
  KOKKOS_FUNCTION void compute_shared(const Layout& at, std::int64_t pack) const {
    PackExtent& extent = at.extents[pack];
    if (extent.valued.size() == 0 || extent.has_non_finite != 0) return;
    if (extent.taps.size() < problem.window) return;
    extent.has_shared = true;
    const std::int64_t lanes = tiles.lanes();
    const Range support = problem.supports[problem.shared_basis];
    const std::int64_t first = extent.valued.begin - problem.most_delay;
    for (std::int64_t row = first; row < extent.valued.end; row += Tiles::rows) {
      const std::int64_t newest = row + problem.window - 1;
      tiles.compute(
          tile::DirectTile<Scalar>{
              .samples = at.block.lane(pack * lanes) + (newest - support.begin) * lanes,
              .row_step = lanes,
              .taps = problem.filters + problem.shared_basis * problem.window + support.begin,
              .window = support.size(),
              .results = shared_of(at, pack) + (row - first) * lanes,
              .results_step = lanes},
          static_cast<int>(index::smaller(Tiles::rows, extent.valued.end - row)));
    }
  }

  /// The tiles of some rows of a pack of lanes, for all bases of the item. If these bases are
  /// stored in several groups, it computes a few tiles of each group in turn, so that cache lines
  /// shared by groups are still in a cache.
  KOKKOS_FUNCTION void compute_rows(const Layout& at, std::int64_t pack, Range bases,
                                    Range rows) const {
    const std::int64_t end = index::smaller(rows.end, at.extents[pack].rows);
    const std::int64_t groups = index::ceil_divide(bases.size(), Tiles::bases);
    const std::int64_t step = groups == 1 ? end - rows.begin : tune::group_tiles * Tiles::rows;
    for (std::int64_t row = rows.begin; row < end; row += step) {
      for (std::int64_t g = 0; g < groups; ++g) {
        compute_group(at, pack,
                      {bases.begin + bases.size() * g / groups,
                       bases.begin + bases.size() * (g + 1) / groups},
                      {row, index::smaller(row + step, end)});
      }
    }
  }

  /// The tiles of some rows of a pack of lanes, for bases that are stored together.
  KOKKOS_FUNCTION void compute_group(const Layout& at, std::int64_t pack, Range bases,
                                     Range rows) const {
    alignas(64) Scalar results[2][Tiles::rows * Tiles::bases * Tiles::most_lanes];
    PackOutput<Scalar, Tiles> output(features, at.block, at.targets + pack * tiles.lanes(),
                                     at.extents[pack], tiles, bases);
    Runs runs(problem, bases, tiles.lanes());
    runs.choose(at.extents[pack].taps, at.extents[pack].has_non_finite != 0);
    int half = 0;  // the results of the previous tile are stored from the other half meanwhile
    for (std::int64_t row = rows.begin; row < rows.end; row += Tiles::rows) {
      const Range tile{row, index::smaller(row + Tiles::rows, rows.end)};
      bool is_computed = false;
      if constexpr (Tiles::spreads) {
        is_computed = output.suits_bank() && is_whole(at.extents[pack], tile);
        if (is_computed) {
          const tile::Stores stores = output.stores();
          const tile::Spread<Scalar> before = output.pop();
          compute_bank(at, pack, runs, bases, tile, results[half], before,
                       static_cast<int>(bases.size()), stores);
        }
      }
      if (!is_computed) {
        compute_tile(at, pack, runs, bases, tile, results[half], [&] { output.advance(); });
      }
      output.buffer(tile.begin, tile.end, results[half]);
      half = 1 - half;
    }
    output.finish();
  }

  /// All rows of an item, tile by tile through all its packs.
  KOKKOS_FUNCTION void compute_staged(const Layout& at, Range bases) const {
    alignas(64) Scalar results[Tiles::rows * Tiles::bases * Tiles::most_lanes];
    alignas(64) Scalar scratch[Tiles::rows * Tiles::bases * Tiles::most_lanes];
    Runs runs(problem, bases, tiles.lanes());
    RowStage<Scalar, Tiles> stage(features, at.block, tiles, bases, at.stage);
    const std::int64_t lanes = tiles.lanes();
    constexpr tile::Spread<Scalar> nothing{};
    for (std::int64_t row = 0; row < problem.strip_rows; row += Tiles::rows) {
      stage.start({row, row + Tiles::rows});
      for (std::int64_t pack = 0; pack < at.packs; ++pack) {
        const PackExtent& extent = at.extents[pack];
        const Range tile{row, index::smaller(row + Tiles::rows, extent.rows)};
        const Range valued = index::common(tile, extent.valued);
        if (valued.size() > 0) {
          runs.choose(extent.taps, extent.has_non_finite != 0);
          if (is_whole(extent, valued)) {
            compute_bank(at, pack, runs, bases, valued, results, nothing, 1, tile::Stores::cached);
          } else {
            compute_tile(at, pack, runs, bases, valued, results, [] {});
          }
          stage.buffer(at.targets + pack * lanes, valued, results, scratch);
        }
        stage.flush_before(pack + 1 < at.packs ? (pack + 1) * lanes : at.block.lanes);
      }
    }
    fence_streams();
  }

  /// After stores that bypassed the caches, if there were any.
  KOKKOS_INLINE_FUNCTION void fence_streams() const {
    if (features.stores != tile::Stores::cached) tiles.fence_streams();
  }

  /// Whether a bank tile computes these rows of a pack: a full tile of rows that all have values.
  KOKKOS_INLINE_FUNCTION bool is_whole(const PackExtent& extent, Range tile) const {
    return problem.layout.every == 1 && !extent.has_shared && tiles.has_bank() &&
           index::common(tile, extent.valued).size() == Tiles::rows;
  }

  /// A full tile, while `count` packs of each group of `before` are stored. The kernel is in
  /// tile/bank.hpp.
  KOKKOS_FUNCTION void compute_bank(const Layout& at, std::int64_t pack, const Runs& runs,
                                    Range bases, Range tile, Scalar* results,
                                    const tile::Spread<Scalar>& before, int count,
                                    tile::Stores stores) const {
    tiles.compute({.samples = at.block.lane(pack * tiles.lanes()) +
                              (tile.begin + problem.window - 1) * tiles.lanes(),
                   .runs = runs.begin(),
                   .bases = bases.size(),
                   .blocks = runs.blocks(),
                   .results = results,
                   .before = &before},
                  count, stores);
  }

  /// The rows of a tile that have values: results as (row, basis, lane). `meanwhile` is called
  /// after each basis. The kernel is in tile/direct.hpp.
  template <class Meanwhile>
  KOKKOS_FUNCTION void compute_tile(const Layout& at, std::int64_t pack, const Runs& runs,
                                    Range bases, Range tile, Scalar* results,
                                    const Meanwhile& meanwhile) const {
    const PackExtent& extent = at.extents[pack];
    const Scalar* const packed = at.block.lane(pack * tiles.lanes());
    const Range rows = index::common(tile, extent.valued);
    if (rows.size() == 0) return;
    const std::int64_t lanes = tiles.lanes();
    const std::int64_t newest = rows.begin * problem.layout.every + problem.window - 1;
    tile::DirectTile<Scalar> arguments;
    arguments.row_step = problem.layout.every * lanes;
    arguments.results_step = bases.size() * lanes;
    for (std::int64_t b = bases.begin; b < bases.end; ++b) {
      Scalar* const to =
          results + ((rows.begin - tile.begin) * bases.size() + b - bases.begin) * lanes;
      if constexpr (Tiles::spreads) {
        if (extent.has_shared && problem.delays[b] >= 0) {
          const std::int64_t row = rows.begin - extent.valued.begin + problem.most_delay;
          tiles.copy({.to = to,
                      .to_step = arguments.results_step,
                      .from = shared_of(at, pack) + (row - problem.delays[b]) * lanes,
                      .from_step = lanes,
                      .count = lanes,
                      .rows = rows.size()},
                     tile::Stores::cached);
          meanwhile();
          continue;
        }
      }
      const tile::TapRun<Scalar>& run = runs[b - bases.begin];
      arguments.samples = packed + newest * lanes - run.behind;
      arguments.taps = run.taps;
      arguments.window = run.window;
      arguments.results = to;
      tiles.compute(arguments, static_cast<int>(rows.size()));  // tile/direct.hpp
      meanwhile();
    }
  }
};

}  // namespace synelix::sweep
