// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <vector>

/// \file
/// OrthExponential on a window and on samples, and the matrix decompositions that it needs.

namespace synelix::bases {

void check(const OrthExponential& basis, std::int64_t window);

/// Orthonormal columns that span the exponentials.
struct OrthonormalColumns {
  std::int64_t rank = 0;       ///< number of columns, at most the number of rates
  std::vector<double> values;  ///< window x rank, row-major
};

OrthonormalColumns orthonormal_exponentials(const OrthExponential& basis, std::int64_t window);

/// Gathers samples and finds that matrix. Only the triangle of the orthogonal decomposition of A is
/// stored, and updated block by block, so memory does not grow with the samples.
class ExponentialFit {
 public:
  explicit ExponentialFit(std::vector<double> rates);

  /// Adds one sample, mapped to [0, 1].
  void add(double u);
  /// Samples so far.
  [[nodiscard]] std::int64_t samples() const { return m_samples; }

  /// The map from exponentials to orthonormal columns.
  struct Map {
    std::int64_t rank = 0;
    std::vector<double> values;  ///< rates x rank, row-major
  };
  /// The map of all samples, of which there must be at least as many as rates. Its signs are
  /// arbitrary.
  [[nodiscard]] Map map();

 private:
  void update();

  std::vector<double> m_rates;
  std::vector<double> m_triangle;  ///< rates x rates, column-major
  std::vector<double> m_block;     ///< pending samples, each mapped to [0, 1]
  std::int64_t m_samples = 0;
};

/// Thin singular value decomposition of a column-major m x n matrix, m >= n.
struct Singular {
  std::vector<double> s;   ///< n singular values, largest first
  std::vector<double> u;   ///< m x n, column-major
  std::vector<double> vt;  ///< n x n, column-major
};

/// Uses LAPACK's dgesdd. \throws Error if it does not converge
Singular decompose(std::vector<double> a, int m, int n);

/// Replaces a column-major m x n matrix, m >= n, by the upper triangle of its orthogonal
/// decomposition, n x n with zeros below. Uses LAPACK's dgeqrf.
std::vector<double> upper_triangle(std::vector<double> a, int m, int n);

}  // namespace synelix::bases
