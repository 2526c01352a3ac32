// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "products/problem/products.hpp"
#include "products/sweep/device_tile.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Matrix products on a device: a team computes one part, by the tile of a device.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct DeviceMatmulSweep {
  using Tile = DeviceTile<Scalar>;
  static constexpr std::int64_t part_rows = Tile::part_rows;
  static constexpr std::int64_t part_columns = Tile::part_columns;
  static constexpr std::int64_t inner_block = Tile::inner_block;
  using Bounds = Kokkos::LaunchBounds<Tile::threads, 2>;
  static_assert(Tile::fits(Tile::scratch_bytes));

  ProductSet<Scalar> set;
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, Tile::threads, Tile::scratch_bytes};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const typename Tile::TeamMemory room = Tile::room_of(team);
    for_each_team_item(team, set.parts, workspace.teams, [&](std::int64_t i) {
      const std::int64_t number = set.product_of(i);
      Part part;
      part.product = &set.product(number);
      part.place = set.place(number);
      part.area = set.part(*part.product, i - set.first_part_of(number));
      multiply(team, room, part);
    });
  }

 private:
  struct Part {
    const Product<Scalar>* product;
    ProductPlace<Scalar> place;
    ProductPart area;
  };

  template <class Team>
  KOKKOS_FUNCTION void multiply(const Team& team, const typename Tile::TeamMemory& room,
                                const Part& part) const {
    const std::int64_t inner = part.product->inner;
    std::int64_t k = 0;
    do {
      const std::int64_t count = index::smaller(inner_block, inner - k);
      stage(team, room, part, k, count);
      team.team_barrier();
      const bool begins = k == 0;
      const bool ends = k + count == inner;
      for_each_item(team, Tile::threads, [=](std::int64_t thread) {
        Tile::accumulate(room, part.area, static_cast<int>(thread), count, begins, ends,
                         [=](int row, int column, Scalar sum) { put(part, row, column, sum); });
      });
      team.team_barrier();
      k += count;
    } while (k < inner);
  }

  /// Operands to scratch. Rows and columns that the product does not have are left as they are.
  template <class Team>
  KOKKOS_FUNCTION static void stage(const Team& team, const typename Tile::TeamMemory& room,
                                    const Part& part, std::int64_t k, std::int64_t count) {
    const ProductPart& area = part.area;
    const pack::MatrixSource& left = part.product->left;
    const pack::MatrixSource& right = part.product->right;
    const void* const left_data = part.place.left;
    const void* const right_data = part.place.right;
    Tile::stage_left(team, room, area.rows, count, left.row_stride == 1,
                     [=](std::int64_t row, std::int64_t j) {
                       return pack::matrix_value<Scalar>(left, left_data, area.row + row, k + j);
                     });
    Tile::stage_right(team, room, area.columns, count, right.row_stride == 1,
                      [=](std::int64_t j, std::int64_t column) {
                        return pack::matrix_value<Scalar>(right, right_data, k + j,
                                                          area.column + column);
                      });
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
