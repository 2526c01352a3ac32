// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// \file
/// Tile shapes of devices. What a compiler for sm_90 makes of them stands in perf/NOTES.md,
/// Devices; none was measured on a device yet.

namespace synelix::tune {

/// A window tile: what one thread holds in registers, so many bases of so many groups of a pack of
/// neighbouring rows.
struct WindowShape {
  int bases;
  int groups;
};

/// 64 sums of float, 32 of double: their multiply-adds hide the latency of each other, and with a
/// few samples and taps they leave room for 12 warps on a core. Sums are read with the taps of all
/// bases, so more bases are better than more groups.
inline constexpr WindowShape window_shapes[] = {{8, 2}, {4, 4}, {2, 4}, {1, 8}};
inline constexpr int window_shape_count = 4;

/// Threads of a team, and teams that are to be resident on a core; on an AMD device waves on a part
/// of it, three of which leave too few registers for 64 sums.
inline constexpr int window_threads = 128;
#ifdef __HIPCC__
inline constexpr int window_teams = 2;
#else
inline constexpr int window_teams = 3;
#endif
/// Most taps whose samples are in scratch at a time: with the rows of the largest shape they stay
/// below the 32 KiB that every backend has.
inline constexpr int window_taps = 384;

/// Bases of a work item, at most: its samples are staged once for them, and its taps of float or
/// double fit in scratch beside the samples of each shape.
constexpr int window_item_bases(int of_tile, std::size_t scalar_bytes) {
  const int some = static_cast<int>(32 / scalar_bytes);
  return some > of_tile ? some : of_tile;
}

/// Instructions for each multiply-add of a shape, as the emulator counts them, and more where
/// samples come from scratch as fast as it gives them: that of one basis reads a pack for each
/// four multiply-adds.
inline constexpr double window_costs[] = {1.08, 1.10, 1.15, 1.25};

/// Number of the shape for a bank with these supports (`first`, `last` of each basis): the one
/// whose tiles cost least, with the taps that one of their bases has.
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
/// fit in scratch. Sums of windows that are summed part by part are those of one tile.
constexpr std::int64_t window_item_rows(int shape, int pack_lanes, std::int64_t window) {
  return window > window_taps ? window_rows(shape, pack_lanes)
                              : std::int64_t{window_threads} * 8 * pack_lanes;
}

/// Segments of fewer rows than this share of a tile's, on the average, are computed by lanes of
/// several strips instead.
inline constexpr double fewest_window_rows = 0.25;

/// The event sweep: threads of a team, teams that are to be resident on a core, rows of a strip (a
/// search through all events of a channel is paid for once for each), and bases that a thread holds
/// in registers.
inline constexpr int event_threads = 256;
template <class Scalar>
inline constexpr int event_teams = sizeof(Scalar) == 4 ? 3 : 2;
inline constexpr std::int64_t device_event_rows = 4L * event_threads;
inline constexpr int event_bases = 8;

/// Teams of eval mode that are to be resident on a core: two fit of 96 registers of an sm_90 as of
/// 128. Without bounds an AMD device has 128 registers for it, too few by 10; with these it takes
/// 166, of which three waves fit instead of four.
inline constexpr int eval_teams = 2;

/// Products of design matrices: threads of a team that takes rows one by one, whose sums are added
/// in the order of threads (so this number changes bits), and teams of row losses that are to be
/// resident on a core.
inline constexpr int device_row_threads = 256;
inline constexpr int device_loss_teams = 2;

/// Blocks of rows of a wave that keep a device busy: right-hand sides are taken fewer at a time
/// where the budget holds fewer blocks with all of them.
inline constexpr int device_fit_blocks = 64;

/// Nanoseconds of a whole device for each value, for the choice of a solver. Estimated: 2 TB/s,
/// ten million million multiply-adds a second, ten thousand million losses.
inline constexpr double device_fit_read_byte = 0.0005;
inline constexpr double device_fit_multiply_add = 0.0001;
inline constexpr double device_fit_row = 0.1;

}  // namespace synelix::tune
