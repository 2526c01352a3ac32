// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/device_design.hpp"
#include "glm/sweep/device_sums_tile.hpp"
#include "glm/sweep/device_triangle.hpp"
#include "launch/device_tile.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Products of a dense design on a device, by the tile of a device: X B, and sums over the rows of
/// each block of [X 1]' times residuals or weighted rows. Both operands are staged in scratch;
/// features are read in place. The panels on the diagonal of symmetric products are computed by
/// glm/sweep/device_gram.hpp.

namespace synelix::sweep {

/// A part of a result.
struct DeviceArea {
  std::int64_t row = 0;
  std::int64_t rows = 0;
  std::int64_t column = 0;
  std::int64_t columns = 0;
};

/// The design as an operand of the tile. Its index is a row of the recording, or else a column of
/// [X 1].
template <class Scalar, bool index_is_row>
struct DeviceFeatures {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  static constexpr int turns = 1;

  const DeviceDesign* from;
  Range first;  ///< row and column of the first value: `begin` and `end`
  bool magnitudes;
  bool by_column;  ///< whether neighboring columns are contiguous
  bool by_index;
  bool packs;
  static constexpr bool has_two = tune::device_fit_packs && sizeof(Scalar) > sizeof(float);
  bool twos = false;

  KOKKOS_INLINE_FUNCTION DeviceFeatures(const DeviceDesign& design, std::int64_t row,
                                        std::int64_t column, bool of_magnitudes)
      : from(&design), first{row, column}, magnitudes(of_magnitudes) {
    by_column = from->source.row_stride != 1;
    by_index = by_column != index_is_row;
    packs = tune::device_fit_packs && from->template has_packs<Scalar>(row, column, by_column);
    if constexpr (has_two) {
      twos = from->source.type == StoredType::float32 &&
             from->template has_packs<Scalar, 2 * Pack::lanes>(row, column, by_column);
    }
  }
  /// The size without the column of ones.
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
  /// Two packs of inner indices.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION DeviceDesign::Packs<Scalar, 2> two(std::int64_t index,
                                                                          std::int64_t k) const {
    auto both = from->template packs<Scalar, 2>(row_of(index, k), column_of(index, k), by_column);
    for (int p = 0; magnitudes && p < 2; ++p) {
      for (int i = 0; i < Pack::lanes; ++i) {
        both.values[p].values[i] = magnitude(both.values[p].values[i]);
      }
    }
    return both;
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

/// Vectors as an operand of the tile: the values of each are contiguous in the inner index.
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
      const std::int64_t step = from.vector_step();
      return Put{predictors + area.column * step + area.row, step, static_cast<int>(area.rows),
                 static_cast<int>(area.columns)};
    });
  }

  /// Writes complete packs of rows, also beyond the last row.
  struct Put {
    static constexpr bool takes_rows = true;

    Scalar* to;
    std::int64_t step;
    int rows;
    int columns;

    KOKKOS_INLINE_FUNCTION void operator()(int row, int column, typename Tile::Pack some) const {
      if (row < rows && column < columns) some.store(to + column * step + row);
    }
  };
};

/// Residuals as a right operand: (vector, row of the wave).
template <class Scalar>
struct DeviceResiduals {
  const Scalar* residuals = nullptr;
  bool magnitudes = false;

  /// The operand from a row of the recording and a vector on.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION DeviceVectors<Scalar> operand(const DeviceDesign& from,
                                                                     std::int64_t, std::int64_t row,
                                                                     std::int64_t column) const {
    const std::int64_t step = from.vector_step();
    return {residuals + column * step + row - from.rows.begin, step, magnitudes};
  }
};

/// The weights of a product: for each row of the wave weight p (q - r), where p and r are
/// probabilities of two classes and q is 1 if both are the same, else 0. Without classes, the
/// weight itself.
struct DeviceWeights {
  const double* weight = nullptr;        ///< null: all are 1
  const double* row_class = nullptr;     ///< p; null without classes
  const double* column_class = nullptr;  ///< r
  bool is_same = false;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION double of(std::int64_t row) const {
    const double own = weight == nullptr ? 1.0 : weight[row];
    if (row_class == nullptr) return own;
    return own * row_class[row] * ((is_same ? 1.0 : 0.0) - column_class[row]);
  }
};

/// Rows of [X 1] times their weights as a right operand.
template <class Scalar>
struct DeviceWeightedRows {
  const DeviceWeights* weights = nullptr;  ///< for each product

  struct Operand {
    using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
    static constexpr int turns = 1;

    DeviceFeatures<Scalar, false> features;
    DeviceWeights weights;
    bool by_index;
    bool packs;

    [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar weight(std::int64_t k) const {
      return static_cast<Scalar>(weights.of(features.row_of(0, k) - features.from->rows.begin));
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

  /// The operand from a row of the recording and a column on.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Operand operand(const DeviceDesign& from,
                                                       std::int64_t product, std::int64_t row,
                                                       std::int64_t column) const {
    const DeviceFeatures<Scalar, false> features(from, row, column, false);
    return {features, weights[product], features.by_index, features.packs};
  }
};

/// The layout of the results of DeviceSumsSweep: (product, row, column), with rows of complete
/// packs; for symmetric products, that of DeviceTriangle.
struct DeviceSumsShape {
  std::int64_t products = 1;
  Range rows;  ///< of [X 1]'; the last row is that of the intercept
  std::int64_t columns = 0;
  bool is_triangle = false;
  DeviceTriangle triangle = {};

