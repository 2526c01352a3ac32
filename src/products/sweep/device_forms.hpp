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
/// block by block by the tile of a device, whose sums are written to scratch and multiplied with
/// the right operand there. An item takes every 16th sum of a row, so that neighboring threads read
/// neighboring columns. Then one thread for each row adds the partial sums of the row, in order.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct DeviceFormsSweep {
  using Tile = DeviceTile<Scalar, tune::device_form_tile(sizeof(Scalar))>;
  static constexpr std::int64_t part_rows = Tile::part_rows;
  using Bounds = typename Tile::Bounds;
  static constexpr int dots = 16;  ///< of a row: each takes every 16th column. Affects bits.
  /// Distance of the rows of sums in scratch: packs of 16 neighboring rows cover all banks.
  static constexpr int sums_pitch = Tile::part_columns + Tile::Pack::lanes;
  static constexpr std::int64_t scratch_bytes =
      Tile::scratch_bytes + part_rows * (sums_pitch + 1) * std::int64_t{sizeof(Scalar)} +
      std::int64_t{2} * 64;
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
    Results results;
    results.sums = team_memory<Scalar>(team, part_rows * sums_pitch);
    results.forms = team_memory<Scalar>(team, part_rows);
    for_each_team_item(team, parts, workspace.teams,
                       [&](std::int64_t i) { compute(team, room, results, i); });
  }

 private:
  /// Scratch.
  struct Results {
    Scalar* sums;   ///< (row, column) of a block of columns; then dot products in the first
    Scalar* forms;  ///< of each row so far
  };

  /// The vectors of the left operand, by their number.
  struct Vectors {
    static constexpr int turns = 1;

    const FormProblem<Scalar>* problem;
    std::int64_t first;
    bool by_index;
    bool packs = false;

    [[nodiscard]] KOKKOS_INLINE_FUNCTION int whole(int size) const { return size; }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t row, std::int64_t k) const {
      return pack::matrix_value<Scalar>(problem->left, problem->left.data, first + row, k);
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION typename Tile::Pack pack(std::int64_t,
                                                                  std::int64_t) const {
      return Tile::Pack::zero();
    }
  };
  /// A matrix, by its columns.
  struct Matrix {
    static constexpr int turns = 1;

    const FormProblem<Scalar>* problem;
    const void* data;
    std::int64_t first;
    bool by_index;
    bool packs = false;

    [[nodiscard]] KOKKOS_INLINE_FUNCTION int whole(int size) const { return size; }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t column, std::int64_t k) const {
      return problem->value(data, k, first + column);
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION typename Tile::Pack pack(std::int64_t,
                                                                  std::int64_t) const {
      return Tile::Pack::zero();
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void compute(const Team& team, const typename Tile::TeamMemory& room,
                               const Results& results, std::int64_t number) const {
    const std::int64_t blocks = index::ceil_divide(problem.rows, part_rows);
    const std::int64_t matrix = number / blocks;
    ProductPart area;
    area.row = number % blocks * part_rows;
    area.rows = index::smaller(part_rows, problem.rows - area.row);
    area.column = 0;
    do {  // without columns a form is 0
      area.columns =
          index::smaller(std::int64_t{Tile::part_columns}, problem.columns - area.column);
      multiply(team, room, area, problem.matrix_data(matrix), results);
      for_each_item(team, area.rows * dots, [=, this](std::int64_t i) {
        multiply_sums(results, area, static_cast<int>(i / dots), static_cast<int>(i % dots));
      });
      team.team_barrier();
      const bool ends = area.column + area.columns == problem.columns;
      for_each_item(team, area.rows, [=, this](std::int64_t row) {
        add_dots(results, area, row);
        if (!ends) return;
        problem.result[matrix * problem.result_matrix + (area.row + row) * problem.result_step] =
            canonical(results.forms[row]);
      });
      // No barrier is needed: the tile has one after staging, before it writes sums.
      area.column += area.columns;
    } while (area.column < problem.columns);
  }

  /// Computes the sums of a block of columns, in scratch.
  template <class Team>
  KOKKOS_FUNCTION void multiply(const Team& team, const typename Tile::TeamMemory& room,
                                const ProductPart& area, const void* data,
                                const Results& results) const {
    const Vectors left{&problem, area.row, problem.left.row_stride == 1};
    const Matrix right{&problem, data, area.column, problem.matrix.row_stride != 1};
    Tile::multiply(team, room, area, problem.inner_of(area.column + area.columns), left, right,
                   [=]() {
                     return [=](int row, int column, typename Tile::Pack sums) {
                       sums.store(results.sums + row * sums_pitch + column);
                     };
                   });
  }

  /// Multiplies every 16th sum of a row with the right operand. The result replaces the first of
  /// these sums.
  KOKKOS_FUNCTION void multiply_sums(const Results& results, const ProductPart& area, int row,
                                     int first) const {
    Scalar* const sums = results.sums + row * sums_pitch;
    if (first >= area.columns) return;
    Scalar dot(0);
    for (int column = first; column < area.columns; column += dots) {
      const auto right = pack::matrix_value<Scalar>(problem.right, problem.right.data,
                                                    area.row + row, area.column + column);
      dot = lanes::multiply_add(lanes::DeviceThread{}, sums[column], right, dot);
    }
    sums[first] = dot;
  }

  /// Adds the partial sums of a row.
  KOKKOS_FUNCTION static void add_dots(const Results& results, const ProductPart& area,
                                       std::int64_t row) {
    Scalar sum = area.column == 0 ? Scalar(0) : results.forms[row];
    const std::int64_t count = index::smaller(std::int64_t{dots}, area.columns);
    for (std::int64_t i = 0; i < count; ++i) sum += results.sums[row * sums_pitch + i];
    results.forms[row] = sum;
  }
};

}  // namespace synelix::sweep
