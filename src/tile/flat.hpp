// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// The flat tile: neighboring rows of one channel, all bases, as one line of (row, basis). A pack
/// is a run of that line: it adds a sample times a run of the taps with the same layout.
///
/// In registers: an accumulator for each of a few neighboring packs, and one sample. In memory:
/// samples, taps and results of any alignment, in the first-level cache. For hosts.
///
/// Nothing is packed before and nothing is interleaved afterwards, which pays off for a few rows.
/// Sums have the bits of the direct tile: taps in the order w = 0, 1, ..., one multiply_add each.
/// If the rows of a pack need different samples, zeros around the taps are added, too. A zero times
/// a sample that is not finite is a wrong NaN, so packs with sums that are not finite are computed
/// again, one value at a time.

namespace synelix::tile {

/// Number of zeros before and after the taps: the number of values in the largest packs that are
/// summed together.
template <class Scalar>
inline constexpr std::int64_t flat_zeros =
    std::int64_t{tune::flat_packs} * 64 / static_cast<std::int64_t>(sizeof(Scalar));

/// Arguments of a flat tile.
template <class Scalar>
struct FlatTile {
  const Scalar* samples;  ///< contiguous; samples[0] is the sample of row 0 and tap 0
  std::int64_t oldest;    ///< the oldest sample of any row; not above 0
  const Scalar* taps;     ///< taps(w, b) at taps[w * bases + b], between `flat_zeros`
  std::int64_t window;
  std::int64_t bases;
  std::int64_t rows;
  Scalar* results;  ///< rows x bases; less than a pack after them is written, too
};

/// Sum of one value: row `r` of basis `b`. Also the slow reference.
template <class Scalar, class Set>
SYNELIX_INLINE Scalar flat_value(const FlatTile<Scalar>& tile, std::int64_t r, std::int64_t b) {
  const std::int64_t seen = r - tile.oldest + 1;
  const std::int64_t taps = seen < tile.window ? seen : tile.window;
  Scalar sum = 0;
  for (std::int64_t w = 0; w < taps; ++w) {
    sum = multiply_add(Set{}, tile.samples[r - w], tile.taps[w * tile.bases + b], sum);
  }
  return canonical(Set{}, sum);
}

/// A few neighboring packs of the line, from value `first` on: together they hide the latency of a
/// multiply_add. Their rows are [row, newest]. Returns whether all sums are finite.
template <int count, class Scalar, class Set>
SYNELIX_INLINE bool flat_packs(const FlatTile<Scalar>& tile, std::int64_t first, std::int64_t row,
                               std::int64_t newest) {
  using Pack = lanes::Pack<Scalar, Set>;
  const std::int64_t reached = row - tile.window + 1;
  const std::int64_t oldest = reached > tile.oldest ? reached : tile.oldest;
  const Scalar* taps = tile.taps + first - newest * tile.bases;
  Pack sums[count];
  SYNELIX_UNROLL(8)
  for (int k = 0; k < count; ++k) sums[k] = Pack::zero();
  SYNELIX_UNROLL(1)
  for (std::int64_t s = newest; s >= oldest; --s) {
    const Pack x = Pack::broadcast(tile.samples[s]);
    SYNELIX_UNROLL(8)
    for (int k = 0; k < count; ++k) {
      sums[k] = multiply_add(x, Pack::load_anywhere(taps + k * Pack::lanes), sums[k]);
    }
    taps += tile.bases;
  }
  Pack scan = Pack::zero();
  SYNELIX_UNROLL(8)
  for (int k = 0; k < count; ++k) {
    scan = multiply_add(sums[k], Pack::zero(), scan);
    sums[k].canonical().store_anywhere(tile.results + first + k * Pack::lanes);
  }
  return scan.is_zero();
}

/// The same with `count` known only at run time.
template <class Scalar, class Set, int most = tune::flat_packs>
SYNELIX_INLINE bool flat_group(const FlatTile<Scalar>& tile, std::int64_t count, std::int64_t first,
                               std::int64_t row, std::int64_t newest) {
  if (most == 1 || count == most) return flat_packs<most, Scalar, Set>(tile, first, row, newest);
  if constexpr (most > 1) {
    return flat_group<Scalar, Set, most - 1>(tile, count, first, row, newest);
  }
  return false;
}

/// The tile itself.
template <class Scalar, class Set>
SYNELIX_INLINE void flat_tile(const FlatTile<Scalar>& tile) {
  constexpr std::int64_t lanes = lanes::Pack<Scalar, Set>::lanes;
  const std::int64_t values = tile.rows * tile.bases;
  const std::int64_t packs = (values + lanes - 1) / lanes;
  const std::int64_t groups = (packs + tune::flat_packs - 1) / tune::flat_packs;
  std::int64_t begin = 0;
  SYNELIX_UNROLL(1)
  for (std::int64_t g = 1; g <= groups; ++g) {
    const std::int64_t next = packs * g / groups;
    const std::int64_t first = begin * lanes;
    const std::int64_t end = next * lanes < values ? next * lanes : values;
    const bool is_finite = flat_group<Scalar, Set>(tile, next - begin, first, first / tile.bases,
                                                   (end - 1) / tile.bases);
    begin = next;
    if (is_finite) continue;
    for (std::int64_t i = first; i < end; ++i) {
      tile.results[i] = flat_value<Scalar, Set>(tile, i / tile.bases, i % tile.bases);
    }
  }
}

}  // namespace synelix::tile
