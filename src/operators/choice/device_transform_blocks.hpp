// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/choice/transform_blocks.hpp"

#include <cstdint>

/// \file
/// Convolution operators along one dimension by transforms on a device: blocks, their memory in
/// scratch, and the cost of both methods. They depend only on the problem and the scratch of a
/// team, because some of it determines the bits.

namespace synelix::chooser {

/// Blocks of an operator on a device.
struct DeviceConvFftShape {
  std::int64_t points = 0;     ///< complex points of a transform; 0: no block fits
  std::int64_t lanes = 1;      ///< blocks that a team transforms together
  std::int64_t parts = 1;      ///< of a window
  std::int64_t part_taps = 1;  ///< of all parts except the last
  std::int64_t window = 1;     ///< taps of a part, and the positions between them
  std::int64_t rows = 0;       ///< positions of a block
  std::int64_t blocks = 0;     ///< of an entry of the batch
  std::int64_t packs = 0;      ///< packs of blocks of a group
  std::int64_t channels = 1;   ///< of an item; only for gradients by weights
  std::int64_t results = 1;    ///< output channels of an item
  // Only for gradients by weights.
  std::int64_t slice_packs = 1;  ///< packs that are summed before they are transformed back
  std::int64_t slices = 1;
  std::int64_t partials = 1;  ///< split-K
  std::int64_t bytes = 0;     ///< of the spectra of weights, or of the partials
  double instructions = 0;    ///< counted, of all threads
};

/// The blocks with the fewest instructions that fit in `scratch_bytes` of scratch.
DeviceConvFftShape shape_device_conv_fft(const ConvLine& line, std::int64_t scratch_bytes);

/// Whether the blocks take fewer instructions than direct sums, and no more memory than any call
/// may use.
bool prefers_device_fft(const ConvLine& line, const DeviceConvFftShape& shape);

}  // namespace synelix::chooser
