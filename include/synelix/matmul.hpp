// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/scaled.hpp>
#include <synelix/seam/matmul.hpp>
#include <synelix/seam/spaces.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/matmul.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

/// \file
/// `matmul`: any set of matrix products in one call,
///     c(i, j) = alpha sum over k of a(i, k) b(k, j) + beta c(i, j)
/// for one product, for batches (dimensions before the last two, as numpy.matmul broadcasts them),
/// and for lists of products of different shapes. Operands have any layout and strides, and any
/// stored type: integers are converted tile by tile.
///
/// One launch computes the entire set, cut into parts of about equal cost. (If the products are
/// slices of one product, a second launch copies them.) The bits of a product do not depend on the
/// others, their order, the budget or the number of threads. One large product is an exception: the
/// vendor's library computes it, on its own threads and with its own bits. As in all results of the
/// library, NaN has one bit pattern and -0 does not occur.

namespace synelix {

/// One product of a list into a View. It refers to its arguments, whose memory must outlive it.
template <class View>
  requires Kokkos::is_view_v<View>
Product product(const Operand& a, const Operand& b, const View& c) {
  using Space = typename View::execution_space;  // the call checks the memory of results
  return {a, b, seam::output_on<Space, 2, 2>(c), View::memory_space::name()};
}

/// Products bound to their memory, with a workspace, on one execution-space instance. For computing
/// many times in place: `run` allocates nothing except inside a vendor's library, copies nothing
/// and fences nothing. One run may be in flight at a time; a plan dies before Kokkos::finalize.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class MatmulPlan {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());

  /// A list of products.
  /// \throws Error if extents do not fit together, a result is no `Scalar`, overlaps itself, an
  ///         operand or another result, the budget is too small (the smallest is named), the
  ///         multiplier does not apply, or Kokkos is not running
  MatmulPlan(const ExecutionSpace& exec, std::span<const Product> products,
             const MatmulOptions& options = {});
  /// One product or a batch, with the arguments of `matmul`.
  /// @{
  MatmulPlan(const ExecutionSpace& exec, const Operand& a, const Operand& b, const StridedOutput& c,
             const MatmulOptions& options = {});
  template <class Result>
  MatmulPlan(const ExecutionSpace& exec, const Operand& a, const Operand& b, const Result& c,
             const MatmulOptions& options = {})
      : MatmulPlan(exec, a, b, seam::output_on<ExecutionSpace, 2, max_rank>(c), options) {}
  /// @}

  MatmulPlan(MatmulPlan&&) noexcept;             ///< moves: leaves the source unusable
  MatmulPlan& operator=(MatmulPlan&&) noexcept;  ///< as the constructor
  ~MatmulPlan();

  /// Computes all products. Asynchronous on exec.
  void run(const ExecutionSpace& exec) const;

  /// As `run`, watched and with a fence. In a vendor's library, and on a device, `cancel` is read
  /// before the run only, and `progress` is called after it.
  /// \throws Cancelled if watch.cancel is set; the result is then incomplete
  void run_watched(const ExecutionSpace& exec, const Watch& watch) const;

  /// What was chosen.
  [[nodiscard]] const MatmulChoice& choice() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// One product or a batch, into the caller's result. `a` and `b` broadcast to the dimensions of `c`
/// before the last two, as numpy.matmul does. Returns when the result is complete.
///
/// | argument | shape                 | what it may be                                           |
/// |----------|-----------------------|----------------------------------------------------------|
/// | a        | (..., rows, inner)    | a View, `Strided`, `scaled`, `transposed` or `windows`   |
/// | b        | (..., inner, columns) | as a                                                     |
/// | c        | (..., rows, columns)  | a View or `StridedOutput` of float or double             |
///
/// \throws Error as MatmulPlan
template <class ExecutionSpace, class Result>
void matmul(const ExecutionSpace& exec, const Operand& a, const Operand& b, const Result& c,
            const MatmulOptions& options = {}) {
  seam::matmul(exec, a, b, seam::output_on<ExecutionSpace, 2, max_rank>(c), options);
}

/// The same in a View of the type that the caller names, which gives its rank, scalar and layout:
///
///     auto c = sx::matmul<Kokkos::View<float**>>(exec, a, b);
///
/// \throws Error as MatmulPlan, if the product has another rank, and for a beta other than 0: there
///         is no result yet to add to
template <class Result, class ExecutionSpace>
Result matmul(const ExecutionSpace& exec, const Operand& a, const Operand& b,
              const MatmulOptions& options = {}) {
  Result c;
  if constexpr (seam::returns_output<ExecutionSpace, 2, max_rank, Result>()) {
    constexpr int rank = static_cast<int>(Result::rank());
    c = seam::new_output<Result>(exec, "synelix::product",
                                 seam::product_extents(a, b, rank, options));
    matmul(exec, a, b, c, options);
  }
  return c;
}

/// A list of products of any shapes, of float or double, all of one type. Returns when the results
/// are complete.
///
///     std::vector<sx::Product> products;
///     for (const auto& [a, b, c] : blocks) products.push_back(sx::product(a, b, c));
///     sx::matmul(exec, products);
///
/// \throws Error as MatmulPlan
template <class ExecutionSpace>
void matmul(const ExecutionSpace& exec, std::span<const Product> products,
            const MatmulOptions& options = {});

/// How one product or a batch would be computed: nothing runs, c may be null. Arguments as of
/// `matmul`. \throws Error as MatmulPlan
template <class ExecutionSpace, class Result>
MatmulChoice choose_matmul(const ExecutionSpace& exec, const Operand& a, const Operand& b,
                           const Result& c, const MatmulOptions& options = {}) {
  return seam::choose_matmul(exec, a, b, seam::output_on<ExecutionSpace, 2, max_rank>(c), options);
}

/// The products of one matrix with every window of another, as windows of one product.
template <class Scalar, class MemorySpace>
struct WindowProducts {
  Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace> product;  ///< a b: holds the values
  /// (places, rows, columns): element (p, i, j) is product(i, p step + j).
  Kokkos::View<const Scalar***, Kokkos::LayoutStride, MemorySpace, Kokkos::MemoryUnmanaged> windows;
};

/// matmul(a, windows(b, columns, step)) without writing any value twice: one product, and a view of
/// the slices of it. Returns when it is complete.
/// \throws Error as matmul and windows
template <class Scalar, class ExecutionSpace>
WindowProducts<Scalar, typename ExecutionSpace::memory_space> matmul_windows(
    const ExecutionSpace& exec, const Operand& a, const Operand& b, std::int64_t columns,
    std::int64_t step = 1, const MatmulOptions& options = {}) {
  const std::int64_t places = windows(b, columns, step).array().extents[0];
  WindowProducts<Scalar, typename ExecutionSpace::memory_space> result;
  result.product = matmul<decltype(result.product)>(exec, a, b, options);
  const auto rows = static_cast<std::size_t>(a.rows());
  const Kokkos::LayoutStride layout(static_cast<std::size_t>(places),
                                    static_cast<std::size_t>(step), rows, result.product.stride(0),
                                    static_cast<std::size_t>(columns), result.product.stride(1));
  result.windows = decltype(result.windows)(result.product.data(), layout);
  return result;
}

}  // namespace synelix
