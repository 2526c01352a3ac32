// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/fft_block.hpp"
#include "convolve/fft/fft_lines.hpp"
#include "convolve/fft/fft_passes.hpp"
#include "convolve/fft/fft_recompute.hpp"
#include "convolve/fft/fft_store.hpp"
#include "convolve/sweep/problem.hpp"
#include "convolve/sweep/strips.hpp"
#include "index/range.hpp"
#include "index/team_memory.hpp"
#include "launch/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The FFT method with a window in parts. Each part has as many taps as a block has samples from
/// one to the next, H, so that the samples which a part sees are those of an earlier block: every
/// block is transformed once, its spectra are kept for the blocks behind it, and as many products
/// as there are parts are summed before a block is transformed back.
///
/// A strip is a run of blocks of one epoch, and its lanes go through it block by block, from as
/// many blocks before it as its windows reach back. Blocks begin at fixed rows of their epoch, and
/// what is in them does not depend on the strip: a run that is cut elsewhere has the same bits.
///
/// Samples that are not finite are taken for zeros when their block comes in, so that the spectra
/// serve all blocks behind it; one point of the spectra tells, since it depends on all samples.
/// Rows that see them are mended as in the other form, their windows gathered lane by lane.

namespace synelix::sweep {

/// The functor. A team's share of the workspace holds what spectral::block_memory says, then
/// strips, the blocks that come in and those that come out, of each strip one.
template <class Scalar, class Passes, class Source>
struct PartedFftSweep {
  Problem<Scalar> problem;
  Source source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Passes passes;
  BankSpectra<Scalar> bank;
  Range bases;  ///< those that are asked for; the grid has them in whole groups
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(grid.size(), team.league_rank(), workspace.teams);
    for (std::int64_t i = share.begin; i < share.end; ++i) compute_item(team, i);
    passes.end_copies();
  }

