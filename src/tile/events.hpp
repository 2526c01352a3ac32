// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The event tile: adds the taps of one event to the rows whose windows contain it.
///
/// Nothing stays in registers from call to call; the rows stay in the first-level cache. There is
/// one multiply_add of count x tap for each value. So a row's sum over its events, newest first,
/// has the bits of the direct tile, whose other terms add zero.

namespace synelix::tile {

/// Arguments of the event tile: rows of `width` values, and the taps to add to each of them.
template <class Scalar>
struct EventRows {
  Scalar* sums;
  std::int64_t sums_step;  ///< values from row to row
  const Scalar* taps;
  std::int64_t taps_step;
  std::int64_t width;
  std::int64_t rows;
};

/// sums[i] += count * taps[i] for n values, of any alignment.
template <class Scalar, class Set>
SYNELIX_INLINE void add_run(Scalar* sums, const Scalar* taps, Scalar count, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    sums[i] = multiply_add(Set{}, taps[i], count, sums[i]);
  }
}

/// The same for a number known at compile time, which becomes moves of registers.
template <int n, class Scalar, class Set>
SYNELIX_INLINE void add_some(Scalar* sums, const Scalar* taps, Scalar count) {
  Scalar values[n];
  SYNELIX_UNROLL(16)
  for (int i = 0; i < n; ++i) values[i] = multiply_add(Set{}, taps[i], count, sums[i]);
  SYNELIX_UNROLL(16)
  for (int i = 0; i < n; ++i) sums[i] = values[i];
}

/// One row.
template <class Scalar, class Set>
SYNELIX_INLINE void add_row(Scalar* sums, const Scalar* taps, Scalar count, std::int64_t width) {
  std::int64_t i = 0;
  SYNELIX_UNROLL(1)
  for (; i + 16 <= width; i += 16) add_some<16, Scalar, Set>(sums + i, taps + i, count);
  if ((width & 8) != 0) add_some<8, Scalar, Set>(sums + i, taps + i, count);
  i += width & 8;
  if ((width & 4) != 0) add_some<4, Scalar, Set>(sums + i, taps + i, count);
  i += width & 4;
  if ((width & 2) != 0) add_some<2, Scalar, Set>(sums + i, taps + i, count);
  i += width & 2;
  if ((width & 1) != 0) add_some<1, Scalar, Set>(sums + i, taps + i, count);
}

/// Rows of a width known at compile time. Each is a separate function: if they are combined in one,
/// g++ 14 makes packs across rows of them, which takes 5 times as long for 4 bases. Remove when it
/// does not.
template <int width, class Scalar, class Set>
SYNELIX_APART void add_rows(const EventRows<Scalar>& tile, Scalar count) {
  Scalar* sums = tile.sums;
  const Scalar* taps = tile.taps;
  SYNELIX_UNROLL(4)
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    add_some<width, Scalar, Set>(sums, taps, count);
    sums += tile.sums_step;
    taps += tile.taps_step;
  }
}

/// Rows of at most `most` values. Returns false if they have more.
template <int most, class Scalar, class Set>
SYNELIX_INLINE bool add_narrow_rows(const EventRows<Scalar>& tile, Scalar count) {
  if constexpr (most == 0) {
    return false;
  } else {
    if (tile.width != most) return add_narrow_rows<most - 1, Scalar, Set>(tile, count);
    add_rows<most, Scalar, Set>(tile, count);
    return true;
  }
}

/// The tile itself.
template <class Scalar, class Set>
SYNELIX_INLINE void add_event(const EventRows<Scalar>& tile, Scalar count) {
  if (tile.sums_step == tile.width && tile.taps_step == tile.width) {  // all rows are contiguous
    return add_run<Scalar, Set>(tile.sums, tile.taps, count, tile.rows * tile.width);
  }
  if (add_narrow_rows<16, Scalar, Set>(tile, count)) return;
  Scalar* sums = tile.sums;
  const Scalar* taps = tile.taps;
  SYNELIX_UNROLL(1)
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    add_row<Scalar, Set>(sums, taps, count, tile.width);
    sums += tile.sums_step;
    taps += tile.taps_step;
  }
}

}  // namespace synelix::tile
