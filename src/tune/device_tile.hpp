// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// The tile of matrix products on a device: a thread's registers, and a team's scratch.
/// perf/NOTES.md, Devices, has the results of a compiler for sm_90. Not measured on a device yet.

namespace synelix::tune {

/// Rows and columns of a part of a product, the work of a team.
inline constexpr int device_tile_part = 64;

/// A tile. It does not affect the bits.
struct DeviceTileShape {
  int rows;     ///< of a thread
  int columns;  ///< of a thread
  int inner;    ///< inner indices that are staged together
  int warps;    ///< of 32 threads that are to be resident on a core; on an AMD device waves on a
                ///< part of it

  /// Threads of a team.
  [[nodiscard]] constexpr int threads() const {
    return device_tile_part / rows * (device_tile_part / columns);
  }
};

/// For products, by the bytes of a scalar: 64 sums of float, or 32 of double. They are read as
/// packs of 16 bytes: 4 accesses for 64 multiply-adds of float, and 6 for 32 of double. Both
/// operands take 17 KiB of scratch. With 12 warps a thread has 168 registers, as for window tiles
/// (tune/device.hpp), with 8 it has 255. With 128 registers 648 bytes of float spilled, and with
/// 168 of double 236.
#ifdef __HIPCC__
constexpr DeviceTileShape device_product_tile(int bytes) {
  return bytes > 4 ? DeviceTileShape{4, 8, 16, 2} : DeviceTileShape{8, 8, 32, 2};
}
#else
constexpr DeviceTileShape device_product_tile(int bytes) {
  return bytes > 4 ? DeviceTileShape{4, 8, 16, 8} : DeviceTileShape{8, 8, 32, 12};
}
#endif

/// For forms, whose sums are in scratch at the end: with Kokkos' own memory they stay within the 48
/// KiB that a team of CUDA has without a request for more, which Kokkos 4 never makes.
constexpr DeviceTileShape device_form_tile(int bytes) {
  DeviceTileShape shape = device_product_tile(bytes);
  if (bytes > 4) shape.inner = 12;
  return shape;
}

/// For fits, which stage features of any type, and only valid rows: that takes registers from the
/// sums. With 168 registers 144 bytes of float spilled. clang for AMD spilled up to 900 bytes
/// besides 64 sums of 256 registers.
#ifdef __HIPCC__
constexpr DeviceTileShape device_fit_tile(int bytes) {
  return bytes > 4 ? DeviceTileShape{4, 4, 16, 2} : DeviceTileShape{4, 4, 32, 2};
}
#else
constexpr DeviceTileShape device_fit_tile(int bytes) {
  DeviceTileShape shape = device_product_tile(bytes);
  shape.warps = 8;
  return shape;
}
#endif

/// Whether features are staged as packs.
#ifdef __HIPCC__
inline constexpr bool device_fit_packs = false;
#else
inline constexpr bool device_fit_packs = true;
#endif

/// Unrolled iterations of the inner loop.
#ifdef __HIPCC__
inline constexpr int device_tile_turns = 4;
#else
inline constexpr int device_tile_turns = 8;
#endif

/// For symmetric products of fits: columns of a panel on the diagonal, whose features are read
/// once, and the sums of a thread, with the same number of totals in double. Ten warps of a panel
/// have 168 registers: with all totals of double in them 596 bytes spilled. So double stages half
/// as much (17 KiB) and has 11 of 32 totals in scratch. Then nothing spills.
inline constexpr int device_gram_panel = 128;
inline constexpr int device_gram_rows = 4;
constexpr int device_gram_inner(int bytes) { return bytes > 4 ? 8 : 32; }
/// Unrolled iterations of the inner loop: with 2 of double 132 bytes spilled, with 8 220.
constexpr int device_gram_turns(int bytes) { return bytes > 4 ? 1 : device_tile_turns; }
#ifdef __HIPCC__
inline constexpr int device_gram_columns = 4;
/// A thread for each unit, rounded up to full waves.
constexpr int device_gram_threads(std::int64_t units) {
  return static_cast<int>((units + 63) / 64 * 64);
}
constexpr int device_gram_teams(int /*threads*/) { return 2; }
#else
inline constexpr int device_gram_columns = 8;
/// A thread for each unit, rounded up to full warps.
constexpr int device_gram_threads(std::int64_t units) {
  return static_cast<int>((units + 31) / 32 * 32);
}
constexpr int device_gram_teams(int threads) { return threads > 128 ? 1 : 3; }
#endif

/// Launch bounds for Kokkos: teams on a core, or waves on a part of one.
#ifdef __HIPCC__
constexpr int device_tile_teams(DeviceTileShape shape) { return shape.warps; }
#else
constexpr int device_tile_teams(DeviceTileShape shape) {
  return shape.warps * 32 / shape.threads();
}
#endif

}  // namespace synelix::tune
