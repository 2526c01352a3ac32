// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/singular.hpp"

#include <synelix/error.hpp>
#include <synelix/linear_algebra.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace synelix::bases {
namespace {

void require_solved(const char* routine, int info, const char* decomposition) {
  if (info == 0) return;
  throw Error(
      "OrthExponential.decay_rates",
      std::string("LAPACK's ") + routine + " returned " + std::to_string(info) + " for these rates",
      std::string("Use rates whose exponentials have ") + decomposition);
}

/// A function that is set. \throws StateError where it is not
template <class Function>
Function* found(Function* function, const char* routine) {
  if (function != nullptr) return function;
  throw StateError("OrthExponential", std::string("there is no ") + routine + " of LAPACK",
                   "Give one by set_linear_algebra, or build with SYNELIX_ENABLE_LAPACK=ON");
}

}  // namespace

Singular decompose(std::vector<double> a, int m, int n) {
  const auto columns = static_cast<std::size_t>(n);
  Singular result{std::vector<double>(columns), std::vector<double>(a.size()),
                  std::vector<double>(columns * columns)};
  std::vector<int> iwork(8 * columns);
  auto* const dgesdd = found(linear_algebra().dgesdd, "dgesdd");
  const auto solve = [&](double* work, int lwork) {
    int info = 0;
    dgesdd("S", &m, &n, a.data(), &m, result.s.data(), result.u.data(), &m, result.vt.data(), &n,
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
  auto* const dgeqrf = found(linear_algebra().dgeqrf, "dgeqrf");
  const auto solve = [&](double* work, int lwork) {
    int info = 0;
    dgeqrf(&m, &n, a.data(), &m, tau.data(), work, &lwork, &info);
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
