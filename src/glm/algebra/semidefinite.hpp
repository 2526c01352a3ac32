// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/product.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `SemidefiniteFactor`: a symmetric matrix that should be positive semidefinite, factored for
/// solutions of minimum norm. A Newton step of minimum norm does not change the null component of
/// the parameters, like a gradient step. `eigen_of`: eigenvalues and eigenvectors of small
/// symmetric matrices, for the blocks of grouped coefficients.

namespace synelix::glm {

/// matrix = sum_i values[i] v_i v_i', v_i row i of `vectors`. Values ascend.
struct Eigen {
  std::vector<double> values;
  std::vector<double> vectors;  ///< (size, size), row-major
};

/// Eigenvalues and eigenvectors by Householder's reduction and implicit QR steps. Source: Golub and
/// Van Loan, "Matrix Computations", 4th edition, 2013, sections 8.3.1 and 8.3.3.
/// \param matrix  (size, size), row-major, symmetric
Eigen eigen_of(std::int64_t size, std::vector<double> matrix);

/// Definiteness of a symmetric matrix, found while factoring.
enum class Definite : std::uint8_t {
  positive,   ///< positive definite
  deficient,  ///< positive semidefinite within rounding: it has a null space
  indefinite  ///< it has a negative eigenvalue, or a value that is not finite
};

/// Factors S M S, where S scales the diagonal to ones, so that neither ranks nor rounding depend on
/// the units of columns.
class SemidefiniteFactor {
 public:
  /// \param matrix     (size, size), row-major; the lower triangle is read
  /// \param tolerance  pivots of the scaled matrix up to this count as 0
  Definite factor(const Tiles& tiles, std::int64_t size, std::span<const double> matrix,
                  double tolerance);

  [[nodiscard]] std::int64_t size() const { return m_size; }
  /// Pivots above the tolerance.
  [[nodiscard]] std::int64_t rank() const { return m_rank; }
  /// Overwrites b with the solution of minimum norm of matrix x = b. The part of b outside the
  /// range of the matrix is treated as rounding. All NaN after an indefinite matrix, which has no
  /// factor.
  void solve(double* values) const;
  /// Removes the null component from values.
  void remove_null(double* values) const;

 private:
  /// Writes the lower triangle of the scaled matrix. Returns false if a value is not finite.
  bool scale_into(std::span<const double> matrix, std::vector<double>& scaled) const;
  /// Factors the scaled matrix with the largest pivot first, as far as pivots exceed the tolerance.
  Definite factor_pivoted(std::vector<double> scaled, double tolerance);
  void make_null_space();

  std::int64_t m_size = 0;
  std::int64_t m_rank = 0;
  bool m_is_solvable = false;         ///< whether there is a factor
  std::vector<double> m_scale;        ///< the diagonal of S
  std::vector<double> m_factor;       ///< (size, size) lower, rows in the order of pivots
  std::vector<std::int64_t> m_order;  ///< row of each pivot; empty: in order
  std::vector<double> m_null;         ///< (size - rank, size): orthonormal rows
};

/// The rank of a Gram matrix, with `numeric_rank_tolerance`.
std::int64_t rank_of(const Tiles& tiles, std::int64_t size, std::span<const double> gram);

/// Pivots of a scaled Gram matrix of double products up to this are rounding. Features in float
/// leave about 1e-15 in null directions; a design of condition 1e6 has pivots above 1e-12.
double numeric_rank_tolerance(std::int64_t size);

}  // namespace synelix::glm
