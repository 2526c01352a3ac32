// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/matmul.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// `bilinear_forms` and `quadratic_forms`: one number for each of many vectors and one matrix,
///     q(i) = sum over j and k of x(i, j) a(j, k) y(i, k)
///     q(i) = sum over j and k of x(i, j) a(j, k) x(i, k)
/// without storing the product of x and a: a tile of it is multiplied into cache and summed there.
/// Vectors are the rows of x and y. Operands have any layout, strides and stored type, as those of
/// `matmul`. Where the products themselves are wanted, a x_i for all i is
/// `matmul(exec, x, transposed(a), c)`.
///
/// A form's bits depend on its vectors and the matrix alone: not on the other vectors, the budget
/// or the number of threads. As in all results of the library there is one NaN, and no -0.

namespace synelix {

/// How forms are computed.
enum class FormMethod : std::uint8_t {
  automatic,  ///< `triangle` for quadratic forms, else `product`
  product,    ///< x a, a tile at a time, then dot products with y
  /// The same with the triangle u(j, j) = a(j, j), u(j, k) = a(j, k) + a(k, j) for j < k in place
  /// of a, which has the same quadratic forms and about half of the products. Sums u are rounded
  /// once, and are not finite where two values of a add up to more than the type holds. The form of
  /// a vector that holds Inf is not finite by either method; which of NaN and Inf it is may differ.
  triangle
};

/// The name of a method.
const char* name_of(FormMethod method);

/// How forms are computed, and in what memory.
struct BilinearFormsOptions {
  FormMethod method = FormMethod::automatic;
  /// Bytes that the call may use beyond its arguments, in the memory of the execution space;
  /// absent: a quarter of what is available there.
  std::optional<std::int64_t> budget = {};
  Machine machine = {};
};

/// How forms will be computed.
struct BilinearFormsChoice {
  FormMethod method = FormMethod::product;
  InstructionSet instruction_set = InstructionSet::plain;  ///< of tiles on a host
  std::int64_t forms = 0;                                  ///< numbers that are computed
  std::int64_t parts = 0;                                  ///< work items that they are cut into
  std::int64_t teams = 0;                                  ///< that compute them
  /// Whether the matrix is first copied as a whole, in the order in which tiles read it; else each
  /// team copies the panel that it is at. Where the copy fits the budget, and several parts read
  /// it.
  bool is_packed = false;
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates
  double flops = 0;                  ///< floating-point operations that are carried out
  double bytes = 0;                  ///< bytes of operands and results
};

/// Forms bound to their memory, with a workspace, on one execution-space instance. For what is
/// computed again and again, in place: `run` allocates nothing, copies nothing between memories and
/// fences nothing. One run may be in flight at a time; a plan dies before Kokkos::finalize.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class BilinearFormsPlan {
 public:
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "forms must be float or double");
  static_assert(seam::is_supported_space<ExecutionSpace>,
                "synelix runs on the Kokkos spaces Serial, OpenMP, Cuda and HIP");

  /// Bilinear forms: x (count, m), a (m, n), y (count, n), q (count). Of several matrices at once:
  /// a (matrices, m, n), q (matrices, count).
  /// \throws Error where extents do not fit together, q is no `Scalar`, overlaps itself or an
  ///         operand, the budget is too small (the smallest is named), the method does not apply,
  ///         or Kokkos is not running
  BilinearFormsPlan(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                    const Matrices& y, const StridedOutput& q,
                    const BilinearFormsOptions& options = {});
  /// Quadratic forms: y is x, and a square.
  BilinearFormsPlan(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                    const StridedOutput& q, const BilinearFormsOptions& options = {});
  /// Both into a View.
  template <class View>
    requires Kokkos::is_view_v<View>
  BilinearFormsPlan(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                    const Matrices& y, const View& q, const BilinearFormsOptions& options = {})
      : BilinearFormsPlan(exec, x, a, y, seam::result_on<ExecutionSpace>(q), options) {}
  template <class View>
    requires Kokkos::is_view_v<View>
  BilinearFormsPlan(const ExecutionSpace& exec, const Matrices& x, const Matrices& a, const View& q,
                    const BilinearFormsOptions& options = {})
      : BilinearFormsPlan(exec, x, a, seam::result_on<ExecutionSpace>(q), options) {}
  BilinearFormsPlan(BilinearFormsPlan&&) noexcept;
  BilinearFormsPlan& operator=(BilinearFormsPlan&&) noexcept;
  ~BilinearFormsPlan();

  /// Computes all forms. Asynchronous on exec.
  void run(const ExecutionSpace& exec) const;

  /// What was chosen.
  [[nodiscard]] const BilinearFormsChoice& choice() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// How forms would be computed: nothing runs, q may be null. \throws Error as BilinearFormsPlan
