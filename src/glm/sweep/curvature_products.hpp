// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"
#include "glm/sweep/dense_rows.hpp"
#include "glm/sweep/row_blocks.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// X' diag(w) X over blocks of rows. A work item is a block, one of several vectors of weights, and
/// a part of the result: some columns, with all rows above the diagonal, or with some rows.

namespace synelix::sweep {

/// The source of the weights of a product.
struct CurvatureWeights {
  const double* curvature = nullptr;  ///< as EvaluateRowsSweep fills it; null: observed
  glm::RowsOf rows;                   ///< of observed
  std::int64_t row_class = 0;         ///< for categorical: the pair of classes
  std::int64_t column_class = 0;
};

/// The memory of a team, for parts of at most this many values and this width.
template <class Feature, class Scalar>
struct CurvatureMemory {
  Feature* finite;
  Scalar* rows;     ///< a part of rows in the working type
  Scalar* scaled;   ///< weights times rows
  Scalar* weights;  ///< of the part
  double* weight;
  Scalar* sums;

  KOKKOS_FUNCTION CurvatureMemory(MemoryCursor& cursor, std::int64_t columns, std::int64_t width,
                                  std::int64_t values) {
    const std::int64_t part = part_rows<Scalar>(columns);
    finite = cursor.take<Feature>(part * padded<Feature>(columns));
    rows =
        cursor.take<Scalar>(sizeof(Feature) == sizeof(Scalar) ? 0 : part * padded<Scalar>(columns));
    scaled = cursor.take<Scalar>(part * padded<Scalar>(width));
    weights = cursor.take<Scalar>(part);
    weight = cursor.take<double>(part);
    sums = cursor.take<Scalar>(sums_end_with_tile<Scalar> ? values : 0);
  }
};

/// The functor.
template <class Feature, class Scalar>
struct CurvatureSweep {
  DenseRows<Feature> from;
  DenseTiles<Feature, Scalar> tiles;
  const glm::Observed* observed = nullptr;
  const CurvatureWeights* weights = nullptr;
  std::int64_t weight_count = 0;
  std::int64_t block_curvatures = 0;  ///< values of curvatures from one block to the next
  std::int64_t classes = 1;
  const CurvaturePart* parts = nullptr;
  std::int64_t part_count = 0;
  double* sums = nullptr;  ///< (block, weights, part), `most_values` apart
  std::int64_t most_values = 0;
  std::int64_t most_width = 0;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    const std::int64_t items = from.blocks() * weight_count * part_count;
    for_each_of_share(team, items, workspace.teams, turns, [=, this](std::int64_t i) {
      MemoryCursor cursor(memory);
      const Memory room(cursor, from.columns, most_width, most_values);
      const std::int64_t pair = i / part_count;
      multiply(pair / weight_count, weights[pair % weight_count], parts[i % part_count],
               sums + i * most_values, room);
    });
  }

 private:
  using Memory = CurvatureMemory<Feature, Scalar>;
  static constexpr bool is_widened = sizeof(Feature) != sizeof(Scalar);

  KOKKOS_FUNCTION void multiply(std::int64_t block, const CurvatureWeights& of,
                                const CurvaturePart& part, double* to, const Memory& room) const {
    for (std::int64_t i = 0; i < part.values(); ++i) to[i] = 0;
    const Range rows = from.block(block);
    const std::int64_t step = part_rows<Scalar>(from.columns);
    bool begins = true;
    for (std::int64_t t = rows.begin; t < rows.end; t += tune::fit_tile_rows) {
      if (!from.has_tile(t)) continue;
      const std::int64_t tile_end = index::smaller(rows.end, t + tune::fit_tile_rows);
      begins = begins || sums_end_with_tile<Scalar>;
      for (std::int64_t at = t; at < tile_end; at += step) {
        const Range some{at, index::smaller(tile_end, at + step)};
        to[part.weight()] += read_weights(block, of, some, room);
        if constexpr (sums_end_with_tile<Scalar>) {
          multiply_part(some, part, room.sums, begins, room);
        } else {
          multiply_part(some, part, to, begins, room);
        }
        begins = false;
      }
      if constexpr (sums_end_with_tile<Scalar>) add(part, room.sums, to);
    }
  }

