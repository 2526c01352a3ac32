// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/direct/device_store.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "pack/gather_column.hpp"
#include "tile/window.hpp"
#include "tune/device.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The direct method on a device, for rows at consecutive samples of long segments. A team computes
/// a strip of one channel for some bases. Its samples and taps are staged in scratch once, for all
/// threads and all these bases. Then each thread runs window tiles in turn, each of as many bases
/// as fit in registers. The groups of rows of a tile are one team apart, so that neighboring
/// threads read and write neighboring packs.
///
/// Windows with more taps than are staged at a time are summed part by part, oldest last. Between
/// parts, with barriers, sums are kept in the team's share of the workspace. Taps outside the
/// supports of a tile's bases are skipped if the staged samples are moderate: finite, and so small
/// that no sum overflows.
///
/// Short segments, and rows of every n-th sample, are computed by lanes of several strips
/// (convolve/direct/direct.hpp), with the same bits.

namespace synelix::sweep {

/// The functor, for `groups` groups of rows and `bases` bases in a thread's registers.
template <class Scalar, int groups, int bases>
struct DeviceDirectSweep {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  using Target = RowTarget<Scalar>;
  using Bounds = Kokkos::LaunchBounds<tune::window_threads, tune::window_teams>;

  Problem<Scalar> problem;
  pack::ArraySource source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;  ///< an item is one strip, one channel and some bases
  Workspace workspace;   ///< sums of a strip, if windows are summed part by part
  Record record;

  /// Rows of a tile of all threads of a team.
  static constexpr int group_rows = tune::window_threads * Pack::lanes;
  static constexpr int rows = group_rows * groups;
  /// The largest number of tiles of an item.
  static constexpr int most_tiles = tune::window_item_bases(bases, sizeof(Scalar)) / bases;

  /// Workspace of a team, for items of `of_item` bases.
  static constexpr std::int64_t team_bytes(std::int64_t window, std::int64_t of_item) {
    return window > tune::window_taps
               ? std::int64_t{rows} * index::round_up(of_item, bases) * std::int64_t{sizeof(Scalar)}
               : 0;
  }
  /// If teams have no memory of their own, there is one for each item: a device starts the next one
  /// as soon as one ends.
  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t teams) const {
    return {team_bytes(problem.window, grid.basis_step) > 0 ? index::smaller(items, teams) : items,
            tune::window_threads, scratch_bytes()};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Scratch scratch;
    scratch.work = reinterpret_cast<Work*>(team_memory<std::byte>(team, scratch_bytes()));
    scratch.sums = reinterpret_cast<Scalar*>(workspace.data + team.league_rank() * workspace.bytes);
    for_each_item(team, 2,
                  [=](std::int64_t i) { scratch.work->flags[i] = 0; });  // before the first barrier
    int flag = 0;
    const TeamShare share = share_of(team.league_rank());
    for (std::int64_t i = share.begin; i < share.end; ++i) compute_item(team, scratch, flag, i);
  }

 private:
  /// Usually one item, without the divisions for other shares, which are slow on a device. In
  /// `team_share` this branch made `EvalSweep` and `DeviceLossSweep` spill registers on sm_90.
  [[nodiscard]] KOKKOS_FUNCTION TeamShare share_of(std::int64_t team) const {
    if (grid.size() == workspace.teams) return {team, team + 1};
    return team_share(grid.size(), team, workspace.teams);
  }

  /// A range of the staged taps.
  struct StagedTaps {
    int begin;
    int count;
  };

  /// The work that a team computes together.
  struct Work {
    index::Strip strip;
    std::int64_t channel;
    Range of_bases;
    Target target;
    Range supported[most_tiles];   ///< of each tile: the union of the supports of its bases
    StagedTaps added[most_tiles];  ///< of each tile: the taps of `supported` in the part
    std::int32_t flags[2];         ///< of a part, and of the next one: 1 if a value is not moderate
  };
  static constexpr std::int64_t work_bytes = (sizeof(Work) + 63) / 64 * 64;

