// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// Block sizes of convolution operators. Numbers only.

namespace synelix::tune {

/// Positions of a result that one virtual item of a host computes at most, and at least where there
/// are fewer items than threads would share; its result channels.
inline constexpr int conv_positions = 96;
inline constexpr int conv_fewest_positions = 16;
inline constexpr int conv_columns = 192;

/// Values of a block of windows, which bounds the channels that are gathered together, and their
/// fewest.
inline constexpr int conv_block = 32 * 1024;
inline constexpr int conv_fewest_channels = 16;

/// Columns of a depthwise convolution: of an item, and that are summed at a time.
inline constexpr int conv_depthwise_columns = 64;
inline constexpr int conv_depthwise = 16;

/// Inner indices that lie side by side, below which windows are gathered once more as rows; and how
/// many of a row are summed together.
inline constexpr int conv_short_run = 32;
inline constexpr int conv_row = 192;

/// Of a gradient by weights: positions that are gathered together, weights along one dimension by
/// channels, and result channels.
inline constexpr int conv_grad_positions = 192;
inline constexpr int conv_grad_rows = 192;
inline constexpr int conv_grad_columns = 96;

/// By transforms: channels from which on several results are summed together, against a second
/// reading of their spectra.
inline constexpr int conv_fewest_terms = 3;

/// Of a gradient by weights: packs of blocks that are transformed together, and bytes of their
/// spectra, both at most; slices, at most and as many as there should be where there are blocks;
/// values of the sums of all slices; and items that there should be.
inline constexpr int conv_run_packs = 4;
inline constexpr long conv_run_bytes = 8L << 20;
inline constexpr int conv_slices = 32;
inline constexpr int conv_fewest_slices = 8;
inline constexpr long conv_slice_values = 1L << 22;
inline constexpr int conv_fewest_items = 16;

/// What steps of a convolution operator take, in nanoseconds of one core: a point of a product of
/// two packs of spectra, a number of a kernel that is written, and a multiply-add of packs in
/// direct sums, depthwise ones over others; and a point of a transform over what
/// `steps_of` says, which counts the store of features (perf/NOTES.md, Convolution operators by
/// transforms).
inline constexpr double conv_product = 1.6;
inline constexpr double conv_written = 2.5;
inline constexpr double conv_multiply_add = 0.3;
inline constexpr double conv_each = 2.0;
inline constexpr double conv_transform = 1.0;

}  // namespace synelix::tune
