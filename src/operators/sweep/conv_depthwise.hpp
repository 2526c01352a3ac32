// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/matrix_panels.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/sweep/conv_plane_lines.hpp"
#include "operators/sweep/conv_planes.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/conv_window_box.hpp"
#include "operators/sweep/conv_window_ring.hpp"
#include "pack/conv_block.hpp"
#include "tile/depthwise.hpp"
#include "tile/table.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Depthwise convolutions on a host, and their gradients by input: each column reads only its own
/// channel. A virtual item is a box of positions of one class by some columns of one batch entry.
/// Lanes of the tile are channels, or positions if these are contiguous in the result. Windows are
/// read in place if the source has the layout and type of the tile; taps that a border leaves
/// outside meet zeros. Windows of other sources are gathered first, for some tiles a few lines or a
/// channel at a time.
///
/// A sum takes its taps pass by pass, in their order, for any item and any lanes.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvDepthwiseSweep {
  ConvProblem problem;
  ConvCut cut;
  const Scalar* weights = nullptr;  ///< (panel, tap, column)
  const Scalar* bias = nullptr;     ///< (panel, column)
  const tile::TileTable<Scalar>* table = nullptr;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamMemory room(workspace.data + team.league_rank() * workspace.bytes, cut,
                          problem.taps());
    for_each_of_share(team, cut.items, workspace.teams, turns,
                      [=, this](std::int64_t i) { compute(item_of(i), room); });
  }

 private:
  using TeamMemory = ConvDepthwiseTeamMemory<Scalar>;

  struct Item {
    std::int64_t batch;
    std::int64_t classes[index::conv_dimensions];
    ConvBox box;
    std::int64_t panel;
    std::int64_t columns;
  };
  /// The windows of some positions: the address of the first window, and the strides of positions
  /// and taps. In place: the beginning of the entry of the batch.
  struct Windows {
    const Scalar* first;
    std::int64_t position[index::conv_dimensions];
    std::int64_t tap[index::conv_dimensions];
    bool is_in_place;
  };
  /// The start values and the destinations of sums, for the first position of an item.
  struct Sums {
    const Scalar* from;
    std::int64_t from_position;
    Scalar* to;
    std::int64_t to_position[index::conv_dimensions];
    bool end;
  };

  KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    item.panel = take_digit(number, cut.panels);
    item.columns = index::smaller(cut.panel, problem.output_channels - item.panel * cut.panel);
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const std::int64_t part = take_digit(number, cut.boxes[d]);
      item.classes[d] = take_digit(number, problem.axes[d].classes);
      item.box.along[d] = part_of(problem.axes[d].positions(item.classes[d]), cut.box[d], part);
    }
    item.batch = number;
    return item;
  }

  KOKKOS_FUNCTION void compute(const Item& item, const TeamMemory& room) const {
    if (item.box.size() == 0) return;
    const Scalar* const first = bias + item.panel * cut.panel;
    Sums sums{first, 0, result_of(item), {0, 0, 0}, true};
    if (cut.lanes_are_positions || (cut.has_one_pass && problem.result.channel_stride == 1)) {
      for (int d = 0; d < index::conv_dimensions; ++d) sums.to_position[d] = result_step(d);
      for_each_pass(item, [&](const index::ConvPass* pass, const ConvBox& box) {
        add(item, pass, box, sums, room);
      });
      return;
    }
    for (std::int64_t p = 0; p < item.box.size(); ++p) {
      for (std::int64_t o = 0; o < cut.panel; ++o) room.sums[p * cut.panel + o] = first[o];
    }
    sums = {room.sums, cut.panel, room.sums, {0, 0, cut.panel}, false};
    for (int d = index::conv_dimensions - 1; d > 0; --d) {
      sums.to_position[d - 1] = sums.to_position[d] * item.box.along[d].size();
    }
    for_each_pass(item, [&](const index::ConvPass* pass, const ConvBox& box) {
      add(item, pass, box, sums, room);
    });
    put(item, room.sums);
  }

  /// Calls visit(its passes along each dimension, the positions that they serve) for each
  /// combination that serves positions of an item.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_pass(const Item& item, const Visit& visit) const {
    const auto passes = [&](int d) {
      const std::int64_t* const first = problem.axes[d].first_pass + item.classes[d];
      return Range{first[0], first[1]};
    };
    for (std::int64_t i = passes(0).begin; i < passes(0).end; ++i) {
      for (std::int64_t j = passes(1).begin; j < passes(1).end; ++j) {
        for (std::int64_t k = passes(2).begin; k < passes(2).end; ++k) {
          const index::ConvPass pass[] = {problem.axes[0].passes[i], problem.axes[1].passes[j],
                                          problem.axes[2].passes[k]};
          ConvBox box;
          for (int d = 0; d < index::conv_dimensions; ++d) {
            box.along[d] = index::common(item.box.along[d], {pass[d].begin, pass[d].end});
          }
          if (box.size() > 0) visit(pass, box);
        }
      }
    }
  }

  /// Adds the taps of a pass.
  KOKKOS_FUNCTION void add(const Item& item, const index::ConvPass* pass, const ConvBox& box,
                           const Sums& sums, const TeamMemory& room) const {
    if (cut.lanes_are_positions) {
      for (std::int64_t o = 0; o < item.columns; ++o) {
        Sums own = sums;
        own.from += o;
        own.to += o * problem.result.channel_stride;
        if (has_conv_planes(problem, cut, table->slide_rows, pass, box)) {
          add_planes(item, box, o, pass, own, room);
          continue;
        }
        const std::int64_t channel = item.panel * cut.panel + o;
        const Windows windows = gathered(item, channel, 1, 1, pass, box, room);
        list_taps(pass, box, windows, false, room.taps);
        add_positions(item, box, o, pass, windows, own, room);
      }
      return;
    }
    const std::int64_t first = item.panel * cut.panel;
    const bool has_boxes = table->window_box != nullptr && sums.from_position == 0 && sums.end &&
                           pass[0].taps == 1 && has_window_boxes(problem.axes, pass);
    if (is_in_place(pass)) {
      const Windows windows = in_place(item, first);
      const auto add_parts = [&](const ConvBox& some) {
        for_each_inside_part(problem.axes, pass, some, [&](const ConvBox& part) {
          add_channels(item, part, pass, windows, sums, room);
        });
      };
      if (!has_boxes) return add_parts(box);
      for_each_window_box(problem.axes, pass, box, [&](const ConvBox& part, bool is_for_tile) {
        if (!is_for_tile) return add_parts(part);
        add_conv_window_box(problem, cut, *table,
                            window_boxes(item, part, windows.first, sums, room), pass, part);
      });
      return;
    }
    if (has_boxes) {
      const auto boxes = window_boxes(item, box, nullptr, sums, room);
      const ConvRingSource from{problem.source, problem.axes, pass, item.batch, first, boxes.lanes};
      return add_conv_ring(problem, cut, *table, boxes, from, box, room.block);
    }
    add_channels(item, box, pass, gathered(item, first, item.columns, cut.panel, pass, box, room),
                 sums, room);
  }

  /// Whether the tile can read windows in place, including at the borders.
  KOKKOS_FUNCTION bool is_in_place(const index::ConvPass* pass) const {
    return pack::is_plain<Scalar>(problem.source) && problem.source.channel_stride == 1 &&
           !pass[0].is_backward && !pass[1].is_backward && !pass[2].is_backward;
  }

  /// Windows in place: the taps give the address in each part.
  KOKKOS_FUNCTION Windows in_place(const Item& item, std::int64_t channel) const {
    const pack::ConvSource& source = problem.source;
    Windows windows;
    windows.is_in_place = true;
    windows.first =
        static_cast<const Scalar*>(source.data) + item.batch * source.batch_stride + channel;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      windows.position[d] = problem.axes[d].step * source.space_strides[d];
      windows.tap[d] = problem.axes[d].spacing * source.space_strides[d];
    }
    return windows;
  }

  /// Gathers the samples in the windows of some channels to memory of the team.
  KOKKOS_FUNCTION Windows gathered(const Item& item, std::int64_t channel, std::int64_t channels,
                                   std::int64_t slot_step, const index::ConvPass* pass,
                                   const ConvBox& box, const TeamMemory& room) const {
    pack::ConvBlock<Scalar> block;
    block.batch = item.batch;
    block.channel = channel;
    block.channels = channels;
    block.slot_step = slot_step;
    block.to = room.block;
    Windows windows{room.block, {0, 0, 0}, {0, 0, 0}, false};
    if (tap_count(pass) == 0) return windows;
    std::int64_t step = slot_step;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const index::ConvAxis& axis = problem.axes[d];
      const Range range = box.along[d];
      const std::int64_t first = pass[d].is_backward ? range.end - 1 : range.begin;
      block.along[d] = {axis.source_of(pass[d], first, 0), axis.gcd,
                        axis.slots(range.size(), pass[d].taps), axis.sources, axis.padding_mode};
      windows.tap[d] = axis.spacing / axis.gcd * step;
      windows.position[d] = axis.step / axis.gcd * step;
      if (pass[d].is_backward) {
        windows.first += (range.size() - 1) * windows.position[d];
        windows.position[d] = -windows.position[d];
      }
      step *= block.along[d].count;
    }
    KOKKOS_ASSERT(step <= cut.block_values);
    pack::gather_conv(problem.source, block, GatherLines<Scalar>{table});
    return windows;
  }

  /// The taps of a pass in their order; only the first one of each line of a window if tiles slide.
  /// Returns the number.
  KOKKOS_FUNCTION std::int64_t list_taps(const index::ConvPass* pass, const ConvBox& box,
                                         const Windows& windows, bool slides,
                                         tile::DepthwiseTap* to) const {
    std::int64_t i[index::conv_dimensions];
    std::int64_t count = 0;
    for (i[0] = 0; i[0] < pass[0].taps; ++i[0]) {
      for (i[1] = 0; i[1] < pass[1].taps; ++i[1]) {
        for (i[2] = 0; i[2] < (slides ? 1 : pass[2].taps); ++i[2]) {
          tile::DepthwiseTap& tap = to[count++];
          tap = {0, 0, false};
          for (int d = 0; d < index::conv_dimensions; ++d) {
            const index::ConvAxis& axis = problem.axes[d];
            tap.weight = tap.weight * axis.taps + pass[d].tap + i[d];
            if (!windows.is_in_place) {
              tap.source += i[d] * windows.tap[d];
              continue;
            }
            const std::int64_t at = axis.padded_source_of(pass[d], box.along[d].begin, i[d]);
            tap.is_outside = tap.is_outside || at < 0;
            tap.source += at * problem.source.space_strides[d];
          }
          tap.weight *= cut.panel;
        }
      }
    }
    return count;
  }

  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t tap_count(const index::ConvPass* pass) {
    return pass[0].taps * pass[1].taps * pass[2].taps;
  }

  [[nodiscard]] KOKKOS_FUNCTION tile::DepthwiseTile<Scalar> tile_of(const Item& item,
                                                                    const index::ConvPass* pass,
                                                                    const TeamMemory& room) const {
    tile::DepthwiseTile<Scalar> tile{};
    tile.weights = weights + item.panel * problem.taps() * cut.panel;
    tile.weight_step = cut.panel;
    tile.taps = room.taps;
    tile.tap_count = tap_count(pass);
    return tile;
  }

  /// The tile whose windows slide along a line; null if there is none for these positions.
  KOKKOS_FUNCTION typename tile::TileTable<Scalar>::Depthwise sliding_tile(
      const index::ConvPass* pass, const ConvBox& box, const Windows& windows,
      const Sums& sums) const {
    const bool slides =
        sums.from_position == 0 && sums.end && pass[2].taps <= tune::most_slide_width &&
        windows.tap[2] == windows.position[2] && box.along[2].size() >= table->slide_rows;
    return slides ? table->slide[pass[2].taps] : nullptr;
  }

  /// Lanes are channels, and rows are the positions of a line; if a line has only one, rows are
  /// lines.
  KOKKOS_FUNCTION void add_channels(const Item& item, const ConvBox& box,
                                    const index::ConvPass* pass, const Windows& windows,
                                    const Sums& sums, const TeamMemory& room) const {
    const auto sliding = sliding_tile(pass, box, windows, sums);
    const int along = box.along[2].size() > 1 ? 2 : 1;
    const int across = 3 - along;
    tile::DepthwiseTile<Scalar> tile = tile_of(item, pass, room);
    tile.tap_count = list_taps(pass, box, windows, sliding != nullptr, room.taps);
    tile.source_row = windows.position[along];
    tile.from_row = sums.from_position == 0 ? 0 : sums.to_position[along];
    tile.to_row = sums.to_position[along];
    tile.ends = sums.end;
    tile.lanes = static_cast<int>(item.columns);
    const std::int64_t length = box.along[along].size();
    const std::int64_t last_tap = tile.tap_count > 0 ? tile.taps[tile.tap_count - 1].source : 0;
    const std::int64_t most = sliding != nullptr ? table->slide_rows : tune::most_depthwise_rows;
    const Range* const whole = item.box.along;
    // A few rows of all lines before the next rows: data shared by lines stay in the nearest cache.
    for (std::int64_t p = 0; p < length; p += most) {
      const std::int64_t rows = index::smaller(most, length - p);
      // Computes earlier rows again if the last ones are fewer than a sliding tile has: the same
      // bits.
      const std::int64_t begin = sliding != nullptr ? p + rows - most : p;
      for (std::int64_t i = 0; i < box.along[0].size(); ++i) {
        for (std::int64_t j = 0; j < box.along[across].size(); ++j) {
          tile.source = windows.first + i * windows.position[0] + j * windows.position[across] +
                        begin * tile.source_row;
          tile.to = sums.to + (box.along[0].begin - whole[0].begin + i) * sums.to_position[0] +
                    (box.along[across].begin - whole[across].begin + j) * sums.to_position[across] +
                    (box.along[along].begin - whole[along].begin + begin) * tile.to_row;
          tile.from = sums.from_position == 0 ? sums.from : tile.to;
          tile.ahead = tile.source + last_tap + windows.position[across];
          if (sliding != nullptr) {
            sliding(tile);
          } else {
            table->depthwise[rows](tile);
          }
        }
      }
    }
  }

  /// The sum of the first position of a part of an item.
  KOKKOS_FUNCTION Scalar* first_sum(const Item& item, const ConvBox& part, const Sums& sums) const {
    Scalar* to = sums.to;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      to += (part.along[d].begin - item.box.along[d].begin) * sums.to_position[d];
    }
    return to;
  }

  /// The arguments of tiles of window boxes. `source` is the entry of the batch.
  KOKKOS_FUNCTION ConvWindowBoxes<Scalar> window_boxes(const Item& item, const ConvBox& box,
                                                       const Scalar* source, const Sums& sums,
                                                       const TeamMemory& room) const {
    return {source,
            weights + item.panel * problem.taps() * cut.panel,
            sums.from,
            first_sum(item, box, sums),
            sums.to_position,
            room.zeros,
            static_cast<int>(item.columns)};
  }

  /// The plane tile, for one column of an item.
  KOKKOS_FUNCTION void add_planes(const Item& item, const ConvBox& box, std::int64_t column,
                                  const index::ConvPass* pass, const Sums& sums,
                                  const TeamMemory& room) const {
    const std::int64_t channel = item.panel * cut.panel + column;
    ConvPlanes<Scalar> planes;
    planes.source =
        has_plain_lines<Scalar>(problem.source)
            ? lines_in_place<Scalar>(problem.axes, pass, problem.source, item.batch, channel)
            : gather_lines(*table, problem.axes, pass, problem.source, item.batch, channel, box,
                           room.block);
    planes.weights = weights + item.panel * problem.taps() * cut.panel + column;
    planes.from = sums.from;
    planes.to = first_sum(item, box, sums);
    planes.to_position = sums.to_position;
    planes.lines = room.lines;
    planes.zeros = room.zeros;
    add_conv_planes(problem, cut, *table, planes, pass, box);
  }

  /// Lanes are positions of a line; rows are packs of them if a line has many, otherwise lines.
  KOKKOS_FUNCTION void add_positions(const Item& item, const ConvBox& box, std::int64_t column,
                                     const index::ConvPass* pass, const Windows& windows,
                                     const Sums& sums, const TeamMemory& room) const {
    tile::DepthwiseTile<Scalar> tile = tile_of(item, pass, room);
    tile.weights += column;
    tile.from = sums.from;
    tile.ends = true;
    tile.source_row = windows.position[1];
    tile.to_row = sums.to_position[1];
    const std::int64_t length = box.along[2].size();
    const bool is_long = length >= tune::most_depthwise_rows * table->lanes;
    const std::int64_t lines = is_long ? 1 : tune::most_depthwise_rows;
    Scalar* const first = first_sum(item, box, sums);
    for (std::int64_t i = 0; i < box.along[0].size(); ++i) {
      for (std::int64_t j = 0; j < box.along[1].size(); j += lines) {
        const std::int64_t rows = index::smaller(lines, box.along[1].size() - j);
        const Scalar* const from =
            windows.first + i * windows.position[0] + j * windows.position[1];
        Scalar* const to = first + i * sums.to_position[0] + j * sums.to_position[1];
        if (is_long) add_conv_line(*table, tile, from, to, length);
        for (std::int64_t p = is_long ? length : 0; p < length; p += table->lanes) {
          tile.lanes = static_cast<int>(index::smaller(table->lanes, length - p));
          tile.source = from + p;
          tile.to = to + p;
          table->depthwise_shared[rows](tile);
        }
      }
    }
  }

  /// Stride in the result between positions of a class.
  KOKKOS_FUNCTION std::int64_t result_step(int d) const {
    return problem.axes[d].stride * problem.result.space_strides[d];
  }
  /// The result of the first position and column of an item.
  KOKKOS_FUNCTION Scalar* result_of(const Item& item) const {
    const ConvResult& result = problem.result;
    Scalar* to = static_cast<Scalar*>(result.data) + item.batch * result.batch_stride +
                 item.panel * cut.panel * result.channel_stride;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      to += item.classes[d] * result.space_strides[d] + item.box.along[d].begin * result_step(d);
    }
    return to;
  }

  KOKKOS_FUNCTION void put(const Item& item, const Scalar* sums) const {
    const std::int64_t length = item.box.along[2].size();
    for (std::int64_t i = 0; i < item.box.along[0].size(); ++i) {
      for (std::int64_t j = 0; j < item.box.along[1].size(); ++j) {
        put_conv_line(*table, sums, cut.panel, item.columns,
                      result_of(item) + i * result_step(0) + j * result_step(1),
                      problem.result.channel_stride, result_step(2), length);
        sums += length * cut.panel;
      }
    }
  }
};

}  // namespace synelix::sweep
