// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plan/operands.hpp"
#include "sweep/products.hpp"

#include <synelix/matmul.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// Products as the sweeps take them, checked: what a plan of matrix products is made from.

namespace synelix::plan {

/// All products of a call: a list, or a batch of one shape.
template <class Scalar>
struct ProductList {
  sweep::Product<Scalar> first;
  std::int64_t count = 0;
  index::ChannelMap left_places;  ///< of a batch, as sweep::ProductSet has them
  index::ChannelMap right_places;
  index::ChannelMap result_places;
  std::vector<sweep::Product<Scalar>> table;  ///< of a list; empty: a batch

  /// A product by its number; of a batch, without its place.
  [[nodiscard]] const sweep::Product<Scalar>& product(std::int64_t i) const {
    return table.empty() ? first : table[static_cast<std::size_t>(i)];
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
ProductList<Scalar> list_batch(const Matrices& a, const Matrices& b, const StridedOutput& c,
                               const MatmulOptions& options,
                               ResultMemory memory = ResultMemory::needed);

/// Products of any shapes. \throws Error as above, naming the product
template <class Scalar>
ProductList<Scalar> list_products(std::span<const Product> products, const MatmulOptions& options);

/// Whether the right operands of a batch are overlapping windows of one matrix, and the left one is
/// the same for all.
template <class Scalar>
SlicedProducts slices_of(const ProductList<Scalar>& list);

}  // namespace synelix::plan
