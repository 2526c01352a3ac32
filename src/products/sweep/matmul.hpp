// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "launch/canonical.hpp"
#include "launch/matrix_panels.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "products/problem/matmul_packing.hpp"
#include "products/problem/products.hpp"
#include "tile/matrix.hpp"
#include "tile/table.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Matrix products on a host. A team is one thread, which computes a run of parts of the same cost
/// for all teams. The loops are, from the outside: parts, blocks of inner indices, panels with the
/// columns of a tile, rows by tiles. Operands are read in place, or packed first if they are not
/// unscaled values of the working type, or are too far apart for repeated reads.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct MatmulSweep {
  ProductSet<Scalar> set;
  const std::int64_t* shares = nullptr;  ///< first part of each team and of all; null: equal counts
  const tile::TileTable<Scalar>* table = nullptr;
  MatmulPacking packing;  ///< for all products together
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rank = team.league_rank();
    TeamShare share{0, 0};
    if (shares != nullptr) {
      share = {shares[rank], shares[rank + 1]};
    } else {
      share = team_share(set.parts, rank, workspace.teams);
    }
    const MatmulTeamMemory<Scalar> room(workspace.data + rank * workspace.bytes, packing);
    for_each_item(team, share.begin < share.end ? 1 : 0, [=, this](std::int64_t) {
      if (turns.turns == nullptr) {
        compute(share, room);
      } else {
        take_turn(share, room, turns.turns[rank]);
      }
    });
  }

 private:
  /// Computes the parts of a share, product by product.
  KOKKOS_FUNCTION void compute(TeamShare share, const MatmulTeamMemory<Scalar>& room) const {
    if (set.is_regular() && is_small(set.first)) return compute_small(share);
    std::int64_t number = set.product_of(share.begin);
    std::int64_t part = share.begin - set.first_part_of(number);
    for (std::int64_t left = share.end - share.begin; left > 0; ++number, part = 0) {
      const Product<Scalar>& product = set.product(number);
      const ProductPlace<Scalar> place = set.place(number);
      const std::int64_t end = index::smaller(set.parts_of(product), part + left);
      left -= end - part;
      for (; part < end; ++part) multiply(product, place, set.part(product, part), room, Pause());
    }
  }

  /// Computes the remaining parts, until the time is over.
  KOKKOS_FUNCTION void take_turn(TeamShare share, const MatmulTeamMemory<Scalar>& room,
                                 TeamTurn& turn) const {
    if (!set.is_regular() || !is_small(set.first)) {
      return sweep::take_turn(turns, turn, share, [&](std::int64_t part, const Pause& pause) {
        const std::int64_t number = set.product_of(part);
        const Product<Scalar>& product = set.product(number);
        return multiply(product, set.place(number),
                        set.part(product, part - set.first_part_of(number)), room, pause);
      });
    }
    constexpr std::int64_t products_between_looks = 256;  // a look takes as long as a small product
    while (share.begin + turn.items < share.end) {
      const std::int64_t begin = share.begin + turn.items;
      const std::int64_t end = index::smaller(share.end, begin + products_between_looks);
      compute_small({begin, end});
      turn.items += end - begin;
      if (turns.are_over()) return;
    }
  }

  /// Whether a product of a batch needs only tiles of one panel, on operands in place.
  KOKKOS_FUNCTION bool is_small(const Product<Scalar>& product) const {
    const MatmulPacking packed = packing_of(product, product.rows, 1);
    return set.is_one_part(product) && !packed.left && !packed.right && !packed.sums &&
           product.columns <= std::int64_t{table->lanes} * table->matrix_packs;
  }

  /// Computes small products of a batch: the arguments of a tile are the same for all, except the
  /// pointers.
  KOKKOS_FUNCTION void compute_small(TeamShare share) const {
    const Product<Scalar>& product = set.first;
    const auto packs = static_cast<int>(index::ceil_divide(product.columns, table->lanes));
    const std::int64_t blocks = index::ceil_divide(product.rows, table->matrix_rows[packs]);
    const std::int64_t most = index::ceil_divide(product.rows, blocks);
    tile::MatrixTile<Scalar> tile;
    tile.left_row = product.left.row_stride;
    tile.left_inner = product.left.column_stride;
    tile.right_inner = product.right.row_stride;
    tile.inner = product.inner;
    tile.last_columns = static_cast<int>(product.columns - (packs - 1) * table->lanes);
    const auto* const tiles =
        tile.last_columns <= table->half_lanes ? table->matrix_half[packs] : table->matrix[packs];
    const auto most_tile = tiles[most];
    tile.sums = nullptr;
    tile.sums_row = 0;
    tile.begins = true;
    tile.ends = true;
    tile.result_row = product.result_row;
    tile.alpha = product.alpha;
    tile.beta = product.beta;
    const ProductPlace<Scalar> place = set.place(share.begin);
    const auto* left = static_cast<const Scalar*>(place.left);
    const auto* right = static_cast<const Scalar*>(place.right);
    Scalar* result = place.result;
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      tile.left = left;
      tile.right = right;
      tile.result = result;
      if (i + 1 < share.end) {  // there may be no memory after the last one
        left += set.left_places.stride();
        right += set.right_places.stride();
        result += set.result_places.stride();
      }
      std::int64_t rows = product.rows;
      for (; rows > most; rows -= most) {
        most_tile(tile);
        tile.left += most * tile.left_row;
        tile.result += most * tile.result_row;
      }
      if (rows > 0) tiles[rows](tile);
    }
  }

  /// Returns false if time is over first. The part then continues at the next block of inner
  /// indices; its sums stay in the memory of the team.
  KOKKOS_FUNCTION bool multiply(const Product<Scalar>& product, const ProductPlace<Scalar>& place,
                                const ProductPart& part, const MatmulTeamMemory<Scalar>& room,
                                const Pause& pause) const {
    const std::int64_t packs = index::ceil_divide(part.columns, table->lanes);
    const std::int64_t panels = index::ceil_divide(packs, table->matrix_packs);
    const MatmulPacking packed = packing_of(product, part.rows, panels);
    const bool is_direct = product.result_column == 1;

    tile::MatrixTile<Scalar> tile;
    tile.sums_row = packs * table->lanes;
    tile.result_row = product.result_row;
    tile.alpha = product.alpha;
    tile.beta = product.beta;
    std::int64_t k = pause.first_step();
    do {
      const std::int64_t inner = index::smaller(product.inner - k, tune::host_matrix_inner);
      tile.inner = inner;
      tile.begins = k == 0;
      tile.ends = is_direct && k + inner == product.inner;
      const Scalar* left = room.left;
      if (packed.left && panels == 1 && !packed.right) {
        multiply_packed(product, place, part, room, k, static_cast<int>(packs), tile);
        k += inner;
        if (k < product.inner && pause.is_before(k)) return false;
        continue;
      }
      if (packed.left) {
        // Packs in the contiguous direction: a tile reads one value of each row, either way.
        const bool by_rows = product.left.row_stride == 1 && product.left.column_stride != 1;
        tile.left_row = by_rows ? 1 : tune::host_matrix_inner;
        tile.left_inner = by_rows ? tune::host_matrix_rows : 1;
        gather(*table, product.left, place.left,
               pack::MatrixBlock<Scalar>{part.row, part.rows, k, inner, room.left, tile.left_row,
                                         tile.left_inner});
      } else {
        left = static_cast<const Scalar*>(place.left) + part.row * product.left.row_stride +
               k * product.left.column_stride;
        tile.left_row = product.left.row_stride;
        tile.left_inner = product.left.column_stride;
      }
      for (std::int64_t panel = 0; panel < panels; ++panel) {
        const std::int64_t first = panel * packs / panels;
        const std::int64_t count = (panel + 1) * packs / panels - first;
        const std::int64_t column = first * table->lanes;
        const std::int64_t columns = index::smaller(count * table->lanes, part.columns - column);
        tile.last_columns = static_cast<int>(columns - (count - 1) * table->lanes);
        if (packed.right) {
          gather(*table, product.right, place.right,
                 pack::MatrixBlock<Scalar>{k, inner, part.column + column, columns, room.right,
                                           count * table->lanes, 1});
          tile.right = room.right;
          tile.right_inner = count * table->lanes;
        } else {
          tile.right = static_cast<const Scalar*>(place.right) + k * product.right.row_stride +
                       part.column + column;
          tile.right_inner = product.right.row_stride;
        }
        tile.left = left;
        tile.sums = room.sums == nullptr ? nullptr : room.sums + column;
        tile.result = place.result + part.row * product.result_row + part.column + column;
        multiply_rows(*table, tile, static_cast<int>(count), part.rows);
      }
      k += inner;
      if (k < product.inner && pause.is_before(k)) return false;
    } while (k < product.inner);
    if (!is_direct) put(product, place, part, room.sums, tile.sums_row);
    return true;
  }

  /// Computes a block of inner indices of one panel if only the left operand is packed: a few rows
  /// at a time, which are still in the nearest cache when tiles read them.
  KOKKOS_FUNCTION void multiply_packed(const Product<Scalar>& product,
                                       const ProductPlace<Scalar>& place, const ProductPart& part,
                                       const MatmulTeamMemory<Scalar>& room, std::int64_t k,
                                       int packs, tile::MatrixTile<Scalar> tile) const {
    const bool by_rows = product.left.row_stride == 1 && product.left.column_stride != 1;
    const std::int64_t most = std::int64_t{2} * table->matrix_rows[packs];
    const std::int64_t blocks = index::ceil_divide(part.rows, most);
    tile.last_columns = static_cast<int>(part.columns - (packs - 1) * std::int64_t{table->lanes});
    tile.right =
        static_cast<const Scalar*>(place.right) + k * product.right.row_stride + part.column;
    tile.right_inner = product.right.row_stride;
    tile.left_row = by_rows ? 1 : tune::host_matrix_inner;
    tile.left_inner = by_rows ? most : 1;
    std::int64_t row = 0;
    for (std::int64_t left = blocks; left > 0; --left) {
      const std::int64_t rows = index::ceil_divide(part.rows - row, left);
      gather(*table, product.left, place.left,
             pack::MatrixBlock<Scalar>{part.row + row, rows, k, tile.inner, room.left,
                                       tile.left_row, tile.left_inner});
      tile.left = room.left;
      tile.sums = room.sums == nullptr ? nullptr : room.sums + row * tile.sums_row;
      tile.result = place.result + (part.row + row) * product.result_row + part.column;
      multiply_rows(*table, tile, packs, rows);
      row += rows;
    }
  }

  /// Writes sums to a result that is not contiguous in any direction.
  KOKKOS_FUNCTION void put(const Product<Scalar>& product, const ProductPlace<Scalar>& place,
                           const ProductPart& part, const Scalar* sums,
                           std::int64_t sums_row) const {
    for (std::int64_t i = 0; i < part.rows; ++i) {
      Scalar* to =
          place.result + (part.row + i) * product.result_row + part.column * product.result_column;
      for (std::int64_t j = 0; j < part.columns; ++j) {
        Scalar value = product.alpha * sums[i * sums_row + j];
        if (product.beta != Scalar(0)) value += product.beta * *to;
        *to = canonical(value);
        to += product.result_column;
      }
    }
  }
};

}  // namespace synelix::sweep
