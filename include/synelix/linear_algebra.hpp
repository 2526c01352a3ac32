// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// \file
/// The functions of BLAS and LAPACK that the library calls: those that it was linked with, or those
/// that the program sets. A program that has a BLAS already, such as SciPy's, sets its functions
/// here.
///
///     sx::set_linear_algebra({.dgesdd = my_dgesdd, .dgeqrf = my_dgeqrf});

namespace synelix {

/// Functions with Fortran's interface: column-major matrices, all arguments by address, string
/// lengths last. Integers have 32 bits.
struct LinearAlgebra {
  /// Singular values by divide and conquer, for OrthExponential.
  using Dgesdd = void(const char* jobz, const int* m, const int* n, double* a, const int* lda,
                      double* s, double* u, const int* ldu, double* vt, const int* ldvt,
                      double* work, const int* lwork, int* iwork, int* info,
                      std::size_t jobz_length);
  /// a(m, n) = q r by reflections, for OrthExponential in eval mode.
  using Dgeqrf = void(const int* m, const int* n, double* a, const int* lda, double* tau,
                      double* work, const int* lwork, int* info);
  /// c(m, n) = alpha op(a) op(b) + beta c, for large products.
  template <class Scalar>
  using Gemm = void(const char* transa, const char* transb, const int* m, const int* n,
                    const int* k, const Scalar* alpha, const Scalar* a, const int* lda,
                    const Scalar* b, const int* ldb, const Scalar* beta, Scalar* c, const int* ldc);

  Dgesdd* dgesdd = nullptr;       ///< null: OrthExponential is an error
  Dgeqrf* dgeqrf = nullptr;       ///< null: OrthExponential in eval mode is an error
  Gemm<float>* sgemm = nullptr;   ///< null: the library's own tiles are used
  Gemm<double>* dgemm = nullptr;  ///< null: the library's own tiles are used
};

/// Sets the functions for all later calls and returns the previous ones. Call it before the first
/// plan, because the choice for a product depends on whether there is a function for it.
LinearAlgebra set_linear_algebra(const LinearAlgebra& functions);

/// The functions that are set: at first those that the build was linked with, or none
/// (SYNELIX_ENABLE_LAPACK=OFF).
LinearAlgebra linear_algebra();

}  // namespace synelix
