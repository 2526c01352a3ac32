// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/device_conv_window.hpp"
#include "pack/conv_block.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Gradients of convolutions by their weights, on a device: a team computes some taps of some
/// channels by some output channels, over a run of slices of positions. Box by box of a slice, what
/// the taps see is staged in scratch, and the output gradient. A thread multiplies some weights
/// with some output channels. Where there are fewer weights than threads have tiles for, several
/// threads share them: each is a lane that takes every n-th position of a box.
///
/// A sum of a lane takes its positions in their order. The lanes of a slice are added in theirs,
/// and so are slices; runs of slices are added by `ConvReduceSplitKSweep`.

namespace synelix::sweep {

/// The functor.
template <class Scalar, bool is_narrow>
struct DeviceConvGradWeightsSweep {
  using Tile = DeviceConvTile<Scalar, is_narrow>;
  using Sums = DeviceConvSums<Scalar, is_narrow>;
  using Bounds = Kokkos::LaunchBounds<Tile::threads, tune::device_conv_teams(sizeof(Scalar))>;

  ConvWeightsProblem
      problem;  ///< its result with a place for each partial, where there are several
  DeviceConvGradCut cut;
  std::int64_t partial_stride = 0;  ///< of such results
  std::int64_t items = 0;           ///< all, or none
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t count, std::int64_t) const {
    return {count, Tile::threads, Tile::scratch_bytes};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const stage = team_memory<Scalar>(team, Tile::stage_values);
    auto* const sums = team_memory<Scalar>(team, Tile::sum_values);
    Room room;
    room.output_gradient = stage;
    room.window = stage + cut.positions * cut.pitch;
    room.places = reinterpret_cast<std::int32_t*>(room.window + cut.window.room());
    room.sums = sums;
    for_each_team_item(team, items, workspace.teams,
                       [&](std::int64_t i) { compute(team, room, item_of(i)); });
  }

 private:
  /// Scratch.
  struct Room {
    Scalar* output_gradient;  ///< (position, column)
    Scalar* window;           ///< as `DeviceConvWindow` says
    std::int32_t* places;     ///< (position): where it meets the first tap and channel
    Scalar* sums;             ///< (row and column of a thread, thread)
  };
  struct Item {
    std::int64_t group;
    std::int64_t panel;
    Range channels;
    Range taps[index::conv_dimensions];
    std::int64_t partial;
  };
  /// Positions that are staged together.
  struct Box {
    Range along[conv_box_dimensions];
    std::int32_t size;
  };

  KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      item.taps[d] = part_of(problem.axes[d].taps, cut.taps[d].size,
                             take_item_digit(number, cut.tap_blocks[d]));
    }
    item.channels =
        part_of(problem.channels, cut.channels, take_item_digit(number, cut.channel_blocks));
    item.panel = take_item_digit(number, cut.panels);
    item.group = take_item_digit(number, problem.groups);
    item.partial = number;
    return item;
  }

  template <class Team>
  KOKKOS_FUNCTION void compute(const Team& team, const Room& room, const Item& item) const {
    const std::int64_t boxes = cut.boxes[0] * cut.boxes[1] * cut.boxes[2] * cut.boxes[3];
    const TeamShare slices = team_share(cut.slices, item.partial, cut.partials);
    for (std::int64_t slice = slices.begin; slice < slices.end; ++slice) {
      const Range of_slice = part_of(boxes, cut.slice_boxes, slice);
      for (std::int64_t i = of_slice.begin; i < of_slice.end; ++i) {
        add_box(team, room, item, i, i == of_slice.begin);
      }
      const bool is_empty = of_slice.size() == 0;
      const bool is_first = slice == slices.begin;
      for_each_item(team, std::int64_t{cut.rows} * cut.panel.size, [=, this](std::int64_t i) {
        put(room, item, static_cast<std::int32_t>(i), is_empty, is_first);
      });
      // No barrier: the next slice stages first, and changes sums behind a barrier only.
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void add_box(const Team& team, const Room& room, const Item& item,
                               std::int64_t number, bool begins) const {
    Box box;
    box.size = 1;
    for (int d = conv_box_dimensions - 1; d >= 0; --d) {
      const std::int64_t positions = d == 0 ? problem.batch : problem.axes[d - 1].results;
      box.along[d] = part_of(positions, cut.box[d], take_item_digit(number, cut.boxes[d]));
      box.size *= static_cast<std::int32_t>(box.along[d].size());
    }
    DeviceConvStage stage;
    stage.entry = box.along[0].begin;
    stage.entries = static_cast<std::int32_t>(box.along[0].size());
    stage.channel = item.group * problem.channels + item.channels.begin;
    stage.channels = static_cast<std::int32_t>(item.channels.size());
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvAxis& axis = problem.axes[d];
      stage.first[d] = axis.source_of(axis.pass(), box.along[d + 1].begin, item.taps[d].begin);
      const std::int64_t reach =
          (box.along[d + 1].size() - 1) * axis.step + (item.taps[d].size() - 1) * axis.spacing;
      stage.count[d] = static_cast<std::int32_t>(axis.gcd == 1 ? reach : reach / axis.gcd) + 1;
    }
    stage_window(team, problem.source, problem.axes, cut.window, stage, room.window);
    stage_output_gradient(team, room, item, box);
    team.team_barrier();
    for_each_item(team, Tile::threads, [=, this](std::int64_t thread) {
      accumulate(room, box.size, static_cast<int>(thread), begins);
    });
    team.team_barrier();
  }

  /// The output gradient of a box, and where each position sees the window.
  template <class Team>
  KOKKOS_FUNCTION void stage_output_gradient(const Team& team, const Room& room, const Item& item,
                                             const Box& box) const {
    const std::int64_t first = item.group * problem.output_channels + item.panel * cut.panel.size;
    const auto columns = static_cast<std::int32_t>(
        index::smaller(cut.panel.size, problem.output_channels - item.panel * cut.panel.size));
    const bool is_by_channel = cut.output_gradient_is_by_channel;
    for_each_item(team, std::int64_t{box.size} * cut.panel.size, [=, this](std::int64_t i) {
      const auto number = static_cast<std::int32_t>(i);
      std::int32_t position = 0;
      std::int32_t column = 0;
      if (is_by_channel) {
        position = cut.panel.divide(number);
        column = number - position * cut.panel.size;
      } else {
        column = number / box.size;
        position = number - column * box.size;
      }
      std::int32_t left = position;
      std::int64_t offset = (first + column) * problem.output_gradient.channel_stride;
      std::int32_t place = 0;
      for (int d = index::conv_dimensions - 1; d >= 0; --d) {
        const auto size = static_cast<std::int32_t>(box.along[d + 1].size());
        const std::int32_t at = size == 1 ? 0 : left % size;
        if (size > 1) left /= size;
        place += at * cut.window.position_steps[d];
        offset += (box.along[d + 1].begin + at) * problem.output_gradient.space_strides[d];
      }
      place += left * cut.window.entry_step;
      offset += (box.along[0].begin + left) * problem.output_gradient.batch_stride;
      if (column == 0) room.places[position] = place;
      room.output_gradient[position * cut.pitch + column] =
          column < columns
              ? pack::conv_value<Scalar>(problem.output_gradient, first + column, offset)
              : Scalar(0);
    });
  }

  /// What is staged, to the sums of a thread.
  KOKKOS_FUNCTION void accumulate(const Room& room, std::int32_t positions, int thread,
                                  bool begins) const {
    std::int32_t left = thread;
    const std::int32_t row_thread = cut.row_threads.take_digit(left);
    const std::int32_t column_thread = cut.column_threads.take_digit(left);
    const std::int32_t lane = left;
    if (lane >= cut.lanes) return;
    std::int32_t from[Tile::rows];
    Sums sums;
    for (int i = 0; i < Tile::rows; ++i) {
      const std::int32_t row = row_thread + i * cut.row_threads.size;
      from[i] = row < cut.rows ? place_of(row) : 0;
      if (begins) {
        for (int j = 0; j < Tile::columns; ++j) sums.values[i][j] = Scalar(0);
      } else {
        sums.load_row(room.sums, thread, i);
      }
    }
    const Scalar* const others = room.output_gradient + column_thread * Tile::columns;
    for (std::int32_t p = lane; p < positions; p += cut.lanes) {
      sums.add(room.window + room.places[p], from, others + p * cut.pitch);
    }
    for (int i = 0; i < Tile::rows; ++i) sums.store_row(room.sums, thread, i);
  }

  /// Where a weight of an item sees the window of the first position. Rows are (channel, taps).
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t place_of(std::int32_t row) const {
    std::int32_t place = 0;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      place += cut.taps[d].take_digit(row) * cut.window.tap_steps[d];
    }
    return place + row * cut.window.channel_step;
  }

  /// The sum of a slice, to its place or to what is there.
  KOKKOS_FUNCTION void put(const Room& room, const Item& item, std::int32_t number, bool is_empty,
                           bool is_first) const {
    const std::int32_t row = cut.panel.divide(number);
    const std::int32_t column = number - row * cut.panel.size;
    const std::int64_t output_channel = item.panel * cut.panel.size + column;
    const pack::ConvWeights<void>& result = problem.result;
    std::int32_t left = row;
    std::int64_t place = item.partial * partial_stride + item.group * result.group_stride +
                         output_channel * result.output_channel_stride;
    bool is_there = output_channel < problem.output_channels;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const std::int32_t tap = cut.taps[d].take_digit(left);
      is_there = is_there && tap < item.taps[d].size();
      place += (item.taps[d].begin + tap) * result.tap_strides[d];
    }
    place += (item.channels.begin + left) * result.channel_stride;
    if (!is_there || left >= item.channels.size()) return;
    const std::int32_t column_thread = column / Tile::columns;
    const std::int32_t row_of_thread = cut.row_threads.divide(row);
    const std::int32_t row_thread = row - row_of_thread * cut.row_threads.size;
    Scalar sum(0);
    for (std::int32_t lane = 0; !is_empty && lane < cut.lanes; ++lane) {
      const std::int32_t thread =
          (lane * cut.column_threads.size + column_thread) * cut.row_threads.size + row_thread;
      sum += room.sums[Sums::place(thread, row_of_thread, column % Tile::columns)];
    }
    Scalar& to = static_cast<Scalar*>(result.data)[place];
    to = canonical(is_first ? sum : to + sum);
  }
};

}  // namespace synelix::sweep
