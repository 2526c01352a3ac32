// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"
#include "pack/value.hpp"

#include <synelix/strided.hpp>

#include <cstdint>

/// \file
/// Operands of matrix products: the places of their values, and blocks of them as physical values.

namespace synelix::pack {

/// A matrix of stored values, and their conversion to physical ones: value = stored * scale +
/// offset.
struct MatrixSource {
  const void* data = nullptr;
  StoredType type = StoredType::float32;
  std::int64_t row_stride = 0;     ///< values from one row to the next
  std::int64_t column_stride = 0;  ///< values from one column to the next
  double scale = 1.0;
  double offset = 0.0;
  const double* row_scale = nullptr;      ///< one for each row; null: `scale` for each
  const double* row_offset = nullptr;     ///< one for each row; null: `offset` for each
  const double* column_scale = nullptr;   ///< one for each column; null: `scale` for each
  const double* column_offset = nullptr;  ///< one for each column; null: `offset` for each

  /// Whether stored values differ from the physical ones.
  [[nodiscard]] constexpr bool is_scaled() const {
    return scale != 1.0 || offset != 0.0 || row_scale != nullptr || row_offset != nullptr ||
           column_scale != nullptr || column_offset != nullptr;
  }

  /// The transposed matrix.
  [[nodiscard]] constexpr MatrixSource transposed() const {
    return {data,   type,         column_stride, row_stride, scale,
            offset, column_scale, column_offset, row_scale,  row_offset};
  }
};

/// Whether a matrix has unscaled values of the working type.
template <class Scalar>
constexpr bool is_plain(const MatrixSource& source) {
  return source.type == stored_type<Scalar> && !source.is_scaled();
}

/// The address of a value of a matrix that begins `step` values after the source's address.
constexpr const void* matrix_data(const MatrixSource& source, std::int64_t step) {
  return static_cast<const char*>(source.data) + step * size_of(source.type);
}

/// Scale and offset of one value.
struct ValueScaling {
  double scale;
  double offset;
};
constexpr ValueScaling scaling_of(const MatrixSource& source, std::int64_t row,
                                  std::int64_t column) {
  ValueScaling result{source.scale, source.offset};
  if (source.row_scale != nullptr) result.scale = source.row_scale[row];
  if (source.column_scale != nullptr) result.scale = source.column_scale[column];
  if (source.row_offset != nullptr) result.offset = source.row_offset[row];
  if (source.column_offset != nullptr) result.offset = source.column_offset[column];
  return result;
}

/// One value of the matrix at `data`.
template <class Scalar>
constexpr Scalar matrix_value(const MatrixSource& source, const void* data, std::int64_t row,
                              std::int64_t column) {
  const double value =
      stored_value(data, source.type, row * source.row_stride + column * source.column_stride);
  if (!source.is_scaled()) return static_cast<Scalar>(value);
  const ValueScaling scaling = scaling_of(source, row, column);
  return static_cast<Scalar>(value * scaling.scale + scaling.offset);
}

/// A block of a matrix, and its destination: the value in row i and column j of the block is stored
/// in `to[i * row_step + j * column_step]`.
template <class Scalar>
struct MatrixBlock {
  std::int64_t row;
  std::int64_t rows;
  std::int64_t column;
  std::int64_t columns;
  Scalar* to;
  std::int64_t row_step;
  std::int64_t column_step;
};

/// Copies a block through `convert(row, column, value)`, along its denser direction.
template <class StoredValue, class Scalar, class Convert>
SYNELIX_INLINE void copy_block(const MatrixSource& source, const void* data,
                               const MatrixBlock<Scalar>& block, const Convert& convert) {
  const StoredValue* const from = static_cast<const StoredValue*>(data) +
                                  block.row * source.row_stride +
                                  block.column * source.column_stride;
  if (source.column_stride == 1 && block.column_step == 1) {  // moves of full registers
    for (std::int64_t i = 0; i < block.rows; ++i) {
      const StoredValue* const line = from + i * source.row_stride;
      Scalar* const to = block.to + i * block.row_step;
      for (std::int64_t j = 0; j < block.columns; ++j) to[j] = convert(i, j, line[j]);
    }
  } else if (source.row_stride == 1 && block.row_step == 1) {
    for (std::int64_t j = 0; j < block.columns; ++j) {
      const StoredValue* const line = from + j * source.column_stride;
      Scalar* const to = block.to + j * block.column_step;
      for (std::int64_t i = 0; i < block.rows; ++i) to[i] = convert(i, j, line[i]);
    }
  } else {  // 16 lines at a time, so that their cache lines stay until they are used completely
    constexpr std::int64_t together = 16;
    const bool by_rows = source.column_stride == 1;
    const std::int64_t lines = by_rows ? block.rows : block.columns;
    const std::int64_t length = by_rows ? block.columns : block.rows;
    for (std::int64_t first = 0; first < lines; first += together) {
      const std::int64_t end = first + together < lines ? first + together : lines;
      for (std::int64_t k = 0; k < length; ++k) {
        for (std::int64_t line = first; line < end; ++line) {
          const std::int64_t i = by_rows ? line : k;
          const std::int64_t j = by_rows ? k : line;
          block.to[i * block.row_step + j * block.column_step] =
              convert(i, j, from[i * source.row_stride + j * source.column_stride]);
        }
      }
    }
  }
}

/// Gathers a block of the matrix at `data` as physical values.
template <class StoredValue, class Scalar>
SYNELIX_INLINE void convert_block(const MatrixSource& source, const void* data,
                                  const MatrixBlock<Scalar>& block) {
  const bool by_axis = source.row_scale != nullptr || source.row_offset != nullptr ||
                       source.column_scale != nullptr || source.column_offset != nullptr;
  if (by_axis) {
    copy_block<StoredValue>(
        source, data, block, [&](std::int64_t i, std::int64_t j, StoredValue value) {
          const ValueScaling scaling = scaling_of(source, block.row + i, block.column + j);
          return static_cast<Scalar>(static_cast<double>(value) * scaling.scale + scaling.offset);
        });
  } else if (source.is_scaled()) {
    copy_block<StoredValue>(
        source, data, block, [&](std::int64_t, std::int64_t, StoredValue value) {
          return static_cast<Scalar>(static_cast<double>(value) * source.scale + source.offset);
        });
  } else {
    copy_block<StoredValue>(source, data, block, [](std::int64_t, std::int64_t, StoredValue value) {
      return static_cast<Scalar>(value);
    });
  }
}

/// The same for any stored type.
template <class Scalar>
SYNELIX_FUNCTION void gather_block(const MatrixSource& source, const void* data,
                                   const MatrixBlock<Scalar>& block) {
  switch (source.type) {
    case StoredType::float32:
      return convert_block<float>(source, data, block);
    case StoredType::float64:
      return convert_block<double>(source, data, block);
    case StoredType::int8:
      return convert_block<std::int8_t>(source, data, block);
    case StoredType::uint8:
      return convert_block<std::uint8_t>(source, data, block);
    case StoredType::int16:
      return convert_block<std::int16_t>(source, data, block);
    case StoredType::uint16:
      return convert_block<std::uint16_t>(source, data, block);
  }
}

}  // namespace synelix::pack
