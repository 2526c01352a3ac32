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

/// Of a depthwise convolution: positions of a virtual item at most, where lanes are channels and
/// where they are positions; its channels at most; rows that its tile sums together.
inline constexpr int conv_depthwise_positions = 512;
inline constexpr int conv_depthwise_lane_positions = 4096;
inline constexpr int conv_depthwise_columns = 64;
inline constexpr int most_depthwise_rows = 8;

/// Inner indices that lie side by side, below which windows are gathered once more as rows; and how
/// many of a row are summed together.
inline constexpr int conv_short_run = 32;
inline constexpr int conv_row = 192;

/// Of a gradient by weights: positions that are gathered together, weights along one dimension by
/// channels, and result channels.
inline constexpr int conv_grad_positions = 192;
inline constexpr int conv_grad_rows = 192;
inline constexpr int conv_grad_columns = 96;

}  // namespace synelix::tune
