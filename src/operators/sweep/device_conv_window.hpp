// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "lanes/pack.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"
#include "tune/device_conv.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Common parts of convolution operators on a device: windows are staged in scratch as physical
/// values, and a thread adds the products of some rows and columns to sums in its registers.

namespace synelix::sweep {

/// The staged part of a window: some entries of the batch, channels, and slots from a position of
/// the source on, which may be outside of it.
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

/// A digit of the number of an item. Most numbers are small, and most sizes are 1: a 64-bit
/// division takes a hundred instructions on a device.
KOKKOS_INLINE_FUNCTION std::int64_t take_item_digit(std::int64_t& number, std::int64_t size) {
  if (size == 1) return 0;
  if (((number | size) >> 32) != 0) return take_digit(number, size);
  const auto small = static_cast<std::uint32_t>(number);
  const std::uint32_t quotient = small / static_cast<std::uint32_t>(size);
  number = quotient;
  return small - quotient * static_cast<std::uint32_t>(size);
}

/// A slot of a window, and its places.
struct DeviceConvSlot {
  std::int32_t place = 0;   ///< in scratch, of the first channel
  std::int64_t offset = 0;  ///< in the source, of the first channel
  bool is_there = true;     ///< whether the source has it; otherwise it is 0

  /// A slot of an entry, given by its digits.
  KOKKOS_INLINE_FUNCTION DeviceConvSlot(const pack::ConvSource& source, const index::ConvAxis* axes,
                                        const DeviceConvWindow& window,
                                        const DeviceConvStage& stage, std::int32_t entry,
                                        const std::int32_t* at) {
    place = entry * window.entry_step;
    offset = (stage.entry + entry) * source.batch_stride + stage.channel * source.channel_stride;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      place += at[d] * window.slot_steps[d];
      const std::int64_t position = index::padded_position(stage.first[d] + at[d] * axes[d].gcd,
                                                           axes[d].sources, axes[d].padding_mode);
      is_there = is_there && position >= 0;
      offset += position * source.space_strides[d];
    }
  }
};

/// Splits a slot number into the digits of a slot. Returns whether there is such a slot.
KOKKOS_INLINE_FUNCTION bool take_slot(const DeviceConvWindow& window, const DeviceConvStage& stage,
                                      std::int32_t& number, std::int32_t* at) {
  bool is_slot = true;
  for (int d = index::conv_dimensions - 1; d >= 0; --d) {
    at[d] = window.slots[d].take_digit(number);
    is_slot = is_slot && at[d] < stage.count[d];
  }
  if (window.shared > 0 && at[2] >= window.slots[2].size - window.shared) {
    // The next line begins with these zeros.
    if (at[1] + 1 < stage.count[1]) return false;
    if (stage.count[1] == window.slots[1].size && at[0] + 1 < stage.count[0]) return false;
  }
  return is_slot;
}

/// Copies some neighboring channels of a slot to scratch, with all loads before the stores; both
/// addresses advance.
template <int count, class Scalar>
KOKKOS_INLINE_FUNCTION void copy_channels(const Scalar*& from, std::int64_t stride, Scalar*& to,
                                          std::int32_t step) {
  Scalar some[count];
  SYNELIX_UNROLL(16)
  for (int i = 0; i < count; ++i, from += stride) some[i] = *from;
  SYNELIX_UNROLL(16)
  for (int i = 0; i < count; ++i, to += step) *to = some[i];
}

/// Copies some channels of a slot to scratch, starting with `channel` of the array and an offset in
/// it.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void stage_channels(const pack::ConvSource& source, bool is_plain,
                                           std::int64_t channel, std::int32_t count,
                                           std::int64_t offset, Scalar* to, std::int32_t step) {
  const std::int64_t stride = source.channel_stride;
  if (is_plain && !tune::device_conv_has_registers) {
    const Scalar* from = static_cast<const Scalar*>(source.data) + offset;
    SYNELIX_UNROLL(4)
    for (std::int32_t c = 0; c < count; ++c, from += stride, to += step) *to = *from;
  } else if (is_plain) {
    const Scalar* from = static_cast<const Scalar*>(source.data) + offset;
    SYNELIX_UNROLL(1)
    for (std::int32_t left = count; left >= 8; left -= 8) {
      copy_channels<4>(from, stride, to, step);
      copy_channels<4>(from, stride, to, step);
    }
    if ((count & 4) != 0) copy_channels<4>(from, stride, to, step);
    if ((count & 2) != 0) copy_channels<2>(from, stride, to, step);
    if ((count & 1) != 0) copy_channels<1>(from, stride, to, step);
  } else {
    for (std::int32_t c = 0; c < count; ++c) {
      *to = pack::conv_value<Scalar>(source, channel + c, offset);
      to += step;
      offset += stride;
    }
  }
}