  /// The memory of a team. Pointers to what follows the work are computed from it, because a thread
  /// has few registers besides its sums.
  struct Scratch {
    Work* work;
    Scalar* sums;  ///< (basis, row)

    /// Samples; the newest one of row 0 has index `ahead`.
    [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* samples() const {
      return reinterpret_cast<Scalar*>(reinterpret_cast<std::byte*>(work) + work_bytes);
    }
  };
  /// The staged taps of a tile: (tap, basis).
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* taps_of(const Scratch& scratch, int tile) const {
    const int taps = staged_taps(problem.window);
    const std::int64_t bytes = work_bytes + whole_lines(ahead_of(taps) + staged_rows());
    return reinterpret_cast<Scalar*>(reinterpret_cast<std::byte*>(scratch.work) + bytes) +
           tile * tile_values(taps);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t scratch_bytes() const {
    const int taps = staged_taps(problem.window);
    const int tiles = tiles_of(static_cast<int>(grid.basis_step));
    return work_bytes + whole_lines(ahead_of(taps) + staged_rows()) +
           whole_lines(std::int64_t{tile_values(taps)} * tiles);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int ahead() const {
    return ahead_of(staged_taps(problem.window));
  }

  static constexpr int staged_taps(std::int64_t window) {
    return static_cast<int>(window < tune::window_taps ? window : tune::window_taps);
  }
  /// Rows of a strip, rounded up to tiles. Unsigned, so that divisions are shifts.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int staged_rows() const {
    return static_cast<int>((static_cast<unsigned>(problem.strip_rows) + rows - 1U) / rows * rows);
  }
  KOKKOS_INLINE_FUNCTION static constexpr int tiles_of(int count) {
    return static_cast<int>((static_cast<unsigned>(count) + bases - 1U) / bases);
  }
  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t whole_lines(std::int64_t values) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(values) * sizeof(Scalar);
    return static_cast<std::int64_t>((bytes + 63) / 64 * 64);
  }
  KOKKOS_INLINE_FUNCTION static constexpr int whole_packs(int values) {
    constexpr unsigned lanes = Pack::lanes;
    return static_cast<int>((static_cast<unsigned>(values) + lanes - 1) / lanes * lanes);
  }
  /// The samples before row 0: full packs, one more that is read but not used, and alignment of the
  /// staging.
  KOKKOS_INLINE_FUNCTION static constexpr int ahead_of(int taps) {
    return whole_packs(taps) + Pack::lanes + sector;
  }
  /// The number of values that a device loads at once if they are aligned: 32 bytes.
  static constexpr int sector = 32 / static_cast<int>(sizeof(Scalar));
  /// Taps are rounded up to full steps: those after the last one are read, but not used.
  KOKKOS_INLINE_FUNCTION static constexpr int tile_values(int taps) {
    return whole_packs(taps) * bases;
  }

  /// All parts of the window, for all rows of a strip; ends with a barrier. Parts alternate between
  /// the two flags, and each part clears the flag of the next.
  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, const Scratch& scratch, int& flag,
                                    std::int64_t number) const {
    for_each_item(team, 1 + most_tiles, [=, this](std::int64_t i) {
      find_work(*scratch.work, number, static_cast<int>(i));
    });
    team.team_barrier();
    for (std::int64_t first = 0; first < problem.window; first += tune::window_taps) {
      const int own = flag;
      for_each_item(team, tune::window_threads, [=, this](std::int64_t thread) {
        stage(scratch, first, scratch.work->flags + own, static_cast<int>(thread));
      });
      team.team_barrier();
      for_each_item(team, tune::window_threads, [=, this](std::int64_t thread) {
        if (thread == 0) scratch.work->flags[1 - own] = 0;
        const bool are_moderate = scratch.work->flags[own] == 0;
        add_part(scratch, first, are_moderate, static_cast<int>(thread));
      });
      team.team_barrier();
      flag = 1 - own;
    }
  }

