// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runners/operator_runner.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// \file
/// Sets of matrix products that the library and its peers are asked for.

namespace synelix::perf {

/// Extents of a product.
struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
};

/// What is multiplied: row-major, one operand behind the other. Value i of the left operands is
/// (i * 7919 % 1009) / 1009 - 1/2, of the right ones (i * 104729 % 1013) / 1013 - 1/2.
struct ProductsProblem {
  std::string kind;                  ///< "batch", "list", "windows", or "forms" (forms_runner.hpp)
  std::vector<ProductShape> shapes;  ///< of a list; the one shape of a batch; of a window
  std::int64_t count = 0;            ///< of a batch: products
  std::int64_t length = 0;           ///< of windows: columns of the matrix that they are windows of
  bool is_double = false;
  bool is_int8 = false;  ///< of left operands: value i is (i * 7919 % 251 - 125) / 128, stored as
                         ///< int8 with scale 1 / 128
};

/// The library ("synelix", "synelix_tiles"), the BLAS product by product ("blas"), its one product
/// whose windows are copied ("blas_windows").
/// ("kokkos_batched": Kokkos' batched product for lists)
/// \throws Absent for what is on hosts only, where the build is for a device, or is not in it
std::unique_ptr<OperatorRunner> make_products(const std::string& runner,
                                              const ProductsProblem& problem);
/// Of it, Kokkos'. \throws Absent where the build has no Kokkos Kernels, or for what is no list
std::unique_ptr<OperatorRunner> make_batched(const ProductsProblem& problem);

}  // namespace synelix::perf
