// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "tile/family.hpp"
#include "tile/row_loss.hpp"

/// \file
/// The losses of a block of rows, pack by pack. In registers: the sum of each lane; all else is of
/// one pack.

namespace synelix::tile {

/// w x; 0 where w is 0, whatever x is.
template <class Pack>
SYNELIX_INLINE Pack weighed(const Pack& w, const Pack& x) {
  return lanes::select_equal(w, Pack::zero(), Pack::zero(), w * x);
}

template <class Set>
SYNELIX_INLINE lanes::Pack<double, Set> load_rows(const double* from, int count) {
  return count == lanes::Pack<double, Set>::lanes ? lanes::load_unaligned<double, Set>(from)
                                                  : lanes::load_part<double, Set>(from, count);
}

/// Adds w l of `count` rows from `row` on, as many as a pack has lanes or fewer.
template <bool has_curvature, class Rows, class Set>
SYNELIX_INLINE void add_rows(const Rows& family, const RowLossTile& tile, std::int64_t row,
                             int count, lanes::Pack<double, Set>& sum) {
  using Pack = lanes::Pack<double, Set>;
  const Pack eta = load_rows<Set>(tile.predictor + row, count);
  const Pack y = load_rows<Set>(tile.target + row, count);
  const Pack w = load_rows<Set>(tile.weight + row, count);
  const RowLosses<Pack> rows = checked_rows(family, eta, y);
  sum = sum + weighed(w, rows.loss);
  lanes::store_part(weighed(w, rows.residual), tile.residual + row, 0, count);
  if constexpr (has_curvature) {
    lanes::store_part(weighed(w, rows.curvature), tile.curvature + row, 0, count);
  }
}

template <bool has_curvature, class Rows, class Set>
SYNELIX_INLINE double walk(const RowLossTile& tile) {
  using Pack = lanes::Pack<double, Set>;
  const Rows family(tile.dispersion);
  Pack sum = Pack::zero();
  std::int64_t row = 0;
  for (; row + Pack::lanes <= tile.rows; row += Pack::lanes) {
    add_rows<has_curvature, Rows, Set>(family, tile, row, Pack::lanes, sum);
  }
  const int left = static_cast<int>(tile.rows - row);
  if (left > 0) add_rows<has_curvature, Rows, Set>(family, tile, row, left, sum);
  return lanes::sum_of_lanes(sum);
}

template <class Rows, class Set>
SYNELIX_INLINE double walk_rows(const RowLossTile& tile) {
  return tile.curvature == nullptr ? walk<false, Rows, Set>(tile) : walk<true, Rows, Set>(tile);
}

}  // namespace synelix::tile
