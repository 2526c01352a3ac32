// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "lanes/pack.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The tile of a matrix product on a device. Blocks of both operands over a few inner indices are
/// staged in scratch as physical values, neighbouring threads reading neighbouring values; then
/// each thread adds their products to the sums of some rows and columns. Those sums cross the
/// barriers in scratch, and are in registers between them.

namespace synelix::sweep {

template <class Scalar>
struct DeviceTile {
  static constexpr int values = tune::device_matrix_values;  ///< rows, and columns, of a thread
  static constexpr int threads = tune::device_matrix_threads;
  static constexpr std::int64_t part_rows = tune::device_matrix_rows;
  static constexpr std::int64_t part_columns = tune::device_matrix_columns;
  static constexpr std::int64_t inner_block = tune::device_matrix_inner(sizeof(Scalar));
  static constexpr int rows_apart = part_rows / values;        ///< between rows of a thread
  static constexpr int columns_apart = part_columns / values;  ///< between its columns
  static_assert(rows_apart * columns_apart == threads);
  static constexpr std::int64_t scratch_bytes =
      (inner_block * (part_rows + 1 + part_columns + 1) + part_rows * part_columns) *
          std::int64_t{sizeof(Scalar)} +
      std::int64_t{3} * 64;

  /// Whether a team has so much scratch on CUDA without asking for more.
  static constexpr bool fits(std::int64_t bytes) {
    return bytes + scratch_slack + (std::int64_t{threads} + 2) * 8 <= std::int64_t{48} * 1024;
  }

  /// Scratch.
  struct TeamMemory {
    Scalar* left;   ///< (inner index, row), one value between
    Scalar* right;  ///< (inner index, column), one value between
    Scalar* sums;   ///< (value of a thread, thread)
  };
  template <class Team>
  KOKKOS_FUNCTION static TeamMemory room_of(const Team& team) {
    TeamMemory room;
    room.left = team_memory<Scalar>(team, inner_block * (part_rows + 1));
    room.right = team_memory<Scalar>(team, inner_block * (part_columns + 1));
    room.sums = team_memory<Scalar>(team, part_rows * part_columns);
    return room;
  }

  /// A sum that a thread left in scratch.
  KOKKOS_FUNCTION static Scalar sum_of(const TeamMemory& room, std::int64_t row,
                                       std::int64_t column) {
    const std::int64_t thread = row % rows_apart * columns_apart + column % columns_apart;
    return room.sums[(row / rows_apart * values + column / columns_apart) * threads + thread];
  }

  /// Rows of the left operand to scratch: value(row, j) of a part.
  template <class Team, class Value>
  KOKKOS_FUNCTION static void stage_left(const Team& team, const TeamMemory& room,
                                         std::int64_t rows, std::int64_t count, bool by_row,
                                         const Value& value) {
    for_each_item(team, rows * count, [=](std::int64_t i) {
      const std::int64_t row = by_row ? i % rows : i / count;
      const std::int64_t j = by_row ? i / rows : i % count;
      room.left[j * (part_rows + 1) + row] = value(row, j);
    });
  }
  /// Columns of the right one: value(j, column).
  template <class Team, class Value>
  KOKKOS_FUNCTION static void stage_right(const Team& team, const TeamMemory& room,
                                          std::int64_t columns, std::int64_t count, bool by_row,
                                          const Value& value) {
    for_each_item(team, columns * count, [=](std::int64_t i) {
      const std::int64_t column = by_row ? i / count : i % columns;
      const std::int64_t j = by_row ? i % count : i / columns;
      room.right[j * (part_columns + 1) + column] = value(j, column);
    });
  }

  /// Products of what is staged to the sums of a thread, which begin with 0, or end in
  /// put(row, column, sum), also for rows and columns behind those of the part. An area has `rows`
  /// and `columns`.
  template <class Area, class Put>
  KOKKOS_FUNCTION static void accumulate(const TeamMemory& room, const Area& area, int thread,
                                         std::int64_t count, bool begins, bool ends,
                                         const Put& put) {
    const int first_row = thread / columns_apart;
    const int first_column = thread % columns_apart;
    if (first_row >= area.rows || first_column >= area.columns) return;
    Scalar sums[values][values];
    for (int i = 0; i < values; ++i) {
      for (int j = 0; j < values; ++j) {
        sums[i][j] = begins ? Scalar(0) : room.sums[(i * values + j) * threads + thread];
      }
    }
    const Scalar* left = room.left + first_row;
    const Scalar* right = room.right + first_column;
    for (std::int64_t k = 0; k < count; ++k) {
      Scalar row[values];
      Scalar column[values];
      for (int i = 0; i < values; ++i) row[i] = left[std::int64_t{i} * rows_apart];
      for (int j = 0; j < values; ++j) column[j] = right[std::int64_t{j} * columns_apart];
      for (int i = 0; i < values; ++i) {
        for (int j = 0; j < values; ++j) {
          sums[i][j] = lanes::multiply_add(lanes::DeviceThread{}, row[i], column[j], sums[i][j]);
        }
      }
      left += part_rows + 1;
      right += part_columns + 1;
    }
    for (int i = 0; i < values; ++i) {
      for (int j = 0; j < values; ++j) {
        if (ends) {
          put(first_row + i * rows_apart, first_column + j * columns_apart, sums[i][j]);
        } else {
          room.sums[(i * values + j) * threads + thread] = sums[i][j];
        }
      }
    }
  }

  /// A whole part: the products of left(row, k) and right(k, column) over `inner` indices, in their
  /// order, to put(row, column, sum) once for each sum, also behind the last row and column of the
  /// part. Neighbouring threads stage neighbouring rows, or neighbouring columns, where an operand
  /// is `by_row`; else neighbouring inner indices of the left one, and columns of the right one.
  template <class Team, class Area, class Left, class Right, class Put>
  KOKKOS_FUNCTION static void multiply(const Team& team, const TeamMemory& room, const Area& area,
                                       std::int64_t inner, bool left_by_row, const Left& left,
                                       bool right_by_row, const Right& right, const Put& put) {
    std::int64_t k = 0;
    do {
      const std::int64_t count = index::smaller(inner_block, inner - k);
      stage_left(team, room, area.rows, count, left_by_row,
                 [=](std::int64_t row, std::int64_t j) { return left(row, k + j); });
      stage_right(team, room, area.columns, count, right_by_row,
                  [=](std::int64_t j, std::int64_t column) { return right(k + j, column); });
      team.team_barrier();
      const bool begins = k == 0;
      const bool ends = k + count == inner;
      for_each_item(team, threads, [=](std::int64_t thread) {
        accumulate(room, area, static_cast<int>(thread), count, begins, ends, put);
      });
      team.team_barrier();
      k += count;
    } while (k < inner);
  }
};

}  // namespace synelix::sweep
