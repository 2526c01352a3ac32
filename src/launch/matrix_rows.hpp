// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "tile/matrix.hpp"
#include "tile/table.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace synelix::sweep {

/// Rows of a panel of so many packs, the last of which may be half of one, by tiles of about as
/// many each. The tile is moved behind them.
template <class Scalar>
KOKKOS_FUNCTION void multiply_rows(const tile::TileTable<Scalar>& table,
                                   tile::MatrixTile<Scalar>& tile, int packs, std::int64_t rows) {
  const auto* const tiles =
      tile.last_columns <= table.half_lanes ? table.matrix_half[packs] : table.matrix[packs];
  const std::int64_t blocks = index::ceil_divide(rows, table.matrix_rows[packs]);
  for (std::int64_t left = blocks; left > 0; --left) {
    const std::int64_t count = index::ceil_divide(rows, left);
    tiles[count](tile);
    tile.left += count * tile.left_row;
    tile.sums += count * tile.sums_row;
    if (tile.from != nullptr) tile.from += count * tile.from_row;
    tile.result += count * tile.result_row;
    rows -= count;
  }
}

}  // namespace synelix::sweep
