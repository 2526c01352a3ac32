// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/team_memory.hpp"
#include "lanes/instruction_set.hpp"
#include "tile/depthwise.hpp"
#include "tune/tiles.hpp"

#include <cstddef>
#include <cstdint>

/// \file
/// The work items of a convolution operator for direct sums on a host, and the layout of a team's
/// memory. The choice counts bytes with the functions that place the pointers of the sweep.

namespace synelix::sweep {

/// The work items of a convolution. Only `channels` affects the bits.
struct ConvCut {
  std::int64_t box[index::conv_dimensions] = {1, 1, 1};    ///< the most positions of an item
  std::int64_t boxes[index::conv_dimensions] = {1, 1, 1};  ///< of the longest class
  std::int64_t channels = 1;                               ///< gathered together
  std::int64_t panel = 1;                                  ///< columns of a panel: a multiple of
                                                           ///< packs
  std::int64_t panels = 1;                                 ///< of a group
  std::int64_t item_panels = 1;                            ///< the most of an item
  std::int64_t block_values = 0;                           ///< the most of a block of windows
  std::int64_t weight_values = 0;  ///< of runs of taps that are copied to be contiguous
  std::int64_t plane_lines = 0;    ///< in the windows of a plane tile, if lanes are positions
  std::int64_t zero_values = 0;    ///< zeros in place of a line or a position outside of the source
  std::int64_t items = 0;
  bool lanes_are_positions = false;  ///< of a depthwise convolution, else channels
  bool has_one_pass = false;         ///< whether each class has one pass for all its positions
};

/// Memory of a team for a convolution: its share of the workspace.
template <class Scalar>
struct ConvTeamMemory {
  Scalar* sums;     ///< (position, column of a panel)
  Scalar* block;    ///< (slot, channel)
  Scalar* weights;  ///< (inner index, column)

  SYNELIX_FUNCTION ConvTeamMemory(std::byte* memory, const ConvCut& cut)
      : sums(reinterpret_cast<Scalar*>(memory)),
        block(sums + sums_values(cut)),
        weights(block + cut.block_values) {}
  SYNELIX_FUNCTION static std::int64_t sums_values(const ConvCut& cut) {
    return cut.box[0] * cut.box[1] * cut.box[2] * cut.item_panels * cut.panel;
  }
  static std::int64_t bytes(const ConvCut& cut) {
    return (sums_values(cut) + cut.block_values + cut.weight_values) * std::int64_t{sizeof(Scalar)};
  }
};

/// The same for a depthwise convolution. Values begin at a cache line: packs across two lines take
/// twice as long.
template <class Scalar>
struct ConvDepthwiseTeamMemory {
  tile::DepthwiseTap* taps;
  const Scalar** lines;  ///< of a plane tile
  Scalar* sums;          ///< (position, column), if results are not written directly
  Scalar* block;         ///< (slot, column)
  Scalar* zeros;         ///< a line

