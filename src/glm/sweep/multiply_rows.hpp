// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/dense_rows.hpp"
#include "launch/canonical.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Products of a dense design with given vectors: X B and X' R, in double.

namespace synelix::sweep {

/// The memory of a team of either sweep.
template <class Feature>
struct MultiplyMemory {
  Feature* finite;
  double* rows;
  double* predictors;
  double* residuals;
  double* sums;

  KOKKOS_FUNCTION MultiplyMemory(MemoryCursor& cursor, std::int64_t columns, std::int64_t vectors) {
    const std::int64_t part = part_rows<double>(columns);
    finite = cursor.take<Feature>(part * padded<Feature>(columns));
    rows = cursor.take<double>(part * padded<double>(columns));
    predictors = cursor.take<double>(part * padded<double>(vectors));
    residuals = cursor.take<double>(part * vectors);
    sums = cursor.take<double>(vectors * padded<double>(columns));
  }
};

/// predictors = X B, NaN in invalid rows.
template <class Feature>
struct ApplyRowsSweep {
  DenseRows<Feature> from;
  DenseTiles<Feature, double> tiles;
  const double* coefficients = nullptr;  ///< (column, vector), `stride` apart; or one vector
  std::int64_t vectors = 1;
  std::int64_t stride = 0;
  std::int64_t all_vectors = 1;  ///< in a row of predictors; a single one is a special case
  double* predictors = nullptr;  ///< (row, vector) from `wanted.begin` on
  Range wanted;
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    const Range all = index::common(wanted, from.rows);
    const std::int64_t step = part_rows<double>(from.columns);
    for_each_of_share(team, index::ceil_divide(all.size(), step), workspace.teams,
                      [=, this](std::int64_t i) {
                        MemoryCursor cursor(memory);
                        const MultiplyMemory<Feature> room(cursor, from.columns, vectors);
                        const std::int64_t begin = all.begin + i * step;
                        apply({begin, index::smaller(all.end, begin + step)}, room);
                      });
  }

 private:
  KOKKOS_FUNCTION void apply(Range rows, const MultiplyMemory<Feature>& room) const {
    const RowsAt<Feature> features = from.finite(rows, room.finite);
    if (all_vectors == 1) {
      tiles.rows->dots({features.data, features.stride, rows.size(), from.columns, coefficients,
                        room.predictors});
    } else {
      tiles.widen(features, rows.size(), from.columns, false, room.rows);
      tiles.predict(room.rows, rows.size(), from.columns, coefficients, stride, room.predictors);
    }
    const std::int64_t step = all_vectors == 1 ? 1 : stride;
    double* const to = predictors + (rows.begin - wanted.begin) * all_vectors;
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const bool has_value = from.is_valid(rows.begin + i);
      for (std::int64_t v = 0; v < vectors; ++v) {
        to[i * all_vectors + v] =
            has_value ? canonical(room.predictors[i * step + v]) : missing_value<double>();
      }
    }
  }
};

/// sums (block, vector, column) = X' R of each block, `padded<double>(columns)` from one vector to
/// the next.
template <class Feature>
struct AdjointRowsSweep {
  DenseRows<Feature> from;
  DenseTiles<Feature, double> tiles;
  pack::MatrixSource residuals;
  std::int64_t vectors = 1;
  double* sums = nullptr;
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    for_each_of_share(team, from.blocks(), workspace.teams, [=, this](std::int64_t i) {
      MemoryCursor cursor(memory);
      const MultiplyMemory<Feature> room(cursor, from.columns, vectors);
      multiply(from.block(i), sums + i * vectors * padded<double>(from.columns), room);
    });
  }

 private:
  KOKKOS_FUNCTION void multiply(Range block, double* to,
                                const MultiplyMemory<Feature>& room) const {
    const std::int64_t step = part_rows<double>(from.columns);
    for (std::int64_t at = block.begin; at < block.end; at += step) {
      const Range rows{at, index::smaller(block.end, at + step)};
      for (std::int64_t i = 0; i < rows.size(); ++i) {
        const bool counts = from.is_valid(at + i);
        for (std::int64_t v = 0; v < vectors; ++v) {
          room.residuals[v * step + i] =
              counts ? pack::matrix_value<double>(residuals, residuals.data, at + i, v) : 0.0;
        }
      }
      const RowsAt<Feature> features = from.finite(rows, room.finite);
      const bool begins = at == block.begin;
      if (vectors == 1) {
        tiles.rows->sums({features.data, features.stride, rows.size(), from.columns, room.residuals,
                          to, begins});
        continue;
      }
      tiles.widen(features, rows.size(), from.columns, false, room.rows);
      tiles.adjoint(room.rows, rows.size(), from.columns, room.residuals, step, vectors, to,
                    begins);
    }
  }
};

}  // namespace synelix::sweep
