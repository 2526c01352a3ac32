// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"
#include "operators/problem/conv_transform_cut.hpp"
#include "spectral/stages.hpp"

#include <cstdint>

/// \file
/// The work items of a convolution operator of one dimension for transforms on a device, and the
/// layout of a team's scratch. The choice counts bytes with the functions that place the pointers
/// of the sweep.

namespace synelix::sweep {

/// Windows in parts: all parts except the last have the same number of taps.
struct DeviceConvParts {
  std::int64_t count = 1;
  std::int64_t taps = 1;     ///< the most of a part
  std::int64_t all = 1;      ///< taps of a window
  std::int64_t spacing = 1;  ///< positions from tap to tap

  [[nodiscard]] SYNELIX_FUNCTION Range of(std::int64_t part) const {
    return {part * taps, index::smaller((part + 1) * taps, all)};
  }
  /// Number of positions in a part before its last tap.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t ahead(std::int64_t part) const {
    return (of(part).size() - 1) * spacing;
  }
  /// Offset of a part from the first position of the window.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t shift(std::int64_t part) const {
    return part * taps * spacing;
  }
  /// Positions of a window, including those between taps.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t window() const { return (all - 1) * spacing + 1; }
};

/// The work items of a convolution. `ConvBlocks::packs` counts groups of blocks that teams
/// transform together. Neither this nor the results of an item affect the bits: a sum takes
/// channels, and of each channel its parts.
struct DeviceConvFftCut {
  ConvBlocks blocks;
  DeviceConvParts parts;
  index::ConvPass pass;
  bool is_first = true;      ///< whether results are stored; otherwise added
  std::int64_t results = 1;  ///< output channels of an item, at most
  std::int64_t result_blocks = 1;
  std::int64_t items = 0;
};

/// The work items of a gradient by weights. Its blocks, the blocks transformed together, slices and
/// partials affect the bits.
struct DeviceConvFftWeightsCut {
  ConvBlocks blocks;
  DeviceConvParts parts;
  std::int64_t channels = 1;  ///< of an item, at most
  std::int64_t channel_blocks = 1;
  std::int64_t results = 1;  ///< output channels of an item, at most
  std::int64_t result_blocks = 1;
  std::int64_t slice_packs = 1;  ///< packs that are summed before they are transformed back
  std::int64_t slices = 1;
  std::int64_t partials = 1;  ///< split-K: runs of slices that are summed separately
  std::int64_t items = 0;
};

/// Bytes of scratch for each block besides its points, and for a team.
inline constexpr std::int64_t device_conv_lane_bytes = 96;
inline constexpr std::int64_t device_conv_team_bytes = 64;
/// The most packs of a slice, since their marks are in scratch; and the bytes of the marks of a
/// block.
inline constexpr std::int64_t most_slice_packs = 32;
inline constexpr std::int64_t device_conv_mark_bytes = 8;

/// The scratch of a team.
struct DeviceConvFftScratch {
  std::int64_t scalar_bytes = 4;
  std::int64_t points = 0;
  std::int64_t lanes = 1;    ///< blocks that are transformed together
  std::int64_t spectra = 0;  ///< besides the points that are transformed, of each lane
  std::int64_t marks = 0;    ///< of each lane

  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t points_bytes() const {
    return lanes * spectral::slots_of(points) * 2 * scalar_bytes;
  }
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t spectra_bytes() const {
    return lanes * spectra * points * 2 * scalar_bytes;
  }
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t bytes() const {
    return points_bytes() + spectra_bytes() +
           lanes * (device_conv_lane_bytes + marks * device_conv_mark_bytes) +
           device_conv_team_bytes;
  }
  /// Number of segments of a block whose energies are summed, a multiple of `device_conv_run`:
  /// limited by the time of a team's threads, and by the room in the points.
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t segments() const {
    const std::int64_t most = index::smaller(points / 4, 256 / lanes);
    return index::larger(16, most);
  }
};
/// Segments whose energies are added first.
inline constexpr std::int64_t device_conv_run = 16;

}  // namespace synelix::sweep
