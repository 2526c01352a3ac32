// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/bank_spectra.hpp"
#include "convolve/fft/fft_block.hpp"
#include "convolve/fft/fft_lines.hpp"
#include "convolve/fft/fft_recompute.hpp"
#include "convolve/fft/fft_store.hpp"
#include "convolve/fft/fft_weak.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "index/team_memory.hpp"
#include "launch/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Overlap-save by fast Fourier transforms as a parallel loop. A work item is strips x channels x
/// bases. A block of a strip is the input of one transform. A run for a part of its rows gives the
/// same bits as a run for all of them. Samples are packed as for the direct method, N rows of one
/// lane for each strip and channel. One pack of lanes at a time is transformed. Its product with
/// the bank's spectra is expanded to outputs (channel, basis), line by line. These are transformed
/// back, and the last pass gives finished rows (convolve/fft/fft_lines.hpp).
///
/// Blocks that hold the complete window have N - W + 1 rows, and a strip is one of them. Otherwise
/// the window is cut into parts of H taps, where H is the distance between blocks in samples. The
/// samples for a part are then those of an earlier block: every block is transformed once, its
/// spectra are kept for the following blocks, and one product for each part is summed before a
/// block is transformed back. A strip is a run of blocks of one epoch. Its lanes process it block
/// by block, starting as many blocks before it as its windows reach back. Blocks begin at fixed
/// rows of their epoch, and their contents do not depend on the strip: a run that is cut elsewhere
/// has the same bits.
///
/// A value that is not finite would affect the entire block of its lane, and a sum of large values
/// may overflow in only some rows. The first pass sums the squares of the samples: if the sum is
/// finite and the bank allows it (BankSpectra::cannot_overflow), no transform overflows. Otherwise
/// a block is transformed with zeros in place of the samples that are not finite, so that its
/// spectra serve all following blocks. The last pass tests all rows of each line.
/// convolve/fft/fft_recompute.hpp computes the rows that overflowed, or whose windows contain
/// values that are not finite.
///
/// A large value increases the error of all rows of its block. Rows whose windows have too little
/// of the block's energy are summed directly (convolve/fft/fft_weak.hpp).

namespace synelix::sweep {

/// The functor. `Source` is pack::ArraySource or pack::EventSource. A team's share of the workspace
/// has the layout of spectral::block_memory, then strips. If the window has parts, it also has the
/// input block and the output block of each strip.
template <class Scalar, class Passes, class Source>
struct FftSweep {
  Problem<Scalar> problem;
  Source source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Passes passes;
  BankSpectra<Scalar> bank;
  Range bases;  ///< the requested ones; the grid has complete groups
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    compute_items(team, *this, bases,
                  [&](std::int64_t number, const index::WorkItem&) { compute_item(team, number); });
    passes.end_copies();
  }

