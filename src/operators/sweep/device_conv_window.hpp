// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "lanes/pack.hpp"
#include "launch/team.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// What convolution operators have in common on a device: windows are staged in scratch as physical
/// values, and a thread adds the products of some rows and columns to sums in its registers.

namespace synelix::sweep {

/// What of a window is there: some entries of the batch, channels, and slots from a position of the
/// source on, which may lie outside of it.
struct DeviceConvStage {
  std::int64_t entry;
  std::int32_t entries;
  std::int64_t channel;  ///< of the array
  std::int32_t channels;
  std::int64_t first[index::conv_dimensions];
  std::int32_t count[index::conv_dimensions];
};

/// The digits of a number of a box of positions: entry, then space.
struct DeviceConvDigits {
  std::int32_t at[conv_box_dimensions];

  KOKKOS_FUNCTION DeviceConvDigits(const index::SmallDivisor* box, std::int32_t number) {
    for (int d = conv_box_dimensions - 1; d > 0; --d) at[d] = box[d].take_digit(number);
    at[0] = number;
  }
};

/// A digit of the number of an item. Most numbers are small, and most sizes are 1: a device divides
/// 64 bits by a hundred instructions.
KOKKOS_INLINE_FUNCTION std::int64_t take_item_digit(std::int64_t& number, std::int64_t size) {
  if (size == 1) return 0;
  if (((number | size) >> 32) != 0) return take_digit(number, size);
  const auto small = static_cast<std::uint32_t>(number);
  const std::uint32_t quotient = small / static_cast<std::uint32_t>(size);
  number = quotient;
  return small - quotient * static_cast<std::uint32_t>(size);
}

/// Windows to scratch; zeros where the source has nothing.
template <class Scalar, class Team>
KOKKOS_FUNCTION void stage_window(const Team& team, const pack::ConvSource& source,
                                  const index::ConvAxis* axes, const DeviceConvWindow& window,
                                  const DeviceConvStage& stage, Scalar* to) {
  const auto* const from = &source;
  const auto* const how = &window;
  for_each_item(team, window.values, [=](std::int64_t item) {
    auto number = static_cast<std::int32_t>(item);
    std::int32_t channel = how->is_by_channel ? how->channels.take_digit(number) : 0;
    std::int32_t at[index::conv_dimensions];
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      at[d] = how->slots[d].take_digit(number);
      if (at[d] >= stage.count[d]) return;
    }
    if (!how->is_by_channel) channel = how->channels.take_digit(number);
    const std::int32_t entry = number;
    if (channel >= stage.channels || entry >= stage.entries) return;
    std::int32_t place = entry * how->entry_step + channel * how->channel_step;
    std::int64_t offset = (stage.entry + entry) * from->batch_stride +
                          (stage.channel + channel) * from->channel_stride;
    bool is_there = true;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      place += at[d] * how->slot_steps[d];
      const std::int64_t position = index::padded_position(stage.first[d] + at[d] * axes[d].gcd,
                                                           axes[d].sources, axes[d].padding_mode);
      is_there = is_there && position >= 0;
      offset += position * from->space_strides[d];
    }
    to[place] =
        is_there ? pack::conv_value<Scalar>(*from, stage.channel + channel, offset) : Scalar(0);
  });
}

/// Sums of one thread: `rows` numbers of the window, each with `columns` of what they meet.
template <class Scalar, bool is_narrow>
struct DeviceConvSums {
  using Tile = DeviceConvTile<Scalar, is_narrow>;
  static constexpr int rows = Tile::rows;
  static constexpr int columns = Tile::columns;

  Scalar values[rows][columns];

  /// Some numbers that lie side by side, aligned to packs where they are several.
  KOKKOS_INLINE_FUNCTION static void read(const Scalar* from, Scalar (&to)[columns]) {
    if constexpr (columns == 1) {
      to[0] = from[0];
    } else {
      using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
      SYNELIX_UNROLL(16)
      for (int j = 0; j < columns; j += Pack::lanes) {
        const Pack some = Pack::load(from + j);
        for (int i = 0; i < Pack::lanes; ++i) to[j + i] = some.values[i];
      }
    }
  }

  /// Products of `x[from[i]]` with the columns at `others`.
  KOKKOS_INLINE_FUNCTION void add(const Scalar* x, const std::int32_t (&from)[rows],
                                  const Scalar* others) {
    Scalar row[rows];
    Scalar column[columns];
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) row[i] = x[from[i]];
    read(others, column);
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < columns; ++j) {
        values[i][j] = lanes::multiply_add(lanes::DeviceThread{}, row[i], column[j], values[i][j]);
      }
    }
  }

  /// Where a sum of a thread lies in scratch: neighbouring threads side by side.
  KOKKOS_INLINE_FUNCTION static int place(int thread, int row, int column) {
    return (row * columns + column) * Tile::threads + thread;
  }
  KOKKOS_INLINE_FUNCTION void load_row(const Scalar* sums, int thread, int row) {
    SYNELIX_UNROLL(16)
    for (int j = 0; j < columns; ++j) values[row][j] = sums[place(thread, row, j)];
  }
  KOKKOS_INLINE_FUNCTION void store_row(Scalar* sums, int thread, int row) const {
    SYNELIX_UNROLL(16)
    for (int j = 0; j < columns; ++j) sums[place(thread, row, j)] = values[row][j];
  }
};

}  // namespace synelix::sweep