  /// Piece i of the work of an item: piece 0 is its place, the others are the supports of the
  /// tiles.
  KOKKOS_FUNCTION void find_work(Work& work, std::int64_t number, int i) const {
    const index::WorkItem item = grid.item(number);
    if (i > 0) {
      const Range of_tile{
          item.bases.begin + std::int64_t{i - 1} * bases,
          index::smaller(item.bases.begin + std::int64_t{i} * bases, item.bases.end)};
      work.supported[i - 1] = supported_by(of_tile);
      return;
    }
    if (record.items != nullptr) record.items[number] = item;
    std::int64_t segment = problem.segment_of(item.strips.begin);
    work.strip = problem.strip_from(segment, item.strips.begin, features.rows);
    work.channel = item.channels.begin;
    work.of_bases = item.bases;
    work.target = Target::of(problem, features, work.strip, item.channels.begin, item.bases.begin);
  }

  /// The union of the supports of these bases.
  KOKKOS_FUNCTION Range supported_by(Range of_tile) const {
    Range supported{problem.window, 0};
    for (std::int64_t b = of_tile.begin; b < of_tile.end; ++b) {
      if (problem.supports[b].size() == 0) continue;
      supported.begin = index::smaller(supported.begin, problem.supports[b].begin);
      supported.end = index::larger(supported.end, problem.supports[b].end);
    }
    return supported;
  }

