// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runners/products_runner.hpp"

#include <memory>
#include <string>

/// \file
/// One way to compute quadratic forms, or bilinear forms of each vector with itself.

namespace synelix::perf {

/// For a problem of kind "forms", whose one shape is (vectors, n, n): left operands are vectors,
/// the right one is the matrix, and value (0, i, 0) is the form of vector i. The library's
/// quadratic forms ("synelix"), with the complete matrix ("synelix_product"), its bilinear forms
/// ("synelix_bilinear"); or the product by its own tiles, or by the BLAS, stored, and then dot
/// products ("tiles_dots", "blas_dots").
std::unique_ptr<OperatorRunner> make_forms(const std::string& runner,
                                           const ProductsProblem& problem);

}  // namespace synelix::perf
