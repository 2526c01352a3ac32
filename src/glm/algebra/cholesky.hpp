// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/product.hpp"

#include <cstdint>

/// \file
/// Cholesky factors of symmetric matrices, and solves with them. Matrices are row-major and lower.
/// Source: Golub and Van Loan, "Matrix Computations", 4th edition, 2013, section 4.2. The vendor's
/// routines are not used, because their bits depend on the vendor and on the number of threads.

namespace synelix::glm {

/// Overwrites the lower triangle of `matrix` with L of matrix = L L'. Does not read values above
/// the diagonal; they become undefined.
/// \return -1, or the first pivot that is not above 0: the matrix is not positive definite
std::int64_t factor_cholesky(const Tiles& tiles, std::int64_t size, double* matrix,
                             std::int64_t row);

/// Solves L L' x = b; `values` holds b, then x.
void solve_cholesky(std::int64_t size, const double* factor, std::int64_t row, double* values);

/// Solves L x = b, or L' x = b.
/// @{
void solve_lower(std::int64_t size, const double* factor, std::int64_t row, double* values);
void solve_lower_transposed(std::int64_t size, const double* factor, std::int64_t row,
                            double* values);
/// @}

/// Solves L L' X = B of `columns` right-hand sides, (size, columns) row-major, in place.
void solve_cholesky(const Tiles& tiles, std::int64_t size, const double* factor, std::int64_t row,
                    double* values, std::int64_t columns);

/// The sum of products, in eight partial sums that are added in order.
double dot(const double* left, const double* right, std::int64_t size);

}  // namespace synelix::glm