/// Stores zeros instead.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void clear_channels(std::int32_t count, Scalar* to, std::int32_t step) {
  SYNELIX_UNROLL(4)
  for (std::int32_t c = 0; c < count; ++c, to += step) *to = Scalar(0);
}

/// Stages a thread's share of windows in scratch; zeros outside of the source. Neighboring threads
/// read neighboring channels, or otherwise neighboring slots, each of all channels.
template <int threads, class Scalar>
KOKKOS_INLINE_FUNCTION void stage_window(const pack::ConvSource& source,
                                         const index::ConvAxis* axes,
                                         const DeviceConvWindow& window,
                                         const DeviceConvStage& stage, Scalar* to, int thread) {
  const std::int32_t together = window.is_by_channel ? 1 : window.channels.size;
  const std::int32_t count = window.values / together;
  const bool is_plain = pack::is_plain<Scalar>(source);
  for (std::int32_t item = thread; item < count; item += threads) {
    std::int32_t number = item;
    const std::int32_t channel = window.is_by_channel ? window.channels.take_digit(number) : 0;
    std::int32_t at[index::conv_dimensions];
    if (!take_slot(window, stage, number, at) || number >= stage.entries) continue;
    if (channel >= stage.channels) continue;
    const DeviceConvSlot slot(source, axes, window, stage, number, at);
    std::int32_t end = stage.channels;
    if (window.is_by_channel && channel + 1 < end) end = channel + 1;
    Scalar* const place = to + slot.place + channel * window.channel_step;
    if (slot.is_there) {
      stage_channels(source, is_plain, stage.channel + channel, end - channel,
                     slot.offset + channel * source.channel_stride, place, window.channel_step);
    } else {
      clear_channels(end - channel, place, window.channel_step);
    }
  }
}

/// A note is the place of a slot. A thread writes its notes before it stages several windows that
/// differ only by channels, or by their place in the source: finding a slot takes 75 instructions.
/// Only the thread that has written a note reads it, so no barrier is needed.
struct alignas(device_conv_note_bytes) DeviceConvNote {
  static constexpr std::int32_t zero = INT32_MIN;

  std::int32_t place;   ///< in scratch, of the first channel; negative: nothing is staged
  std::int32_t offset;  ///< in the source, from the first slot or from the beginning; or `zero`
};
static_assert(sizeof(DeviceConvNote) == device_conv_note_bytes);

/// Notes the slots of a stage, counted from the beginning of the source.
template <int threads>
KOKKOS_INLINE_FUNCTION void note_slots(const pack::ConvSource& source, const index::ConvAxis* axes,
                                       const DeviceConvWindow& window, DeviceConvStage stage,
                                       DeviceConvNote* notes, int thread) {
  stage.entry = stage.channel = 0;
  for (std::int32_t item = thread; item < window.notes; item += threads) {
    std::int32_t number = item;
    std::int32_t at[index::conv_dimensions];
    DeviceConvNote note{-1, 0};
    if (take_slot(window, stage, number, at) && number < stage.entries) {
      const DeviceConvSlot slot(source, axes, window, stage, number, at);
      note.place = slot.place;
      note.offset = slot.is_there ? static_cast<std::int32_t>(slot.offset) : DeviceConvNote::zero;
    }
    notes[item] = note;
  }
}

/// The same as `stage_window` for slots that the thread has noted: some channels of the array from
/// `channel` on, with an offset of the first slot.
template <int threads, class Scalar>
KOKKOS_INLINE_FUNCTION void stage_noted(const pack::ConvSource& source, bool is_plain,
                                        const DeviceConvWindow& window, std::int64_t channel,
                                        std::int32_t channels, std::int64_t offset,
                                        const DeviceConvNote* notes, Scalar* to, int thread) {
  SYNELIX_UNROLL(1)
  for (std::int32_t item = thread; item < window.notes; item += threads) {
    const DeviceConvNote note = notes[item];
    if (note.place < 0) continue;
    if (note.offset == DeviceConvNote::zero) {
      clear_channels(channels, to + note.place, window.channel_step);
    } else {
      stage_channels(source, is_plain, channel, channels, offset + note.offset, to + note.place,
                     window.channel_step);
    }
  }
}

