// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "lanes/instruction_set.hpp"
#include "pack/matrix.hpp"

#include <cstdint>

/// \file
/// Bilinear forms for the sweeps: result(i) = left_i matrix right_i for the rows i of both, for one
/// matrix or several.

namespace synelix::sweep {

/// The forms of all matrices.
template <class Scalar>
struct FormProblem {
  pack::MatrixSource left;    ///< rows by inner
  pack::MatrixSource matrix;  ///< inner by columns
  pack::MatrixSource right;   ///< rows by columns
  Scalar* result = nullptr;
  std::int64_t result_step = 1;    ///< values from one row's form to the next
  std::int64_t result_matrix = 0;  ///< values from one matrix' forms to the next
  std::int64_t matrix_step = 0;    ///< values from one matrix to the next
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  /// Whether the matrix is replaced by a triangle: above the diagonal the sum of both symmetric
  /// entries, below it 0.
  bool is_triangle = false;

  /// Inner indices that columns before `end` need.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t inner_of(std::int64_t end) const {
    return is_triangle ? index::smaller(end, inner) : inner;
  }

  /// The data of a matrix.
  [[nodiscard]] SYNELIX_FUNCTION const void* matrix_data(std::int64_t number) const {
    return pack::matrix_data(matrix, number * matrix_step);
  }

  /// A value of the matrix or triangle.
  [[nodiscard]] SYNELIX_FUNCTION Scalar value(const void* data, std::int64_t k,
                                              std::int64_t column) const {
    if (is_triangle && k > column) return Scalar(0);
    const auto value = pack::matrix_value<Scalar>(matrix, data, k, column);
    if (!is_triangle || k == column) return value;
    return value + pack::matrix_value<Scalar>(matrix, data, column, k);
  }
};

}  // namespace synelix::sweep
