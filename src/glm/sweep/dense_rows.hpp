// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"
#include "glm/sweep/row_blocks.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "index/team_memory.hpp"
#include "launch/matrix_panels.hpp"
#include "tile/matrix.hpp"
#include "tile/row_products.hpp"
#include "tile/table.hpp"
#include "tune/fit.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// What the sweeps over the rows of a dense design share: the layout of rows, how a block of rows
/// is cut, and the products of a part of a tile with many vectors.

namespace synelix::sweep {

/// Assigns parts of a piece of memory, each aligned to a cache line. Without memory it counts
/// bytes.
class MemoryCursor {
 public:
  explicit KOKKOS_INLINE_FUNCTION MemoryCursor(std::byte* memory) : m_memory(memory) {}
  template <class Value>
  KOKKOS_INLINE_FUNCTION Value* take(std::int64_t values) {
    Value* const part =
        m_memory != nullptr ? reinterpret_cast<Value*>(m_memory + m_bytes) : nullptr;
    m_bytes += index::whole_lines(values * static_cast<std::int64_t>(sizeof(Value)));
    return part;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t bytes() const { return m_bytes; }

 private:
  std::byte* m_memory;
  std::int64_t m_bytes = 0;
};

/// The padded length of a row: a multiple of packs, such that rows map to different sets of a
/// cache.
template <class Scalar>
constexpr std::int64_t padded(std::int64_t columns) {
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(Scalar));
  return (index::ceil_divide(columns, line) | 1) * line;
}

/// Rows that are processed together, for rows of this many values of a type.
template <class Scalar>
constexpr std::int64_t part_rows(std::int64_t columns) {
  constexpr std::int64_t step = 8;
  const std::int64_t rows =
      tune::fit_part_bytes / (index::larger(columns, 1) * std::int64_t{sizeof(Scalar)});
  const std::int64_t most = tune::fit_most_part;
  return index::larger(tune::fit_least_part, index::smaller(most, rows / step * step));
}

/// Some rows: the first of them, and the distance between rows.
template <class Feature>
struct RowsAt {
  const Feature* data;
  std::int64_t stride;
};

/// The features of some blocks of rows, with adjacent columns.
template <class Feature>
struct DenseRows {
  const Feature* data = nullptr;  ///< row `rows.begin`
  std::int64_t stride = 0;
  std::int64_t columns = 0;
  Range rows;                            ///< of the recording
  const std::uint64_t* valid = nullptr;  ///< of the recording
  bool is_zeroed = false;                ///< whether invalid rows hold zeros
  std::int64_t every = 1;                ///< only every n-th tile is present
  std::int64_t block_rows = tune::fit_block_rows;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_valid(std::int64_t row) const {
    return (valid[row / 64] >> (row % 64) & 1) != 0;
  }
  /// Whether the tile that begins with this row is used.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_tile(std::int64_t row) const {
    return every == 1 || row / tune::fit_tile_rows % every == 0;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t blocks() const {
    return index::ceil_divide(rows.size(), block_rows);
  }
  /// The rows of a block, counted from the first block in memory.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Range block(std::int64_t number) const {
    const std::int64_t begin = rows.begin + number * block_rows;
    return {begin, index::smaller(rows.end, begin + block_rows)};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const Feature* row(std::int64_t row) const {
    return data + (row - rows.begin) * stride;
  }
  /// Some rows, with zeros in invalid ones: in place, or in `room`, which has `part.size()` rows of
  /// padded<Feature>(columns).
  [[nodiscard]] KOKKOS_FUNCTION RowsAt<Feature> finite(Range part, Feature* room) const {
    if (is_zeroed) return {row(part.begin), stride};
    bool all = true;
    for (std::int64_t t = part.begin; t < part.end; ++t) all = all && is_valid(t);
    if (all) return {row(part.begin), stride};
    const std::int64_t room_stride = padded<Feature>(columns);
    for (std::int64_t t = part.begin; t < part.end; ++t) {
      const Feature* const from = row(t);
      Feature* const to = room + (t - part.begin) * room_stride;
      const bool keeps = is_valid(t);
      for (std::int64_t j = 0; j < columns; ++j) to[j] = keeps ? from[j] : Feature(0);
    }
    return {room, room_stride};
  }
};

/// The tiles of an instruction set that a sweep uses.
template <class Feature, class Scalar>
struct DenseTiles {
  const tile::TileTable<Scalar>* matrix = nullptr;
  const tile::RowTable<Feature, Scalar>* rows = nullptr;

