// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// Block sizes of convolution operators. Numbers only.

namespace synelix::tune {

/// Positions of a result that one virtual item of a host computes at most, and at least where there
/// are fewer items than threads would share; its output channels.
inline constexpr int conv_positions = 192;
inline constexpr int conv_fewest_positions = 16;
inline constexpr int conv_columns = 192;

/// Values of a block of windows, which bounds the channels that are gathered together, and their
/// fewest.
inline constexpr int conv_block = 32 * 1024;
inline constexpr int conv_fewest_channels = 16;

/// Of a depthwise convolution: positions of a virtual item at most, where lanes are channels and
/// where they are positions; its channels at most; rows that its tile sums together.
inline constexpr int conv_depthwise_positions = 512;
inline constexpr int conv_depthwise_lane_positions = 4096;
/// Lines of a box that one call of a tile of window boxes takes, at most: their addresses lie on
/// the stack.
inline constexpr int most_box_lines = 14;
inline constexpr int conv_depthwise_columns = 64;
inline constexpr int most_depthwise_rows = 8;
/// Rows of depthwise tiles whose windows slide: they, the weights of a run and what slides fill the
/// registers. And the widths of windows that have such tiles.
constexpr int slide_rows(int registers) { return registers >= 32 ? 8 : 4; }
inline constexpr int most_slide_rows = 8;
inline constexpr int slide_widths[] = {3, 5, 7};
inline constexpr int most_slide_width = 7;
/// Registers of sets that have tiles of window boxes, which hold nine weights or sums, and the nine
/// values of a window.
inline constexpr int window_box_registers = 32;
/// Of a source that is converted line by line for these tiles: packs of channels whose values lie
/// side by side, and bytes of the lines that wait at most, which the nearest cache holds beside
/// what else passes.
inline constexpr int conv_ring_packs = 2;
inline constexpr int conv_ring_bytes = 16 * 1024;
/// Of a gradient by depthwise weights: columns of an item at most, taps whose sums stay in
/// registers together, positions of a line that are summed before the next line, and positions that
/// are gathered together, where they must be.
inline constexpr int conv_grad_depthwise = 64;
inline constexpr int most_weight_taps = 9;
inline constexpr int conv_grad_depthwise_line = 16;
inline constexpr int conv_grad_depthwise_positions = 512;

/// Inner indices that lie side by side, below which weights of several runs of them are copied side
/// by side; and how many are summed together.
inline constexpr int conv_short_run = 32;
inline constexpr int conv_row = 192;

/// Of a gradient by weights: positions that are gathered together, weights along one dimension by
/// channels, and output channels.
inline constexpr int conv_grad_positions = 192;
inline constexpr int conv_grad_rows = 192;
/// Positions of a line from which on lines are summed one by one, so that windows need not be rows.
inline constexpr int conv_grad_line = 24;
inline constexpr int conv_grad_columns = 96;

/// Positions that are summed together, at most, and at least where there are enough of them: sums
/// of many more would lose what a position adds. And items that there should be without a look at
/// the threads.
inline constexpr int conv_slice_positions = 16 * 1024;
inline constexpr int conv_fewest_slice_positions = 2 * 1024;
inline constexpr int conv_grad_items = 16;

/// By transforms: channels from which on several results are summed together, against a second
/// reading of their spectra.
inline constexpr int conv_fewest_terms = 3;

/// Of a gradient by weights: packs of blocks that are transformed together, and bytes of their
/// spectra, both at most; slices, and values of the sums of all of them, at most; and items for
/// each team, at least.
inline constexpr int conv_run_packs = 4;
inline constexpr long conv_run_bytes = 8L << 20;
inline constexpr int conv_slices = 32;
inline constexpr long conv_slice_values = 1L << 22;
inline constexpr int conv_team_items = 4;

/// Taps below which nobody who did not ask for transforms gets them: direct sums of few terms are
/// exact where they can be.
inline constexpr int conv_fewest_taps = 16;

/// Bytes that nobody who did not ask for transforms should need; and of spectra of weights that
/// stay in the caches from one pack of blocks to the next.
inline constexpr long conv_most_bytes = 64L << 20;
inline constexpr long conv_near_bytes = 16L << 20;

/// What steps of a convolution operator take, in nanoseconds of one core: a point of a product of
/// two packs of spectra, and what it takes more where weights come from memory; a number of a
/// kernel that is written; of direct sums a multiply-add of packs, a byte of a depthwise one, and a
/// result, or position of a column; and a point of a transform over what `steps_of` says, which
/// counts the store of features too (perf/NOTES.md, Convolution operators by transforms).
inline constexpr double conv_product = 1.0;
inline constexpr double conv_far_product = 0.8;
inline constexpr double conv_written = 1.5;
inline constexpr double conv_multiply_add = 0.15;
inline constexpr double conv_each = 0.02;
inline constexpr double conv_result = 0.6;
inline constexpr double conv_transform = 0.55;

/// On a device: threads of a team whose threads have half of the columns, or one; rows of a thread
/// (positions, or weights of a gradient); and halves along the columns of an item, at most
/// (tune/device_conv.hpp).
inline constexpr int device_conv_threads = 128;
inline constexpr int device_conv_rows = 4;
inline constexpr int device_conv_column_threads = 8;
/// Threads along the columns of an item of a convolution whose threads have two halves, where more
/// of them would leave fewer than a warp's along its positions.
inline constexpr int device_conv_item_columns = 2;
/// Taps that are staged together, below which a smaller box of positions is better than fewer; and
/// such a box.
inline constexpr int device_conv_taps = 8;
inline constexpr int device_conv_box = 16;
/// Of a gradient by weights: positions of a slice at least, and items that there should be, which
/// slices are shared among. Both decide over bits.
inline constexpr int device_conv_fewest_slice_positions = 512;
inline constexpr int device_conv_items = 1024;

/// On a device, in instructions of a thread: a multiply-add of direct sums where a thread has
/// several columns, and where it has one; of transforms a point of a pass, a sample that is read, a
/// point of a product, and a result that is stored. Estimated: direct sums and passes from counts
/// of instructions (perf/NOTES.md, Devices), the others from the sources. None was measured.
inline constexpr double device_conv_wide = 1.5;
inline constexpr double device_conv_narrow = 3;
inline constexpr double device_fft_pass = 22;
inline constexpr double device_fft_sample = 40;
inline constexpr double device_fft_product = 12;
inline constexpr double device_fft_result = 40;
/// Threads of such a team at least, a wave of any device; and channels of an item at most, whose
/// marks have 32 bits.
inline constexpr int device_fft_fewest = 64;
inline constexpr int device_fft_results = 32;

}  // namespace synelix::tune
