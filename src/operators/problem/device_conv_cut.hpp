// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/small_divisor.hpp"
#include "tune/device_conv.hpp"

#include <cstdint>

/// \file
/// How a convolution operator is cut into work items on a device, and how the scratch of a team
/// lies. All of it follows from the problem and from constants of the build.

namespace synelix::sweep {

/// Dimensions of a box of positions: entries of the batch, then space.
inline constexpr int conv_box_dimensions = 1 + index::conv_dimensions;

/// Bytes of a note of a slot.
inline constexpr std::int64_t device_conv_note_bytes = 8;

/// What windows of some channels see, in scratch: (entry, channel, slots). Slots are positions of
/// the source, `ConvAxis::gcd` apart. Numbers of a window that is smaller lie where those of the
/// largest one do.
struct DeviceConvWindow {
  index::SmallDivisor entries;
  index::SmallDivisor channels;
  index::SmallDivisor slots[index::conv_dimensions];
  std::int32_t values = 1;        ///< entries by channels by slots
  std::int32_t channel_step = 1;  ///< odd, so that neighbouring channels lie in other banks
  std::int32_t entry_step = 1;
  std::int32_t slot_steps[index::conv_dimensions] = {1, 1, 1};
  std::int32_t tap_steps[index::conv_dimensions] = {1, 1, 1};       ///< from tap to tap
  std::int32_t position_steps[index::conv_dimensions] = {1, 1, 1};  ///< from position to position
  bool is_by_channel = false;  ///< whether neighbouring threads read neighbouring channels
  std::int32_t notes = 0;      ///< slots that threads note, or none (`DeviceConvNote`)
  /// Slots of a line that lie where the next line has its first ones, because both are zeros: then
  /// lines lie as far apart as positions, and neighbouring threads read different banks.
  std::int32_t shared = 0;

  /// Values that it takes.
  [[nodiscard]] constexpr std::int32_t room() const { return entries.size * entry_step; }
};

/// How a convolution is cut on a device. No bit depends on it: a sum takes passes, then channels,
/// then taps in their order.
struct DeviceConvCut {
  index::SmallDivisor position_threads;          ///< threads along positions
  index::SmallDivisor panel;                     ///< columns of an item, whole tiles of a thread
  std::int64_t panels = 1;                       ///< of a group
  index::SmallDivisor box[conv_box_dimensions];  ///< positions of an item, at most
  std::int64_t boxes[conv_box_dimensions] = {1, 1, 1, 1};  ///< of the longest class
  /// Positions of an item, where planes are cut into runs of neighbouring positions, which begin
  /// and end anywhere in a line: then a box holds all lines that a run may touch. 0: items are
  /// boxes.
  std::int32_t run = 0;
  std::int64_t taps[index::conv_dimensions] = {1, 1, 1};  ///< of a stage, at most
  std::int64_t channels = 1;                              ///< of a stage, at most
  DeviceConvWindow window;
  std::int32_t columns = 1;  ///< of a thread
  std::int64_t items = 0;
};

/// How a gradient by weights is cut on a device. Its box, lanes, slices and partials decide over
/// bits.
struct DeviceConvGradCut {
  index::SmallDivisor row_threads;     ///< threads along weights of a column
  index::SmallDivisor column_threads;  ///< threads along columns
  std::int32_t lanes = 1;  ///< threads of the same weights, each with its own positions of a box
  std::int32_t rows = 1;   ///< channels by taps of an item, at most
  index::SmallDivisor panel;
  std::int64_t panels = 1;
  std::int32_t pitch = 1;  ///< values of the output gradient from one position to the next
  index::SmallDivisor taps[index::conv_dimensions];  ///< of an item, at most
  std::int64_t channels = 1;                         ///< of an item, at most
  std::int64_t tap_blocks[index::conv_dimensions] = {1, 1, 1};
  std::int64_t channel_blocks = 1;
  std::int64_t box[conv_box_dimensions] = {1, 1, 1, 1};  ///< positions that are staged together
  std::int64_t boxes[conv_box_dimensions] = {1, 1, 1, 1};
  std::int32_t positions = 1;  ///< of a box
  DeviceConvWindow window;
  std::int64_t slice_boxes = 1;  ///< boxes of a slice
  std::int64_t slices = 1;
  std::int64_t partials = 1;                   ///< split-K: runs of slices that are summed apart
  std::int32_t columns = 1;                    ///< of a thread
  bool output_gradient_is_by_channel = false;  ///< as of the window
  /// Whether its lines begin with a pack of positions, and have whole packs, where its data begin
  /// with one.
  bool output_gradient_has_packs = false;
  std::int64_t items = 0;
};

/// The tile of one thread, and bytes of a team's scratch.
template <class Scalar, int tile_columns>
struct DeviceConvTile {
  static constexpr int threads = tune::device_conv_threads_of(tile_columns, sizeof(Scalar));
  static constexpr int rows = tune::device_conv_rows;
  static constexpr int columns = tile_columns;
  /// Of what is staged. Sums of a gradient by weights take its place at the end of a slice.
  static constexpr std::int64_t window_values = tune::device_conv_window_stage / sizeof(Scalar);
  static constexpr std::int64_t window_bytes = window_values * std::int64_t{sizeof(Scalar)} + 64;
  static_assert(window_values < index::SmallDivisor::most);
  static_assert(std::int64_t{threads} * rows * columns <= window_values);
  static_assert(window_bytes + std::int64_t{5} * 64 <= std::int64_t{32} * 1024);
};

template <int columns>
struct DeviceConvColumns {
  static constexpr int count = columns;
};

/// Calls `with` with the number of columns of a thread as a constant.
template <class Scalar, class With>
void with_device_conv_columns(std::int32_t columns, const With& with) {
  constexpr int half = tune::device_conv_half_columns(sizeof(Scalar));
  if (columns == 1) {
    with(DeviceConvColumns<1>());
  } else if (columns == half) {
    with(DeviceConvColumns<half>());
  } else {
    with(DeviceConvColumns<2 * half>());
  }
}

}  // namespace synelix::sweep