 private:
  /// A work item at one of its packs of lanes.
  struct Item {
    PackWork<Scalar> work;               ///< its block has the strips of the output rows
    pack::PackedBlock<Scalar> incoming;  ///< the input samples
    const index::Strip* strips;          ///< complete, not clipped
    index::Strip* blocks_in;
    index::Strip* blocks_out;
    Scalar* windows;  ///< the samples in the windows of a block's rows, of one lane; null: its
                      ///< samples are used
    Scalar* marks;    ///< (block in a window, lane): 0 if all its samples are finite
    std::int64_t careful_until = 0;  ///< the block from which on sums cannot overflow
  };

  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_parts() const { return bank.sizes.parts > 1; }
  /// Number of blocks in a window, whose marks are kept.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t seen_blocks() const {
    return spectral::seen_blocks(bank.sizes.parts);
  }

  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, std::int64_t number) const {
    const index::WorkItem range = grid.item(number);
    const spectral::BlockMemory layout = spectral::block_memory(bank.sizes);
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    const std::int64_t sets = has_parts() ? index::parted_strip_sets : 1;
    auto* const strips = reinterpret_cast<index::Strip*>(memory + layout.bytes);
    auto* const order = reinterpret_cast<std::int32_t*>(
        memory + layout.bytes + index::strip_memory(grid.strip_step, sets).order);
    Item item{work_of<Scalar>(*this, memory, range),
              {},
              strips,
              has_parts() ? strips + grid.strip_step : strips,
              has_parts() ? strips + 2 * grid.strip_step : strips,
              has_parts() ? reinterpret_cast<Scalar*>(memory + layout.windows) : nullptr,
              reinterpret_cast<Scalar*>(memory + layout.marks)};
    item.work.block.order = order;
    item.incoming = item.work.block;
    item.work.block.strips = item.blocks_out;
    item.incoming.strips = item.blocks_in;

    // Complete blocks, whichever rows are requested: their rows determine the transforms.
    constexpr Range every_row{0, std::int64_t{1} << 62};
    locate_strips(team, problem, mapping, range.strips, every_row, strips, order);
    if (record.items != nullptr) {
      for_each_item(team, 1, [=, this](std::int64_t) { record.items[number] = range; });
    }
    // Neighboring packs read the same cache lines of the samples, so a strip of one block is
    // gathered completely.
    if (!has_parts()) gather_packs(team, *this, item.incoming, {0, item.incoming.lanes});
    for (std::int64_t lane = 0; lane < item.work.block.lanes; lane += passes.lanes()) {
      item.work.set_first_lane(lane);
      if (has_parts()) item.incoming.first_lane = lane;
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
      asked = index::hull(asked, asked_blocks(item, strip, {0, strip.rows}));
      valued = index::hull(
          valued, asked_blocks(item, strip, index::valued_rows(strip, problem.layout.every)));
    }
    std::int64_t taken = 0;  // blocks with computed spectra; earlier ones are zero
    item.careful_until = 0;
    for (std::int64_t k = asked.begin - before; k < asked.end; ++k) {
      cut_blocks(team, item, k);
      const bool is_needed = valued.begin - before <= k && k < valued.end;
      // Considers only the requested rows: others of the block may have values that are not needed.
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

  /// The blocks of a strip that contain any of the requested `rows`.
  [[nodiscard]] KOKKOS_FUNCTION Range asked_blocks(const Item& item, const index::Strip& strip,
                                                   Range rows) const {
    const Range all = item.work.features->rows;
    const Range asked = index::common(rows, {all.begin - strip.row, all.end - strip.row});
    if (asked.size() == 0) return {};
    return {asked.begin / bank.sizes.block_rows,
            index::ceil_divide(asked.end, bank.sizes.block_rows)};
  }

  /// The input and output parts of block number k of each strip. A part has no rows if it is not
  /// needed, since a caller's samples may end before it. If a strip has one block, the strip is
  /// that block.
  template <class Team>
  KOKKOS_FUNCTION void cut_blocks(const Team& team, const Item& item, std::int64_t k) const {
    if (!has_parts()) return;
    const std::int64_t first = first_strip(item);
    for_each_item(team, end_of_strips(item) - first, [=, this](std::int64_t i) {
      const index::Strip& strip = item.strips[first + i];
      const Range asked = asked_blocks(item, strip, {0, strip.rows});
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

  /// Whether there are any input samples.
  [[nodiscard]] KOKKOS_FUNCTION bool sees_samples(const Item& item) const {
    for (std::int64_t i = first_strip(item); i < end_of_strips(item); ++i) {
      const Range seen = item.incoming.seen(item.blocks_in[i]);
      if (seen.begin < seen.end) return true;
    }
    return false;
  }

  /// Whether block k is the first input block of any strip.
  [[nodiscard]] KOKKOS_FUNCTION bool begins_strip(const Item& item, std::int64_t k) const {
    for (std::int64_t i = first_strip(item); i < end_of_strips(item); ++i) {
      const Range asked = asked_blocks(item, item.strips[i], {0, item.strips[i].rows});
      if (asked.size() > 0 && k == asked.begin - (bank.sizes.parts - 1)) return true;
    }
    return false;
  }

  /// Gathers the missing samples of a pack of lanes; samples that were in the previous block are
  /// moved.
  template <class Team>
  KOKKOS_FUNCTION void gather_block(const Team& team, const Item& item, bool is_next) const {
    if (has_parts()) {
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
    }
    team.team_barrier();
  }

  /// Transforms samples to the spectra of the newest block. Samples that are not finite count as
  /// zeros, and are marked in their block.
  template <class Team>
  KOKKOS_FUNCTION void take_in(const Team& team, Item& item, bool is_next) const {
    const std::int64_t lanes = item.work.pack_lanes;
    const std::int64_t lane = item.work.first_lane;
    Scalar* const spectra = item.work.spectra_of(0, bank.sizes.parts);
    Scalar* const marks = item.marks + item.work.newest % seen_blocks() * lanes;
    clear_energy(team, item.work);
    gather_block(team, item, is_next);
    transform_pack(team, *this, item.incoming.lane(lane), item.work.points, spectra,
                   item.work.energy);
    // Marks and levels are read after this block or another one is stored, which has a barrier
    // before.
    if (!may_overflow(*this, item.work)) {  // then all samples are finite
      for_each_item(team, lanes, [=](std::int64_t i) { marks[i] = Scalar(0); });
    } else {
      item.careful_until = item.work.newest + bank.sizes.parts;
      replace_what_is_not_finite(team, item, marks, spectra);
    }
    for_each_item(team, 1, [=, this](std::int64_t) {
      sum_levels(*this, item.work, item.incoming.lane(lane), false);
    });
  }

  /// Marks the lanes of samples that are not finite, and transforms them with zeros in place of
  /// these samples.
  template <class Team>
  KOKKOS_FUNCTION void replace_what_is_not_finite(const Team& team, const Item& item, Scalar* marks,
                                                  Scalar* spectra) const {
    const std::int64_t lanes = item.work.pack_lanes;
    const std::int64_t lane = item.work.first_lane;
    Scalar* const energy = item.work.energy;
    for_each_item(team, lanes,
                  [=](std::int64_t i) { marks[i] = is_finite(energy[i]) ? Scalar(0) : Scalar(1); });
    team.team_barrier();
    bool is_marked = false;
    for (std::int64_t i = 0; i < lanes; ++i) is_marked = is_marked || marks[i] != Scalar(0);
    if (!is_marked) return;
    for_each_item(team, lanes, [=](std::int64_t i) {
      zero_what_is_not_finite(item.incoming, lane + i);
      energy[i] = Scalar(0);
    });
    team.team_barrier();
    transform_pack(team, *this, item.incoming.lane(lane), item.work.points, spectra, energy);
  }

  /// Whether a window of the lane contains values that are not finite, or a transform overflowed.
  [[nodiscard]] KOKKOS_FUNCTION bool is_spoiled(const Item& item, std::int64_t lane) const {
    const PackWork<Scalar>& work = item.work;
    const std::int64_t seen = seen_blocks();
    for (std::int64_t i = 0; i < seen && i <= work.newest; ++i) {
      if (item.marks[(work.newest - i) % seen * work.pack_lanes + lane] != Scalar(0)) return true;
    }
    for (std::int64_t b = 0; work.is_careful && b < work.bases; ++b) {
      if (!work.is_finite(lane, b)) return true;
    }
    return false;
  }

  /// Stores the weak rows and the rows of spoiled lanes, one lane after the other.
  template <class Team>
  KOKKOS_FUNCTION void recompute(const Team& team, const Item& item) const {
    const PackWork<Scalar>& work = item.work;
    for_each_item(team, 1, [=, this](std::int64_t) {
      find_weak_rows(*this, work, item.incoming.lane(work.first_lane));
    });
    team.team_barrier();
    for (std::int64_t lane = 0; lane < work.lanes; ++lane) {
      const bool is_weak = work.weak[lane].size() > 0;
      if (work.strip_of(lane).rows == 0 || !(is_weak || is_spoiled(item, lane))) continue;
      Scalar* const values =
          item.windows != nullptr ? item.windows : item.incoming.lane(work.first_lane);
      pack::PackedBlock<Scalar> window = work.block;  // one lane of one strip
      window.values = values;
      window.rows = (bank.sizes.block_rows - 1) * problem.layout.every + problem.window;
      window.lanes = window.pack_lanes = window.channels = window.strip_count = 1;
      window.first_channel = work.channel_of(lane);
      window.strips = &work.strip_of(lane);
      window.lag = problem.lag - (problem.window - 1);
      window.window = problem.window;
      gather_packs(team, *this, window, {0, 1});
      team.team_barrier();
      for_each_item(team, 1, [=, this](std::int64_t) {
        if (is_weak) sum_weak_rows(*this, item.work, lane, values);
        recompute_lane(problem, bases, item.work, lane, LaneSamples<Scalar>{values, 1});
      });
      team.team_barrier();
    }
    team.team_barrier();  // the slowest thread reads rows until here
  }

  /// Stores NaN in all rows of a pack of lanes.
  template <class Team>
  KOKKOS_FUNCTION void store_missing(const Team& team, const Item& item) const {
    for_each_item(team, item.work.lanes, [=, this](std::int64_t i) {
      recompute_lane(problem, bases, item.work, i, LaneSamples<Scalar>{nullptr, 0});
    });
    team.team_barrier();
  }
};

}  // namespace synelix::sweep