  /// Adds the sums of a tile to those in double.
  KOKKOS_FUNCTION void add(const CurvaturePart& part, const Scalar* tile_sums, double* to) const {
    const std::int64_t width = part.width();
    for (std::int64_t i = 0; i <= part.rows.size(); ++i) {
      std::int64_t first = 0;
      if (part.is_triangle && i < part.rows.size()) {
        const std::int64_t pack = (part.rows.begin + i) / tiles.matrix->lanes * tiles.matrix->lanes;
        first = index::larger(0, pack - part.columns.begin);
      }
      tiles.rows->add(tile_sums + i * width + first, to + i * width + first, width - first);
    }
  }

  /// Reads weights. Returns their sum.
  KOKKOS_FUNCTION double read_weights(std::int64_t block, const CurvatureWeights& of, Range rows,
                                      const Memory& room) const {
    const std::int64_t count = rows.size();
    const std::int64_t at = rows.begin - from.block(block).begin;
    const double* const curvature =
        of.curvature == nullptr ? nullptr : of.curvature + block * block_curvatures;
    if (of.curvature == nullptr) {
      sweep::read_weights(*observed, of.rows, rows, room.weight);
    } else if (classes == 1) {
      for (std::int64_t i = 0; i < count; ++i) room.weight[i] = curvature[at + i];
    } else {
      const double* const p = curvature + at * classes;
      const double* const w = curvature + from.block_rows * classes + at;
      const bool is_same = of.row_class == of.column_class;
      for (std::int64_t i = 0; i < count; ++i) {
        const double other = (is_same ? 1.0 : 0.0) - p[i * classes + of.column_class];
        room.weight[i] = w[i] * p[i * classes + of.row_class] * other;
      }
    }
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!from.is_valid(rows.begin + i)) room.weight[i] = 0;
      sum += room.weight[i];
      room.weights[i] = static_cast<Scalar>(room.weight[i]);
    }
    return sum;
  }

  KOKKOS_FUNCTION void multiply_part(Range rows, const CurvaturePart& part, Scalar* to, bool begins,
                                     const Memory& room) const {
    const RowsAt<Feature> features = from.finite(rows, room.finite);
    const std::int64_t count = rows.size();
    const std::int64_t first = part.columns.begin;
    const std::int64_t there = index::smaller(part.columns.end, from.columns) - first;
    const std::int64_t stride = padded<Scalar>(part.width());
    const std::int64_t width = part.width();
    tiles.rows->sums({features.data + first, features.stride, count, there, room.weights,
                      to + part.rows.size() * width, begins});
    tiles.rows->scaled({features.data + first, features.stride, count, there, room.weights, false,
                        room.scaled, stride});
    tile::MatrixTile<Scalar> tile{};
    if constexpr (is_widened) {
      tiles.widen(features, count, from.columns, false, room.rows);
      tile.left = room.rows;
      tile.left_inner = padded<Scalar>(from.columns);
    } else {
      tile.left = features.data;
      tile.left_inner = features.stride;
    }
    tile.left_row = 1;
    tile.right_inner = stride;
    tile.inner = count;
    tile.sums_row = width;
    tile.begins = begins;
    const Scalar* const left = tile.left;
    const auto put = [&](Range wanted, std::int64_t column, std::int64_t columns) {
      const Range some = index::common(wanted, part.rows);
      if (some.size() == 0) return;
      tile.left = left + some.begin;
      tile.right = room.scaled + column - first;
      tile.sums = to + (some.begin - part.rows.begin) * width + column - first;
      tiles.multiply(tile, some.size(), columns);
    };
    if (!part.is_triangle) return put(part.rows, first, width);
    const std::int64_t lanes = tiles.matrix->lanes;
    const std::int64_t packs = width / lanes;
    const std::int64_t panels = index::ceil_divide(packs, tiles.matrix->matrix_packs);
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      const std::int64_t begin = first + panel * packs / panels * lanes;
      const std::int64_t end = first + (panel + 1) * packs / panels * lanes;
      put({0, begin + lanes}, begin, end - begin);  // above the panel, and its first pack's rows
      for (std::int64_t pack = begin + lanes; pack < end; pack += lanes) {
        put({pack, pack + lanes}, pack, end - pack);
      }
    }
  }
};

}  // namespace synelix::sweep
