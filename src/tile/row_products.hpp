// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/interleave.hpp"
#include "lanes/pack.hpp"
#include "lanes/widened.hpp"

#include <cstdint>

/// \file
/// Products of a block of rows with one vector: dot products of its rows (X b), sums of its rows
/// (X' r), and its rows scaled. Columns are contiguous; strides count values. Features may be
/// floats with arithmetic in double: they become doubles in registers.
///
/// Columns that do not fill a pack are read in a pack that ends with the last column, if there are
/// enough columns. So nothing beyond a row is read.

namespace synelix::tile {

/// Arguments of the dot products of rows.
template <class Feature, class Scalar>
struct RowDots {
  const Feature* features;  ///< row 0, column 0
  std::int64_t row_stride;
  std::int64_t rows;
  std::int64_t columns;
  const Scalar* coefficients;  ///< one for each column
  Scalar* dots;                ///< one for each row
};

/// Arguments of the sum of rows.
template <class Feature, class Scalar>
struct RowSums {
  const Feature* features;
  std::int64_t row_stride;
  std::int64_t rows;
  std::int64_t columns;
  const Scalar* weights;  ///< one for each row
  Scalar* sums;           ///< one for each column
  bool begins;            ///< whether sums begin with 0
};

/// Arguments of scaled rows: `to` has room for full packs, which are padded with zeros.
template <class Feature, class Scalar>
struct ScaledRows {
  const Feature* features;
  std::int64_t row_stride;
  std::int64_t rows;
  std::int64_t columns;
  const Scalar* weights;  ///< one for each row; null: 1
  bool magnitudes;        ///< whether features are used without their sign
  Scalar* to;
  std::int64_t to_stride;
};

/// Tiles of one instruction set.
template <class Feature, class Scalar>
struct RowTable {
  void (*dots)(const RowDots<Feature, Scalar>&);
  void (*sums)(const RowSums<Feature, Scalar>&);
  void (*scaled)(const ScaledRows<Feature, Scalar>&);
  void (*add)(const Scalar* from, double* to, std::int64_t count);  ///< to += from
};

/// The table of a set. Compiled for each set of the build.
template <class Feature, class Scalar, class Set>
const RowTable<Feature, Scalar>& row_table_for();

#ifndef SYNELIX_DEVICE_COMPILER

/// The number of rows whose dot products are summed together: they hide the latency of a
/// multiply_add.
inline constexpr int rows_of_dots = 8;

/// Sums the lanes of eight packs, each in the same order: lanes l, l + 8 / lanes, ... for all.
template <class Scalar, class Set>
SYNELIX_INLINE void sum_lanes(lanes::Pack<Scalar, Set> (&packs)[rows_of_dots], Scalar* totals) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  lanes::interleave<rows_of_dots>(packs);
  if constexpr (lanes <= rows_of_dots) {
    constexpr int parts = rows_of_dots / lanes;
    SYNELIX_UNROLL(8)
    for (int k = 0; k < parts; ++k) {
      Pack sum = packs[k];
      SYNELIX_UNROLL(16)
      for (int l = 1; l < lanes; ++l) sum = sum + packs[l * parts + k];
      lanes::store_unaligned(sum, totals + k * lanes);
    }
  } else {
    constexpr int parts = lanes / rows_of_dots;  // lanes of each row in one pack
    Pack sum = packs[0];
    SYNELIX_UNROLL(8)
    for (int p = 1; p < rows_of_dots; ++p) sum = sum + packs[p];
    alignas(64) Scalar values[lanes];
    sum.store(values);
    for (int r = 0; r < rows_of_dots; ++r) {
      Scalar total = values[r];
      for (int k = 1; k < parts; ++k) total = total + values[k * rows_of_dots + r];
      totals[r] = total;
    }
  }
}

