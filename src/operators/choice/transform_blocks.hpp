// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Convolution operators along one dimension by transforms: the length of blocks, the split-K
/// partials of gradients by weights, and the predicted time of both methods. They depend only on
/// the problem and the width of registers, because all of it affects the bits.

namespace synelix::chooser {

/// A convolution operator of one dimension with stride 1. Channels and output channels are those of
/// a group.
struct ConvLine {
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t channels = 0;         ///< of the array with the windows
  std::int64_t output_channels = 0;  ///< for a gradient by weights, channels of the output gradient
  std::int64_t positions = 0;        ///< of the windows
  std::int64_t taps = 1;
  std::int64_t window = 1;  ///< taps, and the positions between them
  bool is_by_weights = false;
  int lanes = 1;  ///< values of a register
  int scalar_bytes = 4;
};

/// Its blocks.
struct ConvFftShape {
  std::int64_t points = 0;           ///< complex points of a transform: half the length of a block
  std::int64_t rows = 0;             ///< positions of a block
  std::int64_t blocks = 0;           ///< of an entry of the batch
  std::int64_t packs = 0;            ///< packs of blocks of a group
  std::int64_t results_at_once = 1;  ///< results that are summed together
  // Only for gradients by weights.
  std::int64_t run_packs = 1;  ///< packs that are transformed together
  std::int64_t runs = 1;
  std::int64_t partials = 1;  ///< split-K
  std::int64_t bytes = 0;     ///< of the spectra of weights or the partials, and of one team
  double nanoseconds = 0;     ///< predicted, of one core
};

/// The fastest blocks with moderate memory; if there are none, the blocks with the least memory.
ConvFftShape shape_conv_fft(const ConvLine& line);

/// Output channels of an item of a gradient by weights, such that all teams have work. (Each item
/// transforms the channels separately; no bit depends on it.)
std::int64_t item_output_channels(const ConvLine& line, const ConvFftShape& shape,
                                  std::int64_t teams);

/// Whether the blocks are predicted to be faster than direct sums, and take no more memory than any
/// call may use.
bool prefers_fft(const ConvLine& line, const ConvFftShape& shape);

}  // namespace synelix::chooser
