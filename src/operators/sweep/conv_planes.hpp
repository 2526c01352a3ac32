// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/sweep/conv_plane_lines.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "tile/depthwise.hpp"
#include "tile/slide.hpp"
#include "tile/table.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Computes the positions of one channel with the plane tile: lanes are positions of a line, and
/// rows are lines. Windows slide over the lines of `conv_plane_lines.hpp`. Lines outside the source
/// are zeros in memory of the team.

namespace synelix::sweep {

/// The operands and results of the tile for one column of a pass.
template <class Scalar>
struct ConvPlanes {
  ConvPlaneLines<Scalar> source;    ///< the channel of the batch's entry
  const Scalar* weights;            ///< of the column
  const Scalar* from;               ///< the start values of sums
  Scalar* to;                       ///< the sum of the first position
  const std::int64_t* to_position;  ///< strides of sums between positions
  const Scalar** lines;             ///< memory of the team, for the beginnings of lines
  Scalar* zeros;                    ///< memory of the team, `ConvCut::zero_values`
};

/// Whether the plane tile can compute these windows: they slide along both dimensions, and lanes
/// outside of a line meet only zeros.
KOKKOS_INLINE_FUNCTION bool has_conv_planes(const ConvProblem& problem, const ConvCut& cut,
                                            int slide_rows, const index::ConvPass* pass,
                                            const ConvBox& box) {
  const index::ConvAxis* const axes = problem.axes;
  const bool slides = cut.plane_lines > 0 && pass[1].taps == tile::plane_taps &&
                      pass[2].taps == tile::plane_taps && axes[1].spacing == axes[1].step &&
                      axes[2].spacing == 1 && axes[2].step == 1;
  if (!slides || pass[0].taps == 0 || pass[0].is_backward || pass[1].is_backward ||
      pass[2].is_backward || box.along[1].size() < slide_rows) {
    return false;
  }
  const Range inside = axes[2].inside(pass[2]);
  return axes[2].padding_mode == index::PaddingMode::zero ||
         (inside.begin <= box.along[2].begin && box.along[2].end <= inside.end);
}

/// The sums of a line of packs: `tile` is complete except for the place along the line.
template <class Scalar>
KOKKOS_FUNCTION void add_conv_plane_line(const index::ConvAxis& axis,
                                         const tile::TileTable<Scalar>& table,
                                         tile::PlaneTile<Scalar>& tile, std::int64_t first,
                                         std::int64_t length, Scalar* to) {
  for (std::int64_t q = 0; q < length; q += table.lanes) {
    tile.at = index::larger(0, index::smaller(q, length - table.lanes));
    tile.lanes = static_cast<int>(index::smaller(table.lanes, length - tile.at));
    for (int k = 0; k < tile::plane_taps; ++k) {
      const std::int64_t begin = first + tile.at + k;  // the position for lane 0 and the tap
      const auto lane = [&](std::int64_t at) {
        return static_cast<int>(index::larger(0, index::smaller(at, tile.lanes)));
      };
      tile.first[k] = lane(-begin);
      tile.end[k] = lane(axis.sources - begin);
    }
    tile.to = to + tile.at;
    table.plane(tile);
  }
}

/// All positions of a box.
template <class Scalar>
KOKKOS_FUNCTION void add_conv_planes(const ConvProblem& problem, const ConvCut& cut,
                                     const tile::TileTable<Scalar>& table,
                                     const ConvPlanes<Scalar>& planes, const index::ConvPass* pass,
                                     const ConvBox& box) {
  const index::ConvAxis* const axes = problem.axes;
  const std::int64_t lines = table.slide_rows + tile::plane_taps - 1;
  const std::int64_t first = axes[2].source_of(pass[2], box.along[2].begin, 0);
  for (std::int64_t i = 0; i < cut.zero_values; ++i) planes.zeros[i] = Scalar(0);
  const std::int64_t first_tap = (pass[0].tap * axes[1].taps + pass[1].tap) * axes[2].taps;
  tile::PlaneTile<Scalar> tile;
  tile.lines = planes.lines;
  tile.planes = pass[0].taps;
  tile.weights = planes.weights + (first_tap + pass[2].tap) * cut.panel;
  tile.weight_step = cut.panel;
  tile.from = planes.from;
  tile.to_row = planes.to_position[1];
  for (std::int64_t i = box.along[0].begin; i < box.along[0].end; ++i) {
    for (std::int64_t p = box.along[1].begin; p < box.along[1].end; p += table.slide_rows) {
      // Computes earlier rows again if the last ones are fewer than the tile has: the same bits.
      const std::int64_t j = index::smaller(p, box.along[1].end - table.slide_rows);
      for (std::int64_t k = 0; k < pass[0].taps; ++k) {
        const Scalar* const plane = planes.source.plane_at(i, k);
        for (std::int64_t l = 0; l < lines; ++l) {
          // There are as many zeros as positions in a line, and they begin where windows do.
          const Scalar* const line = planes.source.line_at(plane, j, l);
          planes.lines[k * lines + l] = line == nullptr ? planes.zeros : line + first;
        }
      }
      Scalar* const to = planes.to + (i - box.along[0].begin) * planes.to_position[0] +
                         (j - box.along[1].begin) * planes.to_position[1];
      add_conv_plane_line(axes[2], table, tile, first, box.along[2].size(), to);
    }
  }
}

/// A long line of one channel, by the depthwise tile whose lanes share weights: some packs of
/// positions at a time.
template <class Scalar>
KOKKOS_FUNCTION void add_conv_line(const tile::TileTable<Scalar>& table,
                                   tile::DepthwiseTile<Scalar> tile, const Scalar* source,
                                   Scalar* to, std::int64_t length) {
  tile.source_row = tile.to_row = table.lanes;
  for (std::int64_t p = 0; p < length;) {
    const std::int64_t whole = (length - p) / table.lanes;
    const std::int64_t rows = index::larger(1, index::smaller(tune::most_depthwise_rows, whole));
    tile.lanes = static_cast<int>(index::smaller(table.lanes, length - p));
    tile.source = source + p;
    tile.to = to + p;
    table.depthwise_shared[rows](tile);
    p += rows * tile.lanes;
  }
}

}  // namespace synelix::sweep
