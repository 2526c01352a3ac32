// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// When the direct method computes strips as lines of (sample, channel) rather than in packs of
/// lanes. Numbers from perf/NOTES.md, Lines.

namespace synelix::tune {

/// Fewest values of (sample, channel) of a strip, on the average, that are computed as a line.
inline constexpr long line_values = 512;
/// Packs whose results stay in the first-level cache until they leave, where a tile cannot take all
/// bases at once.
inline constexpr int line_packs = 12;
/// Bytes of the samples that a strip of a line may see: they stay in a second-level cache.
inline constexpr long line_bytes = 1024L * 1024;
/// Rows of a strip of many channels.
inline constexpr long line_rows = 64;

/// Whether a line takes less time than packs, where all channels are computed together. A line
/// takes all taps of the window and packs those of each filter's support, once where filters are
/// one, but they have to be
/// packed and their results put in order, the more where rows are no whole packs. One basis shares
/// no samples with others: a line loads as often as it multiplies, twice where loads are unaligned.
constexpr bool suits_line(std::int64_t window, std::int64_t bases, std::int64_t taps,
                          std::int64_t channels, std::int64_t lanes) {
  const std::int64_t saved = channels * bases % lanes == 0 ? 4 : 16;
  const bool is_fed = bases > 1 || channels % lanes == 0 || window <= 100;
  return is_fed && bases * (window - saved) <= taps;
}

}  // namespace synelix::tune
