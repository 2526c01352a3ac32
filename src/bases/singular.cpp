// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/singular.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <string>

extern "C" {
// LAPACK: singular value decomposition by divide and conquer, a(m, n) = u diag(s) vt, column-major.
// The last argument is the length of jobz that Fortran compilers pass.
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info, std::size_t jobz_length);
// LAPACK: a(m, n) = q r by reflections; r is left in the upper triangle of a.
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
}

namespace synelix::bases {
namespace {

void require_solved(const char* routine, int info, const char* decomposition) {
  if (info == 0) return;
  throw Error(
      "OrthExponential.decay_rates",
      std::string("LAPACK's ") + routine + " returned " + std::to_string(info) + " for these rates",
      std::string("Use rates whose exponentials have ") + decomposition);
}

}  // namespace

Singular decompose(std::vector<double> a, int m, int n) {
  const auto columns = static_cast<std::size_t>(n);
  Singular result{std::vector<double>(columns), std::vector<double>(a.size()),
                  std::vector<double>(columns * columns)};
  std::vector<int> iwork(8 * columns);
  const auto solve = [&](double* work, int lwork) {
    int info = 0;
    dgesdd_("S", &m, &n, a.data(), &m, result.s.data(), result.u.data(), &m, result.vt.data(), &n,
            work, &lwork, iwork.data(), &info, 1);
    require_solved("dgesdd", info, "a singular value decomposition");
  };
  double optimal = 0.0;
  solve(&optimal, -1);  // asks for the size of the workspace
  std::vector<double> work(static_cast<std::size_t>(optimal));
  solve(work.data(), static_cast<int>(work.size()));
  return result;
}

std::vector<double> upper_triangle(std::vector<double> a, int m, int n) {
  const auto columns = static_cast<std::size_t>(n);
  std::vector<double> tau(columns);
  const auto solve = [&](double* work, int lwork) {
    int info = 0;
    dgeqrf_(&m, &n, a.data(), &m, tau.data(), work, &lwork, &info);
    require_solved("dgeqrf", info, "an orthogonal decomposition");
  };
  double optimal = 0.0;
  solve(&optimal, -1);  // asks for the size of the workspace
  std::vector<double> work(static_cast<std::size_t>(optimal));
  solve(work.data(), static_cast<int>(work.size()));
  std::vector<double> r(columns * columns, 0.0);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      r[j * columns + i] = a[j * static_cast<std::size_t>(m) + i];
    }
  }
  return r;
}

}  // namespace synelix::bases
