// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// `matmul`: any set of matrix products in one call,
///     c(i, j) = alpha sum over k of a(i, k) b(k, j) + beta c(i, j)
/// for one product, for batches (dimensions before the last two, as numpy.matmul broadcasts them),
/// and for lists of products of different shapes. Operands have any layout and strides, and any
/// stored type: integers are converted tile by tile, never as a whole.
///
/// One launch computes the whole set, cut into parts of about equal cost (slices of one product
/// take a second one, which copies them). The bits of a product do not depend on the others, their
/// order, the budget or the number of threads. One large product is an exception: the vendor's
/// library computes it, on its own threads and with its own bits. As in all results of the
/// library there is one NaN, and no -0.

namespace synelix {

/// Matrices that are read: the last two dimensions of an array are rows and columns, those before
/// are a batch. Refers to the caller's memory, which has to outlive it. Made from Views and from
/// `Strided`; `transposed`, `scaled` and `windows` are views of it.
class Matrices {
 public:
  /// \throws Error for an array of less than two dimensions or with a negative extent, or that lies
  ///         nowhere though it holds values
  Matrices(const Strided& array);  // NOLINT(google-explicit-constructor): an array is matrices

  /// A View of rank 2 to 8.
  template <class View>
    requires Kokkos::is_view_v<View>
  Matrices(const View& view)  // NOLINT(google-explicit-constructor)
      : Matrices(seam::read_only(seam::strided_of(view))) {
    static_assert(View::rank() >= 2, "matrices must have two dimensions or more");
    m_memory_space = View::memory_space::name();
  }

  /// Where values lie.
  [[nodiscard]] const Strided& array() const { return m_array; }
  /// From stored to physical values: value = stored * scale + offset.
  [[nodiscard]] double scale() const { return m_scale; }
  [[nodiscard]] double offset() const { return m_offset; }
  /// Scales and offsets of each column (or row, transposed) in memory of the execution space; null:
  /// none.
  [[nodiscard]] const double* axis_scale() const { return m_axis_scale; }
  [[nodiscard]] const double* axis_offset() const { return m_axis_offset; }
  /// Whether those are of the rows.
  [[nodiscard]] bool is_scaled_by_row() const { return m_by_row; }
  /// Whether stored values are not the physical ones.
  [[nodiscard]] bool is_scaled() const {
    return m_scale != 1 || m_offset != 0 || m_axis_scale != nullptr || m_axis_offset != nullptr;
  }

  /// Name of the Kokkos memory space that values lie in; empty where only the caller knows.
  [[nodiscard]] const char* memory_space() const { return m_memory_space; }

  [[nodiscard]] int rank() const { return m_array.rank; }
  [[nodiscard]] std::int64_t rows() const { return extent(m_array.rank - 2); }
  [[nodiscard]] std::int64_t columns() const { return extent(m_array.rank - 1); }
  /// Matrices of the batch.
  [[nodiscard]] std::int64_t count() const;

  /// Rows as columns.
  friend Matrices transposed(const Matrices& matrices);
  /// Physical values: stored * scale + offset.
  friend Matrices scaled(const Matrices& matrices, double scale, double offset);
  /// The same with numbers of each column, in memory that the execution space reaches; null: scale
  /// 1, offset 0. They are read when the product is computed.
  /// \throws Error where both are null, or the matrices are scaled already
  friend Matrices scaled_by_column(const Matrices& matrices, const double* scale,
                                   const double* offset);
  /// Every window of `columns` neighbouring columns, the first at column 0, each `step` columns
  /// behind the one before: (..., places, rows, columns), without a copy.
  ///
  ///     // a (10, 20), b (20, 1000): c (981, 10, 20)
  ///     auto c = sx::matmul<Kokkos::View<float***>>(exec, a, sx::windows(b, 20));
  ///
  /// As numpy.lib.stride_tricks.sliding_window_view(b, 20, axis=1)[:, ::step].swapaxes(0, 1).
  /// \throws Error for fewer than one column, more than there are, a step below 1, an array of more
  ///         than six dimensions, or columns that are scaled one by one
  friend Matrices windows(const Matrices& matrices, std::int64_t columns, std::int64_t step);
  /// Every window of `rows` by `columns`, along both: (..., row places, column places, rows,
  /// columns).
  friend Matrices windows(const Matrices& matrices, std::int64_t rows, std::int64_t columns,
                          std::int64_t step);

 private:
  [[nodiscard]] std::int64_t extent(int i) const {
    return m_array.extents[static_cast<std::size_t>(i)];
  }

