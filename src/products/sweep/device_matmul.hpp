// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "launch/device_tile.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "products/problem/products.hpp"

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
  static constexpr std::int64_t inner_block = Tile::inner_block;  ///< for tests
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
      multiply(team, room, kept_for_passes(team, part));
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
    const Product<Scalar>& product = *part.product;
    // By reference: copies of both operands would take registers for the whole part.
    Tile::multiply(
        team, room, part.area, product.inner, product.left.row_stride == 1,
        [&part](std::int64_t row, std::int64_t k) {
          return pack::matrix_value<Scalar>(part.product->left, part.place.left,
                                            part.area.row + row, k);
        },
        product.right.row_stride == 1,
        [&part](std::int64_t k, std::int64_t column) {
          return pack::matrix_value<Scalar>(part.product->right, part.place.right, k,
                                            part.area.column + column);
        },
        [&part](int row, int column, Scalar sum) { put(part, row, column, sum); });
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
