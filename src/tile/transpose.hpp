// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/interleave.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The transposing tile: contiguous values of vectors become contiguous columns. As many packs as a
/// pack has lanes are transposed at a time in registers.

namespace synelix::tile {

/// Arguments of a transposing tile: to[i to_step + v] = from[v from_step + i].
template <class Scalar>
struct TransposeTile {
  const Scalar* from;
  std::int64_t from_step;  ///< from one vector to the next
  Scalar* to;
  std::int64_t to_step;  ///< from one value of the vectors to the next
  std::int64_t vectors;
  std::int64_t values;  ///< of each vector
  bool ends;            ///< whether stored values are results, which are made canonical
};

/// The slow reference.
template <class Scalar, class Set>
void transpose_reference(const TransposeTile<Scalar>& tile) {
  for (std::int64_t v = 0; v < tile.vectors; ++v) {
    for (std::int64_t i = 0; i < tile.values; ++i) {
      const Scalar value = tile.from[v * tile.from_step + i];
      tile.to[i * tile.to_step + v] = tile.ends ? lanes::canonical(Set{}, value) : value;
    }
  }
}

#ifndef SYNELIX_DEVICE_COMPILER

/// A number of values of a number of vectors, at most a pack of each.
template <class Scalar, class Set, bool is_whole>
SYNELIX_INLINE void transpose_packs(const Scalar* from, std::int64_t from_step, Scalar* to,
                                    std::int64_t to_step, int vectors, int values, bool ends) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack packs[Pack::lanes];
  SYNELIX_UNROLL(16)
  for (int v = 0; v < Pack::lanes; ++v) {
    if constexpr (is_whole) {
      packs[v] = lanes::load_unaligned<Scalar, Set>(from + v * from_step);
    } else {
      packs[v] =
          v < vectors ? lanes::load_part<Scalar, Set>(from + v * from_step, values) : Pack::zero();
    }
  }
  lanes::interleave(packs);
  SYNELIX_UNROLL(16)
  for (int i = 0; i < Pack::lanes; ++i) {
    const Pack pack = ends ? packs[i].canonical() : packs[i];
    if constexpr (is_whole) {
      lanes::store_unaligned(pack, to + i * to_step);
    } else {
      if (i < values) lanes::store_part(pack, to + i * to_step, 0, vectors);
    }
  }
}

/// The tile itself.
template <class Scalar, class Set>
SYNELIX_INLINE void transpose_tile(const TransposeTile<Scalar>& tile) {
  constexpr int lanes = lanes::Pack<Scalar, Set>::lanes;
  const bool ends = tile.ends;
  for (std::int64_t v = 0; v < tile.vectors; v += lanes) {
    const auto vectors = static_cast<int>(tile.vectors - v < lanes ? tile.vectors - v : lanes);
    for (std::int64_t i = 0; i < tile.values; i += lanes) {
      const auto values = static_cast<int>(tile.values - i < lanes ? tile.values - i : lanes);
      const Scalar* const from = tile.from + v * tile.from_step + i;
      Scalar* const to = tile.to + i * tile.to_step + v;
      if (vectors == lanes && values == lanes) {
        transpose_packs<Scalar, Set, true>(from, tile.from_step, to, tile.to_step, lanes, lanes,
                                           ends);
      } else {
        transpose_packs<Scalar, Set, false>(from, tile.from_step, to, tile.to_step, vectors, values,
                                            ends);
      }
    }
  }
}

#endif  // SYNELIX_DEVICE_COMPILER

}  // namespace synelix::tile
