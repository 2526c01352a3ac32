// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/library_product.hpp"

#include "launch/host_space.hpp"
#include "vocabulary/spaces.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#ifdef SYNELIX_HAVE_KERNELS
#include <KokkosBlas3_gemm.hpp>
#else
extern "C" {
// BLAS: c(m, n) = alpha op(a) op(b) + beta c, column-major.
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
}
#endif

namespace synelix::plan {
namespace {

/// A matrix as the library sees it: columns of neighbouring values, `leading` apart, and whether it
/// is meant transposed.
struct ColumnMajor {
  bool is_transposed = false;
  std::int64_t leading = 0;  ///< 0: it has no such form
};

ColumnMajor column_major(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                         std::int64_t column_stride) {
  if (row_stride == 1 && column_stride >= std::max<std::int64_t>(1, rows)) {
    return {false, column_stride};
  }
  if (column_stride == 1 && row_stride >= std::max<std::int64_t>(1, columns)) {
    return {true, row_stride};
  }
  return {};
}

/// The product as c or its transpose, whose columns lie side by side.
template <class Scalar>
struct LibraryCall {
  ColumnMajor left;
  ColumnMajor right;
  ColumnMajor result;
  const Scalar* a = nullptr;
  const Scalar* b = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  explicit LibraryCall(sweep::Product<Scalar> product)
      : result(column_major(product.rows, product.columns, product.result_row,
                            product.result_column)) {
    if (result.is_transposed) {  // c^T = b^T a^T
      const pack::MatrixSource left_source = product.left;
      product.left = product.right.transposed();
      product.right = left_source.transposed();
      std::swap(product.rows, product.columns);
    }
    rows = product.rows;
    columns = product.columns;
    left = column_major(rows, product.inner, product.left.row_stride, product.left.column_stride);
    right =
        column_major(product.inner, columns, product.right.row_stride, product.right.column_stride);
    a = static_cast<const Scalar*>(product.left.data);
    b = static_cast<const Scalar*>(product.right.data);
  }
};

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

#endif

}  // namespace

template <class ExecutionSpace>
bool has_library() {
#ifdef SYNELIX_HAVE_KERNELS
  return true;
#else
  return is_host_space<ExecutionSpace>;
#endif
}

template <class Scalar>
bool suits_library(const sweep::Product<Scalar>& product) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (!pack::is_plain<Scalar>(product.left) || !pack::is_plain<Scalar>(product.right)) return false;
  const LibraryCall<Scalar> call(product);
  const auto fits = [&](const ColumnMajor& form) {
    return form.leading > 0 && form.leading <= most;
  };
  return fits(call.left) && fits(call.right) && fits(call.result) && product.rows > 0 &&
         product.columns > 0 && product.inner > 0 &&
         std::max({product.rows, product.columns, product.inner}) <= most;
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
    if constexpr (std::is_same_v<Scalar, float>) {
      sgemm_(left_form, right_form, &m, &n, &k, &product.alpha, call.a, &lda, call.b, &ldb,
             &product.beta, product.result, &ldc);
    } else {
      dgemm_(left_form, right_form, &m, &n, &k, &product.alpha, call.a, &lda, call.b, &ldb,
             &product.beta, product.result, &ldc);
    }
  }
#endif
}

template bool suits_library(const sweep::Product<float>&);
template bool suits_library(const sweep::Product<double>&);

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) \
  template void multiply_by_library(const SPACE&, const sweep::Product<SCALAR>&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(SPACE) template bool has_library<SPACE>();
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
