// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/half.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The matrix tile: rows of a left operand by columns of a right one, summed over the inner index.
/// Sums stay in registers: `rows` by `packs` of them. Each inner index loads `packs` packs of the
/// right operand, and one value of each row of the left one, which fills a pack.
///
/// A sum begins with 0 or with the value of an earlier tile, and takes the inner indices in their
/// order, one multiply_add each. So its bits do not depend on the division of rows, columns and
/// inner indices.

namespace synelix::tile {

/// Arguments of a matrix tile. Strides count values.
template <class Scalar>
struct MatrixTile {
  const Scalar* left;            ///< row 0, inner index 0
  std::int64_t left_row;         ///< from one row to the next
  std::int64_t left_inner;       ///< from one inner index to the next
  const Scalar* right;           ///< inner index 0, column 0; columns are contiguous
  std::int64_t right_inner;      ///< from one inner index to the next
  std::int64_t inner;            ///< inner indices
  int last_columns;              ///< columns of the last pack, at least 1
  Scalar* sums;                  ///< (row, full packs) of unfinished sums, at any address
  std::int64_t sums_row;         ///< from one row to the next
  bool begins;                   ///< whether sums begin with 0
  bool ends;                     ///< whether sums end here and are stored in the result
  Scalar* result;                ///< row 0, column 0: columns are contiguous
  std::int64_t result_row;       ///< from one row to the next
  Scalar alpha;                  ///< result = alpha sum + beta result, which is not read if beta
  Scalar beta;                   ///< is 0
  const Scalar* from = nullptr;  ///< start values of sums that do not begin with 0, (row, full
  std::int64_t from_row = 0;     ///< packs), and values from one row to the next; null: `sums`
  /// The inner indices are taken for each of some runs. Run i reads the left operand left_runs[i]
  /// values after `left`; null: at `left`. The right operand continues from run to run.
  std::int64_t runs = 1;
  const std::int64_t* left_runs = nullptr;
};

/// Sums of a tile: (row, pack). Packs are full except the last, which is one of LastSet.
template <class Scalar, class Set, class LastSet, int rows, int packs>
struct MatrixSums {
  using Pack = lanes::Pack<Scalar, Set>;
  using Last = lanes::Pack<Scalar, LastSet>;
  static constexpr int lanes = Pack::lanes;
  static constexpr int whole = packs - 1;

  Pack values[rows][whole > 0 ? whole : 1];
  Last last[rows];

  /// 0, or the sums of an earlier tile.
  SYNELIX_INLINE void begin(const MatrixTile<Scalar>& tile) {
    if (tile.begins) {
      SYNELIX_UNROLL(16)
      for (int r = 0; r < rows; ++r) {
        SYNELIX_UNROLL(4)
        for (int p = 0; p < whole; ++p) values[r][p] = Pack::zero();
        last[r] = Last::zero();
      }
      return;
    }
    const Scalar* from = tile.from != nullptr ? tile.from : tile.sums;
    const std::int64_t from_row = tile.from != nullptr ? tile.from_row : tile.sums_row;
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r, from += from_row) {
      SYNELIX_UNROLL(4)
      for (int p = 0; p < whole; ++p) {
        values[r][p] = lanes::load_unaligned<Scalar, Set>(from + p * lanes);
      }
      last[r] = lanes::load_unaligned<Scalar, LastSet>(from + whole * lanes);
    }
  }

  SYNELIX_INLINE void keep(const MatrixTile<Scalar>& tile) const {
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      Scalar* const to = tile.sums + r * tile.sums_row;
      SYNELIX_UNROLL(4)
      for (int p = 0; p < whole; ++p) lanes::store_unaligned(values[r][p], to + p * lanes);
      lanes::store_unaligned(last[r], to + whole * lanes);
    }
  }

  /// Stores the sums in the result. Values that a store could change are read before the first
  /// store. `is_whole`: as below. A store of all lanes takes no mask, since some processors store
  /// slowly with a mask.
  template <bool is_whole>
  SYNELIX_INLINE void put(const MatrixTile<Scalar>& tile) const {
    Scalar* to = tile.result;
    const std::int64_t result_row = tile.result_row;
    const int count = tile.last_columns;
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      SYNELIX_UNROLL(4)
      for (int p = 0; p < whole; ++p) {
        lanes::store_unaligned(values[r][p].canonical(), to + p * lanes);
      }
      if constexpr (is_whole) {
        lanes::store_unaligned(last[r].canonical(), to + whole * lanes);
      } else {
        lanes::store_part(last[r].canonical(), to + whole * lanes, 0, count);
      }
      to += result_row;
    }
  }

  /// Stores alpha sum + beta result, each rounded separately, so that all forms give the same bits.
  SYNELIX_INLINE void put_scaled(const MatrixTile<Scalar>& tile) const {
    Scalar* to = tile.result;
    const std::int64_t result_row = tile.result_row;
    const int count = tile.last_columns;
    const bool adds = tile.beta != Scalar(0);
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      SYNELIX_UNROLL(4)
      for (int p = 0; p < whole; ++p) {
        put_scaled(values[r][p], tile.alpha, tile.beta, adds, lanes, to + p * lanes);
      }
      put_scaled(last[r], tile.alpha, tile.beta, adds, count, to + whole * lanes);
      to += result_row;
    }
  }

 private:
  template <class Any>
  static SYNELIX_INLINE void put_scaled(const lanes::Pack<Scalar, Any>& sum, Scalar alpha,
                                        Scalar beta, bool adds, int count, Scalar* to) {
    using PackOfAny = lanes::Pack<Scalar, Any>;
    PackOfAny value = PackOfAny::broadcast(alpha) * sum;
    if (adds) {
      value = value + PackOfAny::broadcast(beta) * lanes::load_part<Scalar, Any>(to, count);
    }
    lanes::store_part(value.canonical(), to, 0, count);
  }
};

