// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// The division of sums over rows of a design matrix, and of products with lists of events. Numbers
/// only. The order of sums depends on `fit_tile_rows`, `fit_block_rows` and `fit_block_values`:
/// they affect bits, and nothing else may affect the order.

namespace synelix::tune {

/// Rows whose products are summed in the working type before they are added to sums in double.
inline constexpr int fit_tile_rows = 512;
/// Rows whose sums are added to those of other blocks at once, in order: halved, down to a tile,
/// while a block has more values than the next constant.
inline constexpr int fit_block_rows = 8192;
inline constexpr int fit_block_values = 2 * 1024 * 1024;
/// Rows of a segment of the recording: sums of segments are the leaves of a binary tree, so that
/// several processes can share them. A multiple of `event_chunk_rows` and of blocks. Doubled until
/// a recording has at most the following number of segments.
inline constexpr std::int64_t fit_segment_rows = std::int64_t{1} << 19;
inline constexpr std::int64_t fit_most_segments = 1024;
/// Rows that are processed while they are in a second-level cache: as many as fit in this many
/// bytes.
inline constexpr int fit_part_bytes = 96 * 1024;
inline constexpr int fit_least_part = 8;
inline constexpr int fit_most_part = 128;
/// Linear predictors of a row that one work item computes together.
inline constexpr int fit_group = 64;
/// Fewer linear predictors than a pack has lanes, divided by this, are computed one by one.
inline constexpr int fit_dots_divisor = 2;
/// Inner indices of a product of rows with coefficients that are summed before the next ones.
inline constexpr int fit_inner = 256;

/// Nanoseconds of one core for each value, for the choice of a solver.
inline constexpr double fit_read_byte = 0.035;  ///< of features from memory
/// For floats in the Hessian: 60 % of the peak of a core with AVX-512 at 3.3 GHz.
inline constexpr double fit_multiply_add = 0.016;
inline constexpr double fit_row = 4.0;  ///< of a row's loss, in the unit of multiply-adds
/// For fits, measured on 60 random problems (perf/NOTES.md, "The choice of a solver"): most
/// products are in double, and a row has its loss, and its part of a Hessian besides the products.
inline constexpr double fit_multiply_add_double = 0.035;
inline constexpr double fit_row_of_gradient = 13.0;
inline constexpr double fit_row_of_hessian = 22.0;
inline constexpr double fit_tap = 0.012;  ///< of a feature, for each tap of its window
/// More taps than this are not counted: long windows use transforms.
inline constexpr std::int64_t fit_most_taps = 32;

// Sizes and costs of products with lists of events.

/// Rows whose sums are added to the others at once. Sums depend on it.
inline constexpr std::int64_t event_block_rows = std::int64_t{1} << 16;
/// Rows whose curvatures are in memory at a time, for the pairs of a Hessian. Sums depend on it.
inline constexpr std::int64_t event_chunk_rows = 8 * event_block_rows;
/// Rows of a loss: their six arrays fit the first-level cache.
inline constexpr std::int64_t event_loss_rows = 512;
/// Values of the sums over pairs that are computed at a time: they fit in the second-level cache.
inline constexpr std::int64_t event_pair_values = std::int64_t{1} << 16;
/// Channels and events whose pairs with another channel are added at a time.
inline constexpr std::int64_t event_pair_channels = 16;
inline constexpr std::int64_t event_pair_events = std::int64_t{1} << 15;
/// The most bytes of products of taps for pair counts; above this, pairs are added row by row.
inline constexpr std::int64_t event_lag_taps_bytes = std::int64_t{1} << 26;

/// Rows that are computed together. An event at their border is processed twice, so long windows
/// need more rows. Sums depend on it.
constexpr std::int64_t event_tile_rows(std::int64_t longest_window) {
  std::int64_t rows = 8192;
  while (rows < 8 * longest_window && rows < event_block_rows) rows *= 2;
  return rows;
}

/// Measured seconds on one core of a Zen 5 at 4 GHz with 64-byte registers.
inline constexpr double event_pack_seconds = 0.7e-9;  ///< a pack of a window, scattered or gathered
inline constexpr double event_visit_seconds = 2e-9;   ///< an event or a pair, beside its packs
inline constexpr double event_row_seconds = 2e-9;     ///< a row of a loss, or of curvatures
inline constexpr double event_pair_seconds = 3e-9;    ///< a pair, or one of its packs
inline constexpr double event_lag_seconds = 0.5e-9;   ///< a pack of `multiply_lags`

/// Events are faster up to this many values of their windows for each feature.
inline constexpr double event_most_values = 4.0;

}  // namespace synelix::tune