/// A number of values as a compile-time constant, used instead of an integer.
template <int values>
struct DeviceConvPitch {
  KOKKOS_INLINE_FUNCTION constexpr operator std::int32_t() const { return values; }
};

/// Sums of one thread: `rows` values of the window, each times `columns` other values.
template <class Scalar, int tile_columns>
struct DeviceConvSums {
  using Tile = DeviceConvTile<Scalar, tile_columns>;
  static constexpr int rows = Tile::rows;
  static constexpr int columns = Tile::columns;

  Scalar values[rows][columns];

  /// Reads contiguous values, aligned to packs if there are several.
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

  KOKKOS_INLINE_FUNCTION void add(const Scalar (&row)[rows], const Scalar (&column)[columns]) {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < columns; ++j) {
        values[i][j] = lanes::multiply_add(lanes::DeviceThread{}, row[i], column[j], values[i][j]);
      }
    }
  }

  /// Adds the products of a line: of `x[i][k * apart]` with the columns at `others + k * pitch`,
  /// for k from 0 to `count` - 1 in turn.
  template <class Pitch>
  KOKKOS_INLINE_FUNCTION void add_line(const Scalar* (&x)[rows], std::int32_t count,
                                       std::int32_t apart, const Scalar* others,
                                       const Pitch& pitch) {
    if (apart == 1) {
      constexpr int together = tune::device_conv_has_registers ? 4 : 3;
      SYNELIX_UNROLL(1)
      for (; count >= together; count -= together) {
        add_neighbours<together>(x, others, pitch);
        others += together * pitch;
      }
    }
    SYNELIX_UNROLL(1)
    for (; count > 0; --count) {
      Scalar row[rows];
      Scalar column[columns];
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) {
        row[i] = *x[i];
        x[i] += apart;
      }
      read(others, column);
      add(row, column);
      others += pitch;
    }
  }

  /// The same as `add_line`, only for the rows whose bits are set in `met`.
  KOKKOS_INLINE_FUNCTION void add_line_where(std::uint32_t met, const Scalar* (&x)[rows],
                                             std::int32_t count, std::int32_t apart,
                                             const Scalar* others, std::int32_t pitch) {
    SYNELIX_UNROLL(1)
    for (std::int32_t k = 0; k < count; ++k) {
      Scalar column[columns];
      read(others, column);
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) {
        if ((met >> i & 1U) != 0) {
          const Scalar value = x[i][std::int64_t{k} * apart];
          SYNELIX_UNROLL(16)
          for (int j = 0; j < columns; ++j) {
            values[i][j] =
                lanes::multiply_add(lanes::DeviceThread{}, value, column[j], values[i][j]);
          }
        }
      }
      others += pitch;
    }
  }

  /// The place of a thread's sum in scratch: neighboring threads are contiguous.
  KOKKOS_INLINE_FUNCTION static int place(int thread, int row, int column) {
    return (row * columns + column) * Tile::threads + thread;
  }
  KOKKOS_INLINE_FUNCTION void store(Scalar* sums, int thread) const {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < columns; ++j) sums[place(thread, i, j)] = values[i][j];
    }
  }

  /// Adds the products of 3 x 3 taps of some channels. The distances of the nine addresses are
  /// known at compile time, except those of lines, which are `line` values apart.
  template <int pitch>
  KOKKOS_INLINE_FUNCTION void add_squares(const Scalar* (&at)[rows], std::int32_t line,
                                          std::int32_t channel, const Scalar* others,
                                          std::int32_t channels) {
    constexpr int width = 3;
    constexpr DeviceConvPitch<pitch> constant;
    SYNELIX_UNROLL(1)
    for (; channels > 0; --channels) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < width; ++j) {
        const Scalar* x[rows];
        SYNELIX_UNROLL(16)
        for (int i = 0; i < rows; ++i) x[i] = at[i] + j * line;
        add_neighbours<width>(x, others + j * width * pitch, constant);
      }
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) at[i] += channel;
      others += width * width * pitch;
    }
  }

  /// The first products of a line with contiguous values.
  template <int together, class Pitch>
  KOKKOS_INLINE_FUNCTION void add_neighbours(const Scalar* (&x)[rows], const Scalar* others,
                                             const Pitch& pitch) {
    SYNELIX_UNROLL(16)
    for (int k = 0; k < together; ++k) {
      Scalar row[rows];
      Scalar column[columns];
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) row[i] = x[i][k];
      read(others + k * pitch, column);
      add(row, column);
    }
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) x[i] += together;
  }
};

}  // namespace synelix::sweep
