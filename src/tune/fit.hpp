// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// How sums over rows of a design matrix are cut. Numbers only. The order of sums follows from
/// `fit_tile_rows`, `fit_block_rows` and `fit_block_values`: they change bits, and nothing else may
/// set them.

namespace synelix::tune {

/// Rows whose products are summed in the working type before they are added to sums in double.
inline constexpr int fit_tile_rows = 512;
/// Rows whose sums are added to those of other blocks at once, in order: halved, down to a tile,
/// while a block holds more values than this.
inline constexpr int fit_block_rows = 8192;
inline constexpr int fit_block_values = 2 * 1024 * 1024;
/// Rows of a segment of the recording: sums of segments are the leaves of a binary tree, so that
/// several processes can share them. Whole chunks of `event_chunk_rows` and whole blocks. Doubled
/// until a recording has at most so many.
inline constexpr std::int64_t fit_segment_rows = std::int64_t{1} << 19;
inline constexpr std::int64_t fit_most_segments = 1024;
/// Rows that are worked on while they lie in a second-level cache: as many as fill so many bytes.
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
/// Of floats in the Hessian: 60 % of the peak of a core with AVX-512 at 3.3 GHz.
inline constexpr double fit_multiply_add = 0.016;
inline constexpr double fit_row = 4.0;    ///< of a row's loss
inline constexpr double fit_tap = 0.012;  ///< of a feature, for each tap of its window
/// Taps beyond these are not counted: transforms take long windows.
inline constexpr std::int64_t fit_most_taps = 32;

}  // namespace synelix::tune
