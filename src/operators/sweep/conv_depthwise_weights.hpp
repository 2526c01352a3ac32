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
#include "operators/sweep/conv_plane_lines.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/conv_weight_planes.hpp"
#include "operators/sweep/conv_window_box.hpp"
#include "operators/sweep/conv_window_ring.hpp"
#include "pack/conv_block.hpp"
#include "tile/depthwise.hpp"
#include "tile/table.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Gradients of depthwise convolutions by their weights, on a host. A virtual item is a panel of
/// columns, each of which reads its own channel, and a split-K partial: a run of slices, as in
/// `ConvGradWeightsSweep`. Lanes of the tile are columns. Windows and output gradients are read in
/// place if the arrays have contiguous channels; taps that a border leaves outside meet zeros.
/// Otherwise a box of positions is gathered first.
///
/// A sum takes the boxes of a slice in their order, and the positions of a box in the order of
/// `add`. So its bits depend only on boxes, slices and partials, which follow from the problem.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvDepthwiseWeightsSweep {
  ConvWeightsProblem problem;  ///< its result has a place for each partial if there are several
  ConvGradCut cut;
  std::int64_t partial_stride = 0;  ///< between such results
  const tile::TileTable<Scalar>* table = nullptr;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamMemory room(workspace.data + team.league_rank() * workspace.bytes, cut, taps());
    for_each_of_share_in_steps(
        team, cut.items, workspace.teams, turns,
        [=, this](std::int64_t i, const Pause& pause) { return compute(item_of(i), room, pause); });
  }

 private:
  using TeamMemory = ConvDepthwiseGradTeamMemory<Scalar>;

  struct Item {
    std::int64_t column;  ///< the first one
    std::int64_t columns;
    std::int64_t partial;
  };
  /// The operands of the tile, with the strides of positions and taps of the source, and of the
  /// output gradient.
  struct Operands {
    const Scalar* source;  ///< in place: the beginning of the batch entry; otherwise the first
                           ///< window
    std::int64_t position[index::conv_dimensions];
    std::int64_t tap[index::conv_dimensions];
    bool is_in_place;
    const Scalar* output_gradient;  ///< of the first position of the box
    std::int64_t output_gradient_position[index::conv_dimensions];
  };

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t taps() const {
    return problem.axes[0].taps * problem.axes[1].taps * problem.axes[2].taps;
  }

  KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    item.column = take_digit(number, cut.panels) * cut.panel;
    item.columns = index::smaller(cut.panel, problem.output_channels - item.column);
    item.partial = number;
    return item;
  }

  /// Returns false if it pauses. The item then continues at the next slice.
  KOKKOS_FUNCTION bool compute(const Item& item, const TeamMemory& room, const Pause& pause) const {
    const std::int64_t boxes = problem.batch * cut.boxes[0] * cut.boxes[1] * cut.boxes[2];
    const TeamShare slices = team_share(cut.slices, item.partial, cut.partials);
    const std::int64_t begin = slices.begin + pause.first_step();
    for (std::int64_t i = 0; i < TeamMemory::zero_values(cut); ++i) room.zeros[i] = Scalar(0);
    for (std::int64_t slice = begin; slice < slices.end; ++slice) {
      if (slice > begin && pause.is_before(slice - slices.begin)) return false;
      for (std::int64_t i = 0; i < taps() * cut.panel; ++i) room.sums[i] = Scalar(0);
      for (std::int64_t i = 0; i < cut.lane_values; ++i) room.lane_sums[i] = Scalar(0);
      const Range of_slice = part_of(boxes, cut.slice_boxes, slice);
      for (std::int64_t i = of_slice.begin; i < of_slice.end; ++i) {
        std::int64_t number = i;
        ConvBox box;
        for (int d = index::conv_dimensions - 1; d >= 0; --d) {
          box.along[d] =
              part_of(problem.axes[d].results, cut.box[d], take_digit(number, cut.boxes[d]));
        }
        if (box.size() == 0) continue;
        if (cut.lanes_are_positions) {
          add_planes(item, number, box, room);
        } else {
          add_box(item, number, box, room);
        }
      }
      if (cut.lanes_are_positions) take_lanes(item, room);
      put(item, room.sums, slice == slices.begin);
    }
    return true;
  }

  /// The products of a box, channel by channel; `batch` is its entry.
  KOKKOS_FUNCTION void add_planes(const Item& item, std::int64_t batch, const ConvBox& box,
                                  const TeamMemory& room) const {
    const pack::ConvSource& source = problem.source;
    const pack::ConvSource& other = problem.output_gradient;
    const index::ConvAxis* const axes = problem.axes;
    const index::ConvPass pass[] = {axes[0].pass(), axes[1].pass(), axes[2].pass()};
    const bool is_in_place = has_plain_lines<Scalar>(source);
    const bool is_other_in_place = has_plain_lines<Scalar>(other);
    ConvWeightPlanes<Scalar> planes;
    planes.zeros = room.zeros;
    planes.ahead = is_in_place ? source.channel_stride : 0;
    planes.output_gradient_ahead = is_other_in_place ? other.channel_stride : 0;
    for (std::int64_t o = 0; o < item.columns; ++o) {
      const std::int64_t channel = item.column + o;
      planes.source =
          is_in_place ? lines_in_place<Scalar>(axes, pass, source, batch, channel)
                      : gather_lines(*table, axes, pass, source, batch, channel, box, room.block);
      if (is_other_in_place) {
        planes.output_gradient =
            static_cast<const Scalar*>(other.data) + batch * other.batch_stride +
            channel * other.channel_stride +
            space_offset(other, box.along[0].begin, box.along[1].begin, box.along[2].begin);
        planes.output_gradient_plane = other.space_strides[0];
        planes.output_gradient_line = other.space_strides[1];
      } else {
        gather_positions(*table, other, batch, channel, box, room.output_gradient);
        planes.output_gradient = room.output_gradient;
        planes.output_gradient_line = box.along[2].size();
        planes.output_gradient_plane = box.along[1].size() * planes.output_gradient_line;
      }
      planes.sums = room.lane_sums + o * taps() * table->lanes;
      add_conv_weight_planes(problem, *table, planes, box);
    }
  }

  /// Adds the sums of lanes to the sums of the item.
  KOKKOS_FUNCTION void take_lanes(const Item& item, const TeamMemory& room) const {
    fold_lanes<Scalar>(room.lane_sums, item.columns * taps(), table->lanes);
    for (std::int64_t o = 0; o < item.columns; ++o) {
      for (std::int64_t k = 0; k < taps(); ++k) {
        room.sums[k * cut.panel + o] = room.lane_sums[(o * taps() + k) * table->lanes];
      }
    }
  }

  /// Both operands of a box, gathered if they cannot be read in place. Windows are not gathered if
  /// a ring takes them line by line.
  KOKKOS_FUNCTION Operands operands(const Item& item, std::int64_t batch, const ConvBox& box,
                                    const TeamMemory& room) const {
    Operands found;
    const pack::ConvSource& source = problem.source;
    found.is_in_place = pack::is_plain<Scalar>(source) && source.channel_stride == 1;
    if (found.is_in_place) {
      found.source =
          static_cast<const Scalar*>(source.data) + batch * source.batch_stride + item.column;
      for (int d = 0; d < index::conv_dimensions; ++d) {
        found.position[d] = problem.axes[d].step * source.space_strides[d];
        found.tap[d] = problem.axes[d].spacing * source.space_strides[d];
      }
    } else if (!has_boxes()) {
      gather_windows(item, batch, box, room, found);
    }
    const pack::ConvSource& other = problem.output_gradient;
    if (pack::is_plain<Scalar>(other) && other.channel_stride == 1) {
      found.output_gradient =
          static_cast<const Scalar*>(other.data) + batch * other.batch_stride + item.column;
      for (int d = 0; d < index::conv_dimensions; ++d) {
        found.output_gradient += box.along[d].begin * other.space_strides[d];
        found.output_gradient_position[d] = other.space_strides[d];
      }
    } else {
      gather_output_gradient(item, batch, box, room, found);
    }
    return found;
  }

  /// Whether the tile of window boxes can be used.
  KOKKOS_FUNCTION bool has_boxes() const {
    const index::ConvAxis* const axes = problem.axes;
    const index::ConvPass pass[] = {axes[0].pass(), axes[1].pass(), axes[2].pass()};
    return table->window_box_weights != nullptr && has_window_boxes(axes, pass);
  }

  KOKKOS_FUNCTION void gather_windows(const Item& item, std::int64_t batch, const ConvBox& box,
                                      const TeamMemory& room, Operands& found) const {
    pack::ConvBlock<Scalar> block;
    block.batch = batch;
    block.channel = item.column;
    block.channels = item.columns;
    block.slot_step = cut.panel;
    block.to = room.block;
    std::int64_t step = cut.panel;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const index::ConvAxis& axis = problem.axes[d];
      block.along[d] = {axis.source_of(axis.pass(), box.along[d].begin, 0), axis.gcd,
                        axis.slots(box.along[d].size(), axis.taps), axis.sources,
                        axis.padding_mode};
      found.tap[d] = axis.spacing / axis.gcd * step;
      found.position[d] = axis.step / axis.gcd * step;
      step *= block.along[d].count;
    }
    KOKKOS_ASSERT(step <= cut.block_values);
    pack::gather_conv(problem.source, block, GatherLines<Scalar>{table});
    found.source = room.block;
  }

  KOKKOS_FUNCTION void gather_output_gradient(const Item& item, std::int64_t batch,
                                              const ConvBox& box, const TeamMemory& room,
                                              Operands& found) const {
    pack::ConvBlock<Scalar> block;
    block.batch = batch;
    block.channel = item.column;
    block.channels = item.columns;
    block.slot_step = cut.panel;
    block.to = room.output_gradient;
    std::int64_t step = cut.panel;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      block.along[d] = {box.along[d].begin, 1, box.along[d].size(), problem.axes[d].results,
                        index::PaddingMode::zero};
      found.output_gradient_position[d] = step;
      step *= box.along[d].size();
    }
    pack::gather_conv(problem.output_gradient, block, GatherLines<Scalar>{table});
    found.output_gradient = room.output_gradient;
  }

  /// The products of a box.
  KOKKOS_FUNCTION void add_box(const Item& item, std::int64_t batch, const ConvBox& box,
                               const TeamMemory& room) const {
    const Operands found = operands(item, batch, box, room);
    const index::ConvAxis* const axes = problem.axes;
    const index::ConvPass pass[] = {axes[0].pass(), axes[1].pass(), axes[2].pass()};
    if (!has_boxes()) return add(item, box, box, found, room);
    if (!found.is_in_place) return add_ring(item, batch, box, found, room);
    for_each_window_box(axes, pass, box, [&](const ConvBox& part, bool is_for_tile) {
      if (is_for_tile) {
        add_window_box(item, box, part, found, room);
      } else {
        add(item, box, part, found, room);
      }
    });
  }

  /// The common arguments of calls of the tile of window boxes for a part of a box.
  KOKKOS_FUNCTION tile::WindowBoxWeightsTile<Scalar> window_box_tile(
      const Item& item, const ConvBox& part, const Operands& operands) const {
    const std::int64_t* const step = operands.output_gradient_position;
    tile::WindowBoxWeightsTile<Scalar> tile{};
    tile.positions = part.along[2].size();
    tile.output_gradient_ahead = tile.output_gradient_line = step[1];
    tile.output_gradient_position = step[2];
    tile.sum_track = problem.axes[2].taps * cut.panel;
    tile.sum_step = cut.panel;
    tile.lanes = static_cast<int>(item.columns);
    return tile;
  }

  /// Adds the products of a box by the tile of window boxes; windows are converted line by line.
  KOKKOS_FUNCTION void add_ring(const Item& item, std::int64_t batch, const ConvBox& box,
                                const Operands& operands, const TeamMemory& room) const {
    const index::ConvAxis* const axes = problem.axes;
    const index::ConvPass pass[] = {axes[0].pass(), axes[1].pass(), axes[2].pass()};
    const std::int64_t* const step = operands.output_gradient_position;
    const ConvRingSource from{problem.source, axes,        pass,
                              batch,          item.column, static_cast<int>(item.columns)};
    tile::WindowBoxWeightsTile<Scalar> tile = window_box_tile(item, box, operands);
    for (std::int64_t k = 0; k < axes[0].taps; ++k) {
      Scalar* const sums = room.sums + k * axes[1].taps * tile.sum_track;
      for_each_ring_line(*table, from, box, k, room.block, [&](const ConvRingLines<Scalar>& found) {
        tile.tracks = found.tracks.tracks;
        tile.lines = found.lines;
        tile.output_gradient = operands.output_gradient +
                               (found.position[0] - box.along[0].begin) * step[0] +
                               (found.position[1] - box.along[1].begin) * step[1] + found.lane;
        tile.sums = sums + found.lane;
        tile.lanes = found.lanes;
        table->window_box_weights(tile);
      });
    }
  }

  /// Adds the products of a part of a box by the tile of window boxes; windows are in place.
  KOKKOS_FUNCTION void add_window_box(const Item& item, const ConvBox& box, const ConvBox& part,
                                      const Operands& operands, const TeamMemory& room) const {
    const index::ConvAxis* const axes = problem.axes;
    const index::ConvPass pass[] = {axes[0].pass(), axes[1].pass(), axes[2].pass()};
    const std::int64_t* const step = operands.output_gradient_position;
    ConvTracks<Scalar> tracks;
    tile::WindowBoxWeightsTile<Scalar> tile = window_box_tile(item, part, operands);
    tile.tracks = tracks.tracks;
    tile.ahead = operands.position[1];
    for (std::int64_t i = part.along[0].begin; i < part.along[0].end; ++i) {
      for (std::int64_t j = part.along[1].begin; j < part.along[1].end; j += tune::most_box_lines) {
        tile.lines = index::smaller(tune::most_box_lines, part.along[1].end - j);
        tile.output_gradient = operands.output_gradient + (i - box.along[0].begin) * step[0] +
                               (j - box.along[1].begin) * step[1] +
                               (part.along[2].begin - box.along[2].begin) * step[2];
        for (std::int64_t k = 0; k < axes[0].taps; ++k) {
          const std::int64_t plane = axes[0].padded_source_of(pass[0], i, k);
          list_conv_tracks(axes, pass, problem.source.space_strides, operands.source, plane,
                           room.zeros, j, tile.lines, part.along[2], tracks);
          tile.sums = room.sums + k * axes[1].taps * tile.sum_track;
          table->window_box_weights(tile);
        }
      }
    }
  }

  /// Adds the products of a part of a box, tap by tap: a few positions of all lines before the next
  /// ones, so that data shared by lines stay in the nearest cache. Along each dimension, positions
  /// whose windows cross a border of the source are separate parts.
  KOKKOS_FUNCTION void add(const Item& item, const ConvBox& box, const ConvBox& of_box,
                           const Operands& operands, const TeamMemory& room) const {
    const auto part_from = [&](int d, std::int64_t begin, const Range& whole) {
      const index::ConvAxis& axis = problem.axes[d];
      const Range inside = index::common(whole, axis.inside(axis.pass()));
      const bool is_inside = inside.begin <= begin && begin < inside.end;
      return Range{begin, is_inside ? inside.end : begin + 1};
    };
    constexpr std::int64_t together = tune::conv_grad_depthwise_line;
    ConvBox part;
    Range* const along = part.along;
    const Range line = of_box.along[2];
    for (std::int64_t p = line.begin; p < line.end; p += together) {
      const Range run{p, index::smaller(p + together, line.end)};
      for (along[0].end = of_box.along[0].begin; along[0].end < of_box.along[0].end;) {
        along[0] = part_from(0, along[0].end, of_box.along[0]);
        for (along[1].end = of_box.along[1].begin; along[1].end < of_box.along[1].end;) {
          along[1] = part_from(1, along[1].end, of_box.along[1]);
          for (along[2].end = run.begin; along[2].end < run.end;) {
            along[2] = part_from(2, along[2].end, run);
            add_part(item, box, part, operands, room);
          }
        }
      }
    }
  }

  /// Adds the positions of a part, for all of which the same taps are outside.
  KOKKOS_FUNCTION void add_part(const Item& item, const ConvBox& box, const ConvBox& part,
                                const Operands& operands, const TeamMemory& room) const {
    // Taps inside the source are listed from the front, and those outside from the back.
    tile::DepthwiseWeight<Scalar>* inside = room.taps;
    tile::DepthwiseWeight<Scalar>* outside = room.taps + taps();
    Scalar* sums = room.sums;
    std::int64_t k[index::conv_dimensions];
    for (k[0] = 0; k[0] < problem.axes[0].taps; ++k[0]) {
      for (k[1] = 0; k[1] < problem.axes[1].taps; ++k[1]) {
        for (k[2] = 0; k[2] < problem.axes[2].taps; ++k[2], sums += cut.panel) {
          const Scalar* from = operands.source;
          bool is_outside = false;
          for (int d = 0; d < index::conv_dimensions; ++d) {
            if (!operands.is_in_place) {
              from += k[d] * operands.tap[d] +
                      (part.along[d].begin - box.along[d].begin) * operands.position[d];
              continue;
            }
            const index::ConvAxis& axis = problem.axes[d];
            const std::int64_t at = axis.padded_source_of(axis.pass(), part.along[d].begin, k[d]);
            is_outside = is_outside || at < 0;
            from += at * problem.source.space_strides[d];
          }
          *(is_outside ? --outside : inside++) = {is_outside ? room.zeros : from, sums};
        }
      }
    }
    // Positions of a line, or of a column if that has more.
    const int along = part.along[2].size() > 1 ? 2 : 1;
    const int across = 3 - along;
    const std::int64_t* const step = operands.output_gradient_position;
    tile::DepthwiseWeightsTile<Scalar> tile;
    tile.output_gradient_step = step[along];
    tile.positions = part.along[along].size();
    tile.lanes = static_cast<int>(item.columns);
    const Scalar* output_gradient = operands.output_gradient;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      output_gradient += (part.along[d].begin - box.along[d].begin) * step[d];
    }
    for (std::int64_t i = 0; i < part.along[0].size(); ++i) {
      for (std::int64_t j = 0; j < part.along[across].size(); ++j) {
        tile.output_gradient = output_gradient + i * step[0] + j * step[across];
        tile.first = i * operands.position[0] + j * operands.position[across];
        tile.source_step = operands.position[along];
        tile.ahead_output_gradient = tile.output_gradient + step[across];
        tile.ahead = inside > room.taps ? inside[-1].source + tile.first + operands.position[across]
                                        : tile.ahead_output_gradient;
        add_taps(tile, room.taps, inside);
        tile.first = tile.source_step = 0;
        add_taps(tile, outside, room.taps + taps());
      }
    }
  }

  KOKKOS_FUNCTION void add_taps(tile::DepthwiseWeightsTile<Scalar>& tile,
                                const tile::DepthwiseWeight<Scalar>* begin,
                                const tile::DepthwiseWeight<Scalar>* end) const {
    while (begin < end) {
      const std::int64_t count = index::smaller(tune::most_weight_taps, end - begin);
      tile.taps = begin;
      table->depthwise_weights[count](tile);
      begin += count;
    }
  }

  /// Stores the sums of a slice, or adds them to the stored ones.
  KOKKOS_FUNCTION void put(const Item& item, const Scalar* sums, bool is_first) const {
    const pack::ConvWeights<void>& result = problem.result;
    Scalar* const data = static_cast<Scalar*>(result.data) + item.partial * partial_stride +
                         item.column * result.output_channel_stride;
    for (std::int64_t i = 0; i < problem.axes[0].taps; ++i) {
      for (std::int64_t j = 0; j < problem.axes[1].taps; ++j) {
        for (std::int64_t k = 0; k < problem.axes[2].taps; ++k, sums += cut.panel) {
          Scalar* const to = data + i * result.tap_strides[0] + j * result.tap_strides[1] +
                             k * result.tap_strides[2];
          for (std::int64_t o = 0; o < item.columns; ++o) {
            Scalar& place = to[o * result.output_channel_stride];
            place = canonical(is_first ? sums[o] : place + sums[o]);
          }
        }
      }
    }
  }
};

}  // namespace synelix::sweep
