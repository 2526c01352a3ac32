// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/matrix_panels.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/conv_window_box.hpp"
#include "pack/conv_block.hpp"
#include "tile/table.hpp"
#include "tile/window_box.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Window boxes of a source that their tiles cannot read in place, for example integers. A few of
/// its lines at a time are converted to physical values in memory of the team: a ring of lines with
/// contiguous values of some packs of channels, including margins. So each line is converted once,
/// and the tiles read it from the nearest cache.

namespace synelix::sweep {

/// The source of a ring's lines.
struct ConvRingSource {
  const pack::ConvSource& source;
  const index::ConvAxis* axes;
  const index::ConvPass* pass;
  std::int64_t batch;
  std::int64_t channel;  ///< the first one
  int channels;
};

/// Some lines of positions that tiles compute, and the samples in their windows.
template <class Scalar>
struct ConvRingLines {
  ConvTracks<Scalar> tracks;
  std::int64_t position[2];  ///< of the first line, along dimensions 0 and 1
  std::int64_t lines;
  int lane;  ///< the first of the channels
  int lanes;
};

/// Calls visit(lines) for all lines of a box and all channels, for the k-th tap along dimension 0.
/// Lines of a channel are in their order. The ring takes no more memory than a block of the box.
template <class Scalar, class Visit>
KOKKOS_FUNCTION void for_each_ring_line(const tile::TileTable<Scalar>& table,
                                        const ConvRingSource& from, const ConvBox& box,
                                        std::int64_t k, Scalar* ring, const Visit& visit) {
  const index::ConvAxis* const axes = from.axes;
  const Range rows = box.along[1];
  const std::int64_t places = box.along[2].size() + tile::window_taps - 1;
  const std::int64_t group = tune::conv_ring_packs * table.lanes;
  ConvRingLines<Scalar> found;
  pack::ConvBlock<Scalar> block;
  block.batch = from.batch;
  block.along[2] = {axes[2].source_of(from.pass[2], box.along[2].begin, 0), axes[2].gcd, places,
                    axes[2].sources, axes[2].padding_mode};
  for (std::int64_t i = box.along[0].begin; i < box.along[0].end; ++i) {
    block.along[0] = {axes[0].source_of(from.pass[0], i, k), 1, 1, axes[0].sources,
                      axes[0].padding_mode};
    for (std::int64_t lane = 0; lane < from.channels; lane += group) {
      block.channel = from.channel + lane;
      block.channels = block.slot_step = index::smaller(group, from.channels - lane);
      const std::int64_t line = places * block.slot_step;
      const std::int64_t fit = tune::conv_ring_bytes / (line * std::int64_t{sizeof(Scalar)});
      const std::int64_t together = index::larger(
          1, index::smaller(index::smaller(fit, tune::most_box_lines) - (tile::window_taps - 1),
                            rows.size()));
      const std::int64_t slots = together + tile::window_taps - 1;
      std::int64_t taken = 0;
      for (std::int64_t j = 0; j < rows.size(); j += together) {
        found.lines = index::smaller(together, rows.size() - j);
        while (taken < j + found.lines + tile::window_taps - 1) {
          const std::int64_t wanted = j + found.lines + tile::window_taps - 1 - taken;
          const std::int64_t count = index::smaller(slots - taken % slots, wanted);
          block.along[1] = {axes[1].source_of(from.pass[1], rows.begin, 0) + taken * axes[1].gcd,
                            axes[1].gcd, count, axes[1].sources, axes[1].padding_mode};
          block.to = ring + taken % slots * line;
          pack::gather_conv(from.source, block, GatherLines<Scalar>{&table});
          taken += count;
        }
        for (std::int64_t l = 0; l < found.lines + tile::window_taps - 1; ++l) {
          const Scalar* const first = ring + (j + l) % slots * line;
          found.tracks.tracks[l] = {first, first + block.slot_step, block.slot_step,
                                    first + (places - 1) * block.slot_step};
        }
        found.position[0] = i;
        found.position[1] = rows.begin + j;
        found.lane = static_cast<int>(lane);
        found.lanes = static_cast<int>(block.channels);
        visit(found);
      }
    }
  }
}

/// Computes all positions of a box of a convolution, for a pass of one tap along the first
/// dimension.
template <class Scalar>
KOKKOS_FUNCTION void add_conv_ring(const ConvProblem& problem, const ConvCut& cut,
                                   const tile::TileTable<Scalar>& table,
                                   const ConvWindowBoxes<Scalar>& boxes, const ConvRingSource& from,
                                   const ConvBox& box, Scalar* ring) {
  tile::WindowBoxTile<Scalar> tile = window_box_tile_of(problem, cut, boxes, from.pass, box);
  const tile::WindowBoxTile<Scalar> whole = tile;
  for_each_ring_line(table, from, box, 0, ring, [&](const ConvRingLines<Scalar>& found) {
    tile.tracks = found.tracks.tracks;
    tile.lines = found.lines;
    tile.weights = whole.weights + found.lane;
    tile.from = whole.from + found.lane;
    tile.to = boxes.to + (found.position[0] - box.along[0].begin) * boxes.to_position[0] +
              (found.position[1] - box.along[1].begin) * boxes.to_position[1] + found.lane;
    tile.lanes = found.lanes;
    table.window_box(tile);
  });
}

}  // namespace synelix::sweep
