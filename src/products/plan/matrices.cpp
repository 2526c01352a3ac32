// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/arrays.hpp"

#include <synelix/error.hpp>
#include <synelix/matmul.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

/// \file
/// Matrices and their views.

namespace synelix {
namespace {

std::size_t place(int i) { return static_cast<std::size_t>(i); }

/// Number of windows of `size` along a dimension.
std::int64_t places_of(const char* name, std::int64_t size, std::int64_t extent,
                       std::int64_t step) {
  if (size < 1 || size > extent) {
    throw Error(name, std::to_string(size) + " is out of range",
                "Use 1 to " + std::to_string(extent));
  }
  if (step < 1) {
    throw Error("windows step", std::to_string(step) + " is too small", "Use 1 or more");
  }
  return (extent - size) / step + 1;
}

}  // namespace

Matrices::Matrices(const Strided& array) : m_array(array) {
  if (array.rank < 2) {
    throw Error("matrices", plan::extents_text(array) + " has too few dimensions",
                "Pass two dimensions or more");
  }
  plan::check_array("matrices", array);
}

std::int64_t Matrices::count() const {
  std::int64_t count = 1;
  for (int i = 0; i + 2 < m_array.rank; ++i) count *= extent(i);
  return count;
}

Matrices transposed(const Matrices& matrices) {
  Matrices result = matrices;
  const std::size_t row = place(matrices.rank() - 2);
  const std::size_t column = row + 1;
  std::swap(result.m_array.extents[row], result.m_array.extents[column]);
  std::swap(result.m_array.strides[row], result.m_array.strides[column]);
  result.m_by_row = !matrices.m_by_row;
  return result;
}

Matrices scaled(const Matrices& matrices, double scale, double offset) {
  if (!std::isfinite(scale) || !std::isfinite(offset)) {
    throw Error("scaled",
                std::to_string(scale) + " and " + std::to_string(offset) + " are not both finite",
                "Use a finite scale and a finite offset");
  }
  if (matrices.is_scaled()) {
    throw Error("scaled", "matrices that are scaled already cannot be scaled again",
                "Pass stored values");
  }
  Matrices result = matrices;
  result.m_scale = scale;
  result.m_offset = offset;
  return result;
}

Matrices scaled_by_column(const Matrices& matrices, const double* scale, const double* offset) {
  if (matrices.is_scaled()) {
    throw Error("scaled_by_column", "matrices that are scaled already cannot be scaled again",
                "Pass stored values");
  }
  Matrices result = matrices;
  if (scale == nullptr && offset == nullptr) {
    throw Error("scaled_by_column", "two null pointers scale nothing",
                "Pass scales, offsets, or both");
  }
  result.m_axis_scale = scale;
  result.m_axis_offset = offset;
  result.m_by_row = false;
  return result;
}

Matrices windows(const Matrices& matrices, std::int64_t columns, std::int64_t step) {
  Matrices result = windows(matrices, matrices.rows(), columns, step);
  const std::size_t first = place(matrices.rank() - 2);  // the one place along rows
  for (std::size_t i = first; i < first + 3; ++i) {
    result.m_array.extents[i] = result.m_array.extents[i + 1];
    result.m_array.strides[i] = result.m_array.strides[i + 1];
  }
  --result.m_array.rank;
  return result;
}

Matrices windows(const Matrices& matrices, std::int64_t rows, std::int64_t columns,
                 std::int64_t step) {
  const bool has_all_rows = rows == matrices.rows() && rows == 0;
  const std::int64_t down =
      has_all_rows ? 1 : places_of("windows rows", rows, matrices.rows(), step);
  const std::int64_t along = places_of("windows columns", columns, matrices.columns(), step);
  if (matrices.rank() > max_rank - 2) {
    throw Error("windows",
                "matrices of " + std::to_string(matrices.rank()) + " dimensions have too many",
                "Use at most " + std::to_string(max_rank - 2));
  }
  if (matrices.m_axis_scale != nullptr || matrices.m_axis_offset != nullptr) {
    throw Error("windows", "columns or rows that are scaled one by one are not supported",
                "Use one scale and offset for all values");
  }
  Matrices result = matrices;
  const std::size_t first = place(matrices.rank() - 2);
  const std::int64_t row_stride = matrices.m_array.strides[first];
  const std::int64_t column_stride = matrices.m_array.strides[first + 1];
  const std::int64_t extents[] = {down, along, rows, columns};
  // With one place, the step is never taken and may have any size.
  const std::int64_t strides[] = {down > 1 ? step * row_stride : row_stride,
                                  along > 1 ? step * column_stride : column_stride, row_stride,
                                  column_stride};
  for (std::size_t i = 0; i < 4; ++i) {
    result.m_array.extents[first + i] = extents[i];
    result.m_array.strides[first + i] = strides[i];
  }
  result.m_array.rank += 2;
  plan::check_array("windows", result.m_array);
  return result;
}

const char* name_of(Multiplier multiplier) {
  switch (multiplier) {
    case Multiplier::automatic:
      return "automatic";
    case Multiplier::tiles:
      return "tiles";
    case Multiplier::library:
      return "library";
  }
  return "unknown";
}

}  // namespace synelix
