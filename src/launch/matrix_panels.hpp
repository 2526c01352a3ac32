// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "pack/matrix.hpp"
#include "tile/convert.hpp"
#include "tile/matrix.hpp"
#include "tile/table.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Blocks of an operand as physical values: integers are converted to floats with the registers of
/// the instruction set, and everything else by `pack::gather_block`.

namespace synelix::sweep {

/// The fewest values of a row that are moved by a call.
inline constexpr std::int64_t fewest_moved = 16;

/// The converting tile of a stored type; null: none.
template <class Scalar>
KOKKOS_INLINE_FUNCTION typename tile::TileTable<Scalar>::Convert converter_of(
    const tile::TileTable<Scalar>& table, StoredType type) {
  switch (type) {
    case StoredType::int8:
      return table.convert_int8;
    case StoredType::uint8:
      return table.convert_uint8;
    case StoredType::int16:
      return table.convert_int16;
    case StoredType::uint16:
      return table.convert_uint16;
    case StoredType::float32:
    case StoredType::float64:
      break;
  }
  return nullptr;
}

/// Rows of a block with contiguous columns in the source and in the block.
KOKKOS_INLINE_FUNCTION tile::ConvertTile convert_tile_of(const pack::MatrixSource& source,
                                                         const void* data,
                                                         const pack::MatrixBlock<float>& block) {
  const auto at = [](const double* numbers, std::int64_t first) {
    return numbers == nullptr ? nullptr : numbers + first;
  };
  const auto* const from =
      static_cast<const char*>(data) +
      (block.row * source.row_stride + block.column * source.column_stride) * size_of(source.type);
  return {from,
          source.row_stride,
          block.to,
          block.row_step,
          block.rows,
          block.columns,
          source.scale,
          source.offset,
          at(source.row_scale, block.row),
          at(source.row_offset, block.row),
          at(source.column_scale, block.column),
          at(source.column_offset, block.column)};
}

/// The transposed block.
KOKKOS_INLINE_FUNCTION pack::MatrixBlock<float> transposed(const pack::MatrixBlock<float>& block) {
  return {block.column, block.columns,     block.row,     block.rows,
          block.to,     block.column_step, block.row_step};
}

/// A block of integers with contiguous rows in the source, and contiguous columns in the block: a
/// few columns at a time are converted to floats in memory of the thread, and transposed.
template <class Convert>
KOKKOS_FUNCTION void gather_across(const tile::TileTable<float>& table, Convert convert,
                                   const pack::MatrixSource& source, const void* data,
                                   const pack::MatrixBlock<float>& block) {
  constexpr std::int64_t columns = tune::most_pack_lanes;
  constexpr std::int64_t rows = 64;
  float values[columns * rows];
  for (std::int64_t i = 0; i < block.rows; i += rows) {
    for (std::int64_t j = 0; j < block.columns; j += columns) {
      pack::MatrixBlock<float> part = block;
      part.row += i;
      part.rows = index::smaller(rows, block.rows - i);
      part.column += j;
      part.columns = index::smaller(columns, block.columns - j);
      part.to = values;
      part.row_step = 1;
      part.column_step = rows;
      convert(convert_tile_of(source.transposed(), data, transposed(part)));
      table.transpose({values, rows, block.to + i * block.row_step + j, block.row_step,
                       part.columns, part.rows, false});
    }
  }
}

/// A block of integers without contiguous columns in source and block: parts of a row at a time are
/// copied to memory of the thread.
template <class Convert>
KOKKOS_FUNCTION void gather_strided(Convert convert, const pack::MatrixSource& source,
                                    const void* data, const pack::MatrixBlock<float>& block) {
  constexpr std::int64_t together = 64;
  const std::int64_t bytes = size_of(source.type);
  char stored[together * sizeof(std::int16_t)];
  float values[together];
  for (std::int64_t first = 0; first < block.columns; first += together) {
    pack::MatrixBlock<float> part = block;
    part.rows = 1;
    part.column = block.column + first;
    part.columns = index::smaller(together, block.columns - first);
    part.to = values;
    for (std::int64_t i = 0; i < block.rows; ++i) {
      part.row = block.row + i;
      tile::ConvertTile tile = convert_tile_of(source, data, part);
      if (source.column_stride != 1) {
        const auto* const from = static_cast<const char*>(tile.from);
        for (std::int64_t k = 0; k < part.columns; ++k) {
          for (std::int64_t b = 0; b < bytes; ++b) {
            stored[k * bytes + b] = from[k * source.column_stride * bytes + b];
          }
        }
        tile.from = stored;
      }
      convert(tile);
      float* const to = block.to + i * block.row_step + first * block.column_step;
      for (std::int64_t k = 0; k < part.columns; ++k) to[k * block.column_step] = values[k];
    }
  }
}

/// A block of unchanged values with contiguous columns in source and block: copies row by row, or
/// all rows at once if they are contiguous.
template <class Scalar>
KOKKOS_FUNCTION void copy_rows(const pack::MatrixSource& source, const void* data,
                               const pack::MatrixBlock<Scalar>& block) {
  const auto* from =
      static_cast<const Scalar*>(data) + block.row * source.row_stride + block.column;
  Scalar* to = block.to;
  std::int64_t rows = block.rows;
  std::int64_t columns = block.columns;
  if (source.row_stride == columns && block.row_step == columns) {
    columns *= rows;
    rows = columns > 0 ? 1 : 0;
  }
  for (; rows > 0; --rows) {
    if (columns < fewest_moved) {
      for (std::int64_t j = 0; j < columns; ++j) to[j] = from[j];
    } else {
      __builtin_memcpy(to, from, static_cast<std::size_t>(columns) * sizeof(Scalar));
    }
    from += source.row_stride;
    to += block.row_step;
  }
}

/// Gathers a block of the matrix at `data`. The arithmetic depends only on the stored type, never
/// on the layout or the division into blocks.
template <class Scalar>
KOKKOS_FUNCTION void gather(const tile::TileTable<Scalar>& table, const pack::MatrixSource& source,
                            const void* data, const pack::MatrixBlock<Scalar>& block) {
  if constexpr (stored_type<Scalar> == StoredType::float32) {
    if (const auto convert = converter_of(table, source.type); convert != nullptr) {
      if (source.column_stride == 1 && block.column_step == 1) {
        return convert(convert_tile_of(source, data, block));
      }
      if (source.row_stride == 1 && block.row_step == 1) {
        return convert(convert_tile_of(source.transposed(), data, transposed(block)));
      }
      if (source.row_stride == 1 && block.column_step == 1) {
        return gather_across(table, convert, source, data, block);
      }
      if (source.row_stride == 1) {
        return gather_strided(convert, source.transposed(), data, transposed(block));
      }
      return gather_strided(convert, source, data, block);
    }
  }
  if (source.column_stride == 1 && block.column_step == 1 && pack::is_plain<Scalar>(source)) {
    return copy_rows(source, data, block);
  }
  if (source.row_stride == 1 && block.column_step == 1 && block.rows > 1 &&
      pack::is_plain<Scalar>(source)) {
    const auto* const from =
        static_cast<const Scalar*>(data) + block.row + block.column * source.column_stride;
    return table.transpose(
        {from, source.column_stride, block.to, block.row_step, block.columns, block.rows, false});
  }
  pack::gather_block(source, data, block);
}

/// The same for a source of `pack::gather_conv`.
template <class Scalar>
struct GatherLines {
  const tile::TileTable<Scalar>* table;

