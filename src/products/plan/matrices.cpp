// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/range.hpp"
#include "launch/arrays.hpp"
#include "products/plan/product_arguments.hpp"

#include <synelix/error.hpp>
#include <synelix/types/matmul.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

/// \file
/// Matrices as views of each other: transposed, and every window; and common checks of functions on
/// matrices.

namespace synelix {
namespace {

using index::place;

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

/// The stride of a dimension. A dimension of one index may have any stride. Kernels may step once
/// more than they read, so the stride must be small enough not to overflow an address.
std::int64_t stride_of(const Strided& array, int dimension) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const std::int64_t stride = array.strides[place(dimension)];
  const bool is_far = stride > most || stride < -most;
  return is_far && array.extents[place(dimension)] < 2 ? 1 : stride;
}

}  // namespace

void plan::check_matrices(const char* name, const Operand& operand) {
  const Strided& array = operand.array();
  if (array.rank < 2) {
    throw Error(name, extents_text(array) + " has too few dimensions",
                "Pass two dimensions or more");
  }
  check_array(name, array);
  check_channels(name, operand, operand.channels_are_rows() ? operand.rows() : operand.columns());
}

Operand transposed(const Operand& matrices) {
  plan::check_matrices("transposed", matrices);
  Operand result = matrices;
  const std::size_t row = place(matrices.rank() - 2);
  const std::size_t column = row + 1;
  std::swap(result.m_array.extents[row], result.m_array.extents[column]);
  std::swap(result.m_array.strides[row], result.m_array.strides[column]);
  result.m_channels_are_rows = !matrices.m_channels_are_rows;
  return result;
}

Operand windows(const Operand& matrices, std::int64_t columns, std::int64_t step) {
  plan::check_matrices("windows", matrices);
  Operand result = windows(matrices, matrices.rows(), columns, step);
  const std::size_t first = place(matrices.rank() - 2);  // the single place along rows
  for (std::size_t i = first; i < first + 3; ++i) {
    result.m_array.extents[i] = result.m_array.extents[i + 1];
    result.m_array.strides[i] = result.m_array.strides[i + 1];
  }
  --result.m_array.rank;
  return result;
}

Operand windows(const Operand& matrices, std::int64_t rows, std::int64_t columns,
                std::int64_t step) {
  plan::check_matrices("windows", matrices);
  const bool has_all_rows = rows == matrices.rows() && rows == 0;
  const std::int64_t down =
      has_all_rows ? 1 : places_of("windows rows", rows, matrices.rows(), step);
  const std::int64_t along = places_of("windows columns", columns, matrices.columns(), step);
  if (matrices.rank() > max_rank - 2) {
    throw Error("windows",
                "matrices of " + std::to_string(matrices.rank()) + " dimensions have too many",
                "Use at most " + std::to_string(max_rank - 2));
  }
  if (matrices.is_scaled_by_channel()) {
    throw Error("windows", "scales and offsets of each channel are not supported here",
                "Use one scale and offset for all values");
  }
  Operand result = matrices;
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

const char* name_of(Multiplier multiplier) { return known_name(multiplier); }

}  // namespace synelix

namespace synelix::plan {

void check_result(const char* name, const StridedOutput& c,
                  const std::vector<std::int64_t>& extents, StoredType type, ArrayMemory memory) {
  StridedOutput expected;
  expected.type = type;
  expected.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), expected.extents.begin());
  StridedOutput found = c;
  std::byte placeholder{};
  if (found.data == nullptr && memory == ArrayMemory::not_needed) found.data = &placeholder;
  check_output(name, found, expected);
}

std::string pair_text(const Operand& one, const Operand& other) {
  return extents_text(one.array()) + " and " + extents_text(other.array());
}

pack::MatrixSource matrix_source(const Operand& matrices) {
  const Strided& array = matrices.array();
  pack::MatrixSource source;
  source.data = array.data;
  source.type = array.type;
  source.row_stride = stride_of(array, array.rank - 2);
  source.column_stride = stride_of(array, array.rank - 1);
  source.scale = matrices.scale().all();
  source.offset = matrices.offset().all();
  const bool by_row = matrices.channels_are_rows();
  (by_row ? source.row_scale : source.column_scale) = matrices.scale().each();
  (by_row ? source.row_offset : source.column_offset) = matrices.offset().each();
  return source;
}

}  // namespace synelix::plan
