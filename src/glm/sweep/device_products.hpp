// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/device_design.hpp"
#include "launch/device_tile.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Products of a dense design on a device, by the tile of a device: X B, and sums over the rows of
/// each block of [X 1]' times residuals or weighted rows. Both operands are staged in scratch;
/// features are read where they lie.

namespace synelix::sweep {

/// A part of a result.
struct DeviceArea {
  std::int64_t row = 0;
  std::int64_t rows = 0;
  std::int64_t column = 0;
  std::int64_t columns = 0;
};

/// predictors (vector, row of the wave) = X B, without the intercept. A team computes the rows of a
/// part and some vectors.
template <class Scalar>
struct DevicePredictSweep {
  using Tile = DeviceTile<Scalar>;
  using Bounds = Kokkos::LaunchBounds<Tile::threads, 2>;
  static_assert(Tile::fits(Tile::scratch_bytes));
  static_assert(tune::fit_tile_rows % Tile::part_rows == 0);

  DeviceDesign from;
  const Scalar* coefficients = nullptr;  ///< (vector, column)
  std::int64_t vectors = 0;
  Scalar* predictors = nullptr;
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, Tile::threads, Tile::scratch_bytes};
  }
  /// Work items.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const {
    return index::ceil_divide(from.rows.size(), Tile::part_rows) * groups();
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const typename Tile::TeamMemory room = Tile::room_of(team);
    for_each_team_item(team, items(), workspace.teams, [&](std::int64_t i) {
      DeviceArea area;
      area.row = i / groups() * Tile::part_rows;
      area.rows = index::smaller(Tile::part_rows, from.rows.size() - area.row);
      area.column = i % groups() * Tile::part_columns;
      area.columns = index::smaller(Tile::part_columns, vectors - area.column);
      if (from.has_tile(from.rows.begin + area.row)) multiply(team, room, area);
    });
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t groups() const {
    return index::ceil_divide(vectors, Tile::part_columns);
  }

  template <class Team>
  KOKKOS_FUNCTION void multiply(const Team& team, const typename Tile::TeamMemory& room,
                                const DeviceArea& area) const {
    const std::int64_t first = from.rows.begin + area.row;
    Tile::multiply(
        team, room, area, from.columns, from.source.row_stride == 1,
        [=, this](std::int64_t row, std::int64_t k) {
          return from.template value<Scalar>(first + row, k);
        },
        true,
        [=, this](std::int64_t k, std::int64_t column) {
          return coefficients[(area.column + column) * from.columns + k];
        },
        [=, this](int row, int column, Scalar sum) {
          if (row >= area.rows || column >= area.columns) return;
          predictors[(area.column + column) * from.rows.size() + area.row + row] = sum;
        });
  }
};

/// Residuals as a right operand: (vector, row of the wave).
template <class Scalar>
struct DeviceResiduals {
  static constexpr bool is_by_row = true;

  const Scalar* residuals = nullptr;
  bool magnitudes = false;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(const DeviceDesign& from, std::int64_t,
                                                    std::int64_t row, std::int64_t column) const {
    const Scalar value = residuals[column * from.rows.size() + row - from.rows.begin];
    return magnitudes && value < Scalar(0) ? -value : value;
  }
};

/// The weights of a product: of each row of the wave weight p (q - r), where p and r are
/// probabilities of two classes and q says whether both are the same. Without classes the weight
/// itself.
struct DeviceWeights {
  const double* weight = nullptr;
  const double* row_class = nullptr;     ///< p; null: there are no classes
  const double* column_class = nullptr;  ///< r
  bool is_same = false;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION double of(std::int64_t row) const {
    if (row_class == nullptr) return weight[row];
    return weight[row] * row_class[row] * ((is_same ? 1.0 : 0.0) - column_class[row]);
  }
};

/// Rows of [X 1] times their weights as a right operand.
template <class Scalar>
struct DeviceWeightedRows {
  static constexpr bool is_by_row = false;

  const DeviceWeights* weights = nullptr;  ///< of each product

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(const DeviceDesign& from, std::int64_t product,
                                                    std::int64_t row, std::int64_t column) const {
    const auto weight = static_cast<Scalar>(weights[product].of(row - from.rows.begin));
    return weight * from.template value<Scalar>(row, column);
  }
};

