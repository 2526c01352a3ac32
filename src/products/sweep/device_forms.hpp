// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/pack.hpp"
#include "launch/canonical.hpp"
#include "launch/device_tile.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "products/problem/forms.hpp"
#include "products/problem/products.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Bilinear forms on a device: a team computes a block of rows and a matrix. Columns are multiplied
/// block by block by the tile of a device, whose sums stay in scratch and meet the right operand
/// there: each thread its own sums, whose columns are 16 apart, so that neighbouring threads read
/// neighbouring columns. Then one thread for each row adds what those of the row have found, in
/// their order.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct DeviceFormsSweep {
  using Tile = DeviceTile<Scalar>;
  static constexpr std::int64_t part_rows = Tile::part_rows;
  using Bounds = Kokkos::LaunchBounds<Tile::threads, 2>;
  static constexpr std::int64_t scratch_bytes =
      Tile::scratch_bytes + part_rows * std::int64_t{sizeof(Scalar)} + 64;
  static_assert(Tile::fits(scratch_bytes));

  FormProblem<Scalar> problem;
  std::int64_t parts = 0;  ///< all, or none
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, Tile::threads, scratch_bytes};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const typename Tile::TeamMemory room = Tile::room_of(team);
    auto* const forms = team_memory<Scalar>(team, part_rows);  // of each row, so far
    for_each_team_item(team, parts, workspace.teams,
                       [&](std::int64_t i) { compute(team, room, forms, i); });
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void compute(const Team& team, const typename Tile::TeamMemory& room,
                               Scalar* forms, std::int64_t number) const {
    const std::int64_t blocks = index::ceil_divide(problem.rows, part_rows);
    const std::int64_t matrix = number / blocks;
    ProductPart area;
    area.row = number % blocks * part_rows;
    area.rows = index::smaller(part_rows, problem.rows - area.row);
    area.column = 0;
    do {  // without columns a form is 0
      area.columns = index::smaller(Tile::part_columns, problem.columns - area.column);
      multiply(team, room, area, problem.matrix_data(matrix));
      for_each_item(team, Tile::threads, [=, this](std::int64_t thread) {
        multiply_sums(room, area, static_cast<int>(thread));
      });
      team.team_barrier();
      const bool ends = area.column + area.columns == problem.columns;
      for_each_item(team, area.rows, [=, this](std::int64_t row) {
        add_dots(room, area, row, forms);
        if (!ends) return;
        problem.result[matrix * problem.result_matrix + (area.row + row) * problem.result_step] =
            canonical(forms[row]);
      });
      // Before sums begin anew: the tile stages first, and has a barrier behind that.
      area.column += area.columns;
    } while (area.column < problem.columns);
  }

  /// Sums of a block of columns, left in scratch.
  template <class Team>
  KOKKOS_FUNCTION void multiply(const Team& team, const typename Tile::TeamMemory& room,
                                const ProductPart& area, const void* data) const {
    const std::int64_t end = problem.inner_of(area.column + area.columns);
    std::int64_t k = 0;
    do {
      const std::int64_t count = index::smaller(Tile::inner_block, end - k);
      stage(team, room, area, data, k, count);
      team.team_barrier();
      const bool begins = k == 0;
      for_each_item(team, Tile::threads, [=](std::int64_t thread) {
        Tile::accumulate(room, area, static_cast<int>(thread), count, begins, false,
                         [](int, int, Scalar) {});
      });
      team.team_barrier();
      k += count;
    } while (k < end);
  }

  template <class Team>
  KOKKOS_FUNCTION void stage(const Team& team, const typename Tile::TeamMemory& room,
                             const ProductPart& area, const void* data, std::int64_t k,
                             std::int64_t count) const {
    Tile::stage_left(team, room, area.rows, count, problem.left.row_stride == 1,
                     [=, this](std::int64_t row, std::int64_t j) {
                       return pack::matrix_value<Scalar>(problem.left, problem.left.data,
                                                         area.row + row, k + j);
                     });
    Tile::stage_right(team, room, area.columns, count, problem.matrix.row_stride == 1,
                      [=, this](std::int64_t j, std::int64_t column) {
                        return problem.value(data, k + j, area.column + column);
                      });
  }

  /// The sums of a thread times the right operand: for each of its rows one number, to the place of
  /// the first sum of that row.
  KOKKOS_FUNCTION void multiply_sums(const typename Tile::TeamMemory& room, const ProductPart& area,
                                     int thread) const {
    const int first_row = thread / Tile::columns_apart;
    const int first_column = thread % Tile::columns_apart;
    for (int i = 0; i < Tile::values; ++i) {
      const std::int64_t row = first_row + std::int64_t{i} * Tile::rows_apart;
      if (row >= area.rows) break;
      Scalar* const sums = room.sums + std::int64_t{i} * Tile::values * Tile::threads + thread;
      Scalar dot(0);
      for (int j = 0; j < Tile::values; ++j) {
        const std::int64_t column = first_column + std::int64_t{j} * Tile::columns_apart;
        if (column >= area.columns) break;
        const auto right = pack::matrix_value<Scalar>(problem.right, problem.right.data,
                                                      area.row + row, area.column + column);
        dot = lanes::multiply_add(lanes::DeviceThread{}, sums[std::int64_t{j} * Tile::threads],
                                  right, dot);
      }
      sums[0] = dot;
    }
  }

  /// What the threads of a row have found.
  KOKKOS_FUNCTION static void add_dots(const typename Tile::TeamMemory& room,
                                       const ProductPart& area, std::int64_t row, Scalar* forms) {
    Scalar sum = area.column == 0 ? Scalar(0) : forms[row];
    const std::int64_t count = index::smaller(Tile::columns_apart, area.columns);
    for (std::int64_t column = 0; column < count; ++column) {
      sum += Tile::sum_of(room, row, column);
    }
    forms[row] = sum;
  }
};

}  // namespace synelix::sweep
