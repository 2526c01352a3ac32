// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/small_divisor.hpp"
#include "tune/device_conv.hpp"

#include <cstdint>

/// \file
/// The work items of a convolution operator on a device, and the layout of a team's scratch. They
/// depend only on the problem and on constants of the build.

namespace synelix::sweep {

/// Dimensions of a box of positions: entries of the batch, then space.
inline constexpr int conv_box_dimensions = 1 + index::conv_dimensions;

/// Bytes of a note of a slot.
inline constexpr std::int64_t device_conv_note_bytes = 8;

/// The samples in the windows of some channels, in scratch: (entry, channel, slots). Slots are
/// positions of the source with distance `ConvAxis::gcd`. A smaller window uses the places of the
/// largest one.
struct DeviceConvWindow {
  index::SmallDivisor entries;
  index::SmallDivisor channels;
  index::SmallDivisor slots[index::conv_dimensions];
  std::int32_t values = 1;        ///< entries by channels by slots
  std::int32_t channel_step = 1;  ///< odd, so that neighboring channels are in different banks
  std::int32_t entry_step = 1;
  std::int32_t slot_steps[index::conv_dimensions] = {1, 1, 1};
  std::int32_t tap_steps[index::conv_dimensions] = {1, 1, 1};       ///< from tap to tap
  std::int32_t position_steps[index::conv_dimensions] = {1, 1, 1};  ///< from position to position
  bool is_by_channel = false;  ///< whether neighboring threads read neighboring channels
  std::int32_t notes = 0;      ///< number of slots that threads note (`DeviceConvNote`); 0: none
  /// Number of slots of a line that have the same places as the first slots of the next line,
  /// because both are zeros. Then the distance of lines is that of positions, and neighboring
  /// threads read different banks.
  std::int32_t shared = 0;

  /// Number of values of the window.
  [[nodiscard]] constexpr std::int32_t room() const { return entries.size * entry_step; }
};

/// The work items of a convolution on a device. They do not affect the bits: a sum takes passes,
/// then channels, then taps in their order.
struct DeviceConvCut {
  index::SmallDivisor position_threads;          ///< threads along positions
  index::SmallDivisor panel;                     ///< columns of an item: a multiple of a thread's
                                                 ///< tile
  std::int64_t panels = 1;                       ///< of a group
  index::SmallDivisor box[conv_box_dimensions];  ///< the most positions of an item
  std::int64_t boxes[conv_box_dimensions] = {1, 1, 1, 1};  ///< of the longest class
  /// Positions of an item if planes are cut into runs of neighboring positions, which begin and end
  /// anywhere in a line. A box then contains all lines that a run may touch. 0: items are boxes.
  std::int32_t run = 0;
  std::int64_t taps[index::conv_dimensions] = {1, 1, 1};  ///< of a stage, at most
  std::int64_t channels = 1;                              ///< of a stage, at most
  DeviceConvWindow window;
  std::int32_t columns = 1;  ///< of a thread
  std::int64_t items = 0;
};

/// The work items of a gradient by weights on a device. Its box, lanes, slices and partials affect
/// the bits.
struct DeviceConvGradCut {
  index::SmallDivisor row_threads;     ///< threads along weights of a column
  index::SmallDivisor column_threads;  ///< threads along columns
  std::int32_t lanes = 1;  ///< threads of the same weights, each with its own positions of a box
  std::int32_t rows = 1;   ///< the most channels x taps of an item
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
  std::int64_t partials = 1;                   ///< split-K: runs of slices that are summed
                                               ///< separately
  std::int32_t columns = 1;                    ///< of a thread
  bool output_gradient_is_by_channel = false;  ///< the same for the output gradient
  /// Whether its lines begin with a pack of positions, and consist of full packs, if its data begin
  /// with a pack.
  bool output_gradient_has_packs = false;
  std::int64_t items = 0;
};

/// The tile of one thread, and bytes of a team's scratch.
template <class Scalar, int tile_columns>
struct DeviceConvTile {
  static constexpr int threads = tune::device_conv_threads_of(tile_columns, sizeof(Scalar));
  static constexpr int rows = tune::device_conv_rows;
  static constexpr int columns = tile_columns;
  /// The number of staged values. At the end of a slice, sums of a gradient by weights replace
  /// them.
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
