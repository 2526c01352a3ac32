// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runners/operator_runner.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// \file
/// Sets of matrix products that are run by the library and its peers.

namespace synelix::perf {

/// Extents of a product.
struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
};

/// The operands: row-major and consecutive. Value i of the left operands is (i * 7919 % 1009) /
/// 1009 - 1/2, of the right ones (i * 104729 % 1013) / 1013 - 1/2.
struct ProductsProblem {
  std::string kind;                  ///< "batch", "list", "windows", or "forms" (forms_runner.hpp)
  std::vector<ProductShape> shapes;  ///< of a list; the one shape of a batch; of a window
  std::int64_t count = 0;            ///< of a batch: products
  std::int64_t length = 0;           ///< for windows: columns of the matrix
  bool is_double = false;
  bool is_int8 = false;  ///< of left operands: value i is (i * 7919 % 251 - 125) / 128, stored as
                         ///< int8 with scale 1 / 128
};

/// The library ("synelix", "synelix_tiles"), the BLAS product by product ("blas"), or its single
/// product of copied windows ("blas_windows").
/// ("kokkos_batched": Kokkos' batched product for lists)
/// \throws Absent for runners that exist only on hosts if the build is for a device, or that are
///         not in the build
std::unique_ptr<OperatorRunner> make_products(const std::string& runner,
                                              const ProductsProblem& problem);
/// Kokkos' runner for it. \throws Absent if the build has no Kokkos Kernels, or for a problem that
/// is not a list
std::unique_ptr<OperatorRunner> make_batched(const ProductsProblem& problem);

}  // namespace synelix::perf