  KOKKOS_FUNCTION void operator()(const pack::MatrixSource& lines, const void* data,
                                  const pack::MatrixBlock<Scalar>& block) const {
    gather(*table, lines, data, block);
  }
};

/// Rows of a panel of packs, the last of which may be half a pack, in tiles with about the same
/// number of packs. The tile is moved to the last of these.
template <class Scalar>
KOKKOS_FUNCTION void multiply_rows(const tile::TileTable<Scalar>& table,
                                   tile::MatrixTile<Scalar>& tile, int packs, std::int64_t rows) {
  const auto* const tiles =
      tile.last_columns <= table.half_lanes ? table.matrix_half[packs] : table.matrix[packs];
  const std::int64_t blocks = index::ceil_divide(rows, table.matrix_rows[packs]);
  for (std::int64_t left = blocks; left > 0; --left) {
    const std::int64_t count = index::ceil_divide(rows, left);
    tiles[count](tile);
    if (left == 1) return;  // there may be no memory after them
    tile.left += count * tile.left_row;
    if (tile.sums != nullptr) tile.sums += count * tile.sums_row;
    if (tile.from != nullptr) tile.from += count * tile.from_row;
    if (tile.result != nullptr) tile.result += count * tile.result_row;
    rows -= count;
  }
}

}  // namespace synelix::sweep