template <class Feature, class Scalar, class Set>
SYNELIX_INLINE void row_dots(const RowDots<Feature, Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  const std::int64_t whole = tile.columns / lanes * lanes;
  const std::int64_t rest = tile.columns - whole;
  const bool is_short = whole == 0;
  const std::int64_t last = is_short ? 0 : tile.columns - lanes;
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(Feature));
  Pack last_coefficients = Pack::zero();
  if (rest > 0) {  // 0 in the lanes of columns that full packs have
    alignas(64) Scalar values[lanes];
    for (std::int64_t i = 0; i < lanes; ++i) {
      const std::int64_t column = last + i;
      values[i] = column >= whole && column < tile.columns ? tile.coefficients[column] : Scalar(0);
    }
    last_coefficients = Pack::load(values);
  }
  for (std::int64_t first = 0; first < tile.rows; first += rows_of_dots) {
    const Feature* rows[rows_of_dots];
    SYNELIX_UNROLL(8)
    for (int r = 0; r < rows_of_dots; ++r) {  // repeats the last row
      const std::int64_t row = first + r < tile.rows ? first + r : tile.rows - 1;
      rows[r] = tile.features + row * tile.row_stride;
    }
    Pack sums[rows_of_dots];
    SYNELIX_UNROLL(8)
    for (int r = 0; r < rows_of_dots; ++r) sums[r] = Pack::zero();
    // The processor cannot prefetch eight short streams at once, so the next rows are prefetched in
    // the order of memory.
    const Feature* next = rows[0] + rows_of_dots * tile.row_stride;
    SYNELIX_UNROLL(1)
    for (std::int64_t j = 0; j < whole; j += lanes) {
      const Pack coefficients = lanes::load_unaligned<Scalar, Set>(tile.coefficients + j);
      SYNELIX_UNROLL(8)
      for (int r = 0; r < rows_of_dots; ++r) {
        lanes::prefetch(next + r * line);
        sums[r] = multiply_add(lanes::load_as<Scalar, Set>(rows[r] + j), coefficients, sums[r]);
      }
      next += rows_of_dots * lanes;
    }
    if (rest > 0) {
      SYNELIX_UNROLL(8)
      for (int r = 0; r < rows_of_dots; ++r) {
        const Pack values = is_short ? lanes::load_part_as<Scalar, Set>(rows[r], rest)
                                     : lanes::load_as<Scalar, Set>(rows[r] + last);
        sums[r] = multiply_add(values, last_coefficients, sums[r]);
      }
    }
    alignas(64) Scalar totals[rows_of_dots];
    sum_lanes<Scalar, Set>(sums, totals);
    const std::int64_t left = tile.rows - first;
    if (left >= rows_of_dots) {
      for (int r = 0; r < rows_of_dots; ++r) tile.dots[first + r] = totals[r];
    } else {
      for (std::int64_t r = 0; r < left; ++r) tile.dots[first + r] = totals[r];
    }
  }
}

/// `count` neighboring packs of columns from `first` on. The last of them begins at `last`; only
/// its lanes from `kept` on are stored.
template <int count, class Feature, class Scalar, class Set>
SYNELIX_INLINE void row_sums_of(const RowSums<Feature, Scalar>& tile, std::int64_t first,
                                std::int64_t last, int kept) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  Pack sums[count];
  SYNELIX_UNROLL(8)
  for (int k = 0; k < count; ++k) {
    const std::int64_t column = k + 1 < count ? first + std::int64_t{k} * lanes : last;
    sums[k] = tile.begins ? Pack::zero() : lanes::load_unaligned<Scalar, Set>(tile.sums + column);
  }
  const Feature* row = tile.features + first;
  const Feature* row_last = tile.features + last;
  SYNELIX_UNROLL(1)
  for (std::int64_t i = 0; i < tile.rows; ++i) {
    const Pack weight = Pack::broadcast(tile.weights[i]);
    SYNELIX_UNROLL(8)
    for (int k = 0; k < count; ++k) {
      const Feature* const from = k + 1 < count ? row + k * lanes : row_last;
      sums[k] = multiply_add(weight, lanes::load_as<Scalar, Set>(from), sums[k]);
    }
    row += tile.row_stride;
    row_last += tile.row_stride;
  }
  SYNELIX_UNROLL(8)
  for (int k = 0; k + 1 < count; ++k) {
    lanes::store_unaligned(sums[k], tile.sums + first + k * lanes);
  }
  lanes::store_part(sums[count - 1], tile.sums + last, kept, lanes - kept);
}

