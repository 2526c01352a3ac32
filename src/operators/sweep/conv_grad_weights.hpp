// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "launch/matrix_panels.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"
#include "tile/matrix.hpp"
#include "tile/table.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Gradients of convolutions by their weights, on a host. A virtual item is some taps along the
/// last dimension by some channels, by some output channels, of one group and of one tap along the
/// other dimensions, and a split-K partial: a run of slices. (K, the inner index of that product,
/// are the positions.) Slices are runs of boxes of positions, in the order of the batch and its
/// positions. An item takes its slices in turn, and the boxes of each. It gathers the samples for
/// its taps and the output gradient of a box, and adds their product to the sums of the slice.
/// These are then added to those of earlier slices. If there are several partials,
/// `ConvReduceSplitKSweep` adds them. Boxes, slices and partials follow from the problem, so bits
/// do not depend on the division into items.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvGradWeightsSweep {
  ConvWeightsProblem problem;  ///< its result has a place for each partial if there are several
  ConvGradCut cut;
  std::int64_t partial_stride = 0;  ///< between such results
  const tile::TileTable<Scalar>* table = nullptr;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const ConvGradTeamMemory<Scalar> room(workspace.data + team.league_rank() * workspace.bytes,
                                          cut);
    for_each_of_share_in_steps(
        team, cut.items, workspace.teams, turns,
        [=, this](std::int64_t i, const Pause& pause) { return compute(item_of(i), room, pause); });
  }

 private:
  struct Item {
    std::int64_t group;
    std::int64_t outer[2];  ///< taps along the first two dimensions
    Range taps;
    Range channels;
    Range panels;
    std::int64_t partial;

    [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t rows() const {
      return taps.size() * channels.size();
    }
  };

  KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    const std::int64_t blocks = index::ceil_divide(cut.panels, cut.item_panels);
    item.panels = part_of(cut.panels, cut.item_panels, take_digit(number, blocks));
    item.channels = part_of(problem.channels, cut.channels, take_digit(number, cut.channel_blocks));
    item.taps = part_of(problem.axes[2].taps, cut.taps, take_digit(number, cut.tap_blocks));
    item.outer[1] = take_digit(number, problem.axes[1].taps);
    item.outer[0] = take_digit(number, problem.axes[0].taps);
    item.group = take_digit(number, problem.groups);
    item.partial = number;
    return item;
  }

  /// Returns false if it pauses. The item then continues at the next slice.
  KOKKOS_FUNCTION bool compute(const Item& item, const ConvGradTeamMemory<Scalar>& room,
                               const Pause& pause) const {
    const std::int64_t columns = item.panels.size() * cut.panel;
    const std::int64_t boxes = problem.batch * cut.boxes[0] * cut.boxes[1] * cut.boxes[2];
    const TeamShare slices = team_share(cut.slices, item.partial, cut.partials);
    const std::int64_t begin = slices.begin + pause.first_step();
    for (std::int64_t slice = begin; slice < slices.end; ++slice) {
      if (slice > begin && pause.is_before(slice - slices.begin)) return false;
      for (std::int64_t i = 0; i < item.rows() * columns; ++i) room.sums[i] = Scalar(0);
      const Range of_slice = part_of(boxes, cut.slice_boxes, slice);
      for (std::int64_t i = of_slice.begin; i < of_slice.end; ++i) {
        std::int64_t number = i;
        ConvBox box;
        for (int d = index::conv_dimensions - 1; d >= 0; --d) {
          box.along[d] =
              part_of(problem.axes[d].results, cut.box[d], take_digit(number, cut.boxes[d]));
        }
        add(item, number, box, room);
      }
      put(item, room.sums, slice == slices.begin);
    }
    return true;
  }

  /// Adds the products of a box of positions.
  KOKKOS_FUNCTION void add(const Item& item, std::int64_t batch, const ConvBox& box,
                           const ConvGradTeamMemory<Scalar>& room) const {
    const std::int64_t channels = item.channels.size();
    const index::ConvAxis& last = problem.axes[2];
    const std::int64_t tap = last.spacing / last.gcd * channels;
    const std::int64_t length = box.along[2].size();
    const std::int64_t lines = box.along[0].size() * box.along[1].size();
    const bool has_runs = tap == channels || channels >= tune::conv_short_run;
    tile::MatrixTile<Scalar> tile{};
    tile.left_row = 1;
    tile.sums_row = item.panels.size() * cut.panel;
    tile.alpha = 1;
    if (has_runs && (lines == 1 || length >= tune::conv_grad_line)) {
      return add_lines(item, batch, box, room, tile);
    }
    gather_output_gradient(item, batch, box, room);
    const std::int64_t slots = gather_windows(item, batch, box, room);
    const std::int64_t position = last.step / last.gcd * channels;
    tile.right_inner = tile.sums_row;
    tile.inner = box.size();
    tile.left_inner = item.rows();
    Scalar* to = room.rows;
    for (std::int64_t line = 0; line < lines; ++line) {
      for (std::int64_t p = 0; p < length; ++p) {
        const Scalar* from = room.block + line * slots * channels + p * position;
        for (std::int64_t i = 0; i < item.taps.size(); ++i) {
          for (std::int64_t c = 0; c < channels; ++c) to[c] = from[c];
          to += channels;
          from += tap;
        }
      }
    }
    multiply(item, tile, room.output_gradient, room.rows, 0, item.rows(), room);
  }

  /// The same line by line: the tile reads the rows of each tap in place.
  KOKKOS_FUNCTION void add_lines(const Item& item, std::int64_t batch, const ConvBox& box,
                                 const ConvGradTeamMemory<Scalar>& room,
                                 tile::MatrixTile<Scalar>& tile) const {
    const std::int64_t channels = item.channels.size();
    const Lines right = output_gradient_lines(item, batch, box, room);
    const Lines left = window_lines(item, batch, box, room);
    // Consecutive taps are rows of one tile.
    const std::int64_t rows = left.tap == channels ? item.rows() : channels;
    tile.inner = box.along[2].size();
    tile.left_inner = left.position;
    tile.right_inner = right.position;
    for (std::int64_t i = 0; i < box.along[0].size(); ++i) {
      for (std::int64_t j = 0; j < box.along[1].size(); ++j) {
        const Scalar* const first = left.first + i * left.line[0] + j * left.line[1];
        for (std::int64_t r = 0; r < item.rows(); r += rows) {
          multiply(item, tile, right.first + i * right.line[0] + j * right.line[1],
                   first + r / channels * left.tap, r, rows, room);
        }
      }
    }
  }

  /// Lines of an operand: the first address, and the strides of planes, lines, positions and taps.
  struct Lines {
    const Scalar* first;
    std::int64_t line[2];
    std::int64_t position;
    std::int64_t tap;
  };

  /// The output gradient of a box in place if its channels are contiguous; otherwise gathered.
  KOKKOS_FUNCTION Lines output_gradient_lines(const Item& item, std::int64_t batch,
                                              const ConvBox& box,
                                              const ConvGradTeamMemory<Scalar>& room) const {
    const pack::ConvSource& source = problem.output_gradient;
    if (!pack::is_plain<Scalar>(source) || source.channel_stride != 1) {
      gather_output_gradient(item, batch, box, room);
      const std::int64_t whole = item.panels.size() * cut.panel;
      const std::int64_t line = box.along[2].size() * whole;
      return {room.output_gradient, {box.along[1].size() * line, line}, whole, 0};
    }
    const std::int64_t* const strides = source.space_strides;
    const Scalar* first = static_cast<const Scalar*>(source.data) + batch * source.batch_stride +
                          item.group * problem.output_channels + item.panels.begin * cut.panel;
    for (int d = 0; d < index::conv_dimensions; ++d) first += box.along[d].begin * strides[d];
    return {first, {strides[0], strides[1]}, strides[2], 0};
  }

  /// The samples for the taps of the item: in place if no window crosses a border and the source
  /// has contiguous channels; otherwise gathered.
  KOKKOS_FUNCTION Lines window_lines(const Item& item, std::int64_t batch, const ConvBox& box,
                                     const ConvGradTeamMemory<Scalar>& room) const {
    const pack::ConvSource& source = problem.source;
    const index::ConvAxis* const axes = problem.axes;
    bool is_inside = pack::is_plain<Scalar>(source) && source.channel_stride == 1;
    for (int d = 0; d < index::conv_dimensions && is_inside; ++d) {
      const Range inside = axes[d].inside(axes[d].pass());
      is_inside = inside.begin <= box.along[d].begin && box.along[d].end <= inside.end;
    }
    const std::int64_t channels = item.channels.size();
    if (!is_inside) {
      const std::int64_t line = gather_windows(item, batch, box, room) * channels;
      return {room.block,
              {box.along[1].size() * line, line},
              axes[2].step / axes[2].gcd * channels,
              axes[2].spacing / axes[2].gcd * channels};
    }
    const std::int64_t* const strides = source.space_strides;
    const Scalar* first = static_cast<const Scalar*>(source.data) + batch * source.batch_stride +
                          item.group * problem.channels + item.channels.begin;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const std::int64_t tap = d < 2 ? item.outer[d] : item.taps.begin;
      first += axes[d].source_of(axes[d].pass(), box.along[d].begin, tap) * strides[d];
    }
    return {first,
            {axes[0].step * strides[0], axes[1].step * strides[1]},
            axes[2].step * strides[2],
            axes[2].spacing * strides[2]};
  }

  /// Multiplies some rows by all columns of the item.
  KOKKOS_FUNCTION void multiply(const Item& item, tile::MatrixTile<Scalar> tile,
                                const Scalar* right, const Scalar* left, std::int64_t row,
                                std::int64_t rows, const ConvGradTeamMemory<Scalar>& room) const {
    for (std::int64_t panel = 0; panel < item.panels.size(); ++panel) {
      const std::int64_t columns = index::smaller(
          cut.panel, problem.output_channels - (item.panels.begin + panel) * cut.panel);
      const std::int64_t packs = index::ceil_divide(columns, table->lanes);
      tile.last_columns = static_cast<int>(columns - (packs - 1) * std::int64_t{table->lanes});
      tile.left = left;
      tile.right = right + panel * cut.panel;
      tile.sums = room.sums + row * tile.sums_row + panel * cut.panel;
      multiply_rows(*table, tile, static_cast<int>(packs), rows);
    }
  }

  /// Gathers the output gradient of a box; padding columns of the last panel are 0.
  KOKKOS_FUNCTION void gather_output_gradient(const Item& item, std::int64_t batch,
                                              const ConvBox& box,
                                              const ConvGradTeamMemory<Scalar>& room) const {
    const std::int64_t first = item.panels.begin * cut.panel;
    const std::int64_t whole = item.panels.size() * cut.panel;
    pack::ConvBlock<Scalar> block;
    block.batch = batch;
    block.channel = item.group * problem.output_channels + first;
    block.channels = index::smaller(whole, problem.output_channels - first);
    for (int d = 0; d < index::conv_dimensions; ++d) {
      block.along[d] = {box.along[d].begin, 1, box.along[d].size(), problem.axes[d].results,
                        index::PaddingMode::zero};
    }
    block.to = room.output_gradient;
    block.slot_step = whole;
    pack::gather_conv(problem.output_gradient, block, GatherLines<Scalar>{table});
    for (std::int64_t p = 0; p < box.size(); ++p) {
      for (std::int64_t o = block.channels; o < whole; ++o)
        room.output_gradient[p * whole + o] = Scalar(0);
    }
  }

  /// Gathers the samples of a box for the taps of the item; returns the slots of a line.
  KOKKOS_FUNCTION std::int64_t gather_windows(const Item& item, std::int64_t batch,
                                              const ConvBox& box,
                                              const ConvGradTeamMemory<Scalar>& room) const {
    pack::ConvBlock<Scalar> block;
    block.batch = batch;
    block.channel = item.group * problem.channels + item.channels.begin;
    block.channels = item.channels.size();
    block.slot_step = block.channels;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvAxis& axis = problem.axes[d];
      const std::int64_t tap = d < 2 ? item.outer[d] : item.taps.begin;
      block.along[d].first = axis.source_of(axis.pass(), box.along[d].begin, tap);
      block.along[d].step = d < 2 ? axis.step : axis.gcd;
      block.along[d].count =
          d < 2 ? box.along[d].size() : axis.slots(box.along[d].size(), item.taps.size());
      block.along[d].extent = axis.sources;
      block.along[d].padding_mode = axis.padding_mode;
    }
    block.to = room.block;
    KOKKOS_ASSERT(block.along[0].count * block.along[1].count * block.along[2].count *
                      block.slot_step <=
                  cut.block_values);
    pack::gather_conv(problem.source, block, GatherLines<Scalar>{table});
    return block.along[2].count;
  }

  /// Stores the sums of a slice, or adds them to the stored ones.
  KOKKOS_FUNCTION void put(const Item& item, const Scalar* sums, bool is_first) const {
    const pack::ConvWeights<void>& result = problem.result;
    const std::int64_t row = item.panels.size() * cut.panel;
    const std::int64_t first = item.panels.begin * cut.panel;
    const std::int64_t columns = index::smaller(row, problem.output_channels - first);
    Scalar* const data = static_cast<Scalar*>(result.data) + item.partial * partial_stride +
                         item.group * result.group_stride + item.outer[0] * result.tap_strides[0] +
                         item.outer[1] * result.tap_strides[1] +
                         first * result.output_channel_stride;
    for (std::int64_t i = item.taps.begin; i < item.taps.end; ++i) {
      for (std::int64_t c = item.channels.begin; c < item.channels.end; ++c) {
        Scalar* const to = data + i * result.tap_strides[2] + c * result.channel_stride;
        for (std::int64_t o = 0; o < columns; ++o) {
          Scalar& place = to[o * result.output_channel_stride];
          place = canonical(is_first ? sums[o] : place + sums[o]);
        }
        sums += row;
      }
    }
  }
};

}  // namespace synelix::sweep
