// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/algebra/product.hpp"

#include <algorithm>
#include <vector>

namespace synelix::glm {
namespace {

/// Inner indices that are summed in registers before the result is updated: a packed panel of them
/// fits in the first-level cache.
constexpr std::int64_t inner_block = 128;

/// A panel of the right operand: `inner` rows of `width` contiguous values.
void pack_panel(const Product& product, std::int64_t k, std::int64_t inner, std::int64_t column,
                std::int64_t columns, std::int64_t width, double* panel) {
  const double* from = product.right + k * product.right_inner + column * product.right_column;
  if (product.right_column == 1) {
    for (std::int64_t i = 0; i < inner; ++i) {
      std::copy_n(from + i * product.right_inner, columns, panel + i * width);
    }
    return;
  }
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < inner; ++i) {
      panel[i * width + j] = from[i * product.right_inner + j * product.right_column];
    }
  }
}

}  // namespace

void subtract_product(const Tiles& tiles, const Product& product) {
  const std::int64_t lanes = tiles.lanes;
  const std::int64_t width = tiles.matrix_packs * lanes;
  std::vector<double> panel(static_cast<std::size_t>(inner_block * width));
  for (std::int64_t k = 0; k < product.inner; k += inner_block) {
    const std::int64_t inner = std::min(inner_block, product.inner - k);
    for (std::int64_t column = 0; column < product.columns; column += width) {
      const std::int64_t columns = std::min(width, product.columns - column);
      const auto packs = static_cast<int>((columns + lanes - 1) / lanes);
      pack_panel(product, k, inner, column, columns, width, panel.data());
      tile::MatrixTile<double> tile = {};
      tile.left_row = product.left_row;
      tile.left_inner = product.left_inner;
      tile.right = panel.data();
      tile.right_inner = width;
      tile.inner = inner;
      tile.last_columns = static_cast<int>(columns - (packs - 1) * lanes);
      tile.begins = true;
      tile.ends = true;
      tile.result_row = product.result_row;
      tile.alpha = -1;
      tile.beta = 1;
      const std::int64_t most_rows = tiles.matrix_rows[packs];
      std::int64_t rows = 0;
      for (std::int64_t row = product.is_lower ? column : 0; row < product.rows; row += rows) {
        rows = std::min(most_rows, product.rows - row);
        tile.left = product.left + row * product.left_row + k * product.left_inner;
        tile.result = product.result + row * product.result_row + column;
        tiles.matrix[packs][rows](tile);
      }
    }
  }
}

}  // namespace synelix::glm
