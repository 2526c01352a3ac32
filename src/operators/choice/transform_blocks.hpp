// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Convolution operators along one dimension by transforms: the length of blocks, how gradients by
/// weights are cut into split-K partials, and what both methods would take. By the problem and the
/// width of registers only: all of it decides over bits.

namespace synelix::chooser {

/// A convolution operator of one dimension with stride 1. Channels and output channels are those of
/// a group.
struct ConvLine {
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t channels = 0;         ///< that windows are of
  std::int64_t output_channels = 0;  ///< of a gradient by weights, those of the output gradient
  std::int64_t positions = 0;        ///< of the windows
  std::int64_t taps = 1;
  std::int64_t window = 1;  ///< taps, and what dilation leaves between them
  bool is_by_weights = false;
  int lanes = 1;  ///< values of a register
  int scalar_bytes = 4;
};

/// Its blocks.
struct ConvFftShape {
  std::int64_t points = 0;           ///< complex, of a transform: half the length of a block
  std::int64_t rows = 0;             ///< positions of a block
  std::int64_t blocks = 0;           ///< of an entry of the batch
  std::int64_t packs = 0;            ///< of blocks, of a group
  std::int64_t results_at_once = 1;  ///< results that are summed together
  // Of gradients by weights.
  std::int64_t run_packs = 1;  ///< that are transformed together
  std::int64_t runs = 1;
  std::int64_t partials = 1;  ///< split-K
  std::int64_t bytes = 0;     ///< of the spectra of weights or the partials, and of one team
  double nanoseconds = 0;     ///< predicted, of one core
};

/// The fastest blocks of those whose memory is moderate, or that with the least.
ConvFftShape shape_conv_fft(const ConvLine& line);

/// Output channels of an item of a gradient by weights, for so many teams to have something to do.
/// (Each item transforms the channels by itself; no bit depends on it.)
std::int64_t item_output_channels(const ConvLine& line, const ConvFftShape& shape,
                                  std::int64_t teams);

/// Whether they are predicted to be faster than direct sums, and take no more memory than any call
/// may.
bool prefers_fft(const ConvLine& line, const ConvFftShape& shape);

}  // namespace synelix::chooser
