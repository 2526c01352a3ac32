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
/// The direct method on a device, for rows that are neighbouring samples of long segments. A team
/// computes a strip of one channel for as many bases as a thread holds in registers. Its samples
/// and taps are staged in scratch, where all threads read them; each thread runs one window tile,
/// whose groups of rows lie one team apart, so that neighbouring threads read and write
/// neighbouring packs.
///
/// Windows of more taps than are staged at a time are summed part by part, oldest last; sums cross
/// the barriers between parts in the team's share of the workspace. Taps outside the supports of a
/// tile's bases are left out where the staged samples are finite.
///
/// Short segments, and rows of every n-th sample, are computed by lanes of several strips
/// (convolve/direct/direct.hpp), to the same bits.

namespace synelix::sweep {

/// The functor, for `groups` groups of rows and `bases` bases in a thread's registers.
template <class Scalar, int groups, int bases>
struct DeviceDirectSweep {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  using Bounds = Kokkos::LaunchBounds<tune::window_threads, tune::window_teams>;

  Problem<Scalar> problem;
  pack::ArraySource source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;  ///< of one strip, one channel and at most `bases` bases an item
  Workspace workspace;   ///< sums of a strip, where windows are summed part by part
  Record record;

  /// Rows that a team computes together.
  static constexpr std::int64_t rows = std::int64_t{tune::window_threads} * groups * Pack::lanes;

  /// Workspace that a team needs.
  static constexpr std::int64_t team_bytes(std::int64_t window) {
    return window > tune::window_taps ? rows * bases * std::int64_t{sizeof(Scalar)} : 0;
  }
  /// Teams without memory of their own are as many as there are items: a device takes the next one
  /// as soon as one ends.
  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t teams) const {
    const std::int64_t taps = staged_taps(problem.window);
    const std::int64_t scratch = index::round_up(sizeof(Work), 64) +
                                 whole_lines(ahead_of(taps) + rows) + whole_lines(taps * bases) +
                                 64;
    return {team_bytes(problem.window) > 0 ? index::smaller(items, teams) : items,
            tune::window_threads, scratch};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t taps = staged_taps(problem.window);
    Scratch scratch;
    scratch.ahead = ahead_of(taps);
    scratch.work = team_memory<Work>(team, 1);
    scratch.samples = team_memory<Scalar>(team, scratch.ahead + rows);
    scratch.taps = team_memory<Scalar>(team, taps * bases);
    scratch.flags = team_memory<std::int32_t>(team, 2);
    scratch.sums = reinterpret_cast<Scalar*>(workspace.data + team.league_rank() * workspace.bytes);
    for_each_item(team, 2,
                  [=](std::int64_t i) { scratch.flags[i] = 0; });  // before the first barrier
    int flag = 0;
    for_each_team_item(team, grid.size(), workspace.teams,
                       [&](std::int64_t i) { compute_item(team, scratch, flag, i); });
  }

 private:
  /// What a team computes together.
  struct Work {
    index::Strip strip;
    std::int64_t channel;
    Range of_bases;
    Range supported;  ///< taps outside of which those of all bases are zero
  };

  /// The memory of a team.
  struct Scratch {
    Work* work;
    Scalar* samples;
    Scalar* taps;
    std::int32_t* flags;  ///< of a part, and of the next one: whether a sample is not finite
    Scalar* sums;         ///< (basis, row)
    std::int64_t ahead;   ///< of the samples, those before the first row's newest
  };

  static constexpr std::int64_t staged_taps(std::int64_t window) {
    return window < tune::window_taps ? window : tune::window_taps;
  }
  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t whole_lines(std::int64_t values) {
    return index::round_up(values * static_cast<std::int64_t>(sizeof(Scalar)), 64);
  }
  /// Whole packs, and one more that is read and not used.
  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t ahead_of(std::int64_t taps) {
    return index::round_up(taps, Pack::lanes) + Pack::lanes;
  }

