// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/conv_sizes.hpp"

#include <cstdint>

/// \file
/// The tile of a thread of a convolution operator on a device: `device_conv_rows` rows, and columns
/// by the bytes of a scalar: two halves of 32 bytes, one half if there are fewer columns, or one
/// column. 64 sums of float, or 32 of double, take half of the 128 registers of a thread. Rows are
/// read one by one and columns as packs, so more columns are better than more rows. perf/NOTES.md,
/// Devices, has the results of a compiler for sm_90. Not measured on a device yet.

namespace synelix::tune {

constexpr int device_conv_half_columns(int bytes) { return 32 / bytes; }
/// Whether threads have one column each, because a half would be mostly empty.
constexpr bool device_conv_is_narrow(std::int64_t output_channels, int bytes) {
  return 2 * output_channels <= device_conv_half_columns(bytes);
}

/// Bytes that a team stages: below 32 KiB with the items, of which an AMD core has two, and which a
/// team of CUDA has without a request for more. The more channels or positions are staged together,
/// the fewer instructions other than multiply-adds each thread has. It affects bits of gradients by
/// weights.
inline constexpr int device_conv_window_stage = 31 * 1024 - 320;

/// Stride of positions in a staged output gradient, for items with the most columns: one pack more,
/// so that threads do not write to one bank.
constexpr int device_conv_pitch(int bytes) {
  return device_conv_column_threads * device_conv_half_columns(bytes) + 16 / bytes;
}

/// Threads of a team: the same number of sums in each team with more than one column.
constexpr int device_conv_threads_of(int columns, int bytes) {
  return columns > device_conv_half_columns(bytes) ? device_conv_threads / 2 : device_conv_threads;
}

/// Whether there are registers, besides sums, for notes of slots and for loops with constant
/// distances in scratch. clang for AMD reads far ahead in them, and spilled up to 412.
#ifdef __HIPCC__
inline constexpr bool device_conv_has_registers = false;
#else
inline constexpr bool device_conv_has_registers = true;
#endif

/// The target number of resident teams on a core. With these a thread has 168 registers, and a core
/// 12 warps; for two halves of double 255, and 8 warps: with 168 registers 180 bytes spilled. On an
/// AMD device they are waves on a part of a core.
#ifdef __HIPCC__
constexpr int device_conv_resident(int, int) { return 2; }
#else
constexpr int device_conv_resident(int columns, int bytes) {
  const bool is_large = bytes > 4 && columns > device_conv_half_columns(bytes);
  return device_conv_threads * (is_large ? 2 : 3) / device_conv_threads_of(columns, bytes);
}
#endif

}  // namespace synelix::tune