  /// The part of the window that begins with a tap.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Range part_from(std::int64_t first_tap) const {
    return {first_tap, index::smaller(first_tap + tune::window_taps, problem.window)};
  }

  /// A thread's share of the samples that rows of complete tiles need for some taps, and of these
  /// taps. The first thread starts at a sample that begins a sector if the series is aligned. Only
  /// samples in a window are read, because an array may have no others.
  KOKKOS_FUNCTION void stage(const Scratch& scratch, std::int64_t first_tap, std::int32_t* flag,
                             int thread) const {
    const Range taps = part_from(first_tap);
    const Work& work = *scratch.work;
    const index::Strip& strip = work.strip;
    const std::int64_t newest = strip.sample + problem.lag - taps.begin;  // of row 0
    const std::int64_t oldest = newest - (taps.size() - 1);
    const pack::Column<Scalar> column{
        .to = scratch.samples(),
        .channel = work.channel,
        .first = newest - ahead(),
        .seen = index::common(strip.samples, {oldest, newest + strip.rows})};
    const std::int64_t earlier = oldest & (sector - 1);
    const auto covered = static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(strip.rows) + rows - 1) / rows * rows);
    const Range values{ahead() - (newest - oldest) - earlier, ahead() + covered};
    if (!pack::gather_column<tune::window_threads>(source.of(strip.trial), column, values,
                                                   thread)) {
      Kokkos::atomic_store(flag, std::int32_t{1});
    }
    if (!stage_taps(scratch, taps, thread)) Kokkos::atomic_store(flag, std::int32_t{1});
    const int tiles = tiles_of(static_cast<int>(work.of_bases.size()));
    if (thread < tiles) {
      const Range added = index::common(taps, work.supported[thread]);
      scratch.work->added[thread] = {static_cast<int>(added.begin - taps.begin),
                                     static_cast<int>(added.size())};
    }
  }

  /// A thread's share of some taps: taps of one basis, with stride `apart`. Returns whether all of
  /// them are moderate.
  KOKKOS_FUNCTION bool stage_taps(const Scratch& scratch, Range taps, int thread) const {
    const Work& work = *scratch.work;
    const auto filled = static_cast<int>(work.of_bases.size());
    const int staged = tiles_of(static_cast<int>(grid.basis_step)) * bases;
    const int apart = static_cast<int>(static_cast<unsigned>(tune::window_threads) /
                                       static_cast<unsigned>(staged));
    const int first =
        static_cast<int>(static_cast<unsigned>(thread) / static_cast<unsigned>(staged));
    if (first >= apart) return true;
    const int basis = thread - first * staged;
    const int tile = static_cast<int>(static_cast<unsigned>(basis) / bases);
    Scalar* to = taps_of(scratch, tile) + basis - tile * bases + first * bases;
    const auto count = static_cast<int>(taps.size());
    if (basis >= filled) {
      for (int tap = first; tap < count; tap += apart, to += apart * bases) *to = Scalar(0);
      return true;
    }
    const Scalar* from =
        problem.taps + (taps.begin + first) * problem.bases + work.of_bases.begin + basis;
    const std::int64_t step = apart * problem.bases;
    Scalar squares = 0;
    for (int tap = first; tap < count; tap += apart, to += apart * bases, from += step) {
      *to = *from;
      squares = lanes::multiply_add(lanes::DeviceThread{}, *from, *from, squares);
    }
    return squares <= pack::most_squares<Scalar>;
  }

  /// A thread's share of a strip: adds the taps of a part that may be nonzero, tile by tile.
  KOKKOS_FUNCTION void add_part(const Scratch& scratch, std::int64_t first_tap, bool are_moderate,
                                int thread) const {
    const Work& work = *scratch.work;
    for (int row = thread * Pack::lanes; row < work.target.rows; row += rows) {
      const bool has_value = work.target.has_value(row, row + rows - group_rows + Pack::lanes);
      const auto count = static_cast<int>(work.of_bases.size());
      for (int tile = 0; tile * bases < count; ++tile) {
        const StagedTaps added = are_moderate
                                     ? work.added[tile]
                                     : StagedTaps{0, static_cast<int>(part_from(first_tap).size())};
        Part part;
        part.added = has_value ? added.count : 0;
        part.skipped = added.begin;
        part.samples = scratch.samples() + ahead() + row;
        part.taps = taps_of(scratch, tile);
        part.sums =
            first_tap > 0 ? scratch.sums + std::int64_t{tile} * bases * rows + row : nullptr;
        Pack sums[groups][bases];
        sum_part(part, sums);
        if (first_tap + tune::window_taps < problem.window) {
          keep(sums, scratch.sums + std::int64_t{tile} * bases * rows + row);
        } else {
          // If it is read here, it takes no registers besides the sums. It is a copy, because
          // stores could alias scratch.
          const Target target = work.target;
          const int left = count - tile * bases;
          const bool are_finite = are_moderate && problem.window <= tune::window_taps;
          target.template store<group_rows>(sums, row, {tile * bases, left < bases ? left : bases},
                                            are_finite);
        }
      }
    }
  }

  /// The products that a thread adds to the sums of a tile.
  struct Part {
    int added;              ///< taps, at most those of a part
    int skipped;            ///< staged taps before them
    const Scalar* samples;  ///< of row 0 of group 0 and the first staged tap
    const Scalar* taps;     ///< staged, of the tile
    const Scalar* sums;     ///< of the previous parts; null: this is the first
  };

  /// Samples are read from the start of a full pack: if a support begins within a pack, the taps
  /// before it are zeros. Tiles of few bases leave them out.
  KOKKOS_INLINE_FUNCTION static void sum_part(const Part& part, Pack (&sums)[groups][bases]) {
    const int within = part.skipped % Pack::lanes;
    const int begin = part.skipped - within;
    tile::WindowTile<Scalar> window{.samples = part.samples - begin,
                                    .group_step = group_rows,
                                    .taps = part.taps + begin * bases,
                                    .window = part.added + within};
    bool is_begun = false;
    if constexpr (bases < Pack::lanes) {
      is_begun = part.sums == nullptr && part.added > 0 && window.window >= Pack::lanes;
      if (is_begun) window = tile::begin_window_tile(sums, window, within);
    }
    if (!is_begun) {
      SYNELIX_UNROLL(16)
      for (int g = 0; g < groups; ++g) {
        SYNELIX_UNROLL(16)
        for (int b = 0; b < bases; ++b) {
          sums[g][b] = part.sums == nullptr ? Pack::zero()
                                            : Pack::load(part.sums + b * rows + g * group_rows);
        }
      }
    }
    if (part.added == 0 || window.window == 0) return;
    tile::window_tile(sums, window);
  }

  KOKKOS_INLINE_FUNCTION static void keep(const Pack (&sums)[groups][bases], Scalar* to) {
    SYNELIX_UNROLL(16)
    for (int g = 0; g < groups; ++g) {
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; ++b) sums[g][b].store(to + b * rows + g * group_rows);
    }
  }
};

}  // namespace synelix::sweep
