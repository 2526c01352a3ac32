// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"
#include "pack/matrix.hpp"
#include "products/problem/products.hpp"
#include "tune/tiles.hpp"

#include <cstddef>
#include <cstdint>

/// \file
/// What matrix products on a host copy, and the memory layout of a team. A choice counts bytes with
/// the same layout by which a sweep sets its pointers.

namespace synelix::sweep {

/// The parts of a product that are copied to the workspace of a team.
struct MatmulPacking {
  bool left = false;
  bool right = false;
  bool sums = false;  ///< sums of inner indices so far

  friend SYNELIX_FUNCTION constexpr MatmulPacking operator|(MatmulPacking a, MatmulPacking b) {
    return {a.left || b.left, a.right || b.right, a.sums || b.sums};
  }
};

/// What is copied for a part of this many rows and panels of columns. For a smaller part it is not
/// more.
template <class Scalar>
SYNELIX_FUNCTION constexpr MatmulPacking packing_of(const Product<Scalar>& product,
                                                    std::int64_t rows, std::int64_t panels) {
  const bool is_far = product.left.column_stride != 1 && product.inner > tune::packing_inner;
  // Uses a division to avoid overflow: the stride of a single row may be any number.
  const bool is_wide =
      product.inner > 0 &&
      product.right.row_stride > tune::packing_bytes / product.inner / std::int64_t{sizeof(Scalar)};
  return {!pack::is_plain<Scalar>(product.left) || (panels > 1 && is_far),
          !pack::is_plain<Scalar>(product.right) || product.right.column_stride != 1 ||
              (rows > tune::packing_rows && is_wide),
          product.result_column != 1 || product.inner > tune::host_matrix_inner};
}

/// Memory of a team: its share of the workspace.
template <class Scalar>
struct MatmulTeamMemory {
  Scalar* left;   ///< (row, inner index)
  Scalar* right;  ///< (inner index, column of a panel)
  Scalar* sums;   ///< (row, column), in complete packs

  static constexpr std::int64_t left_values =
      std::int64_t{tune::host_matrix_rows} * tune::host_matrix_inner;
  static constexpr std::int64_t right_values = std::int64_t{tune::host_matrix_inner} *
                                               tune::most_matrix_packs * 64 /
                                               std::int64_t{sizeof(Scalar)};
  static constexpr std::int64_t sums_values =
      std::int64_t{tune::host_matrix_rows} * tune::host_matrix_columns;

  SYNELIX_FUNCTION MatmulTeamMemory(std::byte* memory, MatmulPacking packing)
      : left(reinterpret_cast<Scalar*>(memory)),
        right(left + (packing.left ? left_values : 0)),
        sums(right + (packing.right ? right_values : 0)) {}
  static constexpr std::int64_t bytes(MatmulPacking packing) {
    return ((packing.left ? left_values : 0) + (packing.right ? right_values : 0) +
            (packing.sums ? sums_values : 0)) *
           std::int64_t{sizeof(Scalar)};
  }
};

}  // namespace synelix::sweep