  Strided m_array;
  double m_scale = 1;
  double m_offset = 0;
  const double* m_axis_scale = nullptr;
  const double* m_axis_offset = nullptr;
  bool m_by_row = false;
  const char* m_memory_space = "";
};

Matrices transposed(const Matrices& matrices);
Matrices scaled(const Matrices& matrices, double scale, double offset);
Matrices scaled_by_column(const Matrices& matrices, const double* scale, const double* offset);
Matrices windows(const Matrices& matrices, std::int64_t columns, std::int64_t step = 1);
Matrices windows(const Matrices& matrices, std::int64_t rows, std::int64_t columns,
                 std::int64_t step);

/// Who computes products.
enum class Multiplier : std::uint8_t {
  automatic,  ///< `library` for one large product, else `tiles`
  tiles,      ///< this library's tiles: any set
  library     ///< the vendor's: one product of plain values, each array with a direction in which
              ///< they lie side by side
};

/// The name of a multiplier.
const char* name_of(Multiplier multiplier);

/// How products are computed.
struct MatmulOptions {
  double alpha = 1;
  double beta = 0;  ///< 0: the result is not read
  Multiplier multiplier = Multiplier::automatic;
  /// Bytes that the call may use beyond its arguments, in the memory of the execution space;
  /// absent: a quarter of what is available there.
  std::optional<std::int64_t> budget = {};
  Machine machine = {};
};

/// How products will be computed.
struct MatmulChoice {
  Multiplier multiplier = Multiplier::tiles;
  InstructionSet instruction_set = InstructionSet::plain;  ///< of tiles on a host
  std::int64_t products = 0;                               ///< of the set as it was given
  std::int64_t parts = 0;  ///< work items that they are cut into; 0 by a library
  std::int64_t teams = 0;  ///< that compute them
  /// Whether all are slices of one product, computed once: where a batch of right operands are
  /// overlapping windows along its columns, the left one is the same for all, nothing is added to
  /// results, their rows do not lie side by side, and it fits the budget.
  bool is_sliced = false;
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates
  double flops = 0;                  ///< floating-point operations that are carried out
  double bytes = 0;                  ///< bytes of operands and results, of what is computed
};

namespace seam {

/// Whether products can be written to a View.
template <class View>
inline constexpr bool is_result = std::is_same_v<typename View::value_type, float> ||
                                  std::is_same_v<typename View::value_type, double>;

/// A result that lies where kernels of a space write.
template <class ExecutionSpace, class View>
StridedOutput result_on(const View& c) {
  static_assert(is_supported_space<ExecutionSpace>,
                "synelix runs on the Kokkos spaces Serial, OpenMP, Cuda and HIP");
  static_assert(is_result<View>, "the result of a product must be a View of float or double");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename View::memory_space>::accessible,
                "results must lie in memory that the execution space reaches");
  return strided_of(c);
}

}  // namespace seam

/// One product of a list: two matrices and where their product goes, of float or double.
struct Product {
  Matrices a;       ///< (rows, inner)
  Matrices b;       ///< (inner, columns)
  StridedOutput c;  ///< (rows, columns)
  /// Name of the Kokkos memory space of `c`; empty where only the caller knows.
  const char* memory_space = "";
};

/// The same of Views. It holds none of them: their memory has to outlive it.
template <class View>
  requires Kokkos::is_view_v<View>
Product product(const Matrices& a, const Matrices& b, const View& c) {
  static_assert(seam::is_result<View>, "the result of a product must be a View of float or double");
  return {a, b, seam::strided_of(c), View::memory_space::name()};
}

/// Products bound to their memory, with a workspace, on one execution-space instance. For what is
/// computed again and again, in place: `run` allocates nothing but what a vendor's library does,
/// copies nothing and fences nothing. One run may be in flight at a time; a plan dies before
/// Kokkos::finalize.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class MatmulPlan {
 public:
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "products must be float or double");
  static_assert(seam::is_supported_space<ExecutionSpace>,
                "synelix runs on the Kokkos spaces Serial, OpenMP, Cuda and HIP");

  /// A list of products.
  /// \throws Error where extents do not fit together, a result is no `Scalar`, overlaps itself, an
  ///         operand or another result, the budget is too small (the smallest is named), the
  ///         multiplier does not apply, or Kokkos is not running
  MatmulPlan(const ExecutionSpace& exec, std::span<const Product> products,
             const MatmulOptions& options = {});
  /// One product or a batch: `a` and `b` broadcast to the dimensions of `c` before the last two.
  MatmulPlan(const ExecutionSpace& exec, const Matrices& a, const Matrices& b,
             const StridedOutput& c, const MatmulOptions& options = {});
  /// As above, into a View.
  template <class View>
    requires Kokkos::is_view_v<View>
  MatmulPlan(const ExecutionSpace& exec, const Matrices& a, const Matrices& b, const View& c,
             const MatmulOptions& options = {})
      : MatmulPlan(exec, a, b, seam::result_on<ExecutionSpace>(c), options) {}
  MatmulPlan(MatmulPlan&&) noexcept;
  MatmulPlan& operator=(MatmulPlan&&) noexcept;
  ~MatmulPlan();

  /// Computes all products. Asynchronous on exec.
  void run(const ExecutionSpace& exec) const;

  /// What was chosen.
  [[nodiscard]] const MatmulChoice& choice() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

