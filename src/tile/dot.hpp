// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Dot products of the rows of two blocks, added to a pack of sums of each row: lane l takes the
/// columns l, l + lanes, ... in their order, one multiply_add each. So a row's sums do not depend
/// on the division of columns into blocks of full packs.

namespace synelix::tile {

/// Arguments of a dot tile. Columns are contiguous; strides count values.
template <class Scalar>
struct DotTile {
  const Scalar* left;  ///< row 0, column 0
  std::int64_t left_row;
  const Scalar* right;  ///< row 0, column 0
  std::int64_t right_row;
  Scalar* sums;  ///< a pack of each row, at any address
  std::int64_t rows;
  std::int64_t packs;  ///< at least 1
  int last_columns;    ///< columns of the last pack, at least 1: no more are read
};

/// The tile itself.
template <class Scalar, class Set>
SYNELIX_INLINE void dot_tile(const DotTile<Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  const std::int64_t last = (tile.packs - 1) * lanes;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const Scalar* const left = tile.left + r * tile.left_row;
    const Scalar* const right = tile.right + r * tile.right_row;
    Pack sum = lanes::load_unaligned<Scalar, Set>(tile.sums + r * lanes);
    for (std::int64_t j = 0; j < last; j += lanes) {
      sum = multiply_add(lanes::load_unaligned<Scalar, Set>(left + j),
                         lanes::load_unaligned<Scalar, Set>(right + j), sum);
    }
    sum = multiply_add(lanes::load_part<Scalar, Set>(left + last, tile.last_columns),
                       lanes::load_part<Scalar, Set>(right + last, tile.last_columns), sum);
    lanes::store_unaligned(sum, tile.sums + r * lanes);
  }
}

/// The slow reference.
template <class Scalar, class Set>
void dot_reference(const DotTile<Scalar>& tile, int lanes) {
  const std::int64_t columns = (tile.packs - 1) * lanes + tile.last_columns;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t j = 0; j < tile.packs * lanes; ++j) {
      const bool is_there = j < columns;
      Scalar& sum = tile.sums[r * lanes + j % lanes];
      sum = multiply_add(Set{}, is_there ? tile.left[r * tile.left_row + j] : Scalar(0),
                         is_there ? tile.right[r * tile.right_row + j] : Scalar(0), sum);
    }
  }
}

}  // namespace synelix::tile
