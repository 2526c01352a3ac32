// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/algebra/cholesky.hpp"

#include <algorithm>
#include <cmath>

namespace synelix::glm {
namespace {

constexpr std::int64_t small = 16;          ///< rows that are factored value by value
constexpr std::int64_t rows_of_solve = 64;  ///< rows of a triangular solve that are solved together
constexpr std::int64_t solve_block = 48;    ///< rows of many right-hand sides between products

/// The first half of a split: about half of the size, a multiple of `small`.
std::int64_t first_half(std::int64_t size) { return (size / 2 + small - 1) / small * small; }

std::int64_t factor_small(std::int64_t size, double* matrix, std::int64_t row) {
  for (std::int64_t j = 0; j < size; ++j) {
    double* const own = matrix + j * row;
    double pivot = own[j];
    for (std::int64_t k = 0; k < j; ++k) pivot -= own[k] * own[k];
    if (!(pivot > 0)) return j;
    own[j] = std::sqrt(pivot);
    for (std::int64_t i = j + 1; i < size; ++i) {
      double* const other = matrix + i * row;
      double value = other[j];
      for (std::int64_t k = 0; k < j; ++k) value -= other[k] * own[k];
      other[j] = value / own[j];
    }
  }
  return -1;
}

/// Solves X L' = B for few columns. Rows of X are interleaved in a buffer, so that one value of L
/// multiplies many of them.
void solve_right_small(std::int64_t size, const double* factor, std::int64_t row, std::int64_t rows,
                       double* values, std::int64_t values_row) {
  double columns[small][rows_of_solve];
  for (std::int64_t first = 0; first < rows; first += rows_of_solve) {
    const std::int64_t count = std::min(rows_of_solve, rows - first);
    double* const part = values + first * values_row;
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t j = 0; j < size; ++j) columns[j][i] = part[i * values_row + j];
    }
    for (std::int64_t j = 0; j < size; ++j) {
      for (std::int64_t k = 0; k < j; ++k) {
        const double value = factor[j * row + k];
        for (std::int64_t i = 0; i < rows_of_solve; ++i) columns[j][i] -= value * columns[k][i];
      }
      const double pivot = factor[j * row + j];
      for (std::int64_t i = 0; i < rows_of_solve; ++i) columns[j][i] /= pivot;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t j = 0; j < size; ++j) part[i * values_row + j] = columns[j][i];
    }
  }
}

/// Solves X L' = B, (rows, size).
void solve_right(const Tiles& tiles, std::int64_t size, const double* factor, std::int64_t row,
                 std::int64_t rows, double* values, std::int64_t values_row) {
  if (size <= small) return solve_right_small(size, factor, row, rows, values, values_row);
  const std::int64_t half = first_half(size);
  solve_right(tiles, half, factor, row, rows, values, values_row);
  Product product;
  product.left = values;
  product.left_row = values_row;
  product.right = factor + half * row;  // transposed
  product.right_inner = 1;
  product.right_column = row;
  product.result = values + half;
  product.result_row = values_row;
  product.rows = rows;
  product.columns = size - half;
  product.inner = half;
  subtract_product(tiles, product);
  solve_right(tiles, size - half, factor + half * row + half, row, rows, values + half, values_row);
}

}  // namespace

double dot(const double* left, const double* right, std::int64_t size) {
  double sums[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (std::int64_t l = 0; l < 8; ++l) sums[l] += left[i + l] * right[i + l];
  }
  for (; i < size; ++i) sums[i % 8] += left[i] * right[i];
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

std::int64_t factor_cholesky(const Tiles& tiles, std::int64_t size, double* matrix,
                             std::int64_t row) {
  if (size <= small) return factor_small(size, matrix, row);
  const std::int64_t half = first_half(size);
  const std::int64_t failed = factor_cholesky(tiles, half, matrix, row);
  if (failed >= 0) return failed;
  double* const below = matrix + half * row;
  solve_right(tiles, half, matrix, row, size - half, below, row);
  Product product;
  product.left = below;
  product.left_row = row;
  product.right = below;  // transposed
  product.right_inner = 1;
  product.right_column = row;
  product.result = below + half;
  product.result_row = row;
  product.rows = size - half;
  product.columns = size - half;
  product.inner = half;
  product.is_lower = true;
  subtract_product(tiles, product);
  const std::int64_t later = factor_cholesky(tiles, size - half, below + half, row);
  return later < 0 ? later : half + later;
}

void solve_lower(std::int64_t size, const double* factor, std::int64_t row, double* values) {
  for (std::int64_t i = 0; i < size; ++i) {
    values[i] = (values[i] - dot(factor + i * row, values, i)) / factor[i * row + i];
  }
}

void solve_lower_transposed(std::int64_t size, const double* factor, std::int64_t row,
                            double* values) {
  for (std::int64_t i = size - 1; i >= 0; --i) {
    const double value = values[i] /= factor[i * row + i];
    const double* const from = factor + i * row;
    for (std::int64_t k = 0; k < i; ++k) values[k] -= value * from[k];
  }
}

void solve_cholesky(std::int64_t size, const double* factor, std::int64_t row, double* values) {
  solve_lower(size, factor, row, values);
  solve_lower_transposed(size, factor, row, values);
}

void solve_cholesky(const Tiles& tiles, std::int64_t size, const double* factor, std::int64_t row,
                    double* values, std::int64_t columns) {
  const auto subtract = [&](double* to, const double* from, double value) {
    for (std::int64_t j = 0; j < columns; ++j) to[j] -= value * from[j];
  };
  Product product;
  product.right_inner = columns;
  product.result_row = columns;
  product.columns = columns;
  for (std::int64_t first = 0; first < size; first += solve_block) {
    const std::int64_t end = std::min(size, first + solve_block);
    product.left = factor + first * row;
    product.left_row = row;
    product.left_inner = 1;
    product.right = values;
    product.result = values + first * columns;
    product.rows = end - first;
    product.inner = first;
    subtract_product(tiles, product);
    for (std::int64_t i = first; i < end; ++i) {
      double* const own = values + i * columns;
      for (std::int64_t k = first; k < i; ++k) {
        subtract(own, values + k * columns, factor[i * row + k]);
      }
      for (std::int64_t j = 0; j < columns; ++j) own[j] /= factor[i * row + i];
    }
  }
  for (std::int64_t first = (size - 1) / solve_block * solve_block; first >= 0;
       first -= solve_block) {
    const std::int64_t end = std::min(size, first + solve_block);
    product.left = factor + end * row + first;  // transposed
    product.left_row = 1;
    product.left_inner = row;
    product.right = values + end * columns;
    product.result = values + first * columns;
    product.rows = end - first;
    product.inner = size - end;
    subtract_product(tiles, product);
    for (std::int64_t i = end - 1; i >= first; --i) {
      double* const own = values + i * columns;
      for (std::int64_t k = i + 1; k < end; ++k) {
        subtract(own, values + k * columns, factor[k * row + i]);
      }
      for (std::int64_t j = 0; j < columns; ++j) own[j] /= factor[i * row + i];
    }
  }
}

}  // namespace synelix::glm
