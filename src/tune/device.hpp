// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// \file
/// Tile shapes of devices. perf/NOTES.md, Devices, has the results of a compiler for sm_90; none
/// was measured on a device yet.

namespace synelix::tune {

/// A window tile: the registers of one thread, for a number of bases of a number of groups of a
/// pack of neighboring rows.
struct WindowShape {
  int bases;
  int groups;
};

/// 64 sums of float, 32 of double: their multiply-adds hide the latency of each other, and with a
/// few samples and taps they leave room for 12 warps on a core. Sums are read with the taps of all
/// bases, so more bases are better than more groups.
inline constexpr WindowShape window_shapes[] = {{8, 2}, {4, 4}, {2, 4}, {1, 8}};
inline constexpr int window_shape_count = 4;

/// Threads of a team, and the target number of resident teams on a core; on an AMD device waves on
/// a part of it, three of which leave too few registers for 64 sums.
inline constexpr int window_threads = 128;
#ifdef __HIPCC__
inline constexpr int window_teams = 2;
#else
inline constexpr int window_teams = 3;
#endif
/// The most taps whose samples are in scratch at a time: with the rows of the largest shape they
/// stay below the 32 KiB that every backend has.
inline constexpr int window_taps = 384;

/// The most bases of a work item: its samples are staged once for them, and its taps of float or
/// double fit in scratch with the samples of each shape.
constexpr int window_item_bases(int of_tile, std::size_t scalar_bytes) {
  const int some = static_cast<int>(32 / scalar_bytes);
  return some > of_tile ? some : of_tile;
}

/// Instructions for each multiply-add of a shape, as counted by the emulator, and more if reading
/// samples from scratch is the limit: the shape with one basis reads a pack for each four
/// multiply-adds.
inline constexpr double window_costs[] = {1.08, 1.10, 1.15, 1.25};

/// Number of the shape for a bank with these supports (`first`, `last` of each basis): the one
/// whose tiles cost least, for the union of the taps of their bases.
template <class Supports>
constexpr int window_shape_for(const Supports& supports) {
  const auto bases = static_cast<std::int64_t>(supports.size());
  int best = 0;
  double least = 0;
  for (int k = 0; k < window_shape_count; ++k) {
    const int of_tile = window_shapes[k].bases;
    double cost = 0;
    for (std::int64_t first = 0; first < bases; first += of_tile) {
      std::int64_t begin = -1;
      std::int64_t end = -1;
      for (std::int64_t b = first; b < bases && b < first + of_tile; ++b) {
        const auto& support = supports[static_cast<std::size_t>(b)];
        if (support.first >= support.last) continue;
        begin = begin < 0 || support.first < begin ? support.first : begin;
        end = support.last > end ? support.last : end;
      }
      cost += window_costs[k] * of_tile * static_cast<double>(end - begin);
    }
    if (k == 0 || cost < least) {
      best = k;
      least = cost;
    }
  }
  return best;
}

/// Rows that a team computes together, of one channel.
constexpr std::int64_t window_rows(int shape, int pack_lanes) {
  return std::int64_t{window_threads} * window_shapes[shape].groups * pack_lanes;
}

/// Rows of a work item: several tiles, so that its taps are staged once for them, and its samples
/// fit in scratch. Windows that are summed part by part have the sums of one tile.
constexpr std::int64_t window_item_rows(int shape, int pack_lanes, std::int64_t window) {
  return window > window_taps ? window_rows(shape, pack_lanes)
                              : std::int64_t{window_threads} * 8 * pack_lanes;
}

/// Segments with fewer rows on average than this share of a tile's are computed by lanes of several
/// strips instead.
inline constexpr double fewest_window_rows = 0.25;

/// The event sweep: threads of a team, the target number of resident teams on a core, rows of a
/// strip (each costs one search through all events of a channel), and bases that a thread holds in
/// registers.
inline constexpr int event_threads = 256;
template <class Scalar>
inline constexpr int event_teams = sizeof(Scalar) == 4 ? 3 : 2;
inline constexpr std::int64_t device_event_rows = 4L * event_threads;
inline constexpr int event_bases = 8;

/// The target number of resident teams of eval mode on a core: two fit with 96 or 128 registers of
/// an sm_90. Without bounds an AMD device has 128 registers for it, 10 too few; with these it takes
/// 166, with which three waves fit instead of four.
inline constexpr int eval_teams = 2;

/// Products of design matrices: threads of a team that processes rows one by one, whose sums are
/// added in the order of threads (so this number affects bits); and the target number of resident
/// teams of row losses on a core.
inline constexpr int device_row_threads = 256;
inline constexpr int device_loss_teams = 2;

/// Blocks of rows of a wave that keep a device busy. Fewer right-hand sides are processed at a time
/// if the budget has fewer blocks for all of them.
inline constexpr int device_fit_blocks = 64;

/// Nanoseconds of an entire device for each value, for the choice of a solver. Estimated: 2 TB/s,
/// ten million million multiply-adds a second, ten thousand million losses.
inline constexpr double device_fit_read_byte = 0.0005;
inline constexpr double device_fit_multiply_add = 0.0001;
inline constexpr double device_fit_row = 0.1;

}  // namespace synelix::tune
