// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/choice/product_list.hpp"

namespace synelix::plan {

template <class Scalar>
SlicedProducts slices_of(const ProductList<Scalar>& list) {
  const sweep::Product<Scalar>& product = list.first;
  // No kernel adds to results that are copied.
  if (list.is_list() || list.count < 2 || product.columns == 0 || product.beta != 0) return {};
  const std::int64_t stride = product.right.column_stride;
  const std::int64_t apart = list.right_places.stride();
  if (list.left_places.rank > 1 || list.left_places.stride() != 0 || list.right_places.rank != 1 ||
      stride == 0 || apart % stride != 0) {
    return {};
  }
  const std::int64_t step = apart / stride;
  if (step < 1 || step >= product.columns || product.right.column_scale != nullptr ||
      product.right.column_offset != nullptr) {
    return {};
  }
  return {list.count, step, (list.count - 1) * step + product.columns};
}

template SlicedProducts slices_of(const ProductList<float>&);
template SlicedProducts slices_of(const ProductList<double>&);

}  // namespace synelix::plan
