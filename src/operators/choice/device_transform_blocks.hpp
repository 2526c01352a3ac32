// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/choice/transform_blocks.hpp"

#include <cstdint>

/// \file
/// Convolution operators along one dimension by transforms on a device: blocks, what a team holds
/// of them in scratch, and what both methods would take. By the problem and the scratch of a team
/// only: some of it decides over bits.

namespace synelix::chooser {

/// Blocks of an operator on a device.
struct DeviceConvFftShape {
  std::int64_t points = 0;     ///< complex, of a transform; 0: none fit
  std::int64_t lanes = 1;      ///< blocks that a team transforms together
  std::int64_t parts = 1;      ///< of a window
  std::int64_t part_taps = 1;  ///< of all parts but the last
  std::int64_t window = 1;     ///< taps of a part, and what dilation leaves between them
  std::int64_t rows = 0;       ///< positions of a block
  std::int64_t blocks = 0;     ///< of an entry of the batch
  std::int64_t packs = 0;      ///< of blocks, of a group
  std::int64_t channels = 1;   ///< of an item; of gradients by weights only
  std::int64_t results = 1;    ///< output channels of an item
  // Of gradients by weights.
  std::int64_t slice_packs = 1;  ///< that are summed before they are transformed back
  std::int64_t slices = 1;
  std::int64_t partials = 1;  ///< split-K
  std::int64_t bytes = 0;     ///< of the spectra of weights, or of the partials
  double instructions = 0;    ///< counted, of all threads
};

/// The blocks with the fewest instructions of those that fit into so many bytes of scratch.
DeviceConvFftShape shape_device_conv_fft(const ConvLine& line, std::int64_t scratch_bytes);

/// Whether they take fewer instructions than direct sums, and no more memory than any call may.
bool prefers_device_fft(const ConvLine& line, const DeviceConvFftShape& shape);

}  // namespace synelix::chooser