  SYNELIX_FUNCTION ConvDepthwiseTeamMemory(std::byte* memory, const ConvCut& cut,
                                           std::int64_t count)
      : taps(reinterpret_cast<tile::DepthwiseTap*>(memory)),
        lines(reinterpret_cast<const Scalar**>(taps + count)),
        sums(reinterpret_cast<Scalar*>(memory + table_bytes(cut, count))),
        block(sums + sums_values(cut)),
        zeros(block + cut.block_values) {}
  SYNELIX_FUNCTION static std::int64_t sums_values(const ConvCut& cut) {
    return cut.lanes_are_positions ? 0 : cut.box[0] * cut.box[1] * cut.box[2] * cut.panel;
  }
  static std::int64_t bytes(const ConvCut& cut, std::int64_t count) {
    return table_bytes(cut, count) +
           (sums_values(cut) + cut.block_values + cut.zero_values) * std::int64_t{sizeof(Scalar)};
  }
  SYNELIX_FUNCTION static std::int64_t table_bytes(const ConvCut& cut, std::int64_t count) {
    return index::whole_lines(count * std::int64_t{sizeof(tile::DepthwiseTap)} +
                              cut.plane_lines * std::int64_t{sizeof(const Scalar*)});
  }
};

/// The work items of a gradient by weights. Its box, slices and partials affect the bits.
struct ConvGradCut {
  std::int64_t box[index::conv_dimensions] = {1, 1, 1};  ///< positions gathered together
  std::int64_t taps = 1;                                 ///< of an item, along the last dimension
  std::int64_t channels = 1;                             ///< of an item
  std::int64_t panel = 1;                                ///< columns of a panel: a multiple of
                                                         ///< packs
  std::int64_t panels = 1;                               ///< of a group
  std::int64_t item_panels = 1;                          ///< the most of an item
  std::int64_t tap_blocks = 1;
  std::int64_t channel_blocks = 1;
  std::int64_t boxes[index::conv_dimensions] = {1, 1, 1};
  std::int64_t slice_boxes = 1;  ///< boxes of a slice
  std::int64_t slices = 1;
  std::int64_t partials = 1;      ///< split-K: runs of slices that are summed separately
  std::int64_t block_values = 0;  ///< the most of a block of windows
  std::int64_t row_values = 0;    ///< of windows as rows; for depthwise: of output gradients
  std::int64_t lane_values = 0;   ///< of sums of lanes, if lanes are positions
  std::int64_t items = 0;
  bool lanes_are_positions = false;  ///< of a depthwise gradient, else channels
};

/// Memory of a team for a gradient by weights: its share of the workspace.
template <class Scalar>
struct ConvGradTeamMemory {
  Scalar* sums;             ///< (tap, channel, column)
  Scalar* output_gradient;  ///< (position, column)
  Scalar* block;            ///< (slot, channel)
  Scalar* rows;             ///< (position, tap, channel)

  SYNELIX_FUNCTION ConvGradTeamMemory(std::byte* memory, const ConvGradCut& cut)
      : sums(reinterpret_cast<Scalar*>(memory)),
        output_gradient(sums + sums_values(cut)),
        block(output_gradient + output_gradient_values(cut)),
        rows(block + cut.block_values) {}
  SYNELIX_FUNCTION static std::int64_t sums_values(const ConvGradCut& cut) {
    return cut.taps * cut.channels * cut.item_panels * cut.panel;
  }
  SYNELIX_FUNCTION static std::int64_t output_gradient_values(const ConvGradCut& cut) {
    return cut.box[0] * cut.box[1] * cut.box[2] * cut.item_panels * cut.panel;
  }
  static std::int64_t bytes(const ConvGradCut& cut) {
    return (sums_values(cut) + output_gradient_values(cut) + cut.block_values + cut.row_values) *
           std::int64_t{sizeof(Scalar)};
  }
};

/// The same for a depthwise gradient.
template <class Scalar>
struct ConvDepthwiseGradTeamMemory {
  tile::DepthwiseWeight<Scalar>* taps;
  Scalar* sums;             ///< (tap, column)
  Scalar* zeros;            ///< (column), or a pack
  Scalar* lane_sums;        ///< (column, tap, lane), if lanes are positions
  Scalar* output_gradient;  ///< (position, column)
  Scalar* block;            ///< (slot, column)

  SYNELIX_FUNCTION ConvDepthwiseGradTeamMemory(std::byte* memory, const ConvGradCut& cut,
                                               std::int64_t count)
      : taps(reinterpret_cast<tile::DepthwiseWeight<Scalar>*>(memory)),
        sums(reinterpret_cast<Scalar*>(memory + table_bytes(count))),
        zeros(sums + count * cut.panel),
        lane_sums(zeros + zero_values(cut)),
        output_gradient(lane_sums + cut.lane_values),
        block(output_gradient + cut.row_values) {}
  static std::int64_t bytes(const ConvGradCut& cut, std::int64_t count) {
    return table_bytes(count) + (count * cut.panel + zero_values(cut) + cut.lane_values +
                                 cut.row_values + cut.block_values) *
                                    std::int64_t{sizeof(Scalar)};
  }
  SYNELIX_FUNCTION static std::int64_t table_bytes(std::int64_t count) {
    return index::whole_lines(count * std::int64_t{sizeof(tile::DepthwiseWeight<Scalar>)});
  }
  SYNELIX_FUNCTION static std::int64_t zero_values(const ConvGradCut& cut) {
    return cut.panel + tune::most_pack_lanes;
  }
};

}  // namespace synelix::sweep
