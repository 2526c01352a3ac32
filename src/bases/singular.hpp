// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace synelix::bases {

/// Thin singular value decomposition of a column-major m x n matrix, m >= n.
struct Singular {
  std::vector<double> s;   ///< n singular values, largest first
  std::vector<double> u;   ///< m x n, column-major
  std::vector<double> vt;  ///< n x n, column-major
};

/// By LAPACK's dgesdd. \throws Error where it does not converge
Singular decompose(std::vector<double> a, int m, int n);

/// Replaces a column-major m x n matrix, m >= n, by the upper triangle of its orthogonal
/// decomposition, n x n with zeros below, by LAPACK's dgeqrf.
std::vector<double> upper_triangle(std::vector<double> a, int m, int n);

}  // namespace synelix::bases
