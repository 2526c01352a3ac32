// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

/// \file
/// Eigenvalues and eigenvectors of small symmetric matrices: of the blocks of grouped coefficients.

namespace synelix::glm {

/// matrix = sum_i values[i] v_i v_i', v_i row i of `vectors`. Values ascend.
struct Eigen {
  std::vector<double> values;
  std::vector<double> vectors;  ///< (size, size), row-major
};

/// By Householder's reduction and implicit QR steps. Source: Golub and Van Loan, "Matrix
/// Computations", 4th edition, 2013, sections 8.3.1 and 8.3.3.
/// \param matrix  (size, size), row-major, symmetric
Eigen eigen_of(std::int64_t size, std::vector<double> matrix);

}  // namespace synelix::glm
