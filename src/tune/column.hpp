// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/line.hpp"

#include <cstdint>

/// \file
/// Which lines have column tiles, and when the direct method computes strips as lines where it has
/// them. Numbers from perf/NOTES.md, Lines.

namespace synelix::tune {

/// Bytes of the registers of sets that have column tiles.
inline constexpr int column_register_bytes = 64;
/// Packs of a column that a column tile computes together: an accumulator each, beside the taps of
/// a block and a sample in 32 registers.
inline constexpr int column_packs = 8;
/// Taps of a block: with one basis a load of a sample serves one multiply-add after the other.
constexpr int column_depth(int bases) { return bases == 1 ? 16 : 8; }
/// Longest window of several bases that are less than a pack: their taps lie on the stack as a pack
/// each, and from there on a line tile is as fast (perf/NOTES.md, Column tiles).
inline constexpr std::int64_t most_column_window = 24;
/// Samples between packs of a column, at most: the more, the fewer packs see a sample. Loads of two
/// bases are 32 bytes, many of which cross a line.
constexpr int most_column_step(int bases) { return bases == 1 ? 8 : bases == 2 ? 1 : 2; }

/// Samples between packs of (channel, basis) of a column tile, so that all begin a line of the
/// cache where one does; 0: a line tile is faster, or there is no column tile. Packs are (value,
/// basis): bases divide a pack.
constexpr int column_step(std::int64_t window, std::int64_t bases, std::int64_t channels,
                          std::int64_t lanes, std::int64_t scalar_bytes) {
  if (lanes * scalar_bytes != column_register_bytes || lanes % bases != 0) return 0;
  if (bases > 1 && bases < lanes && window > most_column_window) return 0;
  std::int64_t step = lanes / bases;
  while (step > 1 && channels * step / 2 % (lanes / bases) == 0) step /= 2;
  if (step > most_column_step(static_cast<int>(bases)) || window < 2 * step) return 0;
  return static_cast<int>(step);
}

/// Whether a line takes less time than packs, where all channels are computed together
/// (`suits_line`, tune/line.hpp). Column tiles load a sample once for several taps and put results
/// in order by one shuffle, so that only the taps count that packs leave out.
constexpr bool suits_line(std::int64_t window, std::int64_t bases, std::int64_t taps,
                          std::int64_t channels, std::int64_t lanes, std::int64_t scalar_bytes) {
  if (column_step(window, bases, channels, lanes, scalar_bytes) == 0) {
    return suits_line(window, bases, taps, channels, lanes);
  }
  if (bases == 1) return true;  // which leaves out the same
  const std::int64_t saved = channels * bases % lanes == 0 ? 4 : 16;
  return bases * (window - saved) <= taps;
}

}  // namespace synelix::tune