template <class ExecutionSpace>
BilinearFormsChoice choose_bilinear_forms(const ExecutionSpace& exec, const Matrices& x,
                                          const Matrices& a, const Matrices& y,
                                          const StridedOutput& q,
                                          const BilinearFormsOptions& options = {});
template <class ExecutionSpace>
BilinearFormsChoice choose_quadratic_forms(const ExecutionSpace& exec, const Matrices& x,
                                           const Matrices& a, const StridedOutput& q,
                                           const BilinearFormsOptions& options = {});

/// q(i) = x_i a y_i for all rows i of x and y, as torch.nn.functional.bilinear without a bias, and
/// numpy.einsum("ij,jk,ik->i", x, a, y). Returns when they are there.
///
/// | argument | shape                                           | who writes it |
/// |----------|-------------------------------------------------|---------------|
/// | x        | (count, m), any type                            | the caller    |
/// | a        | (m, n), or (matrices, m, n)                     | the caller    |
/// | y        | (count, n)                                      | the caller    |
/// | q        | (count), or (matrices, count), float or double  | the call      |
///
/// Allocates its workspace, inside the budget. \throws Error as BilinearFormsPlan
template <class ExecutionSpace>
void bilinear_forms(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                    const Matrices& y, const StridedOutput& q,
                    const BilinearFormsOptions& options = {});
template <class ExecutionSpace, class View>
  requires Kokkos::is_view_v<View>
void bilinear_forms(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                    const Matrices& y, const View& q, const BilinearFormsOptions& options = {}) {
  bilinear_forms(exec, x, a, y, seam::result_on<ExecutionSpace>(q), options);
}

/// q(i) = x_i a x_i for all rows i of x, as numpy.einsum("ij,jk,ik->i", x, a, x): x (count, n),
/// a (n, n), symmetric or not, or (matrices, n, n), q (count) or (matrices, count). Returns when
/// they are there. \throws Error as BilinearFormsPlan
template <class ExecutionSpace>
void quadratic_forms(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                     const StridedOutput& q, const BilinearFormsOptions& options = {});
template <class ExecutionSpace, class View>
  requires Kokkos::is_view_v<View>
void quadratic_forms(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                     const View& q, const BilinearFormsOptions& options = {}) {
  quadratic_forms(exec, x, a, seam::result_on<ExecutionSpace>(q), options);
}

namespace seam {

/// A new View for the forms of x and a.
/// \throws Error where it has another rank than they
template <class Result, class ExecutionSpace>
Result new_forms(const ExecutionSpace& exec, const Matrices& x, const Matrices& a) {
  static_assert(Kokkos::is_view_v<Result> && Result::rank() <= 2,
                "the result must be a View of one dimension, or of two for several matrices");
  static_assert(!std::is_same_v<typename Result::array_layout, Kokkos::LayoutStride>,
                "a View that is allocated must have LayoutLeft or LayoutRight");
  if (a.rank() != static_cast<int>(Result::rank()) + 1) {
    throw Error("result",
                "a View of rank " + std::to_string(Result::rank()) + " does not fit a of rank " +
                    std::to_string(a.rank()),
                "Use a View of rank " + std::to_string(a.rank() - 1) + ", one below that of a");
  }
  typename Result::array_layout layout;
  layout.dimension[Result::rank() - 1] = static_cast<std::size_t>(x.rows());
  if (a.rank() == 3) layout.dimension[0] = static_cast<std::size_t>(a.count());
  return Result(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::forms"), layout);
}

}  // namespace seam

/// The same in a View of the type that the caller names:
///
///     auto q = sx::quadratic_forms<Kokkos::View<float*>>(exec, x, a);
///
/// \throws Error as BilinearFormsPlan, and where the forms have another rank
template <class Result, class ExecutionSpace>
  requires Kokkos::is_view_v<Result>
Result bilinear_forms(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                      const Matrices& y, const BilinearFormsOptions& options = {}) {
  auto q = seam::new_forms<Result>(exec, x, a);
  bilinear_forms(exec, x, a, y, q, options);
  return q;
}
template <class Result, class ExecutionSpace>
  requires Kokkos::is_view_v<Result>
Result quadratic_forms(const ExecutionSpace& exec, const Matrices& x, const Matrices& a,
                       const BilinearFormsOptions& options = {}) {
  auto q = seam::new_forms<Result>(exec, x, a);
  quadratic_forms(exec, x, a, q, options);
  return q;
}

}  // namespace synelix
