// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/prepared_products.hpp"

#include "launch/host_space.hpp"
#include "machine/spaces.hpp"
#include "products/choice/library_call.hpp"

#include <synelix/linear_algebra.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>

#ifdef SYNELIX_HAVE_KERNELS
#include <KokkosBlas3_gemm.hpp>
#endif

namespace synelix::plan {
namespace {

#ifdef SYNELIX_HAVE_KERNELS

/// A column-major View of a matrix whose columns are `leading` values apart.
template <class Value, class ExecutionSpace>
auto view_of(Value* data, const ColumnMajor& form, std::int64_t rows, std::int64_t columns) {
  using View = Kokkos::View<Value**, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space,
                            Kokkos::MemoryUnmanaged>;
  if (form.is_transposed) std::swap(rows, columns);
  const auto end = static_cast<std::size_t>(rows);
  return Kokkos::subview(
      View(data, static_cast<std::size_t>(form.leading), static_cast<std::size_t>(columns)),
      std::pair<std::size_t, std::size_t>(0, end), Kokkos::ALL);
}

#else

/// The function of a BLAS for products of this type; null if there is none.
template <class Scalar>
LinearAlgebra::Gemm<Scalar>* gemm_of() {
  if constexpr (std::is_same_v<Scalar, float>) {
    return linear_algebra().sgemm;
  } else {
    return linear_algebra().dgemm;
  }
}

#endif

}  // namespace

template <class Scalar, class ExecutionSpace>
VendorLibrary library_of() {
#ifdef SYNELIX_HAVE_KERNELS
  return VendorLibrary::present;
#else
  const bool is_there = is_host_space<ExecutionSpace> && gemm_of<Scalar>() != nullptr;
  return is_there ? VendorLibrary::present : VendorLibrary::absent;
#endif
}

template <class Scalar, class ExecutionSpace>
void multiply_by_library([[maybe_unused]] const ExecutionSpace& exec,
                         const sweep::Product<Scalar>& product) {
  const LibraryCall<Scalar> call(product);
  const char* const transposed[] = {"N", "T"};
  const char* const left_form = transposed[call.left.is_transposed ? 1 : 0];
  const char* const right_form = transposed[call.right.is_transposed ? 1 : 0];
#ifdef SYNELIX_HAVE_KERNELS
  const ColumnMajor result{false, call.result.leading};
  KokkosBlas::gemm(
      exec, left_form, right_form, product.alpha,
      view_of<const Scalar, ExecutionSpace>(call.a, call.left, call.rows, product.inner),
      view_of<const Scalar, ExecutionSpace>(call.b, call.right, product.inner, call.columns),
      product.beta,
      view_of<Scalar, ExecutionSpace>(product.result, result, call.rows, call.columns));
#else
  if constexpr (is_host_space<ExecutionSpace>) {
    const auto number = [](std::int64_t value) { return static_cast<int>(value); };
    const int m = number(call.rows);
    const int n = number(call.columns);
    const int k = number(product.inner);
    const int lda = number(call.left.leading);
    const int ldb = number(call.right.leading);
    const int ldc = number(call.result.leading);
    gemm_of<Scalar>()(left_form, right_form, &m, &n, &k, &product.alpha, call.a, &lda, call.b, &ldb,
                      &product.beta, product.result, &ldc);
  }
#endif
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)            \
  template VendorLibrary library_of<SCALAR, SPACE>(); \
  template void multiply_by_library(const SPACE&, const sweep::Product<SCALAR>&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
