// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linear_algebra.hpp"

#include "gil.hpp"

#include <synelix/error.hpp>
#include <synelix/linear_algebra.hpp>

#include <atomic>
#include <string>

// SciPy provides the addresses of its BLAS and LAPACK for Cython, in capsules. They have Fortran's
// interface, without the lengths of texts. A wheel that uses them has no separate BLAS, and a
// process has one pool of BLAS threads.

namespace synelix::python {
namespace {

namespace nb = nanobind;

constexpr const char* blas = "scipy.linalg.cython_blas";
constexpr const char* lapack = "scipy.linalg.cython_lapack";

void* address_of(const char* module, const char* name) {
  const WithGil held;
  try {
    const nb::object capsule = in_python(
        [&]() -> nb::object { return nb::module_::import_(module).attr("__pyx_capi__")[name]; });
    void* const address = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
    if (address == nullptr) nb::raise_python_error();
    return address;
  } catch (nb::python_error& error) {
    throw Error("scipy", std::string("its ") + name + " cannot be found: " + error.what(),
                "Install SciPy 1.11 or later");
  }
}

/// A function that is looked up at its first call. It is not a static with a guard: the thread that
/// initializes it would wait for the GIL, and the thread with the GIL could wait for the guard.
template <class Function>
class Borrowed {
 public:
  constexpr Borrowed(const char* module, const char* name) : m_module(module), m_name(name) {}

  Function* get() {
    Function* found = m_found.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = reinterpret_cast<Function*>(address_of(m_module, m_name));
      m_found.store(found, std::memory_order_release);
    }
    return found;
  }

 private:
  const char* m_module;
  const char* m_name;
  std::atomic<Function*> m_found{nullptr};
};

void dgesdd(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
            double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
            int* iwork, int* info, std::size_t /*jobz_length*/) {
  using Function = void(const char*, const int*, const int*, double*, const int*, double*, double*,
                        const int*, double*, const int*, double*, const int*, int*, int*);
  static constinit Borrowed<Function> scipys(lapack, "dgesdd");
  scipys.get()(jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info);
}

void dgeqrf(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
            const int* lwork, int* info) {
  static constinit Borrowed<LinearAlgebra::Dgeqrf> scipys(lapack, "dgeqrf");
  scipys.get()(m, n, a, lda, tau, work, lwork, info);
}

template <class Scalar>
void gemm(const char* transa, const char* transb, const int* m, const int* n, const int* k,
          const Scalar* alpha, const Scalar* a, const int* lda, const Scalar* b, const int* ldb,
          const Scalar* beta, Scalar* c, const int* ldc) {
  static constinit Borrowed<LinearAlgebra::Gemm<Scalar>> scipys(
      blas, sizeof(Scalar) == sizeof(float) ? "sgemm" : "dgemm");
  scipys.get()(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace

void borrow_linear_algebra() {
  if (synelix::linear_algebra().dgesdd != nullptr) return;  // the build has its own
  set_linear_algebra(
      {.dgesdd = dgesdd, .dgeqrf = dgeqrf, .sgemm = gemm<float>, .dgemm = gemm<double>});
}

}  // namespace synelix::python
