// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine/budget.hpp"
#include "products/choice/library_call.hpp"
#include "products/choice/product_list.hpp"
#include "products/problem/matmul_packing.hpp"
#include "products/problem/products.hpp"

#include <synelix/types/matmul.hpp>

#include <cstdint>
#include <vector>

/// \file
/// How a set of products is cut into parts of about equal cost, and the memory for that.

namespace synelix::plan {

/// How a set is cut and computed, before anything is allocated.
template <class Scalar>
struct ProductCut {
  MatmulChoice choice;
  sweep::ProductSet<Scalar> set;  ///< without its tables
  SlicedProducts slices;
  std::vector<std::int64_t> first_parts;  ///< of a table: number of each product's first part
  std::vector<std::int64_t> shares;       ///< of a table, on a host: first part of each team
  sweep::MatmulPacking packing;           ///< on a host
  std::int64_t table_bytes = 0;
  std::int64_t slices_bytes = 0;
  std::int64_t team_bytes = 0;
};

/// The product that a batch of slices is part of, at `data`.
template <class Scalar>
sweep::Product<Scalar> whole_of(const sweep::Product<Scalar>& slice, const SlicedProducts& slices,
                                Scalar* data) {
  sweep::Product<Scalar> product = slice;
  product.columns = slices.columns;
  product.result = data;
  product.result_row = slices.columns;
  product.result_column = 1;
  product.beta = 0;
  return product;
}

/// How a list is computed. Parts, and so teams and memory, change no bit of a result.
/// \throws Error if the budget is too small or the multiplier does not apply
template <class Scalar>
ProductCut<Scalar> choose_products(const ProductList<Scalar>& list, const MatmulOptions& options,
                                   const ExecutionResources& resources, VendorLibrary library);

}  // namespace synelix::plan
