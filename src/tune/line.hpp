// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// When the direct method computes strips as lines of (sample, channel) rather than in packs of
/// lanes. Numbers from perf/NOTES.md, Lines.

namespace synelix::tune {

/// Most bases that a line tile computes together: an accumulator each, for three packs of 32
/// registers.
inline constexpr int most_line_bases = 8;
/// Fewest values of (sample, channel) of a strip, on the average, that are computed as a line.
inline constexpr long line_values = 512;
/// Packs whose results stay in the first-level cache until they leave, where a tile cannot take all
/// bases at once.
inline constexpr int line_packs = 12;
/// Bytes of the samples that a strip of a line may see: they stay in a second-level cache.
inline constexpr long line_bytes = 1024L * 1024;
/// Rows of a strip of many channels.
inline constexpr long line_rows = 64;

/// Windows from which on the loads of so few bases, one for each multiply-add and more, take longer
/// than packing samples into lanes does.
inline constexpr std::int64_t long_line_window = 512;
inline constexpr std::int64_t few_line_bases = 3;

/// Whether a line takes less time than packs, where all channels are computed together. A line
/// takes all taps of the window and packs those of each filter's support, once where filters are
/// one, but they have to be packed and their results put in order, the more where rows are no whole
/// packs. A line tile computes `most_line_bases` together; where rows are whole packs, more of them
/// are better off there. One basis shares no samples with others: a line loads as often as it
/// multiplies, twice where loads are unaligned.
constexpr bool suits_line(std::int64_t window, std::int64_t bases, std::int64_t taps,
                          std::int64_t channels, std::int64_t lanes) {
  const bool is_whole = channels * bases % lanes == 0;
  const std::int64_t saved = is_whole ? 4 : 16;
  const bool is_fed = bases > 1 || channels % lanes == 0 || window <= 100;
  const bool is_long = bases <= few_line_bases && window >= long_line_window;
  const bool is_split = bases > most_line_bases && is_whole;
  return is_fed && !is_long && !is_split && bases * (window - saved) <= taps;
}

}  // namespace synelix::tune
