// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"
#include "glm/sweep/dense_rows.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "tile/row_loss.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Loss and gradient of many right-hand sides over blocks of rows. A work item is a block and a
/// group of right-hand sides. It processes the block part by part, while the part is in a cache:
/// linear predictors, losses with residuals, products of residuals with the rows.

namespace synelix::sweep {

/// One right-hand side.
struct EvaluatedSide {
  glm::RowsOf rows;
  double dispersion = 1;
  const double* intercepts = nullptr;  ///< one for each class
  std::int64_t curvature = -1;         ///< the array of curvatures that it fills; -1: none
  bool wants_gradient = true;
  bool wants_scale = false;
};

/// The layout of the sums of a right-hand side over one block, in double.
struct SideSums {
  std::int64_t columns = 0;
  std::int64_t classes = 1;
  bool has_scale = false;

  /// The beginning of class c: one sum for each column, then that of the intercept.
  [[nodiscard]] constexpr std::int64_t gradient(std::int64_t c) const { return c * (columns + 1); }
  [[nodiscard]] constexpr std::int64_t scale(std::int64_t c) const {
    return (classes + c) * (columns + 1);
  }
  [[nodiscard]] constexpr std::int64_t loss() const {
    return (has_scale ? 2 : 1) * classes * (columns + 1);
  }
  [[nodiscard]] constexpr std::int64_t weight() const { return loss() + 1; }
  [[nodiscard]] constexpr std::int64_t values() const { return index::round_up(loss() + 2, 8); }
};

/// The memory of a team.
template <class Feature, class Scalar>
struct EvaluateMemory {
  Feature* finite;      ///< a part whose rows are not all valid
  Scalar* rows;         ///< a part in the working type
  Scalar* predictors;   ///< (row, vector), or (vector, row) if vectors are multiplied one by one
  Scalar* residuals;    ///< (vector, row)
  Scalar* sums;         ///< (vector, column)
  Scalar* scale_sums;   ///< the same of magnitudes
  double* predictor;    ///< of one right-hand side, (row, class)
  double* probability;  ///< the same
  double* target;
  double* weight;
  double* offset;
  double* curvature;

  KOKKOS_FUNCTION EvaluateMemory(MemoryCursor& cursor, std::int64_t columns, std::int64_t vectors,
                                 std::int64_t classes, bool has_scale) {
    const std::int64_t part = part_rows<Scalar>(columns);
    const std::int64_t width = padded<Scalar>(columns);
    finite = cursor.take<Feature>(part * padded<Feature>(columns));
    rows = cursor.take<Scalar>(part * width);
    predictors = cursor.take<Scalar>(part * index::round_up(vectors, 16));
    residuals = cursor.take<Scalar>(part * vectors);
    sums = cursor.take<Scalar>(vectors * width);
    scale_sums = cursor.take<Scalar>(has_scale ? vectors * width : 0);
    predictor = cursor.take<double>(part * classes);
    probability = cursor.take<double>(classes > 1 ? part * classes : 0);
    target = cursor.take<double>(part);
    weight = cursor.take<double>(part);
    offset = cursor.take<double>(part);
    curvature = cursor.take<double>(part);
  }
};

/// The functor.
template <class Feature, class Scalar>
struct EvaluateRowsSweep {
  DenseRows<Feature> from;
  DenseTiles<Feature, Scalar> tiles;
  const glm::Observed* observed = nullptr;
  tile::RowLossFunction loss_of_rows = nullptr;
  tile::SoftmaxFunction loss_of_labels = nullptr;  ///< null: no labels
  const EvaluatedSide* sides = nullptr;
  std::int64_t side_count = 0;
  std::int64_t group_sides = 1;  ///< right-hand sides of a work item
  bool one_by_one = false;       ///< whether each vector is multiplied by itself
  /// For each group: (column, vector), `vector_stride` apart; or one vector after the other.
  const Scalar* coefficients = nullptr;
  std::int64_t vector_stride = 0;
  SideSums shape;
  double* sums = nullptr;  ///< (block, right-hand side) of `shape`
  /// (block, right-hand side): w d2l/deta2 of each row of a block; for categorical the
  /// probabilities (row, class), then the weight of each row.
  double* curvatures = nullptr;
  std::int64_t curvature_values = 0;
  std::int64_t curvature_sides = 0;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t groups = index::ceil_divide(side_count, group_sides);
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    for_each_of_share(
        team, from.blocks() * groups, workspace.teams, turns, [=, this](std::int64_t i) {
          MemoryCursor cursor(memory);
          const EvaluateMemory<Feature, Scalar> room(
              cursor, from.columns, group_sides * shape.classes, shape.classes, shape.has_scale);
          evaluate(i / groups, i % groups, room);
        });
  }

