// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/interleave.hpp"
#include "tile/column_table.hpp"
#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// The column tile: a line of (sample, channel), as in tile/line.hpp, whose results are computed
/// pack by pack of (channel, basis). Packs of one column are `step` samples apart, such that all of
/// them begin a cache line if one does. They use the same samples with different taps, and load
/// each sample once.
///
/// In registers: an accumulator for each of 8 packs, the taps of a block, one sample. Lanes of an
/// accumulator are (basis, value), so a sample is a few neighboring values, repeated for each
/// basis, and each basis' tap is repeated the same number of times in a pack of taps. Results are
/// transposed in one shuffle. In memory: samples of any alignment, contiguous taps. For hosts with
/// registers of 64 bytes.
///
/// Sums have the bits of the direct tile: taps in the order w = 0, 1, ..., W - 1, one multiply_add
/// each. Results are canonical.

namespace synelix::tile {

using tune::column_packs;

/// Each of the first values, repeated `times` times.
template <int times>
struct EachRepeated {
  static constexpr int lane(int i) { return i / times; }
};
/// Transposes (row, column) with `rows` rows to (column, row).
template <int lanes, int rows>
struct Transposed {
  static constexpr int lane(int i) { return i % rows * (lanes / rows) + i / rows; }
};
/// `values` values of any alignment, repeated through the pack.
template <int values, class Scalar, class Set>
SYNELIX_INLINE lanes::Pack<Scalar, Set> load_values(const Scalar* from) {
  if constexpr (values * sizeof(Scalar) == sizeof(double)) {
    using Register = typename lanes::Pack<Scalar, Set>::Register;
    double both;
    __builtin_memcpy(&both, from, sizeof both);
    return {reinterpret_cast<Register>(lanes::Pack<double, Set>::broadcast(both).values)};
  } else {
    return lanes::load_repeated<values, Scalar, Set>(from);
  }
}

/// Adds `depth` taps to the packs of a column. The newest sample comes first, so each pack takes
/// its taps in order. `taps` are packs of any alignment, or single values if there is one basis.
template <int depth, int step, int bases, class Scalar, class Set>
SYNELIX_INLINE void add_column_taps(lanes::Pack<Scalar, Set> (&sums)[column_packs],
                                    const Scalar* samples, std::int64_t tap_step,
                                    const Scalar* taps) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack tap[depth];
  SYNELIX_UNROLL(16)
  for (int w = 0; w < depth; ++w) {
    tap[w] = bases == 1 ? Pack::broadcast(taps[w]) : Pack::load_anywhere(taps + w * Pack::lanes);
  }
  constexpr int newest = step * (column_packs - 1);
  samples += newest * tap_step;
  SYNELIX_UNROLL(96)
  for (int i = newest; i > -depth; --i) {
    const Pack x = load_values<Pack::lanes / bases, Scalar, Set>(samples);  // position of the
                                                                            // sample in a pack
    SYNELIX_UNROLL(16)
    for (int w = 0; w < depth; ++w) {
      const int r = (i + w) / step;
      if (i + w >= 0 && (i + w) % step == 0 && r < column_packs) {
        sums[r] = multiply_add(x, tap[w], sums[r]);
      }
    }
    samples -= tap_step;
    // Multiples of the step would be computed in advance, one for each load, and spilled (g++ 14).
    // Remove when tests/assembly finds no spills without it.
    asm("" : "+r"(samples));
  }
}

/// All taps, by blocks of `depth`, depth / 2, ..., 1 taps.
template <int depth, int step, int bases, class Scalar, class Set>
SYNELIX_INLINE void add_column_window(lanes::Pack<Scalar, Set> (&sums)[column_packs],
                                      const Scalar* samples, std::int64_t tap_step,
                                      const Scalar* taps, std::int64_t window) {
  SYNELIX_UNROLL(1)
  while (window >= depth) {
    add_column_taps<depth, step, bases>(sums, samples, tap_step, taps);
    samples -= depth * tap_step;
    taps += depth * (bases == 1 ? 1 : lanes::Pack<Scalar, Set>::lanes);
    window -= depth;
  }
  if constexpr (depth > 1) {
    add_column_window<depth / 2, step, bases>(sums, samples, tap_step, taps, window);
  }
}

