// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "products/problem/products.hpp"
#include "tile/output.hpp"
#include "tile/table.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Copies windows of one product to the results of a batch: the value in column j of product p is
/// column p step + j of the one product.

namespace synelix::sweep {

/// The common data of both functors.
template <class Scalar>
struct Slices {
  const Scalar* product = nullptr;  ///< the product, with adjacent columns
  std::int64_t product_row = 0;     ///< values from one row to the next
  std::int64_t step = 1;
  ProductSet<Scalar> set;  ///< the batch: places and shape
};

/// On a host: a virtual item is a result, whose rows are copied by vector moves of an instruction
/// set.
template <class Scalar>
struct SlicesSweep {
  Slices<Scalar> slices;
  const tile::TileTable<Scalar>* table = nullptr;
  tile::Stores stores = tile::Stores::cached;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_of_share(team, slices.set.count, workspace.teams, turns,
                      [=, this](std::int64_t place) { copy(place); });
    if (stores == tile::Stores::streamed) table->fence_streams();
  }

 private:
  KOKKOS_FUNCTION void copy(std::int64_t place) const {
    const Product<Scalar>& shape = slices.set.first;
    const Scalar* from = slices.product + place * slices.step;
    Scalar* const to = shape.result + slices.set.result_places.offset(place);
    if (shape.result_column == 1) {
      table->copy({to, shape.result_row, from, slices.product_row, shape.columns, shape.rows},
                  stores);
      return;
    }
    for (std::int64_t i = 0; i < shape.rows; ++i) {
      for (std::int64_t j = 0; j < shape.columns; ++j) {
        to[i * shape.result_row + j * shape.result_column] = from[j];
      }
      from += slices.product_row;
    }
  }
};

/// On a device: a virtual item is a value; neighboring items are in one row of the result.
template <class Scalar>
struct DeviceSlicesSweep {
  Slices<Scalar> slices;
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Product<Scalar>& shape = slices.set.first;
    const std::int64_t values = shape.rows * shape.columns;
    for_each_thread_item(team, slices.set.count * values, workspace.teams,
                         [=, this](std::int64_t i) { copy(i / values, i % values); });
  }

 private:
  KOKKOS_FUNCTION void copy(std::int64_t place, std::int64_t value) const {
    const Product<Scalar>& shape = slices.set.first;
    const std::int64_t row = value / shape.columns;
    const std::int64_t column = value % shape.columns;
    shape.result[slices.set.result_places.offset(place) + row * shape.result_row +
                 column * shape.result_column] =
        slices.product[row * slices.product_row + place * slices.step + column];
  }
};

}  // namespace synelix::sweep
