// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// `ColumnTable`: the column tiles of one instruction set as functions. A table of their own, since
/// the direct method alone calls them. The compiler of a device, which knows no packs of a host,
/// reads this file and not the tile (tile/column.hpp).

namespace synelix::tile {

/// Arguments of a column tile.
template <class Scalar>
struct ColumnTile {
  const Scalar* samples;  ///< what value 0 sees by tap 0
  std::int64_t tap_step;  ///< values between what it sees by neighboring taps: the channels
  const Scalar* taps;     ///< (tap, basis), side by side
  std::int64_t window;    ///< what tune::column_step allows
  std::int64_t blocks;    ///< each of column_packs * step samples of all channels
  Scalar* to;             ///< (value, basis), side by side; aligned where stores are streamed
  Stores stores;
};

/// The power of two that n is.
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

  /// Of 2^b bases and packs 2^s samples apart, by (b, s); null: the set has none.
  Column column[powers][powers];
};

/// The table of a set, a constant. Defined in tile/column.hpp, compiled for each set of the
/// build.
template <class Scalar, class Set>
const ColumnTable<Scalar>& column_table_for();

}  // namespace synelix::tile
