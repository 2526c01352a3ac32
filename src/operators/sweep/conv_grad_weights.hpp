// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "launch/matrix_gather.hpp"
#include "launch/matrix_rows.hpp"
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
/// others, and a split-K partial: a run of slices. (K, the inner index of that product, are the
/// positions.) Slices are runs of boxes of positions, in the order of the batch and its positions.
/// An item takes its slices in turn, and the boxes of each: it gathers what the taps see there, and
/// the output gradient, and adds the product of both to the slice's sums; these are added to what
/// slices before gave. Where there are several partials, `ConvReduceSplitKSweep` adds them. Boxes,
/// slices and partials follow from the problem, so that bits do not depend on what an item is.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvGradWeightsSweep {
  ConvWeightsProblem
      problem;  ///< its result with a place for each partial, where there are several
  ConvGradCut cut;
  std::int64_t partial_stride = 0;  ///< of such results
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

  /// Returns false if time is over first. The item then goes on at the next slice.
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

  /// The products of a box of positions.
  KOKKOS_FUNCTION void add(const Item& item, std::int64_t batch, const ConvBox& box,
                           const ConvGradTeamMemory<Scalar>& room) const {
    gather_output_gradient(item, batch, box, room);
    const std::int64_t channels = item.channels.size();
    const index::ConvAxis& last = problem.axes[2];
    const std::int64_t slots = gather_windows(item, batch, box, room);
    if (problem.is_depthwise) return add_each(item, box, slots, room);
    const std::int64_t tap = last.spacing / last.gcd * channels;
    const std::int64_t position = last.step / last.gcd * channels;
    tile::MatrixTile<Scalar> tile{};
    tile.left_row = 1;
    tile.right_inner = item.panels.size() * cut.panel;
    tile.sums_row = tile.right_inner;
    tile.inner = box.size();
    tile.last_columns = table->lanes;
    tile.alpha = 1;
    const bool is_line = box.along[0].size() == 1 && box.along[1].size() == 1;
    if (is_line && (tap == channels || channels >= tune::conv_short_run)) {
      const bool is_long = tap == channels;
      tile.left_inner = position;
      const std::int64_t rows = is_long ? item.rows() : channels;
      for (std::int64_t r = 0; r < item.rows(); r += rows) {
        multiply(item, room, tile, room.block + r / channels * tap, r, rows);
      }
      return;
    }
    tile.left_inner = item.rows();
    Scalar* to = room.rows;
    for (std::int64_t line = 0; line < box.along[0].size() * box.along[1].size(); ++line) {
      for (std::int64_t p = 0; p < box.along[2].size(); ++p) {
        const Scalar* from = room.block + line * slots * channels + p * position;
        for (std::int64_t i = 0; i < item.taps.size(); ++i) {
          for (std::int64_t c = 0; c < channels; ++c) to[c] = from[c];
          to += channels;
          from += tap;
        }
      }
    }
    multiply(item, room, tile, room.rows, 0, item.rows());
  }

  /// The products of each column with its own channel: some of them at a time, whose sums stay in
  /// registers. This is no tile of an instruction set: products and sums are rounded apart.
  KOKKOS_FUNCTION void add_each(const Item& item, const ConvBox& box, std::int64_t slots,
                                const ConvGradTeamMemory<Scalar>& room) const {
    constexpr int together = tune::conv_grad_depthwise;
    const index::ConvAxis& last = problem.axes[2];
    const std::int64_t columns = item.panels.size() * cut.panel;
    const std::int64_t tap = last.spacing / last.gcd * columns;
    const std::int64_t position = last.step / last.gcd * columns;
    for (std::int64_t i = 0; i < item.taps.size(); ++i) {
      for (std::int64_t o = 0; o < columns; o += together) {
        Scalar* const to = room.sums + i * columns + o;
        const Scalar* output_gradient = room.output_gradient + o;
        Scalar sums[together];
        for (int k = 0; k < together; ++k) sums[k] = to[k];
        for (std::int64_t line = 0; line < box.along[0].size() * box.along[1].size(); ++line) {
          const Scalar* x = room.block + line * slots * columns + i * tap + o;
          for (std::int64_t p = 0; p < box.along[2].size(); ++p) {
            for (int k = 0; k < together; ++k) sums[k] += x[k] * output_gradient[k];
            x += position;
            output_gradient += columns;
          }
        }
        for (int k = 0; k < together; ++k) to[k] = sums[k];
      }
    }
  }

  /// Some rows by all columns of the item.
  KOKKOS_FUNCTION void multiply(const Item& item, const ConvGradTeamMemory<Scalar>& room,
                                tile::MatrixTile<Scalar> tile, const Scalar* left, std::int64_t row,
                                std::int64_t rows) const {
    for (std::int64_t panel = 0; panel < item.panels.size(); ++panel) {
      tile.left = left;
      tile.right = room.output_gradient + panel * cut.panel;
      tile.sums = room.sums + row * tile.sums_row + panel * cut.panel;
      multiply_rows(*table, tile, static_cast<int>(cut.panel / table->lanes), rows);
    }
  }

  /// The output gradient of a box; columns that fill up the last panel are 0.
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

  /// What the taps of the item see of a box; returns the slots of a line.
  KOKKOS_FUNCTION std::int64_t gather_windows(const Item& item, std::int64_t batch,
                                              const ConvBox& box,
                                              const ConvGradTeamMemory<Scalar>& room) const {
    pack::ConvBlock<Scalar> block;
    block.batch = batch;
    block.channel = item.group * problem.channels + item.channels.begin;
    block.channels = item.channels.size();
    block.slot_step = block.channels;
    if (problem.is_depthwise) {  // those of the columns, and what fills them up
      block.channel = item.panels.begin * cut.panel;
      block.slot_step = item.panels.size() * cut.panel;
      block.channels = index::smaller(block.slot_step, problem.output_channels - block.channel);
    }
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
    const std::int64_t slots = block.along[0].count * block.along[1].count * block.along[2].count;
    KOKKOS_ASSERT(slots * block.slot_step <= cut.block_values);
    pack::gather_conv(problem.source, block, GatherLines<Scalar>{table});
    for (std::int64_t i = 0; i < slots; ++i) {
      for (std::int64_t c = block.channels; c < block.slot_step; ++c) {
        block.to[i * block.slot_step + c] = Scalar(0);
      }
    }
    return block.along[2].count;
  }

  /// The sums of a slice to their places, or to what is there.
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
