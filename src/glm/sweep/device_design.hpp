// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/pack.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "tune/device.hpp"
#include "tune/fit.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The rows of a dense design for kernels of a device: pointers and strides, without functions of
/// the host. Also the sweep that finds the rows whose features are finite.
///
/// A wave is a run of complete blocks of rows. Arrays of a wave have one value for each of its
/// rows; the values of one vector are contiguous. Vectors of predictors and residuals are aligned
/// to packs.

namespace synelix::sweep {

/// A wave of rows.
struct DeviceDesign {
  pack::MatrixSource source;  ///< stored values of any type
  std::int64_t first = 0;     ///< the row of the recording at the beginning of the source
  std::int64_t columns = 0;
  Range rows;                           ///< of the recording
  const std::uint8_t* valid = nullptr;  ///< for each row of the recording; null: all are valid
  std::int64_t every = 1;               ///< only every n-th tile is used
  std::int64_t block_rows = tune::fit_block_rows;

  /// Whether the tile that begins with this row is used.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_tile(std::int64_t row) const {
    return every == 1 || row / tune::fit_tile_rows % every == 0;
  }
  /// Values from one vector of this many rows to the next.
  static KOKKOS_INLINE_FUNCTION std::int64_t vector_step(std::int64_t rows) {
    constexpr std::int64_t floats = lanes::Pack<float, lanes::DeviceThread>::lanes;
    return index::round_up(rows, floats);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t vector_step() const {
    return vector_step(rows.size());
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_valid(std::int64_t row) const {
    return valid == nullptr || valid[row] != 0;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t blocks() const {
    return index::ceil_divide(rows.size(), block_rows);
  }
  /// The rows of a block, counted from the first block of the wave.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Range block(std::int64_t number) const {
    const std::int64_t begin = rows.begin + number * block_rows;
    return {begin, index::smaller(rows.end, begin + block_rows)};
  }
  /// A feature in the type in which hosts store it: float, unless it is double.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION double stored(std::int64_t row, std::int64_t column) const {
    const auto value = pack::matrix_value<double>(source, source.data, row - first, column);
    return source.type == StoredType::float64 ? value
                                              : static_cast<double>(static_cast<float>(value));
  }
  /// A value of [X 1]: 0 in invalid rows, 1 after the last column.
  template <class Scalar>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t row, std::int64_t column) const {
    if (!is_valid(row)) return Scalar(0);
    return column == columns ? Scalar(1) : static_cast<Scalar>(stored(row, column));
  }

  /// Whether `together` features can be read in one access, from this one on, in neighboring
  /// columns or else in neighboring rows. They may need conversion only from float to double.
  template <class Scalar, int together = lanes::Pack<Scalar, lanes::DeviceThread>::lanes>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_packs(std::int64_t row, std::int64_t column,
                                                      bool by_column) const {
    const bool is_float = source.type == StoredType::float32;
    if (source.is_scaled() || (!is_float && source.type != stored_type<Scalar>)) return false;
    if ((by_column ? source.column_stride : source.row_stride) != 1) return false;
    const std::int64_t other = by_column ? source.row_stride : source.column_stride;
    const std::int64_t place = place_of(row, column);
    const std::int64_t bytes = is_float ? sizeof(float) : sizeof(double);
    return other % together == 0 && place % together == 0 &&
           reinterpret_cast<std::uintptr_t>(source.data) % (bytes * together) == 0;
  }
  /// `value` of neighboring columns, or else of neighboring rows, without the column of ones.
  template <class Scalar>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION lanes::Pack<Scalar, lanes::DeviceThread> pack(
      std::int64_t row, std::int64_t column, bool by_column) const {
    using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
    if (source.type == StoredType::float32) {
      return packs<Scalar, 1>(row, column, by_column).values[0];
    }
    Pack values = Pack::zero();
    if (by_column && !is_valid(row)) return values;
    values = Pack::load(static_cast<const Scalar*>(source.data) + place_of(row, column));
    if (!by_column) clear_invalid(values, row);
    return values;
  }
  template <class Scalar, int count>
  struct Packs {
    lanes::Pack<Scalar, lanes::DeviceThread> values[count];
  };
  /// `count` packs of stored floats, in one access.
  template <class Scalar, int count>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Packs<Scalar, count> packs(std::int64_t row,
                                                                  std::int64_t column,
                                                                  bool by_column) const {
    using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
    Packs<Scalar, count> found;
    for (int p = 0; p < count; ++p) found.values[p] = Pack::zero();
    if (by_column && !is_valid(row)) return found;
    const auto* const from = static_cast<const float*>(source.data) + place_of(row, column);
    const auto some = *reinterpret_cast<const Floats<count * Pack::lanes>*>(from);
    for (int p = 0; p < count; ++p) {
      for (int i = 0; i < Pack::lanes; ++i) {
        found.values[p].values[i] = static_cast<Scalar>(some.values[p * Pack::lanes + i]);
      }
      if (!by_column) clear_invalid(found.values[p], row + p * Pack::lanes);
    }
    return found;
  }