/// The form of the results of DeviceSumsSweep: (product, row, column).
struct DeviceSumsShape {
  std::int64_t products = 1;
  Range rows;  ///< of [X 1]', the last one that of the intercept
  std::int64_t columns = 0;
  bool is_triangle = false;  ///< whether parts below the diagonal are left 0

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t values() const {
    return products * rows.size() * columns;
  }
};

/// sums (block, product, row, column) = [X 1]' R of each block: sums of a tile of rows in the
/// working type, added to those in double behind it. A team computes a part of one product over one
/// block, so that rows are added in their order.
template <class Scalar, class Right>
struct DeviceSumsSweep {
  using Tile = DeviceTile<Scalar>;
  using Bounds = Kokkos::LaunchBounds<Tile::threads, 2>;
  static_assert(Tile::fits(Tile::scratch_bytes));

  DeviceDesign from;
  Right right;
  DeviceSumsShape shape;
  bool magnitudes = false;      ///< |X| instead of X
  double* sums = nullptr;       ///< of the first block
  std::int64_t block_step = 0;  ///< values from one block to the next
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, Tile::threads, Tile::scratch_bytes};
  }
  /// Work items.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const {
    return from.blocks() * shape.products * row_parts() * column_parts();
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const typename Tile::TeamMemory room = Tile::room_of(team);
    for_each_team_item(team, items(), workspace.teams, [&](std::int64_t i) {
      const std::int64_t parts = row_parts() * column_parts();
      const std::int64_t part = i % parts;
      const std::int64_t product = i / parts % shape.products;
      const std::int64_t block = i / parts / shape.products;
      DeviceArea area;
      area.row = part / column_parts() * Tile::part_rows;
      area.rows = index::smaller(Tile::part_rows, shape.rows.size() - area.row);
      area.column = part % column_parts() * Tile::part_columns;
      area.columns = index::smaller(Tile::part_columns, shape.columns - area.column);
      add_block(team, room, area, product, block);
    });
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t row_parts() const {
    return index::ceil_divide(shape.rows.size(), Tile::part_rows);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column_parts() const {
    return index::ceil_divide(shape.columns, Tile::part_columns);
  }

  template <class Team>
  KOKKOS_FUNCTION void add_block(const Team& team, const typename Tile::TeamMemory& room,
                                 const DeviceArea& area, std::int64_t product,
                                 std::int64_t block) const {
    double* const to = sums + block * block_step +
                       (product * shape.rows.size() + area.row) * shape.columns + area.column;
    const Range rows = from.block(block);
    const bool is_wanted = !shape.is_triangle || area.column + area.columns > area.row;
    bool begins = true;
    for (std::int64_t t = rows.begin; t < rows.end; t += tune::fit_tile_rows) {
      if (!is_wanted || !from.has_tile(t)) continue;
      const std::int64_t count = index::smaller(tune::fit_tile_rows, rows.end - t);
      add_tile(team, room, area, product, {t, t + count}, begins, to);
      begins = false;
    }
    if (!begins) return;
    for_each_item(team, area.rows * area.columns, [=, this](std::int64_t i) {
      to[i / area.columns * shape.columns + i % area.columns] = 0;
    });
  }

  template <class Team>
  KOKKOS_FUNCTION void add_tile(const Team& team, const typename Tile::TeamMemory& room,
                                const DeviceArea& area, std::int64_t product, Range rows,
                                bool begins, double* to) const {
    Tile::multiply(
        team, room, area, rows.size(), from.source.row_stride != 1,
        [=, this](std::int64_t row, std::int64_t k) {
          const Scalar value =
              from.template value<Scalar>(rows.begin + k, shape.rows.begin + area.row + row);
          return magnitudes && value < Scalar(0) ? -value : value;
        },
        Right::is_by_row || from.source.row_stride == 1,
        [=, this](std::int64_t k, std::int64_t column) {
          return right.value(from, product, rows.begin + k, area.column + column);
        },
        [=, this](int row, int column, Scalar sum) {
          if (row >= area.rows || column >= area.columns) return;
          double& total = to[row * shape.columns + column];
          total = (begins ? 0.0 : total) + static_cast<double>(sum);
        });
  }
};

}  // namespace synelix::sweep