 private:
  using Memory = EvaluateMemory<Feature, Scalar>;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t part() const {
    return part_rows<Scalar>(from.columns);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION double* sums_of(std::int64_t block,
                                                       std::int64_t side) const {
    return sums + (block * side_count + side) * shape.values();
  }

  KOKKOS_FUNCTION void evaluate(std::int64_t block, std::int64_t group, const Memory& room) const {
    const std::int64_t first = group * group_sides;
    const std::int64_t end = index::smaller(side_count, first + group_sides);
    for (std::int64_t s = first; s < end; ++s) {
      double* const zeroed = sums_of(block, s);
      for (std::int64_t i = 0; i < shape.values(); ++i) zeroed[i] = 0;
    }
    const Range rows = from.block(block);
    bool begins = true;
    for (std::int64_t t = rows.begin; t < rows.end; t += tune::fit_tile_rows) {
      if (!from.has_tile(t)) continue;
      const std::int64_t tile_end = index::smaller(rows.end, t + tune::fit_tile_rows);
      begins = begins || sums_end_with_tile<Scalar>;
      for (std::int64_t at = t; at < tile_end; at += part()) {
        walk_part(block, first, end, {at, index::smaller(tile_end, at + part())}, begins, room);
        begins = false;
      }
      if (sums_end_with_tile<Scalar>) add(block, first, end, room);
    }
    if (!sums_end_with_tile<Scalar> && !begins) add(block, first, end, room);
  }

  /// Adds the sums of a tile, or of a block, to those in double.
  KOKKOS_FUNCTION void add(std::int64_t block, std::int64_t first, std::int64_t end,
                           const Memory& room) const {
    const std::int64_t width = padded<Scalar>(from.columns);
    for (std::int64_t s = first; s < end; ++s) {
      for (std::int64_t c = 0; c < shape.classes; ++c) {
        const std::int64_t vector = ((s - first) * shape.classes + c) * width;
        double* const to = sums_of(block, s);
        if (sides[s].wants_gradient) {
          tiles.rows->add(room.sums + vector, to + shape.gradient(c), from.columns);
        }
        if (sides[s].wants_scale) {
          tiles.rows->add(room.scale_sums + vector, to + shape.scale(c), from.columns);
        }
      }
    }
  }

  KOKKOS_FUNCTION void walk_part(std::int64_t block, std::int64_t first, std::int64_t end,
                                 Range rows, bool begins, const Memory& room) const {
    const RowsAt<Feature> features = from.finite(rows, room.finite);
    const std::int64_t vectors = (end - first) * shape.classes;
    if (one_by_one) {
      const Scalar* const b = coefficients + first * shape.classes * vector_stride;
      for (std::int64_t v = 0; v < vectors; ++v) {
        tiles.rows->dots({features.data, features.stride, rows.size(), from.columns,
                          b + v * vector_stride, room.predictors + v * part()});
      }
    } else {
      tiles.widen(features, rows.size(), from.columns, false, room.rows);
      const Scalar* const of_group =
          coefficients + first / group_sides * from.columns * vector_stride;
      tiles.predict(room.rows, rows.size(), from.columns, of_group, vector_stride, room.predictors);
    }
    for (std::int64_t s = first; s < end; ++s) compute_losses(block, s, s - first, rows, room);
    multiply_residuals(features, first, end, rows, begins, room);
  }

  /// Computes losses and residuals of one right-hand side.
  KOKKOS_FUNCTION void compute_losses(std::int64_t block, std::int64_t s, std::int64_t number,
                                      Range rows, const Memory& room) const {
    const EvaluatedSide& side = sides[s];
    const std::int64_t count = rows.size();
    const std::int64_t classes = shape.classes;
    read_targets(*observed, side.rows.target, rows, room.target);
    read_weights(*observed, side.rows, rows, room.weight);
    for (std::int64_t i = 0; i < count; ++i) {
      if (!from.is_valid(rows.begin + i)) room.weight[i] = 0;
    }
    for (std::int64_t c = 0; c < classes; ++c) {
      const std::int64_t vector = number * classes + c;
      const Scalar* const xb =
          one_by_one ? room.predictors + vector * part() : room.predictors + vector;
      const std::int64_t step = one_by_one ? 1 : vector_stride;
      const double intercept = side.intercepts[c];
      for (std::int64_t i = 0; i < count; ++i) {
        room.predictor[i * classes + c] = static_cast<double>(xb[i * step]) + intercept;
      }
    }
    if (read_offsets(*observed, side.rows.target, rows, room.offset)) {
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t c = 0; c < classes; ++c) {
          room.predictor[i * classes + c] += room.offset[i];
        }
      }
    }
    double* const to = sums_of(block, s);
    double* const kept =
        side.curvature < 0
            ? nullptr
            : curvatures + (block * curvature_sides + side.curvature) * curvature_values;
    const std::int64_t at = rows.begin - from.block(block).begin;
    // The tiles are named variables, because nvcc 13 drops the braces of temporaries in such a sum.
    if (loss_of_labels != nullptr) {
      double* const probability = kept != nullptr ? kept + at * classes : nullptr;
      const tile::SoftmaxTile softmax{room.predictor, room.target,    room.weight, count,
                                      classes,        room.predictor, probability};
      to[shape.loss()] += loss_of_labels(softmax);
      if (kept != nullptr) {
        double* const weights = kept + from.block_rows * classes + at;
        for (std::int64_t i = 0; i < count; ++i) weights[i] = room.weight[i];
      }
    } else {
      const tile::RowLossTile loss{room.predictor,
                                   room.target,
                                   room.weight,
                                   count,
                                   side.dispersion,
                                   room.predictor,
                                   kept != nullptr ? kept + at : nullptr};
      to[shape.loss()] += loss_of_rows(loss);
    }
    to[shape.weight()] += ordered_sum(room.weight, count, 1);
    for (std::int64_t c = 0; c < classes; ++c) {
      to[shape.gradient(c) + from.columns] += ordered_sum(room.predictor + c, count, classes);
      if (side.wants_scale) {
        double sum = 0;
        for (std::int64_t i = 0; i < count; ++i) sum += magnitude(room.predictor[i * classes + c]);
        to[shape.scale(c) + from.columns] += sum;
      }
      Scalar* const residuals = room.residuals + (number * classes + c) * part();
      for (std::int64_t i = 0; i < count; ++i) {
        residuals[i] = static_cast<Scalar>(room.predictor[i * classes + c]);
      }
    }
  }

  KOKKOS_FUNCTION void multiply_residuals(const RowsAt<Feature>& features, std::int64_t first,
                                          std::int64_t end, Range rows, bool begins,
                                          const Memory& room) const {
    const std::int64_t width = padded<Scalar>(from.columns);
    const std::int64_t vectors = (end - first) * shape.classes;
    if (!one_by_one) {
      tiles.adjoint(room.rows, rows.size(), from.columns, room.residuals, part(), vectors,
                    room.sums, begins);
    } else {
      for (std::int64_t v = 0; v < vectors; ++v) {
        if (!sides[first + v / shape.classes].wants_gradient) continue;
        tiles.rows->sums({features.data, features.stride, rows.size(), from.columns,
                          room.residuals + v * part(), room.sums + v * width, begins});
      }
    }
    if (!shape.has_scale) return;
    for (std::int64_t i = 0; i < vectors * part(); ++i) {
      room.residuals[i] = magnitude(room.residuals[i]);
    }
    tiles.widen(features, rows.size(), from.columns, true, room.rows);
    tiles.adjoint(room.rows, rows.size(), from.columns, room.residuals, part(), vectors,
                  room.scale_sums, begins);
  }

  template <class Value>
  static KOKKOS_INLINE_FUNCTION Value magnitude(Value value) {
    return value < Value(0) ? -value : value;
  }

  /// The sum of values, from four partial sums of every fourth value that are added in order.
  static KOKKOS_FUNCTION double ordered_sum(const double* values, std::int64_t count,
                                            std::int64_t step) {
    double sums[4] = {0, 0, 0, 0};
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      for (std::int64_t k = 0; k < 4; ++k) sums[k] += values[(i + k) * step];
    }
    for (; i < count; ++i) sums[0] += values[i * step];
    return ((sums[0] + sums[1]) + sums[2]) + sums[3];
  }
};

}  // namespace synelix::sweep
