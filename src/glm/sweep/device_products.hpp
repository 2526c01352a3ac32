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

/// Rows of the design as an operand of the tile, whose index is a row of the recording, or else a
/// column of [X 1].
template <class Scalar, bool index_is_row>
struct DeviceFeatures {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  static constexpr int turns = 1;

  const DeviceDesign* from;
  Range first;  ///< row and column of the first value: `begin` and `end`
  bool magnitudes;
  bool by_column;  ///< whether neighbouring columns lie side by side
  bool by_index;
  bool packs;

  KOKKOS_INLINE_FUNCTION DeviceFeatures(const DeviceDesign& design, std::int64_t row,
                                        std::int64_t column, bool of_magnitudes)
      : from(&design), first{row, column}, magnitudes(of_magnitudes) {
    by_column = from->source.row_stride != 1;
    by_index = by_column != index_is_row;
    packs = tune::device_fit_packs && from->template has_packs<Scalar>(row, column, by_column);
  }
  /// Without the column of ones.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int whole(int size) const {
    if (index_is_row) return size;
    return static_cast<int>(index::smaller(size, from->columns - first.end));
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t index, std::int64_t k) const {
    return magnitude(from->template value<Scalar>(row_of(index, k), column_of(index, k)));
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Pack pack(std::int64_t index, std::int64_t k) const {
    Pack values = from->template pack<Scalar>(row_of(index, k), column_of(index, k), by_column);
    if (magnitudes) {
      for (int i = 0; i < Pack::lanes; ++i) values.values[i] = magnitude(values.values[i]);
    }
    return values;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t row_of(std::int64_t index,
                                                           std::int64_t k) const {
    return first.begin + (index_is_row ? index : k);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t column_of(std::int64_t index,
                                                              std::int64_t k) const {
    return first.end + (index_is_row ? k : index);
  }

 private:
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar magnitude(Scalar value) const {
    return magnitudes && value < Scalar(0) ? -value : value;
  }
};

/// Vectors as an operand of the tile: the values of each, by the inner index, side by side.
template <class Scalar>
struct DeviceVectors {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  static constexpr int turns = 1;
  static constexpr bool by_index = false;

  const Scalar* data;
  std::int64_t step;  ///< from one vector to the next
  bool magnitudes;
  bool packs;

  KOKKOS_INLINE_FUNCTION DeviceVectors(const Scalar* from, std::int64_t apart, bool of_magnitudes)
      : data(from),
        step(apart),
        magnitudes(of_magnitudes),
        packs(tune::device_fit_packs && apart % Pack::lanes == 0 &&
              reinterpret_cast<std::uintptr_t>(from) % sizeof(Pack) == 0) {}
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int whole(int size) const { return size; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t index, std::int64_t k) const {
    return magnitude(data[index * step + k]);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Pack pack(std::int64_t index, std::int64_t k) const {
    Pack values = Pack::load(data + index * step + k);
    if (magnitudes) {
      for (int i = 0; i < Pack::lanes; ++i) values.values[i] = magnitude(values.values[i]);
    }
    return values;
  }

 private:
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar magnitude(Scalar value) const {
    return magnitudes && value < Scalar(0) ? -value : value;
  }
};

/// predictors (vector, row of the wave) = X B, without the intercept. A team computes the rows of a
/// part and some vectors.
template <class Scalar>
struct DevicePredictSweep {
  using Tile = DeviceTile<Scalar, tune::device_fit_tile(sizeof(Scalar))>;
  using Bounds = typename Tile::Bounds;
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
      area.rows = index::smaller(std::int64_t{Tile::part_rows}, from.rows.size() - area.row);
      area.column = i % groups() * Tile::part_columns;
      area.columns = index::smaller(std::int64_t{Tile::part_columns}, vectors - area.column);
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
    const DeviceDesign& design = kept_for_passes(team, from);
    const DeviceFeatures<Scalar, true> features(design, from.rows.begin + area.row, 0, false);
    const DeviceVectors<Scalar> right(coefficients + area.column * from.columns, from.columns,
                                      false);
    Tile::multiply(team, room, area, from.columns, features, right, [=, this]() {
      Scalar* const to = predictors + area.column * from.rows.size() + area.row;
      const std::int64_t step = from.rows.size();
      const auto rows = static_cast<int>(area.rows);
      const auto columns = static_cast<int>(area.columns);
      return [=](int row, int column, typename Tile::Pack some) {
        if (row >= rows) return;
        SYNELIX_UNROLL(16)
        for (int j = 0; j < Tile::Pack::lanes; ++j) {
          if (column + j < columns) to[(column + j) * step + row] = some.values[j];
        }
      };
    });
  }
};

/// Residuals as a right operand: (vector, row of the wave).
template <class Scalar>
struct DeviceResiduals {
  const Scalar* residuals = nullptr;
  bool magnitudes = false;

  /// From a row of the recording, and a vector, on.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION DeviceVectors<Scalar> operand(const DeviceDesign& from,
                                                                     std::int64_t, std::int64_t row,
                                                                     std::int64_t column) const {
    const std::int64_t step = from.rows.size();
    return {residuals + column * step + row - from.rows.begin, step, magnitudes};
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
  const DeviceWeights* weights = nullptr;  ///< of each product

  struct Operand {
    using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
    static constexpr int turns = 1;

    DeviceFeatures<Scalar, false> features;
    const DeviceWeights* weights;
    bool by_index;
    bool packs;

    [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar weight(std::int64_t k) const {
      return static_cast<Scalar>(weights->of(features.row_of(0, k) - features.from->rows.begin));
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION int whole(int size) const { return features.whole(size); }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t index, std::int64_t k) const {
      return weight(k) * features.value(index, k);
    }
    [[nodiscard]] KOKKOS_INLINE_FUNCTION Pack pack(std::int64_t index, std::int64_t k) const {
      Pack values = features.pack(index, k);
      for (int i = 0; i < Pack::lanes; ++i) {
        values.values[i] = weight(features.by_column ? k : k + i) * values.values[i];
      }
      return values;
    }
  };

  /// From a row of the recording, and a column, on.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Operand operand(const DeviceDesign& from,
                                                       std::int64_t product, std::int64_t row,
                                                       std::int64_t column) const {
    const DeviceFeatures<Scalar, false> features(from, row, column, false);
    return {features, weights + product, features.by_index, features.packs};
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
  using Tile = DeviceTile<Scalar, tune::device_fit_tile(sizeof(Scalar))>;
  using Bounds = typename Tile::Bounds;
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
      area.rows = index::smaller(std::int64_t{Tile::part_rows}, shape.rows.size() - area.row);
      area.column = part % column_parts() * Tile::part_columns;
      area.columns = index::smaller(std::int64_t{Tile::part_columns}, shape.columns - area.column);
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
    const DeviceDesign& design = kept_for_passes(team, from);
    const DeviceFeatures<Scalar, false> features(design, rows.begin, shape.rows.begin + area.row,
                                                 magnitudes);
    const auto other = right.operand(design, product, rows.begin, area.column);
    Tile::multiply(team, room, area, rows.size(), features, other, [=, this]() {
      const std::int64_t step = shape.columns;
      const auto height = static_cast<int>(area.rows);
      const auto width = static_cast<int>(area.columns);
      return [=](int row, int column, typename Tile::Pack some) {
        if (row >= height) return;
        double* const totals = to + row * step + column;
        SYNELIX_UNROLL(16)
        for (int j = 0; j < Tile::Pack::lanes; ++j) {
          if (column + j >= width) continue;
          totals[j] = (begins ? 0.0 : totals[j]) + static_cast<double>(some.values[j]);
        }
      };
    });
  }
};

}  // namespace synelix::sweep