/// The tile itself.
template <class Scalar, class Set, int bases, int step>
SYNELIX_INLINE void column_tile(const ColumnTile<Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int values = Pack::lanes / bases;  // of a pack of results
  constexpr int depth = tune::column_depth(bases);
  constexpr bool is_part = bases > 1 && values > 1;  // a pack holds the taps of all bases
  alignas(64) Scalar packs[is_part ? tune::most_column_window * Pack::lanes : 1];
  const Scalar* taps = tile.taps;
  if constexpr (is_part) {
    SYNELIX_UNROLL(1)
    for (std::int64_t w = 0; w < tile.window; ++w) {
      const Pack tap = load_values<bases, Scalar, Set>(tile.taps + w * bases);
      choose_lanes<EachRepeated<values>>(tap).store(packs + w * Pack::lanes);
    }
    taps = packs;
  }
  const std::int64_t apart = step * tile.tap_step;  // values from pack to pack
  const std::int64_t block = column_packs * apart;
  const Scalar* samples = tile.samples;
  Scalar* to = tile.to;
  SYNELIX_UNROLL(1)
  for (std::int64_t k = 0; k < tile.blocks; ++k) {
    const Scalar* ahead = samples + block;  // the next block's samples, a share for each column
    SYNELIX_UNROLL(1)
    for (std::int64_t i = 0; i < apart; i += values) {
      SYNELIX_UNROLL(8)
      for (int n = 0; n < (column_packs + bases - 1) / bases; ++n) {
        lanes::prefetch(ahead + n * Pack::lanes);
      }
      ahead += column_packs * values;
      Pack sums[column_packs];
      SYNELIX_UNROLL(8)
      for (int r = 0; r < column_packs; ++r) sums[r] = Pack::zero();
      add_column_window<depth, step, bases>(sums, samples + i, tile.tap_step, taps, tile.window);
      Scalar* const column = to + i * bases;
      SYNELIX_UNROLL(8)
      for (int r = 0; r < column_packs; ++r) {
        sums[r] = sums[r].canonical();
        if constexpr (is_part) {
          sums[r] = choose_lanes<Transposed<Pack::lanes, bases>>(sums[r]);
        }
      }
      if (tile.stores == Stores::streamed) {
        SYNELIX_UNROLL(8)
        for (int r = 0; r < column_packs; ++r) sums[r].stream(column + r * apart * bases);
      } else {
        SYNELIX_UNROLL(8)
        for (int r = 0; r < column_packs; ++r) sums[r].store_anywhere(column + r * apart * bases);
      }
    }
    samples += block;
    to += block * bases;
  }
}

/// The slow reference.
template <class Scalar, class Set>
void column_tile_reference(const ColumnTile<Scalar>& tile, int bases, int step) {
  for (std::int64_t i = 0; i < tile.blocks * column_packs * step * tile.tap_step; ++i) {
    for (int b = 0; b < bases; ++b) {
      Scalar sum = 0;
      for (std::int64_t w = 0; w < tile.window; ++w) {
        sum =
            multiply_add(Set{}, tile.samples[i - w * tile.tap_step], tile.taps[w * bases + b], sum);
      }
      tile.to[i * bases + b] = lanes::canonical(Set{}, sum);
    }
  }
}

// Fills the table of column tiles of one instruction set; columns.cpp.in includes this.

template <class Scalar, class Set, int bases, int step>
void column(const ColumnTile<Scalar>& tile) {
  column_tile<Scalar, Set, bases, step>(tile);
}

template <class Scalar, class Set, int bases = 1, int step = 1>
constexpr void fill_columns(ColumnTable<Scalar>& table) {
  constexpr int lanes = Set::bytes / static_cast<int>(sizeof(Scalar));
  if constexpr (Set::bytes == tune::column_register_bytes && bases <= lanes) {
    table.column[power_of(bases)][power_of(step)] = &column<Scalar, Set, bases, step>;
    if constexpr (bases * step < lanes && step < tune::most_column_step(bases)) {
      fill_columns<Scalar, Set, bases, 2 * step>(table);
    } else {
      fill_columns<Scalar, Set, 2 * bases>(table);
    }
  }
}

/// The table of a set: a constant.
template <class Scalar, class Set>
constexpr ColumnTable<Scalar> make_column_table() {
  ColumnTable<Scalar> table{};
  fill_columns<Scalar, Set>(table);
  return table;
}

template <class Scalar, class Set>
const ColumnTable<Scalar>& column_table_for() {
  static constexpr ColumnTable<Scalar> table = make_column_table<Scalar, Set>();
  return table;
}

}  // namespace synelix::tile
