// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// \file
/// `ProductsRunner`: one way to compute a set of matrix products, prepared once and run many times.

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
};

class ProductsRunner {
 public:
  ProductsRunner() = default;
  ProductsRunner(const ProductsRunner&) = delete;
  ProductsRunner& operator=(const ProductsRunner&) = delete;
  virtual ~ProductsRunner() = default;

  virtual void run() = 0;
  /// Value (i, j) of a product, after a run.
  [[nodiscard]] virtual double value(std::int64_t product, std::int64_t i,
                                     std::int64_t j) const = 0;
  [[nodiscard]] virtual std::string detail() const = 0;
};

/// The library ("synelix", "synelix_tiles"), the BLAS product by product ("blas"), its one product
/// whose windows are copied ("blas_windows").
/// \throws Absent for what is on hosts only, where the build is for a device
std::unique_ptr<ProductsRunner> make_products(const std::string& runner,
                                              const ProductsProblem& problem);

}  // namespace synelix::perf