  /// Values from one row to the next.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t pitch() const {
    return index::ceil_divide(columns, std::int64_t{2}) * 2;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t of_product() const {
    return is_triangle ? triangle.values() : rows.size() * pitch();
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t values() const {
    return products * of_product();
  }
};

/// sums (block, result) = [X 1]' R of each block: sums of a tile of rows in the working type, added
/// to those in double after it. A team computes a part of one product over one block, so rows are
/// added in order. For symmetric products it computes the parts outside of the panels on the
/// diagonal.
template <class Scalar, class Right>
struct DeviceSumsSweep {
  using Tile = DeviceSumsTile<Scalar>;
  using Bounds = typename Tile::Bounds;
  static_assert(Tile::fits(Tile::sums_bytes));

  DeviceDesign from;
  Right right;
  DeviceSumsShape shape;
  bool magnitudes = false;      ///< |X| instead of X
  double* sums = nullptr;       ///< of the first block
  std::int64_t block_step = 0;  ///< values from one block to the next
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, Tile::threads, Tile::sums_bytes};
  }
  /// Work items.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const {
    return from.blocks() * shape.products * parts();
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const typename Tile::Room room = Tile::room_of_sums(team);
    for_each_team_item(team, items(), workspace.teams, [&](std::int64_t i) {
      const std::int64_t product = i / parts() % shape.products;
      const std::int64_t block = i / parts() / shape.products;
      const Part part = part_of(i % parts());
      double* const to = sums + block * block_step + product * shape.of_product() + part.place;
      if (part.area.columns <= Tile::columns_apart) {
        add_block<1>(team, room, part, product, block, to);
      } else {
        add_block<Tile::columns / Tile::together>(team, room, part, product, block, to);
      }
    });
  }

 private:
  /// A part, and the destination of its sums.
  struct Part {
    DeviceArea area;
    bool has_ones = false;  ///< whether a row of ones follows those of the area
    std::int64_t place = 0;
    std::int64_t pitch = 0;
    std::int64_t width = 0;  ///< written columns, including zeros after those of the area
  };

  /// The row of ones, if it is the last row and other parts are complete, has no separate part.
  [[nodiscard]] KOKKOS_FUNCTION bool has_ones() const {
    return shape.rows.end > from.columns && shape.rows.size() > 1 &&
           shape.rows.size() % Tile::part_rows == 1;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t parts() const {
    return shape.is_triangle ? shape.triangle.parts() : row_parts() * column_parts();
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t row_parts() const {
    return index::ceil_divide(shape.rows.size() - (has_ones() ? 1 : 0), Tile::part_rows);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column_parts() const {
    return index::ceil_divide(shape.columns, Tile::part_columns);
  }
  [[nodiscard]] KOKKOS_FUNCTION Part part_of(std::int64_t number) const {
    static_assert(Tile::part_rows == DeviceTriangle::part);
    Part part;
    DeviceArea& area = part.area;
    if (shape.is_triangle) {
      const DeviceTriangle::Part found = shape.triangle.part_of(number);
      area = {found.row * Tile::part_rows, Tile::part_rows, found.column * Tile::part_columns, 0};
      area.columns = index::smaller(std::int64_t{Tile::part_columns}, from.columns - area.column);
      part.place = shape.triangle.place_of_part(number);
      part.pitch = part.width = Tile::part_columns;
      return part;
    }
    area.row = number / column_parts() * Tile::part_rows;
    area.rows = index::smaller(std::int64_t{Tile::part_rows}, shape.rows.size() - area.row);
    area.column = number % column_parts() * Tile::part_columns;
    area.columns = index::smaller(std::int64_t{Tile::part_columns}, shape.columns - area.column);
    part.has_ones = has_ones() && area.row + area.rows + 1 == shape.rows.size();
    part.pitch = shape.pitch();
    part.place = area.row * part.pitch + area.column;
    part.width = index::smaller(std::int64_t{Tile::part_columns}, part.pitch - area.column);
    return part;
  }

  template <int packs, class Team>
  KOKKOS_FUNCTION void add_block(const Team& team, const typename Tile::Room& room,
                                 const Part& part, std::int64_t product, std::int64_t block,
                                 double* to) const {
    const DeviceDesign& design = kept_for_passes(team, from);
    typename Tile::template Values<packs, Team> own(team);
    Tile::template begin<packs>(team, room, own);
    const Range rows = from.block(block);
    for (std::int64_t t = rows.begin; t < rows.end; t += tune::fit_tile_rows) {
      if (!from.has_tile(t)) continue;
      const DeviceFeatures<Scalar, false> features(design, t, shape.rows.begin + part.area.row,
                                                   magnitudes);
      const auto other = right.operand(design, product, t, part.area.column);
      Tile::template add<packs>(team, room, part.area, part.has_ones,
                                index::smaller(tune::fit_tile_rows, rows.end - t), features, other,
                                own);
    }
    Tile::template give<packs>(team, room, part.area, part.has_ones, part.width, part.pitch, own,
                               to);
    constexpr std::int64_t given = packs * Tile::columns_apart;
    if (part.width <= given) return;
    const std::int64_t more = part.width - given;
    for_each_item(team, part.area.rows * more,
                  [=](std::int64_t i) { to[i / more * part.pitch + given + i % more] = 0; });
  }
};

}  // namespace synelix::sweep
