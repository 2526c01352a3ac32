// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/sweep/conv_plane_lines.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "tile/table.hpp"
#include "tile/window_box.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// A gradient by the depthwise weights of one channel with contiguous positions: lanes are
/// positions of a line, and windows slide from line to line, in the layout of
/// `conv_plane_lines.hpp`. Each tap has a pack of sums, whose lanes are added at the end.

namespace synelix::sweep {

/// The operands and results of the tile for one channel.
template <class Scalar>
struct ConvWeightPlanes {
  ConvPlaneLines<Scalar> source;       ///< the channel of the batch's entry
  const Scalar* output_gradient;       ///< of the first position of the box
  std::int64_t output_gradient_plane;  ///< from one plane to the next
  std::int64_t output_gradient_line;
  Scalar* sums;         ///< (tap, lane)
  const Scalar* zeros;  ///< of a pack
  std::int64_t ahead;   ///< offset of values to prefetch, in the next plane of the source
  std::int64_t output_gradient_ahead;
};

/// All positions of a box.
template <class Scalar>
KOKKOS_FUNCTION void add_conv_weight_planes(const ConvWeightsProblem& problem,
                                            const tile::TileTable<Scalar>& table,
                                            const ConvWeightPlanes<Scalar>& planes,
                                            const ConvBox& box) {
  const index::ConvAxis* const axes = problem.axes;
  const index::ConvPass pass[] = {axes[0].pass(), axes[1].pass(), axes[2].pass()};
  const Range rows = box.along[1];
  const Range line = box.along[2];
  tile::WindowTrack<Scalar> tracks[tile::window_taps];  // one for each tap along a line
  tile::LaneRange inside[tile::window_taps];
  tile::WindowBoxWeightsTile<Scalar> tile;
  tile.tracks = tracks;
  tile.lines = 1;
  tile.positions = rows.size();
  tile.ahead = planes.ahead;
  tile.output_gradient_ahead = planes.output_gradient_ahead;
  tile.output_gradient_line = 0;
  tile.output_gradient_position = planes.output_gradient_line;
  tile.sum_track = table.lanes;
  tile.sum_step = axes[2].taps * table.lanes;
  tile.inside = inside;
  for (std::int64_t i = box.along[0].begin; i < box.along[0].end; ++i) {
    for (std::int64_t k = 0; k < axes[0].taps; ++k) {
      const Scalar* const plane = planes.source.plane_at(i, k);
      const Scalar* const before = planes.source.line_at(plane, rows.begin, 0);
      const Scalar* const inner = planes.source.line_at(plane, rows.begin, 1);
      const Scalar* const behind = planes.source.line_at(plane, rows.end - 1, 2);
      tile.sums = planes.sums + k * axes[1].taps * tile.sum_step;
      for (std::int64_t p = line.begin; p < line.end; p += table.lanes) {
        tile.lanes = static_cast<int>(index::smaller(table.lanes, line.end - p));
        const auto lane = [&](std::int64_t at) {
          return static_cast<int>(index::larger(0, index::smaller(at, tile.lanes)));
        };
        for (int t = 0; t < tile::window_taps; ++t) {
          const std::int64_t at = axes[2].source_of(pass[2], p, t);
          inside[t] = {lane(-at), lane(axes[2].sources - at)};
          if (inner == nullptr) {
            tracks[t] = {planes.zeros, planes.zeros, 0, planes.zeros};
          } else {
            tracks[t] = {before == nullptr ? planes.zeros : before + at, inner + at,
                         planes.source.step(), behind == nullptr ? planes.zeros : behind + at};
          }
        }
        tile.output_gradient = planes.output_gradient +
                               (i - box.along[0].begin) * planes.output_gradient_plane + p -
                               line.begin;
        table.window_box_weights(tile);
      }
    }
  }
}

/// Adds the lanes of some packs of sums: halves are added until one value is left.
template <class Scalar>
KOKKOS_FUNCTION void fold_lanes(Scalar* sums, std::int64_t packs, std::int64_t lanes) {
  for (std::int64_t i = 0; i < packs; ++i, sums += lanes) {
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
      for (std::int64_t l = 0; l < half; ++l) sums[l] += sums[half + l];
    }
  }
}

}  // namespace synelix::sweep
