// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The matrix tile: rows of a left operand by columns of a right one, summed over the inner index.
/// Sums stay in registers: `rows` by `packs` of them. Each inner index loads `packs` packs of the
/// right operand, and one value of each row of the left one, which fills a pack.
///
/// A sum begins with 0 or with what an earlier tile left of it, and takes the inner indices in
/// their order, one multiply_add each: its bits do not depend on how rows, columns and inner
/// indices are cut.

namespace synelix::tile {

/// Arguments of a matrix tile. Strides count values.
template <class Scalar>
struct MatrixTile {
  const Scalar* left;        ///< row 0, inner index 0
  std::int64_t left_row;     ///< from one row to the next
  std::int64_t left_inner;   ///< from one inner index to the next
  const Scalar* right;       ///< inner index 0, column 0; columns lie side by side
  std::int64_t right_inner;  ///< from one inner index to the next
  std::int64_t inner;        ///< inner indices
  int last_columns;          ///< columns of the last pack, at least 1
  Scalar* sums;              ///< (row, whole packs) of unfinished sums, at any address
  std::int64_t sums_row;     ///< from one row to the next
  bool begins;               ///< whether sums begin with 0
  bool ends;                 ///< whether sums end here, in the result
  Scalar* result;            ///< row 0, column 0: columns lie side by side
  std::int64_t result_row;   ///< from one row to the next
  Scalar alpha;              ///< result = alpha sum + beta result, which is not read where beta
  Scalar beta;               ///< is 0
};

/// Sums of a tile: (row, pack).
template <class Scalar, class Set, int rows, int packs>
struct MatrixSums {
  using Pack = lanes::Pack<Scalar, Set>;
  static constexpr int lanes = Pack::lanes;

  Pack values[rows][packs];

  /// 0, or what an earlier tile left.
  SYNELIX_INLINE void begin(const MatrixTile<Scalar>& tile) {
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      SYNELIX_UNROLL(4)
      for (int p = 0; p < packs; ++p) {
        values[r][p] =
            tile.begins
                ? Pack::zero()
                : lanes::load_unaligned<Scalar, Set>(tile.sums + r * tile.sums_row + p * lanes);
      }
    }
  }

  SYNELIX_INLINE void keep(const MatrixTile<Scalar>& tile) const {
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      SYNELIX_UNROLL(4)
      for (int p = 0; p < packs; ++p) {
        lanes::store_unaligned(values[r][p], tile.sums + r * tile.sums_row + p * lanes);
      }
    }
  }

  /// To the result as they are. What a store could change is read before the first.
  SYNELIX_INLINE void put(const MatrixTile<Scalar>& tile) const {
    Scalar* to = tile.result;
    const std::int64_t result_row = tile.result_row;
    const int last = tile.last_columns;
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      SYNELIX_UNROLL(4)
      for (int p = 0; p + 1 < packs; ++p) {
        lanes::store_unaligned(values[r][p].canonical(), to + p * lanes);
      }
      lanes::store_part(values[r][packs - 1].canonical(), to + (packs - 1) * lanes, 0, last);
      to += result_row;
    }
  }

  /// alpha sum + beta result, each rounded by itself, so that all who do it do the same.
  SYNELIX_INLINE void put_scaled(const MatrixTile<Scalar>& tile) const {
    Scalar* to = tile.result;
    const std::int64_t result_row = tile.result_row;
    const int last = tile.last_columns;
    const Pack alpha = Pack::broadcast(tile.alpha);
    const Pack beta = Pack::broadcast(tile.beta);
    const bool adds = tile.beta != Scalar(0);
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      SYNELIX_UNROLL(4)
      for (int p = 0; p < packs; ++p) {
        const int count = p + 1 < packs ? lanes : last;
        Pack value = alpha * values[r][p];
        if (adds) {
          value = value + beta * lanes::load_part<Scalar, Set>(to + p * lanes, count);
        }
        lanes::store_part(value.canonical(), to + p * lanes, 0, count);
      }
      to += result_row;
    }
  }
};

/// The tile itself.
template <class Scalar, class Set, int rows, int packs>
SYNELIX_INLINE void matrix_tile(const MatrixTile<Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  constexpr std::int64_t group = 4;  // rows that one address serves: 0, 1, 2 and 3 steps from it
  constexpr std::int64_t groups = (rows + group - 1) / group;
  const int last = tile.last_columns;
  MatrixSums<Scalar, Set, rows, packs> sums;
  sums.begin(tile);

  const std::int64_t step = tile.left_row;
  const Scalar* left[groups];
  SYNELIX_UNROLL(4)
  for (std::int64_t g = 0; g < groups; ++g) left[g] = tile.left + g * group * step;
  const Scalar* right = tile.right;
  const std::int64_t left_inner = tile.left_inner;
  const std::int64_t right_inner = tile.right_inner;
  SYNELIX_UNROLL(1)
  for (std::int64_t k = tile.inner; k > 0; --k) {
    Pack values[packs];
    SYNELIX_UNROLL(4)
    for (int p = 0; p + 1 < packs; ++p) {
      values[p] = lanes::load_unaligned<Scalar, Set>(right + p * lanes);
    }
    values[packs - 1] = lanes::load_part<Scalar, Set>(right + (packs - 1) * lanes, last);
    SYNELIX_UNROLL(16)
    for (int r = 0; r < rows; ++r) {
      const Pack value = Pack::broadcast(left[r / group][(r % group) * step]);
      SYNELIX_UNROLL(4)
      for (int p = 0; p < packs; ++p) {
        sums.values[r][p] = multiply_add(value, values[p], sums.values[r][p]);
      }
    }
    SYNELIX_UNROLL(4)
    for (std::int64_t g = 0; g < groups; ++g) left[g] += left_inner;
    right += right_inner;
  }

  if (!tile.ends) return sums.keep(tile);
  if (tile.alpha == Scalar(1) && tile.beta == Scalar(0)) return sums.put(tile);
  sums.put_scaled(tile);
}

/// The slow twin.
template <class Scalar, class Set>
void matrix_reference(const MatrixTile<Scalar>& tile, int rows, int packs, int lanes) {
  const int columns = (packs - 1) * lanes + tile.last_columns;
  for (int r = 0; r < rows; ++r) {
    for (int j = 0; j < packs * lanes; ++j) {  // sums of whole packs, behind the last column of 0
      Scalar* const carried = tile.sums + r * tile.sums_row + j;
      Scalar sum = tile.begins ? Scalar(0) : *carried;
      for (std::int64_t k = 0; k < tile.inner; ++k) {
        const Scalar value = tile.left[r * tile.left_row + k * tile.left_inner];
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