namespace seam {

/// Dimensions of the product of two operands before it is there.
/// \throws Error where they do not fit together
std::vector<std::int64_t> product_extents(const Matrices& a, const Matrices& b);

}  // namespace seam

/// How products would be computed: nothing runs, c may be null. \throws Error as MatmulPlan
template <class ExecutionSpace>
MatmulChoice choose_matmul(const ExecutionSpace& exec, const Matrices& a, const Matrices& b,
                           const StridedOutput& c, const MatmulOptions& options = {});
template <class ExecutionSpace, class View>
  requires Kokkos::is_view_v<View>
MatmulChoice choose_matmul(const ExecutionSpace& exec, const Matrices& a, const Matrices& b,
                           const View& c, const MatmulOptions& options = {}) {
  return choose_matmul(exec, a, b, seam::result_on<ExecutionSpace>(c), options);
}

/// A list of products of any shapes, of float or double, all alike. Returns when they are there.
///
///     std::vector<sx::Product> products;
///     for (const auto& [a, b, c] : blocks) products.push_back(sx::product(a, b, c));
///     sx::matmul(exec, products);
///
/// \throws Error as MatmulPlan
template <class ExecutionSpace>
void matmul(const ExecutionSpace& exec, std::span<const Product> products,
            const MatmulOptions& options = {});

/// One product or a batch, into a result of float or double that the caller has. Returns when it is
/// there.
/// \throws Error as MatmulPlan
template <class ExecutionSpace>
void matmul(const ExecutionSpace& exec, const Matrices& a, const Matrices& b,
            const StridedOutput& c, const MatmulOptions& options = {});
template <class ExecutionSpace, class View>
  requires Kokkos::is_view_v<View>
void matmul(const ExecutionSpace& exec, const Matrices& a, const Matrices& b, const View& c,
            const MatmulOptions& options = {}) {
  matmul(exec, a, b, seam::result_on<ExecutionSpace>(c), options);
}

/// The same in a View of the type that the caller names, which says its rank, scalar and layout:
///
///     auto c = sx::matmul<Kokkos::View<float**>>(exec, a, b);
///
/// \throws Error as MatmulPlan, where the product has another rank, and for a beta other than 0:
///         there is no result yet that could be added to
template <class Result, class ExecutionSpace>
  requires Kokkos::is_view_v<Result>
Result matmul(const ExecutionSpace& exec, const Matrices& a, const Matrices& b,
              const MatmulOptions& options = {}) {
  static_assert(!std::is_same_v<typename Result::array_layout, Kokkos::LayoutStride>,
                "a View that is allocated must have LayoutLeft or LayoutRight");
  if (options.beta != 0) {
    throw Error(
        "beta",
        std::to_string(options.beta) + " needs values in the result, and a new result has none",
        "Use 0 for a new result");
  }
  const std::vector<std::int64_t> extents = seam::product_extents(a, b);
  typename Result::array_layout layout;
  if (extents.size() != Result::rank()) {
    throw Error("matmul result",
                "a View of rank " + std::to_string(Result::rank()) + " does not fit the operands",
                "Use a View of rank " + std::to_string(extents.size()) + ", as the operands have");
  }
  for (std::size_t i = 0; i < extents.size(); ++i) {
    layout.dimension[i] = static_cast<std::size_t>(extents[i]);
  }
  Result c(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::product"), layout);
  if constexpr (std::is_same_v<typename Result::memory_space, Kokkos::HostSpace>) {
    seam::prefer_large_pages(c.data(), c.span() * sizeof(typename Result::value_type));
  }
  matmul(exec, a, b, c, options);
  return c;
}

/// Products of one matrix with every window of another, as windows of their one product.
template <class Scalar, class MemorySpace>
struct WindowProducts {
  Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace> product;  ///< a b: holds the values
  /// (places, rows, columns): element (p, i, j) is product(i, p step + j).
  Kokkos::View<const Scalar***, Kokkos::LayoutStride, MemorySpace, Kokkos::MemoryUnmanaged> windows;
};

/// matmul(a, windows(b, columns, step)) without writing any value twice: the one product whose
/// slices they all are, and a view of those. Returns when it is there.
/// \throws Error as matmul and windows
template <class Scalar, class ExecutionSpace>
WindowProducts<Scalar, typename ExecutionSpace::memory_space> matmul_windows(
    const ExecutionSpace& exec, const Matrices& a, const Matrices& b, std::int64_t columns,
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
