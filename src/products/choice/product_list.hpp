// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/channel_map.hpp"
#include "products/problem/products.hpp"

#include <cstdint>
#include <functional>
#include <vector>

/// \file
/// The checked products of a call, from which their choice and plan are made.

namespace synelix::plan {

/// Bytes for each product of a list: its entry in the table, and the number of its first part.
template <class Scalar>
inline constexpr std::int64_t listed_bytes =
    std::int64_t{sizeof(sweep::Product<Scalar>)} + std::int64_t{sizeof(std::int64_t)};

/// All products of a call: a list, or a batch of one shape.
template <class Scalar>
struct ProductList {
  sweep::Product<Scalar> first;
  std::int64_t count = 0;
  index::ChannelMap left_places;  ///< of a batch, as in sweep::ProductSet
  index::ChannelMap right_places;
  index::ChannelMap result_places;
  std::vector<sweep::Product<Scalar>> table;  ///< of a list; empty: a batch, or it does not fit
  /// For a list whose table does not fit the budget: returns the product of a number.
  std::function<sweep::Product<Scalar>(std::int64_t)> product_at;

  /// Whether the products are a list.
  [[nodiscard]] bool is_list() const { return !table.empty() || product_at != nullptr; }

  /// Calls visit(product) for each of a list, and once for a batch, whose products are alike.
  template <class Visitor>
  void each(const Visitor& visit) const {
    if (!is_list()) return visit(first);
    for (const auto& product : table) visit(product);
    if (product_at == nullptr) return;
    for (std::int64_t i = 0; i < count; ++i) visit(product_at(i));
  }
};

/// A batch whose products are slices of one product: product p is columns [p step, p step +
/// columns) of it.
struct SlicedProducts {
  std::int64_t places = 0;  ///< 0: the batch is not sliced
  std::int64_t step = 0;
  std::int64_t columns = 0;  ///< of the one product
};

/// Whether the right operands of a batch are overlapping windows of one matrix, and the left one is
/// the same for all.
template <class Scalar>
SlicedProducts slices_of(const ProductList<Scalar>& list);

}  // namespace synelix::plan
