// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/small_divisor.hpp"
#include "lanes/pack.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "pack/conv_block.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Data that convolution operators stage on a device besides windows, pack by pack: weights, and
/// lines of an output gradient.

namespace synelix::sweep {

/// A thread's share of weights (channel, tap, column).
template <class Scalar, int tile_columns>
struct DeviceConvCopies {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  static constexpr int together = tile_columns == 1 ? 1 : Pack::lanes;
  static constexpr int apart = DeviceConvTile<Scalar, tile_columns>::threads * together;

  /// Copies contiguous weights.
  KOKKOS_INLINE_FUNCTION static void copy_run(const Scalar* from, Scalar* to, std::int32_t count,
                                              int thread) {
    constexpr int turns = 4;
    from += thread * together;
    to += thread * together;
    count -= thread * together;
    SYNELIX_UNROLL(1)
    for (; count > (turns - 1) * apart; count -= turns * apart) {
      SYNELIX_UNROLL(16)
      for (int i = 0; i < turns; ++i) copy(from + i * apart, to + i * apart);
      from += turns * apart;
      to += turns * apart;
    }
    SYNELIX_UNROLL(1)
    for (; count > 0; count -= apart) {
      copy(from, to);
      from += apart;
      to += apart;
    }
  }

  /// Copies some taps of some channels; channels, planes and lines are `steps` taps apart.
  KOKKOS_INLINE_FUNCTION static void copy_taps(const Scalar* from, const std::int64_t (&steps)[3],
                                               const std::int32_t (&taps)[3],
                                               const index::SmallDivisor& panel,
                                               std::int32_t channels, Scalar* to, int thread) {
    const std::int32_t of_channel = taps[0] * taps[1] * taps[2];
    const std::int32_t count = channels * of_channel * panel.size;
    SYNELIX_UNROLL(1)
    for (std::int32_t place = thread * together; place < count; place += apart) {
      std::int32_t row = panel.divide(place);
      const std::int32_t column = place - row * panel.size;
      const std::int32_t c = row / of_channel;
      row -= c * of_channel;
      const std::int32_t line = row / taps[2];
      const std::int32_t plane = line / taps[1];
      const std::int32_t of_plane = line - plane * taps[1];
      const std::int32_t of_line = row - line * taps[2];
      const std::int64_t tap = c * steps[0] + plane * steps[1] + of_plane * steps[2] + of_line;
      copy(from + tap * panel.size + column, to + place);
    }
  }

 private:
  /// Copies one weight, or a pack of them.
  KOKKOS_INLINE_FUNCTION static void copy(const Scalar* from, Scalar* to) {
    if constexpr (tile_columns == 1) {
      *to = *from;
    } else {
      Pack::load(from).store(to);
    }
  }
};

/// Stages an output gradient of a box of positions by some columns as (position, column), by packs
/// of neighboring positions: lines begin with a pack, and consist of full packs. Two threads read
/// 32 bytes, and a warp writes to different banks.
template <class Scalar>
struct DeviceConvLines {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;

  const pack::ConvSource& source;
  const Range (&box)[conv_box_dimensions];
  const DeviceConvWindow& window;
  Scalar* to;
  std::int32_t* places;  ///< (position): its place for the first tap and channel
  std::int64_t channel;  ///< of the first column
  std::int32_t there;    ///< existing columns; the others are zeros
  std::int32_t columns;

  template <int threads, class Pitch>
  KOKKOS_INLINE_FUNCTION void stage(int thread, const Pitch& pitch) const {
    const std::int64_t* const strides = source.space_strides;
    const auto length = static_cast<std::int32_t>(box[3].size());
    const std::int32_t half = thread % 2 * Pack::lanes;
    const std::int32_t first = thread / 2;
    const Scalar* const from = static_cast<const Scalar*>(source.data) + box[3].begin + half +
                               (channel + first) * source.channel_stride;
    std::int32_t begin = 0;
    std::int32_t place = 0;
    for (std::int64_t entry = box[0].begin; entry < box[0].end; ++entry) {
      std::int32_t of_plane = place;
      for (std::int64_t i = box[1].begin; i < box[1].end; ++i) {
        std::int32_t of_line = of_plane;
        for (std::int64_t j = box[2].begin; j < box[2].end; ++j) {
          const Scalar* line = from + entry * source.batch_stride + i * strides[0] + j * strides[1];
          Scalar* at = to + (begin + half) * pitch + first;
          SYNELIX_UNROLL(1)
          for (std::int32_t column = first; column < columns; column += threads / 2) {
            stage_line(line, column < there, at, pitch, length - half);
            line += threads / 2 * source.channel_stride;
            at += threads / 2;
          }
          for (std::int32_t p = thread; p < length; p += threads) {
            places[begin + p] = of_line + p * window.position_steps[2];
          }
          begin += length;
          of_line += window.position_steps[1];
        }
        of_plane += window.position_steps[0];
      }
      place += window.entry_step;
    }
  }

 private:
  /// Every second pack of a line of one column, starting with the first; zeros if there is none.
  template <class Pitch>
  KOKKOS_INLINE_FUNCTION static void stage_line(const Scalar* line, bool is_there, Scalar* at,
                                                const Pitch& pitch, std::int32_t left) {
    constexpr int apart = 2 * Pack::lanes;
    if (!is_there) {
      for (; left > 0; left -= apart, at += apart * pitch) {
        for (int i = 0; i < Pack::lanes; ++i) at[i * pitch] = Scalar(0);
      }
    }
    SYNELIX_UNROLL(1)
    for (; left > 0; left -= apart) {
      const Pack some = Pack::load(line);
      SYNELIX_UNROLL(16)
      for (int i = 0; i < Pack::lanes; ++i) at[i * pitch] = some.values[i];
      at += apart * pitch;
      line += apart;
    }
  }
};

}  // namespace synelix::sweep
