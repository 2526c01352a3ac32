// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/matrix.hpp"
#include "tile/convert.hpp"
#include "tile/table.hpp"

#include <Kokkos_Core.hpp>

/// \file
/// Blocks of an operand as physical values, by the registers of an instruction set where they can:
/// in float, lines that are read and written side by side. Else as `pack::gather_block` does.

namespace synelix::sweep {

/// The converting tile of a stored type; null: there is none.
template <class Scalar>
KOKKOS_INLINE_FUNCTION typename tile::TileTable<Scalar>::Convert converter_of(
    const tile::TileTable<Scalar>& table, StoredType type) {
  switch (type) {
    case StoredType::float32:
      return table.convert_float32;
    case StoredType::int8:
      return table.convert_int8;
    case StoredType::uint8:
      return table.convert_uint8;
    case StoredType::int16:
      return table.convert_int16;
    case StoredType::uint16:
      return table.convert_uint16;
    case StoredType::float64:
      break;
  }
  return nullptr;
}

/// Gathers a block of the matrix at `data`.
template <class Scalar>
KOKKOS_FUNCTION void gather(const tile::TileTable<Scalar>& table, const pack::MatrixSource& source,
                            const void* data, const pack::MatrixBlock<Scalar>& block) {
  if constexpr (stored_type<Scalar> == StoredType::float32) {
    const auto convert = converter_of(table, source.type);
    const bool by_rows = source.column_stride == 1 && block.column_step == 1;
    const bool by_columns = source.row_stride == 1 && block.row_step == 1;
    if (convert != nullptr && !pack::is_plain<Scalar>(source) && (by_rows || by_columns)) {
      const auto at = [](const double* numbers, std::int64_t first) {
        return numbers == nullptr ? nullptr : numbers + first;
      };
      const double* const row_scale = at(source.row_scale, block.row);
      const double* const row_offset = at(source.row_offset, block.row);
      const double* const column_scale = at(source.column_scale, block.column);
      const double* const column_offset = at(source.column_offset, block.column);
      const void* const from =
          static_cast<const char*>(data) +
          (block.row * source.row_stride + block.column * source.column_stride) *
              size_of(source.type);
      if (by_rows) {
        return convert({from, source.row_stride, block.to, block.row_step, block.rows,
                        block.columns, source.scale, source.offset, row_scale, row_offset,
                        column_scale, column_offset});
      }
      return convert({from, source.column_stride, block.to, block.column_step, block.columns,
                      block.rows, source.scale, source.offset, column_scale, column_offset,
                      row_scale, row_offset});
    }
  }
  pack::gather_block(source, data, block);
}

/// The same as what `pack::gather_conv` takes.
template <class Scalar>
struct GatherLines {
  const tile::TileTable<Scalar>* table;

  KOKKOS_FUNCTION void operator()(const pack::MatrixSource& lines, const void* data,
                                  const pack::MatrixBlock<Scalar>& block) const {
    gather(*table, lines, data, block);
  }
};

}  // namespace synelix::sweep
