// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/pack.hpp"
#include "launch/canonical.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/device_conv_window.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Convolutions on a device, and their gradients by input: a team computes a box of positions by
/// some output channels. What the box sees of some channels is staged in scratch, with the weights
/// that meet it, which `ConvWeightsSweep` has converted. A thread multiplies some positions with
/// some output channels: its sums are in registers while it adds what is staged, and in scratch
/// between. Hardly anything else is: threads read again what they know of the item and the stage.
///
/// A sum begins with the bias. It takes passes, of a pass channels, of a channel taps in their
/// order, whatever is staged together.

namespace synelix::sweep {

/// The functor.
template <class Scalar, bool is_narrow>
struct DeviceConvSweep {
  using Tile = DeviceConvTile<Scalar, is_narrow>;
  using Sums = DeviceConvSums<Scalar, is_narrow>;
  using Bounds = Kokkos::LaunchBounds<Tile::threads, tune::device_conv_teams(sizeof(Scalar))>;
  static constexpr std::int64_t item_bytes = 256;  ///< of two items, from a cache line on

  ConvProblem problem;
  DeviceConvCut cut;
  const Scalar* weights = nullptr;  ///< (group, panel, channel, tap, column)
  const Scalar* bias = nullptr;     ///< (group, panel, column)
  std::int64_t items = 0;           ///< all, or none
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t count, std::int64_t) const {
    return {count, Tile::threads, Tile::scratch_bytes + item_bytes};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(items, team.league_rank(), workspace.teams);
    const Room room = room_of(team);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      compute(team, room, i, room.items + (i - share.begin) % 2);
    }
  }

 private:
  struct Item {
    Range entries;
    std::int64_t group;
    std::int64_t panel;
    std::int64_t classes[index::conv_dimensions];
    Range along[index::conv_dimensions];  ///< positions of the class
  };
  /// Scratch. Items lie there, because registers hold sums: the one that is computed, and the one
  /// before, whose results may still be written.
  struct Room {
    Scalar* weights;  ///< (channel, tap, column)
    Scalar* window;   ///< as `DeviceConvWindow` says
    Scalar* sums;     ///< (row and column of a thread, thread)
    Item* items;
  };
  /// What is staged: some channels and taps of a pass.
  struct Step {
    std::int32_t pass[index::conv_dimensions];
    std::int32_t channel;
    std::int32_t tap[index::conv_dimensions];
  };
  /// How positions of an item meet it.
  struct Meeting {
    std::int32_t base;                           ///< what position 0 of the box meets first
    std::int32_t steps[index::conv_dimensions];  ///< of the window, from position to position
    std::int32_t begin[index::conv_dimensions];  ///< positions that the pass serves
    std::int32_t end[index::conv_dimensions];
  };

  template <class Team>
  KOKKOS_FUNCTION Room room_of(const Team& team) const {
    auto* const stage = team_memory<Scalar>(team, Tile::stage_values);
    auto* const sums = team_memory<Scalar>(team, Tile::sum_values);
    const std::int64_t inner = cut.channels * cut.taps[0] * cut.taps[1] * cut.taps[2];
    return {stage, stage + cut.panel.size * inner, sums, team_memory<Item>(team, 2)};
  }

  KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const index::ConvAxis& axis = problem.axes[d];
      const std::int64_t part = take_item_digit(number, cut.boxes[d + 1]);
      item.classes[d] = take_item_digit(number, axis.classes);
      const std::int64_t positions =
          axis.stride == 1 ? axis.results : axis.positions(item.classes[d]);
      item.along[d] = part_of(positions, cut.box[d + 1].size, part);
    }
    item.panel = take_item_digit(number, cut.panels);
    item.group = take_item_digit(number, problem.groups);
    item.entries = part_of(problem.batch, cut.box[0].size, number);
    return item;
  }

  static_assert(2 * sizeof(Item) <= item_bytes);

  [[nodiscard]] KOKKOS_FUNCTION const index::ConvPass& pass_of(const Step& step, int d) const {
    return problem.axes[d].passes[step.pass[d]];
  }
  /// Positions of an item that a pass serves.
  KOKKOS_FUNCTION static Range served(const Item& item, const index::ConvPass& pass, int d) {
    return index::common(item.along[d], {pass.begin, pass.end});
  }
  /// Taps, or channels, of a stage.
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t taps_of(const Step& step, int d) const {
    return static_cast<std::int32_t>(
        index::smaller(cut.taps[d], pass_of(step, d).taps - step.tap[d]));
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t channels_of(const Step& step) const {
    return static_cast<std::int32_t>(index::smaller(cut.channels, problem.channels - step.channel));
  }

  template <class Team>
  KOKKOS_FUNCTION void compute(const Team& team, const Room& room, std::int64_t number,
                               Item* item) const {
    for_each_item(team, 1, [=, this](std::int64_t) { *item = item_of(number); });
    team.team_barrier();
    for_each_item(team, Tile::threads,
                  [=, this](std::int64_t thread) { begin(room, *item, static_cast<int>(thread)); });
    const auto first = [&](int d, int next) {
      return static_cast<std::int32_t>(problem.axes[d].first_pass[item->classes[d] + next]);
    };
    Step step;
    bool is_bias = true;
    for (step.pass[0] = first(0, 0); step.pass[0] < first(0, 1); ++step.pass[0]) {
      for (step.pass[1] = first(1, 0); step.pass[1] < first(1, 1); ++step.pass[1]) {
        for (step.pass[2] = first(2, 0); step.pass[2] < first(2, 1); ++step.pass[2]) {
          if (add_pass(team, room, item, step)) is_bias = false;
        }
      }
    }
    if (is_bias) team.team_barrier();  // else there was one behind the last stage
    for_each_item(team, Tile::threads,
                  [=, this](std::int64_t thread) { put(room, *item, static_cast<int>(thread)); });
    // No barrier: the next item has a place of its own, and changes sums behind a barrier only.
  }

  /// All channels and taps of a pass, stage by stage. Returns whether there were any.
  template <class Team>
  KOKKOS_FUNCTION bool add_pass(const Team& team, const Room& room, const Item* item,
                                Step& step) const {
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvPass& pass = pass_of(step, d);
      if (served(*item, pass, d).size() <= 0 || pass.taps == 0) return false;
    }
    const auto next = [&](std::int32_t at, std::int64_t by) {
      return at + static_cast<std::int32_t>(by);
    };
    for (step.channel = 0; step.channel < problem.channels;
         step.channel = next(step.channel, cut.channels)) {
      for (step.tap[0] = 0; step.tap[0] < pass_of(step, 0).taps;
           step.tap[0] = next(step.tap[0], cut.taps[0])) {
        for (step.tap[1] = 0; step.tap[1] < pass_of(step, 1).taps;
             step.tap[1] = next(step.tap[1], cut.taps[1])) {
          for (step.tap[2] = 0; step.tap[2] < pass_of(step, 2).taps;
               step.tap[2] = next(step.tap[2], cut.taps[2])) {
            add_stage(team, room, item, step);
          }
        }
      }
    }
    return problem.channels > 0;
  }

  template <class Team>
  KOKKOS_FUNCTION void add_stage(const Team& team, const Room& room, const Item* item,
                                 const Step& step) const {
    stage_window(team, problem.source, problem.axes, cut.window, stage_of(*item, step),
                 room.window);
    stage_weights(team, room, *item, step);
    team.team_barrier();
    for_each_item(team, Tile::threads, [=, this](std::int64_t thread) {
      accumulate(room, *item, step, static_cast<int>(thread));
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION DeviceConvStage stage_of(const Item& item, const Step& step) const {
    DeviceConvStage stage;
    stage.entry = item.entries.begin;
    stage.entries = static_cast<std::int32_t>(item.entries.size());
    stage.channel = item.group * problem.channels + step.channel;
    stage.channels = channels_of(step);
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvAxis& axis = problem.axes[d];
      const index::ConvPass& pass = pass_of(step, d);
      const Range range = served(item, pass, d);
      stage.first[d] =
          axis.source_of(pass, pass.is_backward ? range.end - 1 : range.begin, step.tap[d]);
      const std::int64_t reach =
          (range.size() - 1) * axis.step + (taps_of(step, d) - 1) * axis.spacing;
      stage.count[d] = static_cast<std::int32_t>(axis.gcd == 1 ? reach : reach / axis.gcd) + 1;
    }
    return stage;
  }

  KOKKOS_FUNCTION Meeting meeting_of(const Item& item, const Step& step) const {
    Meeting meeting;
    meeting.base = 0;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvPass& pass = pass_of(step, d);
      const Range range = served(item, pass, d);
      const std::int32_t apart = cut.window.position_steps[d];
      meeting.begin[d] = static_cast<std::int32_t>(range.begin - item.along[d].begin);
      meeting.end[d] = static_cast<std::int32_t>(range.end - item.along[d].begin);
      meeting.steps[d] = pass.is_backward ? -apart : apart;
      meeting.base += pass.is_backward ? (meeting.end[d] - 1) * apart : -meeting.begin[d] * apart;
    }
    return meeting;
  }

  /// The weights of some taps of some channels.
  template <class Team>
  KOKKOS_FUNCTION void stage_weights(const Team& team, const Room& room, const Item& item,
                                     const Step& step) const {
    const std::int32_t panel = cut.panel.size;
    const std::int64_t of_line = problem.axes[2].taps;
    const std::int64_t of_plane = problem.axes[1].taps * of_line;
    const std::int64_t of_channel = problem.axes[0].taps * of_plane;
    std::int64_t tap = 0;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      tap = tap * problem.axes[d].taps + pass_of(step, d).tap + step.tap[d];
    }
    const Scalar* const from =
        weights +
        (((item.group * cut.panels + item.panel) * problem.channels + step.channel) * of_channel +
         tap) *
            panel;
    const std::int32_t channels = channels_of(step);
    const std::int32_t taps[] = {taps_of(step, 0), taps_of(step, 1), taps_of(step, 2)};
    const std::int32_t lines = taps[0] * taps[1];
    const std::int32_t of_stage = lines * taps[2];
    // Whether all of it lies side by side.
    const bool is_whole = (channels * lines == 1 || taps[2] == of_line) &&
                          (channels * taps[0] == 1 || taps[1] * of_line == of_plane) &&
                          (channels == 1 || lines * of_line == of_channel);
    constexpr int together = is_narrow ? 1 : lanes::Pack<Scalar, lanes::DeviceThread>::lanes;
    const std::int64_t count = std::int64_t{channels} * of_stage * panel / together;
    for_each_item(team, count, [=, this](std::int64_t i) {
      const auto place = static_cast<std::int32_t>(i) * together;
      std::int64_t offset = place;
      if (!is_whole) {
        std::int32_t row = cut.panel.divide(place);
        const std::int32_t column = place - row * panel;
        const std::int32_t c = row / of_stage;
        row -= c * of_stage;
        const std::int32_t line = row / taps[2];
        const std::int32_t plane = line / taps[1];
        offset = (c * of_channel + plane * of_plane + (line - plane * taps[1]) * of_line + row -
                  line * taps[2]) *
                     panel +
                 column;
      }
      if constexpr (is_narrow) {
        room.weights[place] = from[offset];
      } else {
        lanes::Pack<Scalar, lanes::DeviceThread>::load(from + offset).store(room.weights + place);
      }
    });
  }

  /// What is staged, to the sums of a thread.
  KOKKOS_FUNCTION void accumulate(const Room& room, const Item& item, const Step& step,
                                  int thread) const {
    const std::int32_t column_thread = cut.position_threads.divide(thread);
    const std::int32_t column = column_thread * Tile::columns;
    if (column >= cut.panel.size) return;
    std::int32_t from[Tile::rows];
    bool is_met[Tile::rows];
    Sums sums;
    const Meeting meeting = meeting_of(item, step);
    const auto entries = static_cast<std::int32_t>(item.entries.size());
    for (int i = 0; i < Tile::rows; ++i) {
      from[i] = place_of(meeting, entries, position_of(thread, column_thread, i), is_met[i]);
      sums.load_row(room.sums, thread, i);
    }
    add_products(room.window, room.weights + column, step, from, sums);
    for (int i = 0; i < Tile::rows; ++i) {
      if (is_met[i]) sums.store_row(room.sums, thread, i);
    }
  }

  KOKKOS_FUNCTION void add_products(const Scalar* window, const Scalar* others, const Step& step,
                                    const std::int32_t (&from)[Tile::rows], Sums& sums) const {
    const std::int32_t taps[] = {taps_of(step, 0), taps_of(step, 1), taps_of(step, 2)};
    // With one tap, channels are what the inner loop runs over.
    const bool is_one = taps[0] * taps[1] * taps[2] == 1;
    const std::int32_t inner = is_one ? channels_of(step) : taps[2];
    const std::int32_t channels = is_one ? 1 : channels_of(step);
    const std::int32_t apart = is_one ? cut.window.channel_step : cut.window.tap_steps[2];
    for (std::int32_t c = 0; c < channels; ++c) {
      for (std::int32_t i = 0; i < taps[0]; ++i) {
        for (std::int32_t j = 0; j < taps[1]; ++j) {
          const Scalar* x = window + c * cut.window.channel_step + i * cut.window.tap_steps[0] +
                            j * cut.window.tap_steps[1];
          for (std::int32_t k = 0; k < inner; ++k) {
            sums.add(x, from, others);
            x += apart;
            others += cut.panel.size;
          }
        }
      }
    }
  }

  /// Sums of a thread before the first stage.
  KOKKOS_FUNCTION void begin(const Room& room, const Item& item, int thread) const {
    const std::int32_t column = cut.position_threads.divide(thread) * Tile::columns;
    if (column >= cut.panel.size) return;
    Sums sums;
    Scalar first[Tile::columns];
    Sums::read(bias + (item.group * cut.panels + item.panel) * cut.panel.size + column, first);
    for (int i = 0; i < Tile::rows; ++i) {
      for (int j = 0; j < Tile::columns; ++j) sums.values[i][j] = first[j];
      sums.store_row(room.sums, thread, i);
    }
  }

  /// The number of a thread's position in the box.
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t position_of(int thread, std::int32_t column_thread,
                                                         int row) const {
    return thread - column_thread * cut.position_threads.size + row * cut.position_threads.size;
  }

  /// Where a position meets the first tap and channel; that of another one where the pass does not
  /// serve it.
  KOKKOS_FUNCTION std::int32_t place_of(const Meeting& meeting, std::int32_t entries,
                                        std::int32_t position, bool& is_met) const {
    const DeviceConvDigits digits(cut.box, position);
    is_met = digits.at[0] < entries;
    std::int32_t place = meeting.base + digits.at[0] * cut.window.entry_step;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const std::int32_t at = digits.at[d + 1];
      is_met = is_met && at >= meeting.begin[d] && at < meeting.end[d];
      place += at * meeting.steps[d];
    }
    return is_met ? place : 0;
  }

  /// The results of a thread, to their places.
  KOKKOS_FUNCTION void put(const Room& room, const Item& item, int thread) const {
    const std::int32_t column_thread = cut.position_threads.divide(thread);
    const std::int64_t column = item.panel * cut.panel.size + column_thread * Tile::columns;
    if (column_thread * Tile::columns >= cut.panel.size) return;
    const ConvResult& result = problem.result;
    Scalar* const data = static_cast<Scalar*>(result.data) +
                         (item.group * problem.output_channels + column) * result.channel_stride;
    for (int i = 0; i < Tile::rows; ++i) {
      const DeviceConvDigits digits(cut.box, position_of(thread, column_thread, i));
      bool is_there = digits.at[0] < item.entries.size();
      std::int64_t offset = (item.entries.begin + digits.at[0]) * result.batch_stride;
      for (int d = 0; d < index::conv_dimensions; ++d) {
        is_there = is_there && digits.at[d + 1] < item.along[d].size();
        offset +=
            (item.classes[d] + (item.along[d].begin + digits.at[d + 1]) * problem.axes[d].stride) *
            result.space_strides[d];
      }
      if (!is_there) continue;
      for (int j = 0; j < Tile::columns; ++j) {
        if (column + j >= problem.output_channels) break;
        data[offset + j * result.channel_stride] = canonical(room.sums[Sums::place(thread, i, j)]);
      }
    }
  }
};

}  // namespace synelix::sweep
