// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "tune/fit.hpp"

#include <cstdint>

/// \file
/// How the rows of a dense design are cut into blocks, and products of a block into parts.

namespace synelix::sweep {

/// Rows of a block: fewer if a panel of them would take more than some megabytes.
constexpr std::int64_t block_rows_of(std::int64_t columns) {
  std::int64_t rows = tune::fit_block_rows;
  while (rows > tune::fit_tile_rows && rows * columns > tune::fit_block_values) rows /= 2;
  return rows;
}

/// A part of a result. Its sums: (rows + 1, width), where the last row is that of the intercept,
/// then the sum of weights.
struct CurvaturePart {
  Range columns;  ///< complete packs; the end may be after the last column
  Range rows;
  bool is_triangle = false;  ///< whether only values above the diagonal are wanted

  [[nodiscard]] constexpr std::int64_t width() const { return columns.size(); }
  [[nodiscard]] constexpr std::int64_t weight() const { return (rows.size() + 1) * width(); }
  [[nodiscard]] constexpr std::int64_t values() const { return weight() + 8; }
};

}  // namespace synelix::sweep
