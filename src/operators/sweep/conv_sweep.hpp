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
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"
#include "tile/matrix.hpp"
#include "tile/table.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Convolutions on a host, and their gradients by input. A virtual item is a box of positions of
/// one class by some columns of one group and batch entry. The samples in its windows are gathered,
/// some channels at a time, as a block of positions by channels. The matrix tile reads windows
/// there, a row for each position: a sequence of contiguous runs of values.
///
/// A sum takes channels block by block, of a block pass by pass, and of a pass tap by tap. So its
/// bits depend neither on the box nor on the columns of an item.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvSweep {
  ConvProblem problem;
  ConvCut cut;
  const Scalar* weights = nullptr;  ///< (group, panel, channel block, tap, channel, column)
  const Scalar* bias = nullptr;     ///< (group, panel, column)
  const tile::TileTable<Scalar>* table = nullptr;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const ConvTeamMemory<Scalar> room(workspace.data + team.league_rank() * workspace.bytes, cut);
    for_each_of_share_in_steps(
        team, cut.items, workspace.teams, turns,
        [=, this](std::int64_t i, const Pause& pause) { return compute(item_of(i), room, pause); });
  }

 private:
  struct Item {
    std::int64_t batch;
    std::int64_t group;
    std::int64_t classes[index::conv_dimensions];
    ConvBox box;
    Range panels;
  };
  /// A block of windows, and the strides of positions and taps in it.
  struct Windows {
    ConvBox box;  ///< of positions that a pass serves
    std::int64_t taps[index::conv_dimensions];
    std::int64_t position[index::conv_dimensions];
    std::int64_t tap[index::conv_dimensions];
    std::int64_t first_tap[index::conv_dimensions];
    std::int64_t channel;  ///< the first one
    std::int64_t channels;
    const Scalar* first;  ///< of the first position: its first tap
    std::int64_t run;     ///< contiguous inner indices
    std::int64_t runs;    ///< of a window
    int line;             ///< the dimension whose positions are rows of a tile
    bool begins;          ///< whether sums begin here, with the bias
    bool ends;            ///< whether they end here and are stored in the result
  };

  KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    const std::int64_t blocks = index::ceil_divide(cut.panels, cut.item_panels);
    item.panels = part_of(cut.panels, cut.item_panels, take_digit(number, blocks));
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const std::int64_t part = take_digit(number, cut.boxes[d]);
      item.classes[d] = take_digit(number, problem.axes[d].classes);
      item.box.along[d] = part_of(problem.axes[d].positions(item.classes[d]), cut.box[d], part);
    }
    item.group = take_digit(number, problem.groups);
    item.batch = number;
    return item;
  }

  /// Returns false if it pauses. The item then continues at the next block of channels; its sums
  /// stay in the memory of the team.
  KOKKOS_FUNCTION bool compute(const Item& item, const ConvTeamMemory<Scalar>& room,
                               const Pause& pause) const {
    const std::int64_t positions = item.box.size();
    if (positions == 0) return true;
    const std::int64_t begin = pause.first_step();
    const bool is_one = has_one_pass(item);
    if (begin == 0 && !is_one) begin_sums(item, room.sums);
    for (std::int64_t c = begin; c < problem.channels; c += cut.channels) {
      if (c > begin && pause.is_before(c)) return false;
      add_channels(item, c, is_one, room);
    }
    if (!is_one || problem.result.channel_stride != 1) put(item, room.sums);
    return true;
  }

  /// Whether all positions of an item take all their taps in one pass. Then the first block of
  /// channels begins with the bias, and the last one can store in the result.
  KOKKOS_FUNCTION bool has_one_pass(const Item& item) const {
    bool has_taps = cut.has_one_pass && problem.channels > 0;
    for (int d = 0; d < index::conv_dimensions && has_taps; ++d) {
      const index::ConvAxis& axis = problem.axes[d];
      has_taps = axis.passes[axis.first_pass[item.classes[d]]].taps > 0;
    }
    return has_taps;
  }

  KOKKOS_FUNCTION const Scalar* bias_of(const Item& item, std::int64_t panel) const {
    return bias + (item.group * cut.panels + panel) * cut.panel;
  }

  KOKKOS_FUNCTION void begin_sums(const Item& item, Scalar* sums) const {
    const std::int64_t columns = item.panels.size() * cut.panel;
    const Scalar* const first = bias_of(item, item.panels.begin);
    for (std::int64_t i = 0; i < item.box.size(); ++i) {
      Scalar* const to = sums + i * columns;
      for (std::int64_t o = 0; o < columns; ++o) to[o] = first[o];
    }
  }

  /// Adds all taps of a block of channels.
  KOKKOS_FUNCTION void add_channels(const Item& item, std::int64_t channel, bool is_one,
                                    const ConvTeamMemory<Scalar>& room) const {
    const index::ConvAxis* const axes = problem.axes;
    const auto passes = [&](int d) {
      const std::int64_t* const first = axes[d].first_pass + item.classes[d];
      return Range{first[0], first[1]};
    };
    for (std::int64_t i = passes(0).begin; i < passes(0).end; ++i) {
      for (std::int64_t j = passes(1).begin; j < passes(1).end; ++j) {
        for (std::int64_t k = passes(2).begin; k < passes(2).end; ++k) {
          const index::ConvPass pass[] = {axes[0].passes[i], axes[1].passes[j], axes[2].passes[k]};
          Windows windows;
          std::int64_t taps = 1;
          for (int d = 0; d < index::conv_dimensions; ++d) {
            windows.box.along[d] = index::common(item.box.along[d], {pass[d].begin, pass[d].end});
            taps *= pass[d].taps;
          }
          if (taps == 0 || windows.box.size() == 0) continue;
          windows.channel = channel;
          windows.channels = index::smaller(cut.channels, problem.channels - channel);
          windows.begins = is_one && channel == 0;
          windows.ends = is_one && problem.result.channel_stride == 1 &&
                         channel + windows.channels == problem.channels;
          gather(item, pass, room, windows);
          multiply(item, windows, room);
        }
      }
    }
  }

  /// Whether the windows of a pass can be read in place: none crosses a border.
  KOKKOS_FUNCTION bool is_in_place(const index::ConvPass* pass, const ConvBox& box) const {
    bool is_inside = pack::is_plain<Scalar>(problem.source) && problem.source.channel_stride == 1;
    for (int d = 0; d < index::conv_dimensions && is_inside; ++d) {
      const Range inside = problem.axes[d].inside(pass[d]);
      is_inside = !pass[d].is_backward && inside.begin <= box.along[d].begin &&
                  box.along[d].end <= inside.end;
    }
    return is_inside;
  }

  KOKKOS_FUNCTION void read_in_place(const Item& item, const index::ConvPass* pass,
                                     Windows& windows) const {
    const pack::ConvSource& source = problem.source;
    windows.first = static_cast<const Scalar*>(source.data) + item.batch * source.batch_stride +
                    item.group * problem.channels + windows.channel;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvAxis& axis = problem.axes[d];
      windows.first +=
          axis.source_of(pass[d], windows.box.along[d].begin, 0) * source.space_strides[d];
      windows.taps[d] = pass[d].taps;
      windows.first_tap[d] = pass[d].tap;
      windows.tap[d] = axis.spacing * source.space_strides[d];
      windows.position[d] = axis.step * source.space_strides[d];
    }
    set_runs(windows);
  }

  KOKKOS_FUNCTION void set_runs(Windows& windows) const {
    const bool is_long = windows.tap[2] == windows.channels;
    windows.run = windows.channels * (is_long ? windows.taps[2] : 1);
    windows.runs = windows.taps[0] * windows.taps[1] * (is_long ? 1 : windows.taps[2]);
    windows.line = windows.box.along[2].size() > 1 ? 2 : 1;
  }

  /// The samples in the windows of a pass: in place, or gathered to memory of the team.
  KOKKOS_FUNCTION void gather(const Item& item, const index::ConvPass* pass,
                              const ConvTeamMemory<Scalar>& room, Windows& windows) const {
    if (is_in_place(pass, windows.box)) return read_in_place(item, pass, windows);
    pack::ConvBlock<Scalar> block;
    block.batch = item.batch;
    block.channel = item.group * problem.channels + windows.channel;
    block.channels = windows.channels;
    block.slot_step = windows.channels;
    block.to = room.block;
    windows.first = room.block;
    std::int64_t step = block.slot_step;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const index::ConvAxis& axis = problem.axes[d];
      const Range range = windows.box.along[d];
      const std::int64_t first = pass[d].is_backward ? range.end - 1 : range.begin;
      block.along[d].first = axis.source_of(pass[d], first, 0);
      block.along[d].step = axis.gcd;
      block.along[d].count = axis.slots(range.size(), pass[d].taps);
      block.along[d].extent = axis.sources;
      block.along[d].padding_mode = axis.padding_mode;
      windows.taps[d] = pass[d].taps;
      windows.first_tap[d] = pass[d].tap;
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
    set_runs(windows);
  }

  /// The beginning of a run of a window in the block, and the number of its first tap.
  struct Run {
    std::int64_t offset;
    std::int64_t tap;
  };
  KOKKOS_FUNCTION Run run_of(const Windows& windows, std::int64_t number) const {
    const bool is_long = windows.run > windows.channels || windows.taps[2] == 1;
    const std::int64_t k = is_long ? 0 : take_digit(number, windows.taps[2]);
    const std::int64_t j = take_digit(number, windows.taps[1]);
    const std::int64_t i = number;
    return {i * windows.tap[0] + j * windows.tap[1] + k * windows.tap[2],
            tap_number(windows, i, j, k)};
  }

  /// The number of a tap of a pass among the taps of a window.
  KOKKOS_FUNCTION std::int64_t tap_number(const Windows& windows, std::int64_t i, std::int64_t j,
                                          std::int64_t k) const {
    return ((windows.first_tap[0] + i) * problem.axes[1].taps + windows.first_tap[1] + j) *
               problem.axes[2].taps +
           windows.first_tap[2] + k;
  }

  /// Packed weights for a run of a window's values and a panel.
  KOKKOS_FUNCTION const Scalar* weights_of(const Item& item, const Windows& windows,
                                           std::int64_t panel, const Run& run) const {
    const std::int64_t of_panel = problem.taps() * problem.channels;
    return weights + ((item.group * cut.panels + panel) * of_panel +
                      windows.channel * problem.taps() + run.tap * windows.channels) *
                         cut.panel;
  }

  /// Multiplies as many runs of a window at a time as make a row of inner indices. Weights of
  /// several runs that are not contiguous are copied if runs are short.
  KOKKOS_FUNCTION void multiply(const Item& item, const Windows& windows,
                                const ConvTeamMemory<Scalar>& room) const {
    const bool takes_some = windows.run < tune::conv_short_run || are_together(windows);
    const std::int64_t together =
        takes_some ? index::larger(1, tune::conv_row / windows.run) : std::int64_t{1};
    const int along = windows.line;
    std::int64_t offsets[tune::conv_row];
    std::int64_t listed = -1;  // the first run whose offset is in the list
    for (std::int64_t panel = item.panels.begin; panel < item.panels.end; ++panel) {
      for (std::int64_t first = 0; first < windows.runs; first += together) {
        const std::int64_t runs = index::smaller(together, windows.runs - first);
        for (std::int64_t r = 0; r < runs && listed != first; ++r) {
          offsets[r] = run_of(windows, first + r).offset;
        }
        listed = first;
        tile::MatrixTile<Scalar> tile = tile_of(item, panel, along);
        tile.right = weights_side_by_side(item, windows, panel, first, runs, room);
        tile.inner = windows.run;
        tile.runs = runs;
        tile.left_runs = offsets;
        tile.left_row = windows.position[along];
        tile.ends = windows.ends && first + runs == windows.runs;
        for_each_line(item, windows, [&](const Line& line) {
          tile.left = windows.first + line.from;
          begin_and_end(item, panel, line, windows.begins && first == 0, room, tile);
          multiply_rows(*table, tile, packs(panel), windows.box.along[along].size());
        });
      }
    }
  }

  /// Whether the packed weights of all runs are contiguous.
  KOKKOS_FUNCTION bool are_together(const Windows& windows) const {
    return windows.taps[1] == problem.axes[1].taps && windows.taps[2] == problem.axes[2].taps;
  }

  /// Weights of consecutive runs: in place, or in memory of the team.
  KOKKOS_FUNCTION const Scalar* weights_side_by_side(const Item& item, const Windows& windows,
                                                     std::int64_t panel, std::int64_t first,
                                                     std::int64_t runs,
                                                     const ConvTeamMemory<Scalar>& room) const {
    if (runs == 1 || are_together(windows)) {
      return weights_of(item, windows, panel, run_of(windows, first));
    }
    const std::int64_t values = windows.run * cut.panel;
    for (std::int64_t r = 0; r < runs; ++r) {
      const Scalar* const from = weights_of(item, windows, panel, run_of(windows, first + r));
      Scalar* const to = room.weights + r * values;
      for (std::int64_t i = 0; i < values; ++i) to[i] = from[i];
    }
    return room.weights;
  }

  /// Columns of a panel, without its padding.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t columns_of(std::int64_t panel) const {
    return index::smaller(cut.panel, problem.output_channels - panel * cut.panel);
  }
  [[nodiscard]] KOKKOS_FUNCTION int packs(std::int64_t panel) const {
    return static_cast<int>(index::ceil_divide(columns_of(panel), table->lanes));
  }

  /// The common arguments of tiles of a panel.
  KOKKOS_FUNCTION tile::MatrixTile<Scalar> tile_of(const Item& item, std::int64_t panel,
                                                   int along) const {
    tile::MatrixTile<Scalar> tile{};
    tile.left_inner = 1;
    tile.right_inner = cut.panel;
    tile.last_columns =
        static_cast<int>(columns_of(panel) - (packs(panel) - 1) * std::int64_t{table->lanes});
    tile.sums_row = (along == 2 ? 1 : item.box.along[2].size()) * item.panels.size() * cut.panel;
    tile.result_row = problem.axes[along].stride * problem.result.space_strides[along];
    tile.alpha = 1;
    return tile;
  }

  /// A line of positions of a pass.
  struct Line {
    std::int64_t from;  ///< place of its first window in the block
    std::int64_t row;   ///< of its first sum
    Scalar* to;         ///< the result of its first position, column 0 of the group
  };

  /// Sets the start values, the place and the destination of the sums of a line.
  KOKKOS_FUNCTION void begin_and_end(const Item& item, std::int64_t panel, const Line& line,
                                     bool begins, const ConvTeamMemory<Scalar>& room,
                                     tile::MatrixTile<Scalar>& tile) const {
    tile.sums = sums_of(item, panel, line.row, room);
    tile.from = begins ? bias_of(item, panel) : nullptr;
    tile.from_row = 0;
    tile.result = tile.ends ? line.to + panel * cut.panel : nullptr;
  }

  KOKKOS_FUNCTION Scalar* sums_of(const Item& item, std::int64_t panel, std::int64_t row,
                                  const ConvTeamMemory<Scalar>& room) const {
    return room.sums + (row * item.panels.size() + panel - item.panels.begin) * cut.panel;
  }

  /// Calls visit(line) for each line of positions of a pass.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_line(const Item& item, const Windows& windows,
                                     const Visit& visit) const {
    const Range* const whole = item.box.along;
    const Range* const part = windows.box.along;
    const int across = 3 - windows.line;
    for (std::int64_t i = 0; i < part[0].size(); ++i) {
      for (std::int64_t j = 0; j < part[across].size(); ++j) {
        std::int64_t at[] = {part[0].begin + i, part[1].begin, part[2].begin};
        at[across] += j;
        std::int64_t row = 0;
        for (int d = 0; d < index::conv_dimensions; ++d) {
          row = row * whole[d].size() + at[d] - whole[d].begin;
        }
        visit(Line{i * windows.position[0] + j * windows.position[across], row,
                   result_of(item, at[0], at[1], at[2])});
      }
    }
  }

  /// The result of a position of an item, column 0 of its group.
  KOKKOS_FUNCTION Scalar* result_of(const Item& item, std::int64_t i, std::int64_t j,
                                    std::int64_t k) const {
    const ConvResult& result = problem.result;
    const std::int64_t at[] = {i, j, k};
    Scalar* to = static_cast<Scalar*>(result.data) + item.batch * result.batch_stride +
                 item.group * problem.output_channels * result.channel_stride;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      to += (item.classes[d] + at[d] * problem.axes[d].stride) * result.space_strides[d];
    }
    return to;
  }

  /// Stores sums in the order of memory.
  KOKKOS_FUNCTION void put(const Item& item, const Scalar* sums) const {
    const ConvResult& result = problem.result;
    const std::int64_t row = item.panels.size() * cut.panel;
    const std::int64_t first = item.panels.begin * cut.panel;
    const std::int64_t columns = index::smaller(row, problem.output_channels - first);
    const std::int64_t length = item.box.along[2].size();
    const std::int64_t step = problem.axes[2].stride * result.space_strides[2];
    for (std::int64_t i = item.box.along[0].begin; i < item.box.along[0].end; ++i) {
      for (std::int64_t j = item.box.along[1].begin; j < item.box.along[1].end; ++j) {
        Scalar* const to =
            result_of(item, i, j, item.box.along[2].begin) + first * result.channel_stride;
        put_conv_line(*table, sums, row, columns, to, result.channel_stride, step, length);
        sums += length * row;
      }
    }
  }
};

}  // namespace synelix::sweep
