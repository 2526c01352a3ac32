// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// `ColumnTable`: the column tiles of one instruction set as functions. A separate table, since
/// only the direct method calls them. The compiler of a device, which does not support packs of a
/// host, reads this file instead of the tile (tile/column.hpp).

namespace synelix::tile {

/// Arguments of a column tile.
template <class Scalar>
struct ColumnTile {
  const Scalar* samples;  ///< sample of value 0 and tap 0
  std::int64_t tap_step;  ///< values between the samples of neighboring taps: the number of
                          ///< channels
  const Scalar* taps;     ///< (tap, basis), contiguous
  std::int64_t window;    ///< limited by tune::column_step
  std::int64_t blocks;    ///< each of column_packs * step samples of all channels
  Scalar* to;             ///< (value, basis), contiguous; aligned if stores are streamed
  Stores stores;
};

/// The exponent of n, a power of two.
constexpr int power_of(int n) {
  int power = 0;
  while (n > 1 << power) ++power;
  return power;
}

/// The column tiles of one instruction set and scalar type.
template <class Scalar>
struct ColumnTable {
  static constexpr int powers = power_of(tune::most_pack_lanes) + 1;
  using Column = void (*)(const ColumnTile<Scalar>&);

  /// The tile for 2^b bases and packs 2^s samples apart, by (b, s); null: the set has none.
  Column column[powers][powers];
};

/// The table of a set, a constant. Defined in tile/column.hpp, compiled for each set of the
/// build.
template <class Scalar, class Set>
const ColumnTable<Scalar>& column_table_for();

}  // namespace synelix::tile
