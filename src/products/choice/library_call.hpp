// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/matrix.hpp"
#include "products/problem/products.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

/// \file
/// The call of a vendor's library for a matrix product, and whether it is possible.

namespace synelix::plan {

/// Whether a build has a library for products on a space.
enum class VendorLibrary : std::uint8_t { absent, present };

/// A matrix for the library: columns of contiguous values, `leading` apart, and whether it is
/// transposed.
struct ColumnMajor {
  bool is_transposed = false;
  std::int64_t leading = 0;  ///< 0: it cannot be represented
};

inline ColumnMajor column_major(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                                std::int64_t column_stride) {
  if (row_stride == 1 && column_stride >= std::max<std::int64_t>(1, rows)) {
    return {false, column_stride};
  }
  if (column_stride == 1 && row_stride >= std::max<std::int64_t>(1, columns)) {
    return {true, row_stride};
  }
  return {};
}

/// The product as c or its transpose, such that the result has contiguous columns.
template <class Scalar>
struct LibraryCall {
  ColumnMajor left;
  ColumnMajor right;
  ColumnMajor result;
  const Scalar* a = nullptr;
  const Scalar* b = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  explicit LibraryCall(sweep::Product<Scalar> product)
      : result(column_major(product.rows, product.columns, product.result_row,
                            product.result_column)) {
    if (result.is_transposed) {  // c^T = b^T a^T
      const pack::MatrixSource left_source = product.left;
      product.left = product.right.transposed();
      product.right = left_source.transposed();
      std::swap(product.rows, product.columns);
    }
    rows = product.rows;
    columns = product.columns;
    left = column_major(rows, product.inner, product.left.row_stride, product.left.column_stride);
    right =
        column_major(product.inner, columns, product.right.row_stride, product.right.column_stride);
    a = static_cast<const Scalar*>(product.left.data);
    b = static_cast<const Scalar*>(product.right.data);
  }
};

/// Whether such a library can compute a product: all arrays hold unscaled values of the type, with
/// stride 1 in one direction.
template <class Scalar>
bool suits_library(const sweep::Product<Scalar>& product) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (!pack::is_plain<Scalar>(product.left) || !pack::is_plain<Scalar>(product.right)) return false;
  const LibraryCall<Scalar> call(product);
  const auto fits = [&](const ColumnMajor& form) {
    return form.leading > 0 && form.leading <= most;
  };
  return fits(call.left) && fits(call.right) && fits(call.result) && product.rows > 0 &&
         product.columns > 0 && product.inner > 0 &&
         std::max({product.rows, product.columns, product.inner}) <= most;
}

}  // namespace synelix::plan
