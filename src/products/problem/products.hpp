// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/channel_map.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"
#include "pack/matrix.hpp"

#include <cstdint>

/// \file
/// A set of matrix products for the sweeps: result = alpha left right + beta result for each.
/// Products are cut into parts of at most `part_rows` x `part_columns`, which are numbered product
/// after product.

namespace synelix::sweep {

/// One product. Its result has contiguous columns if the caller's result is contiguous in one
/// direction.
template <class Scalar>
struct Product {
  pack::MatrixSource left;   ///< rows by inner
  pack::MatrixSource right;  ///< inner by columns
  Scalar* result = nullptr;
  std::int64_t result_row = 0;     ///< values from one row to the next
  std::int64_t result_column = 1;  ///< values from one column to the next
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  Scalar alpha = 1;
  Scalar beta = 0;
};

/// The data of the operands and of the result of a product.
template <class Scalar>
struct ProductPlace {
  const void* left;
  const void* right;
  Scalar* result;
};

/// A rectangle of a product.
struct ProductPart {
  std::int64_t row;
  std::int64_t rows;
  std::int64_t column;
  std::int64_t columns;
};

/// The products: a table, or one shape with operands that are placed by the dimensions of a batch.
template <class Scalar>
struct ProductSet {
  const Product<Scalar>* table = nullptr;    ///< one for each product; null: `first` at its places
  const std::int64_t* first_part = nullptr;  ///< number of each product's first part, and total
  Product<Scalar> first;
  std::int64_t count = 0;          ///< products
  index::ChannelMap left_places;   ///< beginning of the operands of each product, in values from
  index::ChannelMap right_places;  ///< the first one's
  index::ChannelMap result_places;
  std::int64_t part_rows = 1;     ///< rows of a part, at most
  std::int64_t part_columns = 1;  ///< columns of a part, at most
  std::int64_t parts = 0;         ///< of all products

  [[nodiscard]] SYNELIX_FUNCTION const Product<Scalar>& product(std::int64_t number) const {
    return table != nullptr ? table[number] : first;
  }

  [[nodiscard]] SYNELIX_FUNCTION ProductPlace<Scalar> place(std::int64_t number) const {
    if (table != nullptr) {
      return {table[number].left.data, table[number].right.data, table[number].result};
    }
    return {pack::matrix_data(first.left, left_places.offset(number)),
            pack::matrix_data(first.right, right_places.offset(number)),
            first.result + result_places.offset(number)};
  }

  /// Whether products are at a constant distance.
  [[nodiscard]] SYNELIX_FUNCTION bool is_regular() const {
    return table == nullptr && left_places.rank <= 1 && right_places.rank <= 1 &&
           result_places.rank <= 1;
  }

  /// Whether a product is a single part, as most products of a large set are.
  [[nodiscard]] SYNELIX_FUNCTION bool is_one_part(const Product<Scalar>& product) const {
    return product.rows <= part_rows && product.columns <= part_columns;
  }

  /// Parts of one product.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t parts_of(const Product<Scalar>& product) const {
    if (is_one_part(product)) return product.rows > 0 && product.columns > 0 ? 1 : 0;
    return index::ceil_divide(product.rows, part_rows) *
           index::ceil_divide(product.columns, part_columns);
  }

  /// A part of a product by its number in it: rows first, so that neighboring parts share columns.
  [[nodiscard]] SYNELIX_FUNCTION ProductPart part(const Product<Scalar>& product,
                                                  std::int64_t number) const {
    if (is_one_part(product)) return {0, product.rows, 0, product.columns};
    const std::int64_t down = index::ceil_divide(product.rows, part_rows);
    ProductPart part;
    part.row = number % down * part_rows;
    part.column = number / down * part_columns;
    part.rows = index::smaller(part_rows, product.rows - part.row);
    part.columns = index::smaller(part_columns, product.columns - part.column);
    return part;
  }

  /// The product that a part belongs to.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t product_of(std::int64_t part) const {
    if (table == nullptr) return part / parts_of(first);
    std::int64_t low = 0;
    std::int64_t high = count;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (first_part[middle] <= part ? low : high) = middle;
    }
    return low;
  }

  /// The number of a product's first part.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t first_part_of(std::int64_t product) const {
    return table != nullptr ? first_part[product] : product * parts_of(first);
  }
};

}  // namespace synelix::sweep
