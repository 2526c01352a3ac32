// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"
#include "pack/gather.hpp"
#include "sweep/problem.hpp"
#include "sweep/team.hpp"
#include "tile/direct.hpp"
#include "tile/events.hpp"
#include "tile/table.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The direct method as a parallel loop. A work item is a group of strips x channels x bases: its
/// samples are packed into the team's share of the workspace, one lane for each strip and channel,
/// so that every number of channels fills whole packs; then tiles run over the packed block.
/// Accumulators sit in registers, results of a tile in a few cache lines, from where they go to
/// their final place. What only meets zeros, or gives rows without a value, is neither packed nor
/// computed: with short epochs that is most.

namespace synelix::sweep {

/// The host's tiles: functions of one instruction set. (Marked for devices too, since a compiler
/// for both checks every functor on both; no device ever calls them.)
template <class Scalar>
struct HostTiles {
  const tile::TileTable<Scalar>* table;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int lanes() const { return table->lanes; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int bases() const { return table->bases; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int packs(int bases) const { return table->packs[bases]; }
  KOKKOS_INLINE_FUNCTION void run(const tile::DirectTile<Scalar>& arguments, int packs,
                                  int bases) const {
    (packs == 1 ? table->single[bases] : table->direct[bases])(arguments);
  }
  KOKKOS_INLINE_FUNCTION void add_event(Scalar* sums, const Scalar* taps, Scalar count,
                                        std::int64_t n) const {
    table->add_event(sums, taps, count, n);
  }
};

/// A device's tiles: inlined into the kernel, on packs that are arrays.
template <class Scalar>
struct DeviceTiles {
  KOKKOS_INLINE_FUNCTION static constexpr int lanes() {
    return lanes::Pack<Scalar, lanes::DeviceThread>::lanes;
  }
  KOKKOS_INLINE_FUNCTION static constexpr int bases() { return tune::device_bases; }
  KOKKOS_INLINE_FUNCTION static constexpr int packs(int) { return tune::device_packs; }
  KOKKOS_INLINE_FUNCTION void run(const tile::DirectTile<Scalar>& arguments, int packs,
                                  int bases) const {
    select<1>(arguments, packs, bases);
  }
  KOKKOS_INLINE_FUNCTION void add_event(Scalar* sums, const Scalar* taps, Scalar count,
                                        std::int64_t n) const {
    tile::add_event<Scalar, lanes::DeviceThread>(sums, taps, count, n);
  }

 private:
  template <int bases>
  KOKKOS_INLINE_FUNCTION static void select(const tile::DirectTile<Scalar>& arguments, int packs,
                                            int wanted) {
    if (wanted == bases) {
      if (packs == 1) {
        tile::direct_tile<Scalar, lanes::DeviceThread, 1, bases>(arguments);
      } else {
        tile::direct_tile<Scalar, lanes::DeviceThread, tune::device_packs, bases>(arguments);
      }
    } else if constexpr (bases < tune::device_bases) {
      select<bases + 1>(arguments, packs, wanted);
    }
  }
};

/// What a lane of the packed block becomes: where its features lie, and how many lanes from it on
/// belong to the same strip and to neighbouring channels.
struct LaneTarget {
  std::int64_t offset;  ///< of its channel in the features
  std::int32_t strip;
  std::int32_t run;
};

/// What an item's strips need, all together.
struct ItemExtent {
  std::int64_t rows = 0;  ///< of the longest strip
  Range valued;           ///< rows of a strip that get a value
  Range taps;             ///< taps that meet samples; the others add zeros
  Range packed;           ///< rows of the packed block that are read
};

/// The functor. `Source` is pack::ArraySource or pack::EventSource. A team's share of the workspace
/// holds strips, lane targets and the packed block, each from a cache line on.
template <class Scalar, class Tiles, class Source>
struct DirectSweep {
  Problem<Scalar> problem;
  Source source;
  Features<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Tiles tiles;
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(grid.size(), team.league_rank(), workspace.teams);
    for (std::int64_t i = share.begin; i < share.end; ++i) compute_item(team, i);
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, std::int64_t number) const {
    const index::WorkItem item = grid.item(number);
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    auto* const strips = reinterpret_cast<index::Strip*>(memory);
    pack::PackedBlock<Scalar> block;
    block.rows = (problem.strip_rows - 1) * problem.layout.every + problem.window;
    block.channels = item.channels.size();
    block.lanes = index::round_up(item.strips.size() * block.channels, tiles.lanes());
    block.first_channel = item.channels.begin;
    block.strips = strips;
    block.strip_count = item.strips.size();
    block.lag = problem.lag - (problem.window - 1);
    block.window = problem.window;
    block.every = problem.layout.every;
    std::byte* const behind_strips = memory + whole_lines(grid.strip_step, sizeof(index::Strip));
    auto* const targets = reinterpret_cast<LaneTarget*>(behind_strips);
    block.values =
        reinterpret_cast<Scalar*>(behind_strips + whole_lines(block.lanes, sizeof(LaneTarget)));

    const std::int64_t segment = index::last_at_or_before(
        problem.table(), problem.segment_count, &index::Segment::strip_begin, item.strips.begin);
    for_each_item(team, block.lanes, [=, this](std::int64_t lane) {
      if (lane < block.strip_count) {
        const std::int64_t strip = item.strips.begin + lane;
        strips[lane] = index::strip_of(problem.table()[problem.segment_of(strip, segment, lane)],
                                       strip, problem.strip_rows, problem.layout, features.rows);
      }
      targets[lane] = target_of(block, lane, item.strips.begin, segment);
      if (lane == 0 && record.items != nullptr) record.items[number] = item;
    });
    team.team_barrier();

    const ItemExtent extent = extent_of(block);
    const std::int64_t rows = mapping.pack_rows;
    const std::int64_t lanes = mapping.pack_lanes > 0 ? mapping.pack_lanes : block.lanes;
    const std::int64_t lane_groups = index::ceil_divide(block.lanes, lanes);
    const std::int64_t row_groups = index::ceil_divide(extent.packed.size(), rows);
    for_each_item(team, row_groups * lane_groups, [=, this](std::int64_t i) {
      const std::int64_t lane = i % lane_groups * lanes;
      const std::int64_t row = extent.packed.begin + i / lane_groups * rows;
      pack::gather(block, source, lane, smaller(lane + lanes, block.lanes), row,
                   smaller(row + rows, extent.packed.end));
    });
    team.team_barrier();

    const std::int64_t packs = extent.rows * (block.lanes / tiles.lanes());
    const std::int64_t chunk = mapping.tile_packs;
    for_each_item(team, index::ceil_divide(packs, chunk), [=, this](std::int64_t i) {
      compute_packs(block, targets, extent, item.bases, i * chunk, smaller((i + 1) * chunk, packs));
    });
    team.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }

  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t larger(std::int64_t a, std::int64_t b) {
    return a > b ? a : b;
  }

  /// The smallest range that holds both, either of which may be empty.
  KOKKOS_INLINE_FUNCTION static constexpr Range hull(Range a, Range b) {
    if (a.size() == 0) return b;
    if (b.size() == 0) return a;
    return {smaller(a.begin, b.begin), larger(a.end, b.end)};
  }

  KOKKOS_FUNCTION ItemExtent extent_of(const pack::PackedBlock<Scalar>& block) const {
    ItemExtent extent;
    Range samples;  // packed rows that may not be 0
    for (std::int64_t i = 0; i < block.strip_count; ++i) {
      const index::Strip& strip = block.strips[i];
      const Range valued = index::valued_rows(strip, problem.layout.every);
      extent.rows = larger(extent.rows, strip.rows);
      if (valued.size() == 0) continue;
      extent.valued = hull(extent.valued, valued);
      samples = hull(samples, block.seen(strip));
    }
    if (extent.valued.size() == 0) return extent;
    const std::int64_t newest = extent.valued.begin * problem.layout.every + problem.window - 1;
    const std::int64_t last = (extent.valued.end - 1) * problem.layout.every + problem.window - 1;
    if (samples.size() > 0) {
      extent.taps = {larger(0, newest + 1 - samples.end),
                     smaller(problem.window, last + 1 - samples.begin)};
    }
    if (extent.taps.size() == 0) extent.taps = {0, 1};
    extent.packed = {newest + 1 - extent.taps.end, last + 1 - extent.taps.begin};
    return extent;
  }

  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t whole_lines(std::int64_t count,
                                                                   std::size_t bytes) {
    return index::round_up(count * static_cast<std::int64_t>(bytes), 64);
  }

  KOKKOS_FUNCTION LaneTarget target_of(const pack::PackedBlock<Scalar>& block, std::int64_t lane,
                                       std::int64_t first_strip, std::int64_t segment) const {
    const std::int64_t filled = block.strip_count * block.channels;
    if (lane >= filled) return {0, 0, 0};
    const Features<Scalar>* own = &features;
    if (features.trials != nullptr) {
      const std::int64_t strip = lane / block.channels;
      own = &features.of(
          problem.table()[problem.segment_of(first_strip + strip, segment, strip)].trial);
    }
    const pack::LaneRun run = pack::lane_run(lane, filled, block.channels, block.first_channel,
                                             own->channels, own->first_channel);
    return {own->channels.offset(run.channel - own->first_channel),
            static_cast<std::int32_t>(run.strip), static_cast<std::int32_t>(run.end - run.begin)};
  }

  /// Packs [begin, end) of the block's outputs, counted row by row, for all bases of the item.
  KOKKOS_FUNCTION void compute_packs(const pack::PackedBlock<Scalar>& block,
                                     const LaneTarget* targets, const ItemExtent& extent,
                                     Range bases, std::int64_t begin, std::int64_t end) const {
    constexpr int most_lanes = 64 / static_cast<int>(sizeof(Scalar));
    alignas(64) Scalar results[tune::most_packs * tune::most_bases * most_lanes];
    const auto packs_of_row = static_cast<std::int32_t>(block.lanes / tiles.lanes());
    tile::DirectTile<Scalar> arguments;
    arguments.tap_step = block.lanes;
    arguments.taps_step = problem.bases;
    arguments.window = extent.taps.size();
    const Range computed{extent.valued.begin * packs_of_row, extent.valued.end * packs_of_row};
    const std::int64_t newest_row = problem.window - 1 - extent.taps.begin;
    arguments.results = results;
    const std::int64_t groups = index::ceil_divide(bases.size(), tiles.bases());
    for (std::int64_t g = 0; g < groups; ++g) {
      const std::int64_t b = bases.begin + bases.size() * g / groups;
      const int width = static_cast<int>(bases.begin + bases.size() * (g + 1) / groups - b);
      arguments.taps = problem.taps + extent.taps.begin * problem.bases + b;
      auto row = static_cast<std::int32_t>(begin) / packs_of_row;
      auto pack = static_cast<std::int32_t>(begin) % packs_of_row;
      for (std::int64_t first = begin; first < end;) {
        int packs = 1;
        if (first >= computed.begin && first < computed.end) {
          if (smaller(end, computed.end) - first >= tiles.packs(width)) packs = tiles.packs(width);
          std::int32_t next_row = row;
          std::int32_t next_pack = pack;
          for (int p = 0; p < packs; ++p) {
            arguments.samples[p] = block.values +
                                   (next_row * problem.layout.every + newest_row) * block.lanes +
                                   next_pack * tiles.lanes();
            advance(next_row, next_pack, packs_of_row);
          }
          tiles.run(arguments, packs, width);
        }
        for (int p = 0; p < packs; ++p) {
          store_pack(block, targets, row, pack * tiles.lanes(), {b, b + width},
                     results + p * width * tiles.lanes());
          advance(row, pack, packs_of_row);
        }
        first += packs;
      }
    }
  }

  /// To the next pack, in rows of `packs_of_row`.
  KOKKOS_INLINE_FUNCTION static void advance(std::int32_t& row, std::int32_t& pack,
                                             std::int32_t packs_of_row) {
    if (++pack == packs_of_row) {
      pack = 0;
      ++row;
    }
  }

  /// One pack of results, (lane, basis), to the features of a row of the block.
  KOKKOS_FUNCTION void store_pack(const pack::PackedBlock<Scalar>& block, const LaneTarget* targets,
                                  std::int64_t row, int first_lane, Range bases,
                                  const Scalar* results) const {
    const std::int64_t width = bases.size();
    for (int lane = 0; lane < tiles.lanes();) {
      const LaneTarget target = targets[first_lane + lane];
      if (target.run == 0) return;
      const int left = tiles.lanes() - lane;
      const int count = target.run < left ? target.run : left;
      const index::Strip& strip = block.strips[target.strip];
      if (row < strip.rows) {
        const Features<Scalar>& own = features.of(strip.trial);
        Scalar* const to = own.data + (bases.begin - own.first_basis) * own.basis_stride +
                           (strip.row + row - own.rows.begin) * own.row_stride + target.offset;
        store_run(own, to, results + lane * width, count, width,
                  has_value(strip, strip.sample + row * problem.layout.every));
      }
      lane += count;
    }
  }

  /// `count` neighbouring channels of one row.
  KOKKOS_FUNCTION static void store_run(const Features<Scalar>& own, Scalar* to, const Scalar* from,
                                        std::int64_t count, std::int64_t width, bool valued) {
    const std::int64_t channel_stride = own.channels.stride();
    const std::int64_t stride = own.basis_stride;
    if (!valued) {
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t b = 0; b < width; ++b) {
          to[i * channel_stride + b * stride] = missing_value<Scalar>();
        }
      }
    } else if (stride == 1 && (channel_stride == width || count == 1)) {
      copy_values(to, from, count * width);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        store_bases(to + i * channel_stride, stride, from + i * width, width);
      }
    }
  }
};

}  // namespace synelix::sweep
