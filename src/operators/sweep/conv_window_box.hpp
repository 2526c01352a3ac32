// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/conv_window_boxes.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "tile/table.hpp"
#include "tile/window_box.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Boxes of positions for the tiles of `tile/window_box.hpp`, whose windows slide over the source
/// in place. Lines outside of it are zeros, and so is the first or the last place of a line if a
/// border leaves it outside.

namespace synelix::sweep {

/// The samples in the windows of some positions.
template <class Scalar>
struct ConvTracks {
  tile::WindowTrack<Scalar> tracks[tune::most_box_lines + tile::window_taps - 1];
};

/// Calls visit(part, whether it is one for the tiles) for the parts of a box whose positions have
/// their middle tap in the source, and for the positions before and after them along a line.
template <class Visit>
KOKKOS_INLINE_FUNCTION void for_each_window_box(const index::ConvAxis* axes,
                                                const index::ConvPass* pass, const ConvBox& box,
                                                const Visit& visit) {
  const Range line = box.along[2];
  const Range middle = index::common(line, middle_inside(axes[2], pass[2]));
  if (middle.size() == 0) return visit(box, false);
  const Range parts[] = {middle, {line.begin, middle.begin}, {middle.end, line.end}};
  for (int i = 0; i < 3; ++i) {
    ConvBox part = box;
    part.along[2] = parts[i];
    if (part.size() > 0) visit(part, i == 0);
  }
}

/// The tracks of lines [first, first + lines) of positions in the source at `source`. `plane` is
/// the position along the first dimension for a tap; -1: outside. Zeros have a value for each lane.
template <class Scalar>
KOKKOS_FUNCTION void list_conv_tracks(const index::ConvAxis* axes, const index::ConvPass* pass,
                                      const std::int64_t* strides, const Scalar* source,
                                      std::int64_t plane, const Scalar* zeros, std::int64_t first,
                                      std::int64_t lines, Range line, ConvTracks<Scalar>& to) {
  const std::int64_t before = axes[2].padded_source_of(pass[2], line.begin, 0);
  const std::int64_t begin = axes[2].padded_source_of(pass[2], line.begin, 1);
  const std::int64_t behind = axes[2].padded_source_of(pass[2], line.end - 1, 2);
  for (std::int64_t l = 0; l < lines + tile::window_taps - 1; ++l) {
    const std::int64_t at = axes[1].padded_source_of(pass[1], first, l);
    if (plane < 0 || at < 0) {
      to.tracks[l] = {zeros, zeros, 0, zeros};
      continue;
    }
    const Scalar* const from = source + plane * strides[0] + at * strides[1];
    to.tracks[l] = {before < 0 ? zeros : from + before * strides[2], from + begin * strides[2],
                    axes[2].step * strides[2], behind < 0 ? zeros : from + behind * strides[2]};
  }
}

/// The operands and results of the tile of a convolution for one or more packs of channels.
template <class Scalar>
struct ConvWindowBoxes {
  const Scalar* source;             ///< the entry of the batch
  const Scalar* weights;            ///< of the panel
  const Scalar* from;               ///< the start values of sums
  Scalar* to;                       ///< the sum of the first position
  const std::int64_t* to_position;  ///< strides of sums between positions
  Scalar* zeros;                    ///< memory of the team, `ConvCut::zero_values`
  int lanes;
};

/// The common arguments of the tile for all lines of a box, for a pass of one tap along the first
/// dimension.
template <class Scalar>
KOKKOS_FUNCTION tile::WindowBoxTile<Scalar> window_box_tile_of(const ConvProblem& problem,
                                                               const ConvCut& cut,
                                                               const ConvWindowBoxes<Scalar>& boxes,
                                                               const index::ConvPass* pass,
                                                               const ConvBox& box) {
  const index::ConvAxis* const axes = problem.axes;
  const std::int64_t first_tap =
      (pass[0].tap * axes[1].taps + pass[1].tap) * axes[2].taps + pass[2].tap;
  tile::WindowBoxTile<Scalar> tile{};
  tile.positions = box.along[2].size();
  tile.weights = boxes.weights + first_tap * cut.panel;
  tile.weight_track = axes[2].taps * cut.panel;
  tile.weight_step = cut.panel;
  tile.from = boxes.from;
  tile.to_line = boxes.to_position[1];
  tile.to_position = boxes.to_position[2];
  tile.lanes = boxes.lanes;
  return tile;
}

/// Computes all positions of a box, for a pass of one tap along the first dimension.
template <class Scalar>
KOKKOS_FUNCTION void add_conv_window_box(const ConvProblem& problem, const ConvCut& cut,
                                         const tile::TileTable<Scalar>& table,
                                         const ConvWindowBoxes<Scalar>& boxes,
                                         const index::ConvPass* pass, const ConvBox& box) {
  const index::ConvAxis* const axes = problem.axes;
  const std::int64_t* const strides = problem.source.space_strides;
  for (std::int64_t i = 0; i < cut.zero_values; ++i) boxes.zeros[i] = Scalar(0);
  ConvTracks<Scalar> tracks;
  tile::WindowBoxTile<Scalar> tile = window_box_tile_of(problem, cut, boxes, pass, box);
  tile.tracks = tracks.tracks;
  tile.ahead = axes[1].step * strides[1];
  for (std::int64_t i = box.along[0].begin; i < box.along[0].end; ++i) {
    const std::int64_t plane = axes[0].padded_source_of(pass[0], i, 0);
    for (std::int64_t j = box.along[1].begin; j < box.along[1].end; j += tune::most_box_lines) {
      tile.lines = index::smaller(tune::most_box_lines, box.along[1].end - j);
      list_conv_tracks<Scalar>(axes, pass, strides, boxes.source, plane, boxes.zeros, j, tile.lines,
                               box.along[2], tracks);
      tile.to = boxes.to + (i - box.along[0].begin) * boxes.to_position[0] +
                (j - box.along[1].begin) * boxes.to_position[1];
      table.window_box(tile);
    }
  }
}

}  // namespace synelix::sweep
