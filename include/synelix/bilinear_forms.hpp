// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/scaled.hpp>
#include <synelix/seam/bilinear_forms.hpp>
#include <synelix/seam/spaces.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/bilinear_forms.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

/// \file
/// `bilinear_forms` and `quadratic_forms`: one number for each of many vectors and one matrix,
///     q(i) = sum over j and k of x(i, j) a(j, k) y(i, k)
///     q(i) = sum over j and k of x(i, j) a(j, k) x(i, k)
/// without storing the product of x and a: a tile of it is multiplied into cache and summed there.
/// Vectors are the rows of x and y. Operands have any layout, strides and stored type, as those of
/// `matmul`. For the products a x_i themselves use `matmul(exec, x, transposed(a), c)`.
///
/// A form's bits depend on its vectors and the matrix alone: not on the other vectors, the budget
/// or the number of threads. As in all results of the library, NaN has one bit pattern and -0 does
/// not occur.

namespace synelix {

/// Forms bound to their memory, with a workspace, on one execution-space instance. For computing
/// many times in place: `run` allocates nothing, copies nothing between memories and fences
/// nothing. One run may be in flight at a time; a plan dies before Kokkos::finalize.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class BilinearFormsPlan {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());

  /// Bilinear forms: x (count, m), a (m, n), y (count, n), q (count). For several matrices at once:
  /// a (matrices, m, n), q (matrices, count).
  /// \throws Error if extents do not fit together, q is no `Scalar`, overlaps itself or an
  ///         operand, the budget is too small (the smallest is named), the method does not apply,
  ///         or Kokkos is not running
  BilinearFormsPlan(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                    const Operand& y, const StridedOutput& q,
                    const BilinearFormsOptions& options = {});
  /// Quadratic forms: y is x, and a square.
  BilinearFormsPlan(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                    const StridedOutput& q, const BilinearFormsOptions& options = {});
  /// Both into a View.
  /// @{
  template <class View>
    requires Kokkos::is_view_v<View>
  BilinearFormsPlan(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                    const Operand& y, const View& q, const BilinearFormsOptions& options = {})
      : BilinearFormsPlan(exec, x, a, y, seam::output_on<ExecutionSpace, 1, 2>(q), options) {}
  template <class View>
    requires Kokkos::is_view_v<View>
  BilinearFormsPlan(const ExecutionSpace& exec, const Operand& x, const Operand& a, const View& q,
                    const BilinearFormsOptions& options = {})
      : BilinearFormsPlan(exec, x, a, seam::output_on<ExecutionSpace, 1, 2>(q), options) {}
  /// @}
  BilinearFormsPlan(BilinearFormsPlan&&) noexcept;  ///< moves: leaves the source unusable
  BilinearFormsPlan& operator=(BilinearFormsPlan&&) noexcept;  ///< as the constructor
  ~BilinearFormsPlan();

  /// Computes all forms. Asynchronous on exec.
  void run(const ExecutionSpace& exec) const;

  /// As `run`, watched and with a fence. On a device `cancel` is read before the run only, and
  /// `progress` is called after it.
  /// \throws Cancelled if watch.cancel is set; the result is then incomplete
  void run_watched(const ExecutionSpace& exec, const Watch& watch) const;

  /// What was chosen.
  [[nodiscard]] const BilinearFormsChoice& choice() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// q(i) = x_i a y_i for all rows i of x and y, as torch.nn.functional.bilinear without a bias, and
/// numpy.einsum("ij,jk,ik->i", x, a, y). Returns when the forms are complete.
///
/// | argument | shape                      | what it may be                               |
/// |----------|----------------------------|----------------------------------------------|
/// | x        | (count, m)                 | a View, `Strided`, or `scaled` of either     |
/// | a        | (m, n), (matrices, m, n)   | as x, or `transposed`                        |
/// | y        | (count, n)                 | as x                                         |
/// | q        | (count), (matrices, count) | a View or `StridedOutput` of float or double |
///
/// Allocates its workspace, inside the budget. \throws Error as BilinearFormsPlan
template <class ExecutionSpace, class Result>
void bilinear_forms(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                    const Operand& y, const Result& q, const BilinearFormsOptions& options = {}) {
  seam::forms(exec, x, a, &y, seam::output_on<ExecutionSpace, 1, 2>(q), options);
}

/// q(i) = x_i a x_i for all rows i of x, as numpy.einsum("ij,jk,ik->i", x, a, x): a is square,
/// symmetric or not. Arguments as of `bilinear_forms`. \throws Error as BilinearFormsPlan
template <class ExecutionSpace, class Result>
void quadratic_forms(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                     const Result& q, const BilinearFormsOptions& options = {}) {
  seam::forms(exec, x, a, nullptr, seam::output_on<ExecutionSpace, 1, 2>(q), options);
}

/// Both in a View of the type that the caller names:
///
///     auto q = sx::quadratic_forms<Kokkos::View<float*>>(exec, x, a);
///
/// \throws Error as BilinearFormsPlan, and if the forms have another rank
/// @{
template <class Result, class ExecutionSpace>
Result bilinear_forms(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                      const Operand& y, const BilinearFormsOptions& options = {}) {
  Result q;
  if constexpr (seam::returns_output<ExecutionSpace, 1, 2, Result>()) {
    constexpr int rank = static_cast<int>(Result::rank());
    q = seam::new_output<Result>(exec, "synelix::forms", seam::form_extents(x, a, rank));
    bilinear_forms(exec, x, a, y, q, options);
  }
  return q;
}
template <class Result, class ExecutionSpace>
Result quadratic_forms(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                       const BilinearFormsOptions& options = {}) {
  Result q;
  if constexpr (seam::returns_output<ExecutionSpace, 1, 2, Result>()) {
    constexpr int rank = static_cast<int>(Result::rank());
    q = seam::new_output<Result>(exec, "synelix::forms", seam::form_extents(x, a, rank));
    quadratic_forms(exec, x, a, q, options);
  }
  return q;
}
/// @}

/// How forms would be computed: nothing runs, q may be null. \throws Error as BilinearFormsPlan
/// @{
template <class ExecutionSpace, class Result>
BilinearFormsChoice choose_bilinear_forms(const ExecutionSpace& exec, const Operand& x,
                                          const Operand& a, const Operand& y, const Result& q,
                                          const BilinearFormsOptions& options = {}) {
  return seam::choose_forms(exec, x, a, &y, seam::output_on<ExecutionSpace, 1, 2>(q), options);
}
template <class ExecutionSpace, class Result>
BilinearFormsChoice choose_quadratic_forms(const ExecutionSpace& exec, const Operand& x,
                                           const Operand& a, const Result& q,
                                           const BilinearFormsOptions& options = {}) {
  return seam::choose_forms(exec, x, a, nullptr, seam::output_on<ExecutionSpace, 1, 2>(q), options);
}
/// @}

}  // namespace synelix