/// The products of all inner indices. `is_whole`: whether the last pack is full.
template <class Scalar, class Set, class LastSet, int rows, int packs, bool is_whole>
SYNELIX_INLINE void add_products(const MatrixTile<Scalar>& tile,
                                 MatrixSums<Scalar, Set, LastSet, rows, packs>& sums) {
  using Pack = lanes::Pack<Scalar, Set>;
  using Last = lanes::Pack<Scalar, LastSet>;
  constexpr int lanes = Pack::lanes;
  constexpr int whole = packs - 1;
  constexpr std::int64_t group = 4;  // rows addressed from one base: 0, 1, 2 and 3 steps from it
  constexpr std::int64_t groups = (rows + group - 1) / group;
  const int count = is_whole ? Last::lanes : tile.last_columns;
  const std::int64_t step = tile.left_row;
  const Scalar* right = tile.right;
  const std::int64_t left_inner = tile.left_inner;
  const std::int64_t right_inner = tile.right_inner;
  SYNELIX_UNROLL(1)
  for (std::int64_t run = 0; run < tile.runs; ++run) {
    // Values that only runs need are read again: registers are for the loop below.
    __asm__ volatile("" : : : "memory");
    const Scalar* left[groups];
    left[0] = tile.left + (tile.left_runs != nullptr ? tile.left_runs[run] : 0);
    SYNELIX_UNROLL(4)
    for (std::int64_t g = 1; g < groups; ++g) left[g] = left[0] + g * group * step;
    SYNELIX_UNROLL(1)
    for (std::int64_t k = tile.inner; k > 0; --k) {
      Pack values[whole > 0 ? whole : 1];
      SYNELIX_UNROLL(4)
      for (int p = 0; p < whole; ++p) {
        values[p] = lanes::load_unaligned<Scalar, Set>(right + p * lanes);
      }
      const Last last = is_whole ? lanes::load_unaligned<Scalar, LastSet>(right + whole * lanes)
                                 : lanes::load_part<Scalar, LastSet>(right + whole * lanes, count);
      SYNELIX_UNROLL(16)
      for (int r = 0; r < rows; ++r) {
        const Scalar* const at = left[r / group] + (r % group) * step;
        if constexpr (whole > 0) {
          const Pack value = Pack::broadcast(*at);
          SYNELIX_UNROLL(4)
          for (int p = 0; p < whole; ++p) {
            sums.values[r][p] = multiply_add(value, values[p], sums.values[r][p]);
          }
          if constexpr (Last::lanes < Pack::lanes) {
            sums.last[r] = multiply_add(lanes::lower_half(value), last, sums.last[r]);
          } else {
            sums.last[r] = multiply_add(value, last, sums.last[r]);
          }
        } else {
          sums.last[r] = multiply_add(Last::broadcast(*at), last, sums.last[r]);
        }
      }
      SYNELIX_UNROLL(4)
      for (std::int64_t g = 0; g < groups; ++g) left[g] += left_inner;
      right += right_inner;
    }
  }
}

/// The tile itself. Its last pack may be half a register: LastSet is Set, or its half.
template <class Scalar, class Set, class LastSet, int rows, int packs>
SYNELIX_INLINE void matrix_tile(const MatrixTile<Scalar>& tile) {
  MatrixSums<Scalar, Set, LastSet, rows, packs> sums;
  sums.begin(tile);
  const bool is_whole = tile.last_columns == lanes::Pack<Scalar, LastSet>::lanes;
  if (is_whole) {
    add_products<Scalar, Set, LastSet, rows, packs, true>(tile, sums);
  } else {
    add_products<Scalar, Set, LastSet, rows, packs, false>(tile, sums);
  }
  if (!tile.ends) return sums.keep(tile);
  if (tile.alpha != Scalar(1) || tile.beta != Scalar(0)) return sums.put_scaled(tile);
  if (is_whole) return sums.template put<true>(tile);
  sums.template put<false>(tile);
}

/// The slow reference. `last_lanes`: lanes of the last pack, which may be half a register.
template <class Scalar, class Set>
void matrix_reference(const MatrixTile<Scalar>& tile, int rows, int packs, int lanes,
                      int last_lanes) {
  const int columns = (packs - 1) * lanes + tile.last_columns;
  const int all = (packs - 1) * lanes + last_lanes;
  for (int r = 0; r < rows; ++r) {
    for (int j = 0; j < all; ++j) {  // sums of full packs; 0 after the last column
      Scalar* const carried = tile.sums + r * tile.sums_row + j;
      const Scalar* const from = tile.from != nullptr ? tile.from + r * tile.from_row + j : carried;
      Scalar sum = tile.begins ? Scalar(0) : *from;
      for (std::int64_t k = 0; k < tile.runs * tile.inner; ++k) {
        const std::int64_t run = tile.left_runs != nullptr ? tile.left_runs[k / tile.inner] : 0;
        const Scalar value = tile.left[run + r * tile.left_row + k % tile.inner * tile.left_inner];
        const Scalar other = j < columns ? tile.right[k * tile.right_inner + j] : Scalar(0);
        sum = multiply_add(Set{}, value, other, sum);
      }
      if (!tile.ends) {
        *carried = sum;
      } else if (j < columns) {
        Scalar* const to = tile.result + r * tile.result_row + j;
        const Scalar product = tile.alpha * sum;
        const Scalar scaled = tile.beta == Scalar(0) ? product : product + tile.beta * *to;
        *to = lanes::canonical(Set{}, scaled);
      }
    }
  }
}

}  // namespace synelix::tile
