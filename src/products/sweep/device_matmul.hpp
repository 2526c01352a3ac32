// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "lanes/pack.hpp"
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
  using Bounds = typename Tile::Bounds;
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
      multiply(team, room, kept_for_passes(team, part_of(i)));
    });
  }

 private:
  struct Part {
    const Product<Scalar>* product;
    ProductPlace<Scalar> place;
    ProductPart area;
  };

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Part part_of(std::int64_t i) const {
    const std::int64_t number = set.product_of(i);
    Part part;
    part.product = &set.product(number);
    part.place = set.place(number);
    part.area = set.part(*part.product, i - set.first_part_of(number));
    return part;
  }

  /// An operand of a part, by the index that is not the inner one.
  template <bool is_right>
  struct PartOperand {
    static constexpr int turns = 4;

    const Part* part;
    const Scalar* plain;  ///< unconverted values; null: they must be converted
    std::int64_t index_step;
    std::int64_t inner_step;
    bool by_index;
    bool packs;

    KOKKOS_INLINE_FUNCTION explicit PartOperand(const Part& from) : part(&from) {
      const pack::MatrixSource& source = matrix();
      index_step = is_right ? source.column_stride : source.row_stride;
      inner_step = is_right ? source.row_stride : source.column_stride;
      by_index = is_right ? inner_step != 1 : index_step == 1;
      plain = pack::is_plain<Scalar>(source)
                  ? static_cast<const Scalar*>(data()) + first() * index_step
                  : nullptr;
      packs = plain != nullptr && (by_index ? index_step : inner_step) == 1 &&
              (by_index ? inner_step : index_step) % Tile::Pack::lanes == 0 &&
              reinterpret_cast<std::uintptr_t>(plain) % sizeof(typename Tile::Pack) == 0;
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION const pack::MatrixSource& matrix() const {
      return is_right ? part->product->right : part->product->left;
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION const void* data() const {
      return is_right ? part->place.right : part->place.left;
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t first() const {
      return is_right ? part->area.column : part->area.row;
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION int whole(int size) const { return size; }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t index, std::int64_t k) const {
      if (plain != nullptr) return plain[index * index_step + k * inner_step];
      return pack::matrix_value<Scalar>(matrix(), data(), is_right ? k : first() + index,
                                        is_right ? first() + index : k);
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION typename Tile::Pack pack(std::int64_t index,
                                                                  std::int64_t k) const {
      // The contiguous direction has the step 1.
      return Tile::Pack::load(plain + (by_index ? index + k * inner_step : index * index_step + k));
    }
  };

  /// The destination of the sums of a part. It is read once, because results might alias the memory
  /// that holds it.
  struct PartResult {
    Scalar* to;  ///< of the first row and column
    std::int64_t row_step;
    std::int64_t column_step;
    int rows;
    int columns;
    Scalar alpha;
    Scalar beta;
    bool packs;  ///< whether packs can be stored without adding to old values

    KOKKOS_INLINE_FUNCTION explicit PartResult(const Part& part)
        : row_step(part.product->result_row),
          column_step(part.product->result_column),
          rows(static_cast<int>(part.area.rows)),
          columns(static_cast<int>(part.area.columns)),
          alpha(part.product->alpha),
          beta(part.product->beta) {
      to = part.place.result + part.area.row * row_step + part.area.column * column_step;
      packs = beta == Scalar(0) && column_step == 1 && row_step % Tile::Pack::lanes == 0 &&
              reinterpret_cast<std::uintptr_t>(to) % sizeof(typename Tile::Pack) == 0;
    }
    KOKKOS_INLINE_FUNCTION void operator()(int row, int column, typename Tile::Pack sums) const {
      if (row >= rows) return;
      if (packs && column + Tile::Pack::lanes <= columns) {
        SYNELIX_UNROLL(16)
        for (int j = 0; j < Tile::Pack::lanes; ++j) {
          sums.values[j] = canonical(alpha * sums.values[j]);
        }
        sums.store(to + row * row_step + column);
        return;
      }
      Scalar* place = to + row * row_step + column * column_step;
      SYNELIX_UNROLL(16)
      for (int j = 0; j < Tile::Pack::lanes; ++j) {
        if (column + j >= columns) return;
        Scalar value = alpha * sums.values[j];
        if (beta != Scalar(0)) value += beta * *place;
        *place = canonical(value);
        place += column_step;
      }
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void multiply(const Team& team, const typename Tile::TeamMemory& room,
                                const Part& part) const {
    Tile::multiply(team, room, part.area, part.product->inner, PartOperand<false>(part),
                   PartOperand<true>(part), [&part]() { return PartResult(part); });
  }
};

}  // namespace synelix::sweep
