// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "tune/device.hpp"
#include "tune/fit.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The rows of a dense design as kernels of a device read them: pointers and strides, no functions
/// of the host. Also the sweep that finds the rows whose features are finite.
///
/// A wave is a run of whole blocks of rows. Arrays of a wave have one value for each of its rows,
/// those of one vector side by side.

namespace synelix::sweep {

/// A wave of rows.
struct DeviceDesign {
  pack::MatrixSource source;  ///< stored values of any type
  std::int64_t first = 0;     ///< the row of the recording that is the first of the source
  std::int64_t columns = 0;
  Range rows;                           ///< of the recording
  const std::uint8_t* valid = nullptr;  ///< of each row of the recording
  std::int64_t every = 1;               ///< only each so-many-th tile takes part
  std::int64_t block_rows = tune::fit_block_rows;

  /// Whether a tile that begins with this row takes part.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_tile(std::int64_t row) const {
    return every == 1 || row / tune::fit_tile_rows % every == 0;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t blocks() const {
    return index::ceil_divide(rows.size(), block_rows);
  }
  /// The rows of a block, counted from the first that is here.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Range block(std::int64_t number) const {
    const std::int64_t begin = rows.begin + number * block_rows;
    return {begin, index::smaller(rows.end, begin + block_rows)};
  }
  /// A feature as it is stored, in the type in which hosts hold it: float, unless it is double.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION double stored(std::int64_t row, std::int64_t column) const {
    const auto value = pack::matrix_value<double>(source, source.data, row - first, column);
    return source.type == StoredType::float64 ? value
                                              : static_cast<double>(static_cast<float>(value));
  }
  /// A value of [X 1]: 0 in rows that are not valid, 1 behind the last column.
  template <class Scalar>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t row, std::int64_t column) const {
    if (valid[row] == 0) return Scalar(0);
    return column == columns ? Scalar(1) : static_cast<Scalar>(stored(row, column));
  }
};

/// Finds the rows whose features are all finite. A virtual item is a row: neighbouring threads read
/// far apart where rows lie side by side, but each row once for all walks.
struct DeviceCheckSweep {
  DeviceDesign from;
  std::uint8_t* valid = nullptr;  ///< of each row of the recording
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {index::ceil_divide(items, tune::device_row_threads), tune::device_row_threads, 0};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, from.rows.size(), workspace.teams,
                         [=, this](std::int64_t i) { check(from.rows.begin + i); });
  }

 private:
  KOKKOS_FUNCTION void check(std::int64_t row) const {
    if (!from.has_tile(row)) return;
    double sum = 0;  // NaN where any feature is NaN or infinite
    for (std::int64_t j = 0; j < from.columns; ++j) sum += from.stored(row, j) * 0.0;
    valid[row] = sum == 0 ? 1 : 0;
  }
};

}  // namespace synelix::sweep