 private:
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t place_of(std::int64_t row,
                                                             std::int64_t column) const {
    return (row - first) * source.row_stride + column * source.column_stride;
  }
  template <class Pack>
  KOKKOS_INLINE_FUNCTION void clear_invalid(Pack& values, std::int64_t row) const {
    for (int i = 0; i < Pack::lanes; ++i) {
      if (!is_valid(row + i)) values.values[i] = 0;
    }
  }

  /// Floats of one access.
  template <int count>
  struct alignas(4 * count) [[gnu::may_alias]] Floats {
    float values[count];
  };
};

/// Finds the rows whose features are all finite. A team takes some rows, and several threads share
/// each row: neighboring threads read neighboring packs of a row, or neighboring rows if these are
/// contiguous.
struct DeviceCheckSweep {
  static constexpr int threads = tune::device_row_threads;
  static constexpr int shares = 8;  ///< threads of a row
  static constexpr int team_rows = threads / shares;
  static constexpr int pitch = shares + 1;  ///< of scratch; avoids bank conflicts

  DeviceDesign from;
  std::uint8_t* valid = nullptr;  ///< for each row of the recording
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t rows, std::int64_t) const {
    return {index::ceil_divide(rows, team_rows), threads, std::int64_t{team_rows} * pitch * 4 + 64};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const finite =
        team_memory<std::int32_t>(team, std::int64_t{team_rows} * pitch);  // (row, share)
    const std::int64_t items = index::ceil_divide(from.rows.size(), team_rows);
    for_each_team_item(team, items, workspace.teams, [&](std::int64_t item) {
      const std::int64_t first = from.rows.begin + item * team_rows;
      const std::int64_t rows = index::smaller(team_rows, from.rows.end - first);
      for_each_item(team, threads, [=, this](std::int64_t i) {
        const bool by_column = from.source.row_stride != 1;
        const std::int64_t row = by_column ? i / shares : i % team_rows;
        const std::int64_t share = by_column ? i % shares : i / team_rows;
        finite[row * pitch + share] = row >= rows || is_finite(first + row, share) ? 1 : 0;
      });
      team.team_barrier();
      for_each_item(team, rows, [=, this](std::int64_t row) {
        if (!from.has_tile(first + row)) return;
        std::int32_t all = 1;
        for (int share = 0; share < shares; ++share) all &= finite[row * pitch + share];
        valid[first + row] = all != 0 ? 1 : 0;
      });
      team.team_barrier();
    });
  }

 private:
  /// Whether a thread's share of a row is finite.
  [[nodiscard]] KOKKOS_FUNCTION bool is_finite(std::int64_t row, std::int64_t share) const {
    if (!from.has_tile(row)) return true;
    // NaN if any feature is NaN or infinite.
    if (from.source.type == StoredType::float32 && !from.source.is_scaled()) {
      const std::int64_t step = from.source.column_stride;
      const float* at = static_cast<const float*>(from.source.data) +
                        (row - from.first) * from.source.row_stride + share * step;
      float sum = 0;
      SYNELIX_UNROLL(4)
      for (std::int64_t j = share; j < from.columns; j += shares) {
        sum += *at * 0.0F;
        at += shares * step;
      }
      return sum == 0;
    }
    double sum = 0;
    for (std::int64_t j = share; j < from.columns; j += shares) sum += from.stored(row, j) * 0.0;
    return sum == 0;
  }
};

}  // namespace synelix::sweep