/// The same with `count` known only at run time.
template <class Feature, class Scalar, class Set, int most = rows_of_dots>
SYNELIX_INLINE void row_sums_group(const RowSums<Feature, Scalar>& tile, std::int64_t count,
                                   std::int64_t first, std::int64_t last, int kept) {
  if (most == 1 || count == most) {
    return row_sums_of<most, Feature, Scalar, Set>(tile, first, last, kept);
  }
  if constexpr (most > 1) {
    row_sums_group<Feature, Scalar, Set, most - 1>(tile, count, first, last, kept);
  }
}

template <class Feature, class Scalar, class Set>
SYNELIX_INLINE void row_sums(const RowSums<Feature, Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  if (tile.columns < lanes) {
    Pack sum =
        tile.begins ? Pack::zero() : lanes::load_part_as<Scalar, Set>(tile.sums, tile.columns);
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      sum = multiply_add(
          Pack::broadcast(tile.weights[i]),
          lanes::load_part_as<Scalar, Set>(tile.features + i * tile.row_stride, tile.columns), sum);
    }
    lanes::store_part(sum, tile.sums, 0, static_cast<int>(tile.columns));
    return;
  }
  const std::int64_t packs = (tile.columns + lanes - 1) / lanes;
  const std::int64_t groups = (packs + rows_of_dots - 1) / rows_of_dots;
  std::int64_t begin = 0;
  SYNELIX_UNROLL(1)
  for (std::int64_t g = 1; g <= groups; ++g) {
    const std::int64_t next = packs * g / groups;
    const std::int64_t end = next * lanes;
    const bool is_whole = end <= tile.columns;
    const std::int64_t last = (is_whole ? end : tile.columns) - lanes;
    const int kept = is_whole ? 0 : static_cast<int>(end - tile.columns);
    row_sums_group<Feature, Scalar, Set>(tile, next - begin, begin * lanes, last, kept);
    begin = next;
  }
}

/// A pack without signs.
template <class Scalar, class Set>
SYNELIX_INLINE lanes::Pack<Scalar, Set> magnitude_of(lanes::Pack<Scalar, Set> pack) {
  const auto negative = -pack.values;
  return {pack.values < negative ? negative : pack.values};
}

template <class Feature, class Scalar, class Set>
SYNELIX_INLINE void scaled_rows(const ScaledRows<Feature, Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  const std::int64_t whole = tile.columns / lanes * lanes;
  const std::int64_t rest = tile.columns - whole;
  for (std::int64_t i = 0; i < tile.rows; ++i) {
    const Feature* const from = tile.features + i * tile.row_stride;
    Scalar* const to = tile.to + i * tile.to_stride;
    const Pack weight = Pack::broadcast(tile.weights != nullptr ? tile.weights[i] : Scalar(1));
    const auto put = [&](Pack values, std::int64_t column) {
      if (tile.magnitudes) values = magnitude_of(values);
      lanes::store_unaligned(weight * values, to + column);
    };
    SYNELIX_UNROLL(4)
    for (std::int64_t j = 0; j < whole; j += lanes) put(lanes::load_as<Scalar, Set>(from + j), j);
    if (rest == 0) continue;
    if (whole == 0) {
      put(lanes::load_part_as<Scalar, Set>(from, rest), 0);
      continue;
    }
    lanes::store_unaligned(Pack::zero(), to + whole);
    put(lanes::load_as<Scalar, Set>(from + tile.columns - lanes), tile.columns - lanes);
  }
}

#endif  // SYNELIX_DEVICE_COMPILER

}  // namespace synelix::tile
