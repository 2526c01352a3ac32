// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// The tile of matrix products on a device: what a thread holds in registers, and a team in
/// scratch. What a compiler for sm_90 makes of it stands in perf/NOTES.md, Devices. Not measured
/// on a device yet.

namespace synelix::tune {

/// Rows and columns of a part of a product, which a team computes.
inline constexpr int device_tile_part = 64;
/// Rows and columns of a thread, by the bytes of a scalar: 64 sums of float, or 32 of double. They
/// are read as packs of 16 bytes: 4 accesses for 64 multiply-adds of float, and 6 for 32 of double.
constexpr int device_tile_rows(int bytes) { return bytes > 4 ? 4 : 8; }
inline constexpr int device_tile_columns = 8;
/// Threads of a team.
constexpr int device_tile_threads(int bytes) {
  return device_tile_part / device_tile_rows(bytes) * (device_tile_part / device_tile_columns);
}
/// Teams that are to be resident on a core: with these a thread has 168 registers, and a core 12
/// warps, as for window tiles (tune/device.hpp). With 128 registers 648 bytes of a product of float
/// spilled. On an AMD device they are waves on a part of a core.
#ifdef __HIPCC__
constexpr int device_tile_teams(int) { return 2; }
#else
constexpr int device_tile_teams(int bytes) { return 384 / device_tile_threads(bytes); }
#endif
/// Inner indices that are staged together: 17 KiB for both operands.
constexpr int device_tile_inner(int bytes) { return bytes > 4 ? 16 : 32; }
/// The same of forms, whose sums are in scratch, too: with what Kokkos takes they stay within the
/// 48 KiB that a team of CUDA has where nobody asks for more, which Kokkos 4 never does.
constexpr int device_form_inner(int bytes) { return bytes > 4 ? 12 : 32; }

}  // namespace synelix::tune
