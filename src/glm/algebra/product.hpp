// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/table.hpp"

#include <cstdint>

/// \file
/// Products of small matrices on the matrix tiles of an instruction set: most of the time of
/// factors and triangular solves. One thread computes them, so the bits depend only on the set.

namespace synelix::glm {

/// The tiles that linear algebra runs on.
using Tiles = tile::TileTable<double>;

/// result(i, j) -= sum_k left(i, k) right(k, j). Strides count values.
struct Product {
  const double* left = nullptr;
  std::int64_t left_row = 0;
  std::int64_t left_inner = 1;
  const double* right = nullptr;
  std::int64_t right_inner = 0;
  std::int64_t right_column = 1;
  double* result = nullptr;  ///< overlaps neither operand
  std::int64_t result_row = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  /// Whether only the lower triangle of a square result is wanted. Values above it become
  /// undefined.
  bool is_lower = false;
};

/// Subtracts a product. Inner indices are summed in fixed blocks, in order.
void subtract_product(const Tiles& tiles, const Product& product);

}  // namespace synelix::glm