  /// sums (rows of the left operand, columns) += left right, for complete packs of columns. The
  /// strides of the tile are set; its pointers are those of the first row and column.
  KOKKOS_FUNCTION void multiply(tile::MatrixTile<Scalar> tile, std::int64_t rows_of_left,
                                std::int64_t columns) const {
    const std::int64_t packs = columns / matrix->lanes;
    const std::int64_t panels = index::ceil_divide(packs, matrix->matrix_packs);
    tile.last_columns = matrix->lanes;
    tile.ends = false;
    tile.result = nullptr;
    tile.result_row = 0;
    tile.alpha = 1;
    tile.beta = 0;
    const Scalar* const left = tile.left;
    const Scalar* const right = tile.right;
    Scalar* const sums = tile.sums;
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      const std::int64_t first = panel * packs / panels;
      const std::int64_t count = (panel + 1) * packs / panels - first;
      tile.left = left;
      tile.right = right + first * matrix->lanes;
      tile.sums = sums + first * matrix->lanes;
      multiply_rows(*matrix, tile, static_cast<int>(count), rows_of_left);
    }
  }

  /// Converts rows to the working type, in complete packs with zeros at the end.
  KOKKOS_FUNCTION void widen(const RowsAt<Feature>& from, std::int64_t rows_of_part,
                             std::int64_t columns, bool magnitudes, Scalar* to) const {
    rows->scaled({from.data, from.stride, rows_of_part, columns, nullptr, magnitudes, to,
                  padded<Scalar>(columns)});
  }

  /// predictors (row, vector) = rows coefficients: `stride` values from one row to the next, and
  /// from the coefficients of one column to those of the next. Rows are those of `widen`.
  KOKKOS_FUNCTION void predict(const Scalar* from, std::int64_t rows_of_part, std::int64_t columns,
                               const Scalar* coefficients, std::int64_t stride,
                               Scalar* predictors) const {
    tile::MatrixTile<Scalar> tile{};
    tile.left_row = padded<Scalar>(columns);
    tile.left_inner = 1;
    tile.right_inner = stride;
    tile.sums_row = stride;
    tile.begins = true;
    for (std::int64_t k = 0; k < columns; k += tune::fit_inner) {
      tile.inner = index::smaller(tune::fit_inner, columns - k);
      tile.left = from + k;
      tile.right = coefficients + k * stride;
      tile.sums = predictors;
      multiply(tile, rows_of_part, stride);
      tile.begins = false;
    }
  }

  /// sums (vector, column) += residuals rows: each vector has `rows_of_part` contiguous residuals,
  /// `residual_stride` from one vector to the next. Rows are those of `widen`.
  KOKKOS_FUNCTION void adjoint(const Scalar* from, std::int64_t rows_of_part, std::int64_t columns,
                               const Scalar* residuals, std::int64_t residual_stride,
                               std::int64_t vectors, Scalar* sums, bool begins) const {
    tile::MatrixTile<Scalar> tile{};
    tile.left = residuals;
    tile.left_row = residual_stride;
    tile.left_inner = 1;
    tile.right = from;
    tile.right_inner = padded<Scalar>(columns);
    tile.inner = rows_of_part;
    tile.sums = sums;
    tile.sums_row = padded<Scalar>(columns);
    tile.begins = begins;
    multiply(tile, vectors, index::round_up(columns, matrix->lanes));
  }
};

/// Whether sums of a tile are added to sums in double after it: not if they are double already.
template <class Scalar>
inline constexpr bool sums_end_with_tile = sizeof(Scalar) < sizeof(double);

// Calls of `Observed` in sweeps of the host. They are marked for devices, where they never run,
// because a device compiler checks all functions that sweeps call.

KOKKOS_INLINE_FUNCTION void read_targets(const glm::Observed& observed, std::int64_t target,
                                         Range rows, double* values) {
  KOKKOS_IF_ON_HOST((observed.read_targets(target, rows, values);))
  KOKKOS_IF_ON_DEVICE(((void)observed; (void)target; (void)rows; (void)values;))
}

KOKKOS_INLINE_FUNCTION void read_weights(const glm::Observed& observed, const glm::RowsOf& choice,
                                         Range rows, double* weights) {
  KOKKOS_IF_ON_HOST((observed.read_weights(choice, rows, weights);))
  KOKKOS_IF_ON_DEVICE(((void)observed; (void)choice; (void)rows; (void)weights;))
}

/// Returns whether there are offsets.
KOKKOS_INLINE_FUNCTION bool read_offsets(const glm::Observed& observed, std::int64_t target,
                                         Range rows, double* offsets) {
  KOKKOS_IF_ON_HOST((if (!observed.has_offset()) return false;
                     observed.read_offsets(target, rows, offsets); return true;))
  KOKKOS_IF_ON_DEVICE(((void)observed; (void)target; (void)rows; (void)offsets; return false;))
}

}  // namespace synelix::sweep
