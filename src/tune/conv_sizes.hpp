// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// Block sizes of convolution operators. Numbers only.

namespace synelix::tune {

/// Positions of a result for one virtual item of a host: the most, and the fewest if there are
/// fewer items than threads; and its output channels.
inline constexpr int conv_positions = 192;
inline constexpr int conv_fewest_positions = 16;
inline constexpr int conv_columns = 192;

/// Values of a block of windows, which limits the channels that are gathered together; and the
/// fewest such channels.
inline constexpr int conv_block = 32 * 1024;
inline constexpr int conv_fewest_channels = 16;

/// For a depthwise convolution: the most positions of a virtual item if lanes are channels, and if
/// they are positions; its most channels; rows that its tile sums together.
inline constexpr int conv_depthwise_positions = 512;
inline constexpr int conv_depthwise_lane_positions = 4096;
/// The most lines of a box for one call of a tile of window boxes: their addresses are on the
/// stack.
inline constexpr int most_box_lines = 14;
inline constexpr int conv_depthwise_columns = 64;
inline constexpr int most_depthwise_rows = 8;
/// Rows of depthwise tiles whose windows slide: with the weights of a run and the sliding values
/// they fill the registers. Then the widths of windows with such tiles.
constexpr int slide_rows(int registers) { return registers >= 32 ? 8 : 4; }
inline constexpr int most_slide_rows = 8;
inline constexpr int slide_widths[] = {3, 5, 7};
inline constexpr int most_slide_width = 7;
/// Registers of sets with tiles of window boxes, which hold nine weights or sums, and the nine
/// values of a window.
inline constexpr int window_box_registers = 32;
/// For a source that is converted line by line for these tiles: packs of channels with contiguous
/// values, and the most bytes of waiting lines, which fit in the nearest cache with other data.
inline constexpr int conv_ring_packs = 2;
inline constexpr int conv_ring_bytes = 16 * 1024;
/// For a gradient by depthwise weights: the most columns of an item; taps whose sums stay in
/// registers together; positions of a line that are summed before the next line; and positions that
/// are gathered together if needed.
inline constexpr int conv_grad_depthwise = 64;
inline constexpr int most_weight_taps = 9;
inline constexpr int conv_grad_depthwise_line = 16;
inline constexpr int conv_grad_depthwise_positions = 512;

/// If fewer inner indices than this are contiguous, weights of several runs are copied to be
/// contiguous; and how many are summed together.
inline constexpr int conv_short_run = 32;
inline constexpr int conv_row = 192;

/// For a gradient by weights: positions that are gathered together, weights along one dimension by
/// channels, and output channels.
inline constexpr int conv_grad_positions = 192;
inline constexpr int conv_grad_rows = 192;
/// Lines with at least this many positions are summed one by one, so that windows need not be rows.
inline constexpr int conv_grad_line = 24;
inline constexpr int conv_grad_columns = 96;

/// The most positions that are summed together, and the fewest if there are enough: sums of many
/// more would lose the contribution of a position. Then the target number of items, independent of
/// the threads.
inline constexpr int conv_slice_positions = 16 * 1024;
inline constexpr int conv_fewest_slice_positions = 2 * 1024;
inline constexpr int conv_grad_items = 16;

/// By transforms: with at least this many channels, several results are summed together, to avoid a
/// second reading of their spectra.
inline constexpr int conv_fewest_terms = 3;

/// For a gradient by weights: the most packs of blocks that are transformed together, and the most
/// bytes of their spectra; the most slices, and values of all their sums; and the fewest items for
/// each team.
inline constexpr int conv_run_packs = 4;
inline constexpr long conv_run_bytes = 8L << 20;
inline constexpr int conv_slices = 32;
inline constexpr long conv_slice_values = 1L << 22;
inline constexpr int conv_team_items = 4;

/// With fewer taps, transforms are used only on request: direct sums of few terms are exact if
/// possible.
inline constexpr int conv_fewest_taps = 16;

/// The most bytes for transforms without a request; and bytes of spectra of weights that stay in
/// the caches from one pack of blocks to the next.
inline constexpr long conv_most_bytes = 64L << 20;
inline constexpr long conv_near_bytes = 16L << 20;

/// Times of the steps of a convolution operator, in nanoseconds of one core: a point of a product
/// of two packs of spectra, and its extra time if weights come from memory; a written number of a
/// kernel; for direct sums a multiply-add of packs, a byte of a depthwise one, and a result, or
/// position of a column; and a point of a transform relative to `steps_of`, which includes the
/// stores of features (perf/NOTES.md, Convolution operators by transforms).
inline constexpr double conv_product = 1.0;
inline constexpr double conv_far_product = 0.8;
inline constexpr double conv_written = 1.5;
inline constexpr double conv_multiply_add = 0.15;
inline constexpr double conv_each = 0.02;
inline constexpr double conv_result = 0.6;
inline constexpr double conv_transform = 0.55;

/// On a device: threads of a team whose threads have half of the columns, or one; rows of a thread
/// (positions, or weights of a gradient); and the most halves along the columns of an item
/// (tune/device_conv.hpp).
inline constexpr int device_conv_threads = 128;
inline constexpr int device_conv_rows = 4;
inline constexpr int device_conv_column_threads = 8;
/// Threads along the columns of an item of a convolution whose threads have two halves; more would
/// leave fewer than a warp along its positions.
inline constexpr int device_conv_item_columns = 2;
/// With fewer taps staged together, a smaller box of positions is better; and the size of such a
/// box.
inline constexpr int device_conv_taps = 8;
inline constexpr int device_conv_box = 16;
/// For a gradient by weights: the fewest positions of a slice, and the target number of items,
/// among which slices are divided. Both affect the bits.
inline constexpr int device_conv_fewest_slice_positions = 512;
inline constexpr int device_conv_items = 1024;

/// On a device, in instructions of a thread: a multiply-add of direct sums if a thread has several
/// columns, and if it has one; for transforms a point of a pass, a sample that is read, a point of
/// a product, and a result that is stored. Estimated: direct sums and passes from counts of
/// instructions (perf/NOTES.md, Devices), the others from the source code. None was measured.
inline constexpr double device_conv_wide = 1.5;
inline constexpr double device_conv_narrow = 3;
inline constexpr double device_fft_pass = 22;
inline constexpr double device_fft_sample = 40;
inline constexpr double device_fft_product = 12;
inline constexpr double device_fft_result = 40;
/// The fewest threads of such a team, a wave of any device; and the most channels of an item, whose
/// marks have 32 bits.
inline constexpr int device_fft_fewest = 64;
inline constexpr int device_fft_results = 32;

}  // namespace synelix::tune
