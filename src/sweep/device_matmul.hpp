// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "lanes/pack.hpp"
#include "pack/matrix.hpp"
#include "sweep/launch.hpp"
#include "sweep/problem.hpp"
#include "sweep/products.hpp"
#include "sweep/team.hpp"
#include "tune/matrix.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Matrix products on a device: a team computes one part. Blocks of both operands over a few inner
/// indices are staged in scratch as physical values, neighbouring threads reading neighbouring
/// values; then each thread adds their products to the sums of some rows and columns. Those sums
/// cross the barriers in scratch, and are in registers between them.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct DeviceMatmulSweep {
  static constexpr int values = tune::device_matrix_values;  ///< rows, and columns, of a thread
  static constexpr int threads = tune::device_matrix_threads;
  static constexpr std::int64_t part_rows = tune::device_matrix_rows;
  static constexpr std::int64_t part_columns = tune::device_matrix_columns;
  static constexpr std::int64_t inner_block = tune::device_matrix_inner(sizeof(Scalar));
  static constexpr int rows_apart = part_rows / values;        ///< between rows of a thread
  static constexpr int columns_apart = part_columns / values;  ///< between its columns
  static_assert(rows_apart * columns_apart == threads);
  using Bounds = Kokkos::LaunchBounds<threads, 2>;
  static constexpr std::int64_t scratch_bytes =
      (inner_block * (part_rows + 1 + part_columns + 1) + part_rows * part_columns) *
          std::int64_t{sizeof(Scalar)} +
      std::int64_t{3} * 64;
  static_assert(scratch_bytes + scratch_slack + (threads + 2) * 8 <= 48 * 1024,
                "scratch that a team of CUDA has without asking for more");

  ProductSet<Scalar> set;
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, threads, scratch_bytes};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Room room;
    room.left = team_memory<Scalar>(team, inner_block * (part_rows + 1));
    room.right = team_memory<Scalar>(team, inner_block * (part_columns + 1));
    room.sums = team_memory<Scalar>(team, part_rows * part_columns);
    const TeamShare share = team_share(set.parts, team.league_rank(), workspace.teams);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      const std::int64_t number = set.product_of(i);
      Part part;
      part.product = &set.product(number);
      part.place = set.place(number);
      part.area = set.part(*part.product, i - set.first_part_of(number));
      multiply(team, room, part);
    }
  }

 private:
  /// Scratch.
  struct Room {
    Scalar* left;   ///< (inner index, row), one value between
    Scalar* right;  ///< (inner index, column), one value between
    Scalar* sums;   ///< (value of a thread, thread)
  };
  struct Part {
    const Product<Scalar>* product;
    ProductPlace<Scalar> place;
    ProductPart area;
  };

  template <class Team>
  KOKKOS_FUNCTION void multiply(const Team& team, const Room& room, const Part& part) const {
    const std::int64_t inner = part.product->inner;
    std::int64_t k = 0;
    do {
      const std::int64_t count = index::smaller(inner_block, inner - k);
      stage(team, room, part, k, count);
      team.team_barrier();
      const bool begins = k == 0;
      const bool ends = k + count == inner;
      for_each_item(team, threads, [=](std::int64_t thread) {
        accumulate(room, part, static_cast<int>(thread), count, begins, ends);
      });
      team.team_barrier();
      k += count;
    } while (k < inner);
  }

  /// Operands to scratch. Rows and columns that the product does not have are left as they are.
  template <class Team>
  KOKKOS_FUNCTION static void stage(const Team& team, const Room& room, const Part& part,
                                    std::int64_t k, std::int64_t count) {
    const ProductPart& area = part.area;
    const pack::MatrixSource& left = part.product->left;
    const pack::MatrixSource& right = part.product->right;
    const void* const left_data = part.place.left;
    const void* const right_data = part.place.right;
    const bool left_by_row = left.row_stride == 1;
    const bool right_by_row = right.row_stride == 1;
    for_each_item(team, area.rows * count, [=](std::int64_t i) {
      const std::int64_t row = left_by_row ? i % area.rows : i / count;
      const std::int64_t j = left_by_row ? i / area.rows : i % count;
      room.left[j * (part_rows + 1) + row] =
          pack::matrix_value<Scalar>(left, left_data, area.row + row, k + j);
    });
    for_each_item(team, area.columns * count, [=](std::int64_t i) {
      const std::int64_t column = right_by_row ? i / count : i % area.columns;
      const std::int64_t j = right_by_row ? i % count : i / area.columns;
      room.right[j * (part_columns + 1) + column] =
          pack::matrix_value<Scalar>(right, right_data, k + j, area.column + column);
    });
  }

  KOKKOS_FUNCTION static void accumulate(const Room& room, const Part& part, int thread,
                                         std::int64_t count, bool begins, bool ends) {
    const int first_row = thread / columns_apart;
    const int first_column = thread % columns_apart;
    if (first_row >= part.area.rows || first_column >= part.area.columns) return;
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
      for (int i = 0; i < values; ++i) row[i] = left[i * rows_apart];
      for (int j = 0; j < values; ++j) column[j] = right[j * columns_apart];
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
          put(part, first_row + i * rows_apart, first_column + j * columns_apart, sums[i][j]);
        } else {
          room.sums[(i * values + j) * threads + thread] = sums[i][j];
        }
      }
    }
  }

  KOKKOS_FUNCTION static void put(const Part& part, int row, int column, Scalar sum) {
    const ProductPart& area = part.area;
    if (row >= area.rows || column >= area.columns) return;
    const Product<Scalar>& product = *part.product;
    Scalar* const to = part.place.result + (area.row + row) * product.result_row +
                       (area.column + column) * product.result_column;
    Scalar value = product.alpha * sum;
    if (product.beta != Scalar(0)) {
      value += product.beta * *to;
    }
    *to = canonical(value);
  }
};

}  // namespace synelix::sweep
