// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/product_arguments.hpp"

#include "index/range.hpp"
#include "launch/apart.hpp"
#include "launch/arrays.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace synelix {
namespace {

using index::place;

/// A dimension before the last two, counted from the last: 1 if an operand does not have it.
std::int64_t batch_extent(const Operand& matrices, int from_last) {
  const int i = matrices.rank() - 3 - from_last;
  return i >= 0 ? matrices.array().extents[place(i)] : 1;
}

/// Its stride; 0 if an operand has one matrix for all.
std::int64_t batch_stride(const Operand& matrices, int from_last) {
  const int i = matrices.rank() - 3 - from_last;
  return i >= 0 && matrices.array().extents[place(i)] > 1 ? matrices.array().strides[place(i)] : 0;
}

}  // namespace

std::vector<std::int64_t> plan::product_extents(const Operand& a, const Operand& b) {
  check_matrices("a", a);
  check_matrices("b", b);
  if (a.columns() != b.rows()) {
    throw Error("b", plan::pair_text(a, b) + " do not fit together",
                "Use as many rows of b as a has columns");
  }
  std::vector<std::int64_t> extents;
  const int batch = std::max(a.rank(), b.rank()) - 2;
  for (int i = batch - 1; i >= 0; --i) {
    const std::int64_t left = batch_extent(a, i);
    const std::int64_t right = batch_extent(b, i);
    if (left != right && left != 1 && right != 1) {
      throw Error("b", plan::pair_text(a, b) + " have different batches",
                  "Use the same batch of a and of b, or one matrix for all");
    }
    extents.push_back(left == 1 ? right : left);
  }
  extents.push_back(a.rows());
  extents.push_back(b.columns());
  plan::check_counted("c", extents);
  return extents;
}

namespace plan {
namespace {

/// One product of the last two dimensions, and whether its operands were swapped.
template <class Scalar>
struct OneProduct {
  sweep::Product<Scalar> product;
  bool is_transposed = false;
};

/// The product as c or its transpose, such that the result has contiguous columns if possible.
template <class Scalar>
OneProduct<Scalar> product_of(const Operand& a, const Operand& b, const StridedOutput& c,
                              const MatmulOptions& options) {
  sweep::Product<Scalar> product;
  product.left = matrix_source(a);
  product.right = matrix_source(b);
  product.result = static_cast<Scalar*>(c.data);
  product.result_row = c.strides[place(c.rank - 2)];
  product.result_column = c.strides[place(c.rank - 1)];
  product.rows = a.rows();
  product.columns = b.columns();
  product.inner = options.alpha == 0 ? 0 : a.columns();
  product.alpha = static_cast<Scalar>(options.alpha);
  product.beta = static_cast<Scalar>(options.beta);
  const bool is_column = product.columns == 1 && product.rows > 1;
  const bool is_transposed = (product.result_column != 1 || is_column) && product.result_row == 1;
  if (is_transposed) {
    const pack::MatrixSource left = product.left;
    product.left = product.right.transposed();
    product.right = left.transposed();
    std::swap(product.rows, product.columns);
    std::swap(product.result_row, product.result_column);
  }
  if (product.columns == 1) product.result_column = 1;
  return {product, is_transposed};
}

template <class Scalar>
void check_options(const MatmulOptions& options) {
  check_known(options);
  if (!std::isfinite(static_cast<Scalar>(options.alpha))) {
    throw Error("alpha", std::to_string(options.alpha) + " is not finite in the type of the result",
                "Use a number that is finite in the type of the result");
  }
  if (!std::isfinite(static_cast<Scalar>(options.beta))) {
    throw Error("beta", std::to_string(options.beta) + " is not finite in the type of the result",
                "Use a number that is finite in the type of the result");
  }
}

/// A product of a list for the sweeps.
template <class Scalar>
sweep::Product<Scalar> listed(const Product& product, const MatmulOptions& options) {
  return product_of<Scalar>(product.a, product.b, product.c, options).product;
}

}  // namespace

template <class Scalar>
ProductList<Scalar> list_batch(const Operand& a, const Operand& b, const StridedOutput& c,
                               const MatmulOptions& options, ArrayMemory memory) {
  check_options<Scalar>(options);
  const std::vector<std::int64_t> extents = product_extents(a, b);
  check_result("c", c, extents, stored_type<Scalar>, memory);
  Arguments arguments;
  arguments.writes("c", c).reads("a", a).reads("b", b);
  check_apart(arguments);
  ProductList<Scalar> list;
  const OneProduct<Scalar> one = product_of<Scalar>(a, b, c, options);
  list.first = one.product;
  list.count = 1;
  for (int i = c.rank - 3; i >= 0; --i) {
    const std::size_t k = place(c.rank - 3 - i);
    list.count *= c.extents[k];
    list.left_places.append(c.extents[k], batch_stride(one.is_transposed ? b : a, i));
    list.right_places.append(c.extents[k], batch_stride(one.is_transposed ? a : b, i));
    list.result_places.append(c.extents[k], c.strides[k]);
  }
  return list;
}

template <class Scalar>
ProductList<Scalar> list_products(std::span<const Product> products, const MatmulOptions& options,
                                  std::int64_t budget) {
  check_options<Scalar>(options);
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Product& product = products[i];
    const std::string name = "products[" + std::to_string(i) + "]";
    check_matrices((name + ".a").c_str(), product.a);
    check_matrices((name + ".b").c_str(), product.b);
    if (product.a.rank() != 2 || product.b.rank() != 2) {
      throw Error(name, pair_text(product.a, product.b) + " are not two matrices",
                  "Pass two matrices");
    }
    if (product.a.columns() != product.b.rows()) {
      throw Error(name + ".b", pair_text(product.a, product.b) + " do not fit together",
                  "Use as many rows of b as a has columns");
    }
    check_result((name + ".c").c_str(), product.c, {product.a.rows(), product.b.columns()},
                 stored_type<Scalar>);
  }
  check_apart(products);
  ProductList<Scalar> list;
  list.count = static_cast<std::int64_t>(products.size());
  if (!products.empty()) list.first = listed<Scalar>(products.front(), options);
  if (list.count > 1 && budget < list.count * listed_bytes<Scalar>) {
    list.product_at = [products, options](std::int64_t i) {
      return listed<Scalar>(products[static_cast<std::size_t>(i)], options);
    };
    return list;
  }
  list.table.reserve(products.size());
  for (const Product& product : products) list.table.push_back(listed<Scalar>(product, options));
  return list;
}

#define SYNELIX_INSTANTIATE(SCALAR)                                                             \
  template ProductList<SCALAR> list_batch(const Operand&, const Operand&, const StridedOutput&, \
                                          const MatmulOptions&, ArrayMemory);                   \
  template ProductList<SCALAR> list_products(std::span<const Product>, const MatmulOptions&,    \
                                             std::int64_t);
SYNELIX_INSTANTIATE(float)
SYNELIX_INSTANTIATE(double)
#undef SYNELIX_INSTANTIATE

}  // namespace plan
}  // namespace synelix
