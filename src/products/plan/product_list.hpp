// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "products/plan/operands.hpp"
#include "products/sweep/products.hpp"

#include <synelix/matmul.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// Products as the sweeps take them, checked: what a plan of matrix products is made from.

namespace synelix::plan {

/// A product of a list as the sweeps take it.
template <class Scalar>
sweep::Product<Scalar> listed(const Product& product, const MatmulOptions& options);

/// Bytes that each product of a list takes: its entry of the table, and the number of its first
/// part.
template <class Scalar>
inline constexpr std::int64_t listed_bytes =
    std::int64_t{sizeof(sweep::Product<Scalar>)} + std::int64_t{sizeof(std::int64_t)};

/// All products of a call: a list, or a batch of one shape.
template <class Scalar>
struct ProductList {
  sweep::Product<Scalar> first;
  std::int64_t count = 0;
  index::ChannelMap left_places;  ///< of a batch, as sweep::ProductSet has them
  index::ChannelMap right_places;
  index::ChannelMap result_places;
  std::vector<sweep::Product<Scalar>> table;  ///< of a list; empty: a batch, or no room for it
  std::span<const Product> given;             ///< of a list for whose table there is no room
  MatmulOptions options;                      ///< of those

  /// Whether the products are a list.
  [[nodiscard]] bool is_list() const { return !table.empty() || !given.empty(); }

  /// Calls visit(product) for each of a list, and once for a batch, whose products are alike.
  template <class Visitor>
  void each(const Visitor& visit) const {
    if (!is_list()) return visit(first);
    for (const auto& product : table) visit(product);
    for (const Product& product : given) visit(listed<Scalar>(product, options));
  }
};

/// A batch whose products are the slices of one: product p is columns [p step, p step + columns)
/// of it.
struct SlicedProducts {
  std::int64_t places = 0;  ///< 0: the batch is none
  std::int64_t step = 0;
  std::int64_t columns = 0;  ///< of the one product
};

/// One product or a batch. \throws Error where the arrays do not fit together
template <class Scalar>
ProductList<Scalar> list_batch(const Operand& a, const Operand& b, const StridedOutput& c,
                               const MatmulOptions& options,
                               ArrayMemory memory = ArrayMemory::needed);

/// Products of any shapes. Where the budget has no room for their table, there is none: what is
/// left is to name the least budget. \throws Error as above, naming the product
template <class Scalar>
ProductList<Scalar> list_products(std::span<const Product> products, const MatmulOptions& options,
                                  std::int64_t budget);

/// Whether the right operands of a batch are overlapping windows of one matrix, and the left one is
/// the same for all.
template <class Scalar>
SlicedProducts slices_of(const ProductList<Scalar>& list);

}  // namespace synelix::plan