  /// All parts of the window, for all rows of a strip; ends with a barrier. Parts take the two
  /// flags in turn, and each clears that of the next.
  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, const Scratch& scratch, int& flag,
                                    std::int64_t number) const {
    for_each_item(team, 1, [=, this](std::int64_t) { *scratch.work = work_of(number); });
    team.team_barrier();
    for (std::int64_t first = 0; first < problem.window; first += tune::window_taps) {
      const Range taps{first, index::smaller(first + tune::window_taps, problem.window)};
      const int own = flag;
      for_each_item(team, tune::window_threads, [=, this](std::int64_t thread) {
        stage(scratch, taps, scratch.flags + own, thread);
      });
      team.team_barrier();
      for_each_item(team, tune::window_threads, [=, this](std::int64_t thread) {
        if (thread == 0) scratch.flags[1 - own] = 0;
        const bool is_finite = scratch.flags[own] == 0;
        add_part(scratch, taps, is_finite ? index::common(taps, scratch.work->supported) : taps,
                 thread);
      });
      team.team_barrier();
      flag = 1 - own;
    }
  }

  KOKKOS_FUNCTION Work work_of(std::int64_t number) const {
    const index::WorkItem item = grid.item(number);
    if (record.items != nullptr) record.items[number] = item;
    std::int64_t segment = problem.segment_of(item.strips.begin);
    Work work;
    work.strip = problem.strip_from(segment, item.strips.begin, features.rows);
    work.channel = item.channels.begin;
    work.of_bases = item.bases;
    work.supported = {problem.window, 0};
    for (std::int64_t b = item.bases.begin; b < item.bases.end; ++b) {
      if (problem.supports[b].size() == 0) continue;
      work.supported.begin = index::smaller(work.supported.begin, problem.supports[b].begin);
      work.supported.end = index::larger(work.supported.end, problem.supports[b].end);
    }
    return work;
  }

  /// A thread's share of the samples that rows see by some taps, and of those taps.
  KOKKOS_FUNCTION void stage(const Scratch& scratch, Range taps, std::int32_t* flag,
                             std::int64_t thread) const {
    const Work& work = *scratch.work;
    const index::Strip& strip = work.strip;
    const std::int64_t newest = strip.sample + problem.lag - taps.begin;  // of row 0
    const pack::Column<Scalar> column{.to = scratch.samples,
                                      .channel = work.channel,
                                      .first = newest - scratch.ahead,
                                      .seen = strip.samples};
    const Range values{scratch.ahead - (taps.size() - 1) + thread, scratch.ahead + strip.rows};
    if (!pack::gather_column(source.of(strip.trial), column, values, tune::window_threads)) {
      Kokkos::atomic_store(flag, std::int32_t{1});
    }
    for (std::int64_t i = thread; i < taps.size() * bases; i += tune::window_threads) {
      const std::int64_t b = work.of_bases.begin + i % bases;
      scratch.taps[i] = b < work.of_bases.end
                            ? problem.taps[(taps.begin + i / bases) * problem.bases + b]
                            : Scalar(0);
    }
  }

  /// A thread's tile: adds the taps `added` of the part `taps`.
  KOKKOS_FUNCTION void add_part(const Scratch& scratch, Range taps, Range added,
                                std::int64_t thread) const {
    const Work& work = *scratch.work;
    const std::int64_t first = thread * Pack::lanes;  // row of group 0
    constexpr std::int64_t group_rows = std::int64_t{tune::window_threads} * Pack::lanes;
    if (first >= work.strip.rows) return;
    Pack sums[groups][bases];
    const bool is_first = taps.begin == 0;
    SYNELIX_UNROLL(16)
    for (int g = 0; g < groups; ++g) {
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; ++b) {
        sums[g][b] =
            is_first ? Pack::zero() : Pack::load(scratch.sums + b * rows + g * group_rows + first);
      }
    }
    if (added.size() > 0) {
      add_taps(scratch, added, added.begin - taps.begin, first, sums);
    }
    if (taps.end < problem.window) {
      SYNELIX_UNROLL(16)
      for (int g = 0; g < groups; ++g) {
        SYNELIX_UNROLL(16)
        for (int b = 0; b < bases; ++b) {
          sums[g][b].store(scratch.sums + b * rows + g * group_rows + first);
        }
      }
      return;
    }
    const RowStore<Scalar> store(problem, features, work.strip, work.channel, work.of_bases);
    SYNELIX_UNROLL(16)
    for (int g = 0; g < groups; ++g) store(sums[g], g * group_rows + first);
  }

  /// Taps from number `skipped` of the staged ones on. Samples are read from a whole pack on: a
  /// support that begins within one begins with taps that are added as zeros.
  KOKKOS_INLINE_FUNCTION void add_taps(const Scratch& scratch, Range added, std::int64_t skipped,
                                       std::int64_t first, Pack (&sums)[groups][bases]) const {
    const std::int64_t begin = skipped / Pack::lanes * Pack::lanes;
    tile::window_tile<groups, bases>(
        sums,
        tile::WindowTile<Scalar>{.samples = scratch.samples + scratch.ahead - begin + first,
                                 .group_step = std::int64_t{tune::window_threads} * Pack::lanes,
                                 .taps = scratch.taps + begin * bases,
                                 .window = added.size() + skipped - begin});
  }
};

}  // namespace synelix::sweep