 private:
  /// A work item at one of its packs of lanes.
  struct Item {
    PackWork<Scalar> work;               ///< its block has the strips of the rows that come out
    pack::PackedBlock<Scalar> incoming;  ///< the samples that come in
    const index::Strip* strips;          ///< whole
    index::Strip* blocks_in;
    index::Strip* blocks_out;
    Scalar* windows;  ///< what the rows of a block see, of one lane
    Scalar* marks;    ///< (block that a window sees, lane): not 0 where it was not finite
    std::int64_t careful_until = 0;  ///< the block from which on sums cannot overflow
  };

  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, std::int64_t number) const {
    const index::WorkItem range = grid.item(number);
    const spectral::BlockMemory layout = spectral::block_memory(bank.sizes);
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    auto* const strips = reinterpret_cast<index::Strip*>(memory + layout.bytes);
    auto* const order = reinterpret_cast<std::int32_t*>(
        memory + layout.bytes +
        index::strip_memory(grid.strip_step, index::parted_strip_sets).order);
    Item item{work_of<Scalar>(*this, memory, range),
              {},
              strips,
              strips + grid.strip_step,
              strips + 2 * grid.strip_step,
              reinterpret_cast<Scalar*>(memory + layout.windows),
              reinterpret_cast<Scalar*>(memory + layout.marks)};
    item.work.block.order = order;
    item.incoming = item.work.block;
    item.work.block.strips = item.blocks_out;
    item.incoming.strips = item.blocks_in;

    constexpr Range every_row{0, std::int64_t{1} << 62};
    locate_strips(team, problem, mapping, range.strips, every_row, strips, order);
    if (record.items != nullptr) {
      for_each_item(team, 1, [=, this](std::int64_t) { record.items[number] = range; });
    }
    for (std::int64_t lane = 0; lane < item.work.block.lanes; lane += passes.lanes()) {
      item.work.set_first_lane(lane);
      item.incoming.first_lane = lane;
      compute_pack(team, item);
    }
  }

  /// All blocks of a pack of lanes, in turn.
  template <class Team>
  KOKKOS_FUNCTION void compute_pack(const Team& team, Item& item) const {
    const std::int64_t before = bank.sizes.parts - 1;
    Range asked{};
    Range valued{};
    for (std::int64_t i = first_strip(item); i < end_of_strips(item); ++i) {
      const index::Strip& strip = item.strips[i];
      asked = index::hull(asked, asked_blocks(strip, {0, strip.rows}));
      valued =
          index::hull(valued, asked_blocks(strip, index::valued_rows(strip, problem.layout.every)));
    }
    std::int64_t taken = 0;  // blocks whose spectra came in; those before were zero
    item.careful_until = 0;
    for (std::int64_t k = asked.begin - before; k < asked.end; ++k) {
      cut_blocks(team, item, k);
      const bool is_needed = valued.begin - before <= k && k < valued.end;
      // Of the rows that are asked for: others of the block may have values nobody wants.
      const bool has_values =
          valued.begin <= k && k < valued.end && item.work.has_values(problem.layout.every);
      if (is_needed && (taken > 0 || has_values || sees_samples(item))) {
        item.work.newest = taken;
        take_in(team, item, taken > 0 && !begins_strip(item, k));
        ++taken;
      }
      if (has_values) {
        item.work.parts = static_cast<int>(smaller(taken, bank.sizes.parts));
        item.work.is_careful = item.work.newest < item.careful_until;
        FftLines(*this, item.work).store(team);
        recompute(team, item);
      } else {
        store_missing(team, item);
      }
    }
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static std::int64_t first_strip(const Item& item) {
    return item.work.first_lane / item.work.block.channels;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static std::int64_t end_of_strips(const Item& item) {
    return (item.work.first_lane + item.work.lanes - 1) / item.work.block.channels + 1;
  }

  /// The blocks of a strip that have any of its `rows` that are asked for.
  [[nodiscard]] KOKKOS_FUNCTION Range asked_blocks(const index::Strip& strip, Range rows) const {
    const Range asked =
        index::common(rows, {features.rows.begin - strip.row, features.rows.end - strip.row});
    if (asked.size() == 0) return {};
    return {asked.begin / bank.sizes.block_rows,
            index::ceil_divide(asked.end, bank.sizes.block_rows)};
  }

  /// Block number k of each strip, as it comes in and as it comes out: without rows where it is not
  /// needed, since a caller's samples may end before it.
  template <class Team>
  KOKKOS_FUNCTION void cut_blocks(const Team& team, const Item& item, std::int64_t k) const {
    const std::int64_t first = first_strip(item);
    for_each_item(team, end_of_strips(item) - first, [=, this](std::int64_t i) {
      const index::Strip& strip = item.strips[first + i];
      const Range asked = asked_blocks(strip, {0, strip.rows});
      index::Strip block = index::block_of(strip, k, bank.sizes.block_rows, problem.layout.every);
      if (asked.size() == 0 || k < asked.begin - (bank.sizes.parts - 1) || k >= asked.end) {
        block.rows = 0;
      }
      item.blocks_in[first + i] = block;
      if (k < asked.begin) block.rows = 0;
      item.blocks_out[first + i] = block;
    });
    team.team_barrier();
  }

  /// Whether any sample comes in.
  [[nodiscard]] KOKKOS_FUNCTION bool sees_samples(const Item& item) const {
    for (std::int64_t i = first_strip(item); i < end_of_strips(item); ++i) {
      const Range seen = item.incoming.seen(item.blocks_in[i]);
      if (seen.begin < seen.end) return true;
    }
    return false;
  }

  /// Whether block k is the first that comes in for any strip.
  [[nodiscard]] KOKKOS_FUNCTION bool begins_strip(const Item& item, std::int64_t k) const {
    for (std::int64_t i = first_strip(item); i < end_of_strips(item); ++i) {
      const Range asked = asked_blocks(item.strips[i], {0, item.strips[i].rows});
      if (asked.size() > 0 && k == asked.begin - (bank.sizes.parts - 1)) return true;
    }
    return false;
  }

  /// The samples of a pack of lanes; those that were in the block before are moved.
  template <class Team>
  KOKKOS_FUNCTION void gather_block(const Team& team, const Item& item, bool is_next) const {
    const std::int64_t lane = item.work.first_lane;
    const std::int64_t moved = is_next ? bank.sizes.part_taps - problem.layout.every : 0;
    const std::int64_t rows = mapping.pack_rows;
    for_each_item(team, index::ceil_divide(moved, rows), [=, this](std::int64_t i) {
      const std::int64_t lanes = item.work.pack_lanes;
      Scalar* const to = item.incoming.lane(lane) + i * rows * lanes;
      const Scalar* const from = to + bank.sizes.part_taps * lanes;
      const std::int64_t values = smaller(rows, moved - i * rows) * lanes;
      for (std::int64_t value = 0; value < values; ++value) to[value] = from[value];
    });
    team.team_barrier();
    gather_packs(team, *this, item.incoming, {lane, lane + item.work.pack_lanes}, moved);
    team.team_barrier();
  }

  /// Samples to the spectra of the newest block; those that are not finite as zeros, and marked:
  /// with the block in which they come.
  template <class Team>
  KOKKOS_FUNCTION void take_in(const Team& team, Item& item, bool is_next) const {
    const std::int64_t lanes = item.work.pack_lanes;
    const std::int64_t lane = item.work.first_lane;
    Scalar* const spectra = item.work.spectra_of(0, bank.sizes.parts);
    Scalar* const marks = item.marks + item.work.newest % (bank.sizes.parts + 1) * lanes;
    clear_energy(team, item.work);
    gather_block(team, item, is_next);
    transform_pack(team, *this, item.incoming.lane(lane), item.work.points, spectra,
                   item.work.energy);
    if (!may_overflow(*this, item.work)) {  // then all samples are finite
      // Marks are read once the block is stored, or another one: behind a barrier of theirs.
      for_each_item(team, lanes, [=](std::int64_t i) { marks[i] = Scalar(0); });
      return;
    }
    item.careful_until = item.work.newest + bank.sizes.parts;
    for_each_item(team, lanes, [=](std::int64_t i) {
      const Scalar sum = spectra[i] * Scalar(0) + spectra[lanes + i] * Scalar(0);
      marks[i] = sum == Scalar(0) ? Scalar(0) : Scalar(1);
    });
    team.team_barrier();
    bool is_marked = false;
    for (std::int64_t i = 0; i < lanes; ++i) is_marked = is_marked || marks[i] != Scalar(0);
    if (!is_marked) return;
    for_each_item(team, lanes,
                  [=](std::int64_t i) { zero_what_is_not_finite(item.incoming, lane + i); });
    team.team_barrier();
    transform_pack(team, *this, item.incoming.lane(lane), item.work.points, spectra,
                   item.work.energy);
  }

  /// Whether a lane has seen what is not finite, or overflowed.
  [[nodiscard]] KOKKOS_FUNCTION bool is_spoiled(const Item& item, std::int64_t lane) const {
    const PackWork<Scalar>& work = item.work;
    const std::int64_t seen = bank.sizes.parts + 1;
    for (std::int64_t i = 0; i < seen && i <= work.newest; ++i) {
      if (item.marks[(work.newest - i) % seen * work.pack_lanes + lane] != Scalar(0)) return true;
    }
    for (std::int64_t b = 0; work.is_careful && b < work.bases; ++b) {
      if (!work.is_finite(lane, b)) return true;
    }
    return false;
  }

  /// The rows of spoiled lanes, one lane after the other.
  template <class Team>
  KOKKOS_FUNCTION void recompute(const Team& team, const Item& item) const {
    const PackWork<Scalar>& work = item.work;
    for (std::int64_t lane = 0; lane < work.lanes; ++lane) {
      if (work.strip_of(lane).rows == 0 || !is_spoiled(item, lane)) continue;
      pack::PackedBlock<Scalar> window = work.block;  // one lane of one strip
      window.values = item.windows;
      window.rows = bank.sizes.window_rows;
      window.lanes = window.pack_lanes = window.channels = window.strip_count = 1;
      window.first_channel = work.channel_of(lane);
      window.strips = &work.strip_of(lane);
      window.lag = problem.lag - (problem.window - 1);
      window.window = problem.window;
      gather_packs(team, *this, window, {0, 1});
      team.team_barrier();
      for_each_item(team, 1, [=, this](std::int64_t) {
        recompute_lane(problem, features, bases, item.work, lane,
                       LaneSamples<Scalar>{item.windows, 1});
      });
      team.team_barrier();
    }
    team.team_barrier();  // the next block is cut where the slowest thread still asks for rows
  }

  /// NaN to all rows of a pack of lanes.
  template <class Team>
  KOKKOS_FUNCTION void store_missing(const Team& team, const Item& item) const {
    for_each_item(team, item.work.lanes, [=, this](std::int64_t i) {
      recompute_lane(problem, features, bases, item.work, i, LaneSamples<Scalar>{nullptr, 0});
    });
    team.team_barrier();
  }
};

}  // namespace synelix::sweep
