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
#include "launch/thread_values.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/device_conv_copies.hpp"
#include "operators/sweep/device_conv_item.hpp"
#include "operators/sweep/device_conv_window.hpp"
#include "tune/device_conv.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Convolutions on a device, and their gradients by input: a team computes a box of positions by
/// some output channels. The samples in the windows of some channels are staged in scratch, with
/// their weights, which `ConvWeightsSweep` has converted. A thread multiplies some positions with
/// some output channels. Its registers hold the sums and the places of its positions in the window,
/// and hardly anything else: threads read the data of the item and the stage again when needed.
///
/// A sum begins with the bias. It takes passes, of a pass channels, of a channel taps in their
/// order, for any division into stages.

namespace synelix::sweep {

/// The functor.
template <class Scalar, int tile_columns>
struct DeviceConvSweep {
  using Tile = DeviceConvTile<Scalar, tile_columns>;
  using Sums = DeviceConvSums<Scalar, tile_columns>;
  using Copies = DeviceConvCopies<Scalar, tile_columns>;
  using Bounds =
      Kokkos::LaunchBounds<Tile::threads, tune::device_conv_resident(tile_columns, sizeof(Scalar))>;
  static constexpr std::int64_t item_bytes = 256;  ///< of two items, aligned to a cache line
  /// The columns of an item with many positions.
  static constexpr int item_columns = tune::device_conv_item_columns * tile_columns;

  ConvProblem problem;
  DeviceConvCut cut;
  const Scalar* weights = nullptr;  ///< (group, panel, channel, tap, column)
  const Scalar* bias = nullptr;     ///< (group, panel, column)
  std::int64_t items = 0;           ///< all, or none
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t count, std::int64_t) const {
    return {count, Tile::threads, Tile::window_bytes + item_bytes};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(items, team.league_rank(), workspace.teams);
    const Room room = room_of(team);
    ThreadValues<Own, Tile::threads, Team> own(team);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      compute(team, room, own, i, room.items + (i - share.begin) % 2);
    }
  }

 private:
  using Item = DeviceConvItem;
  /// The layout of scratch. Items are stored there, because registers hold sums: the current one,
  /// and the previous one, whose results may still be written.
  struct Room {
    Scalar* weights;  ///< (channel, tap, column)
    Scalar* window;   ///< in the layout of `DeviceConvWindow`
    DeviceConvNote* notes;
    Item* items;
  };
  /// The registers of a thread.
  struct Own {
    Sums sums;
    std::int32_t from[Tile::rows];  ///< places of its positions for the first tap and channel
    /// A bit for each position: 1 if the pass serves it, or if it does not exist; 0 if the pass
    /// serves none.
    std::uint32_t met;
  };
  static constexpr std::uint32_t all_met = (1U << Tile::rows) - 1;
  /// The contents of a stage: some channels and taps of a pass.
  struct Step {
    std::int32_t pass[index::conv_dimensions];
    std::int32_t channel;
    std::int32_t tap[index::conv_dimensions];
  };
  /// The common properties of all stages of a pass.
  struct Staging {
    bool is_plain;      ///< whether the source has values of the working type
    bool is_noted;      ///< whether notes have the places of slots
    bool has_all_taps;  ///< whether each stage has all taps
  };
  /// The places of an item's positions in the staged window.
  struct Meeting {
    std::int32_t base;                           ///< place of position 0 for the first tap
    std::int32_t steps[index::conv_dimensions];  ///< of the window, from position to position
    std::int32_t begin[index::conv_dimensions];  ///< positions that the pass serves
    std::int32_t end[index::conv_dimensions];
  };

  template <class Team>
  KOKKOS_FUNCTION Room room_of(const Team& team) const {
    auto* const stage = team_memory<Scalar>(team, Tile::window_values);
    const std::int64_t inner = cut.channels * cut.taps[0] * cut.taps[1] * cut.taps[2];
    auto* const end = reinterpret_cast<DeviceConvNote*>(stage + Tile::window_values);
    return {stage, stage + cut.panel.size * inner, end - cut.window.notes,
            team_memory<Item>(team, 2)};
  }

  static_assert(2 * sizeof(Item) <= item_bytes);

  [[nodiscard]] KOKKOS_FUNCTION const index::ConvPass& pass_of(const Step& step, int d) const {
    return problem.axes[d].passes[step.pass[d]];
  }
  /// Positions of an item that a pass serves.
  KOKKOS_FUNCTION static Range served(const Item& item, const index::ConvPass& pass, int d) {
    return index::common(item.along[d], {pass.begin, pass.end});
  }
  /// Number of taps, or channels, of a stage.
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t taps_of(const Step& step, int d) const {
    return static_cast<std::int32_t>(
        index::smaller(cut.taps[d], pass_of(step, d).taps - step.tap[d]));
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t channels_of(const Step& step) const {
    return static_cast<std::int32_t>(index::smaller(cut.channels, problem.channels - step.channel));
  }

  template <class Team, class Owns>
  KOKKOS_FUNCTION void compute(const Team& team, const Room& room, Owns& own, std::int64_t number,
                               Item* item) const {
    for_each_item(team, 1,
                  [=, this](std::int64_t) { *item = device_conv_item(problem, cut, number); });
    team.team_barrier();
    for_each_thread(team, own, [=, this](int thread, Own& kept) { begin(*item, thread, kept); });
    const auto first = [&](int d, int next) {
      return static_cast<std::int32_t>(problem.axes[d].first_pass[item->classes[d] + next]);
    };
    Step step;
    bool is_first = true;
    for (step.pass[0] = first(0, 0); step.pass[0] < first(0, 1); ++step.pass[0]) {
      for (step.pass[1] = first(1, 0); step.pass[1] < first(1, 1); ++step.pass[1]) {
        for (step.pass[2] = first(2, 0); step.pass[2] < first(2, 1); ++step.pass[2]) {
          add_pass(team, room, own, item, step, is_first);
        }
      }
    }
    for_each_thread(team, own, [=, this](int thread, Own& kept) { put(*item, thread, kept); });
    // No barrier: the next item has a separate place, and a barrier after that.
  }

  /// All channels and taps of a pass, stage by stage.
  template <class Team, class Owns>
  KOKKOS_FUNCTION void add_pass(const Team& team, const Room& room, Owns& own, const Item* item,
                                Step& step, bool& is_first) const {
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvPass& pass = pass_of(step, d);
      if (served(*item, pass, d).size() <= 0 || pass.taps == 0) return;
    }
    step.channel = 0;
    Staging staging{pack::is_plain<Scalar>(problem.source), cut.window.notes > 0, true};
    for (int d = 0; d < index::conv_dimensions; ++d) {
      step.tap[d] = 0;
      const std::int64_t taps = pass_of(step, d).taps;
      staging.is_noted = staging.is_noted && taps <= cut.taps[d];
      staging.has_all_taps =
          staging.has_all_taps && taps == cut.taps[d] && taps == problem.axes[d].taps;
    }
    const bool is_noted = staging.is_noted;
    const Step first = step;
    for_each_thread(team, own, [=, this](int thread, Own& kept) {
      meet(*item, first, thread, kept);
      if (!tune::device_conv_has_registers || !is_noted) return;
      note_slots<Tile::threads>(problem.source, problem.axes, cut.window, stage_of(*item, first),
                                room.notes, thread);
    });
    const auto next = [&](std::int32_t at, std::int64_t by) {
      return at + static_cast<std::int32_t>(by);
    };
    for (step.channel = 0; step.channel < problem.channels;
         step.channel = next(step.channel, cut.channels)) {
      for (step.tap[0] = 0; has_taps(step, staging, 0);
           step.tap[0] = next(step.tap[0], cut.taps[0])) {
        for (step.tap[1] = 0; has_taps(step, staging, 1);
             step.tap[1] = next(step.tap[1], cut.taps[1])) {
          for (step.tap[2] = 0; has_taps(step, staging, 2);
               step.tap[2] = next(step.tap[2], cut.taps[2])) {
            // The first stage is after the barrier of the item.
            if (!is_first) team.team_barrier();
            is_first = false;
            add_stage(team, room, own, item, step, staging);
          }
        }
      }
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION bool has_taps(const Step& step, const Staging& staging,
                                              int d) const {
    return tune::device_conv_has_registers && staging.has_all_taps
               ? step.tap[d] == 0
               : step.tap[d] < pass_of(step, d).taps;
  }

  template <class Team, class Owns>
  KOKKOS_FUNCTION void add_stage(const Team& team, const Room& room, Owns& own, const Item* item,
                                 const Step& step, const Staging& staging) const {
    for_each_thread<Tile::threads>(team, [=, this](int thread) {
      if (tune::device_conv_has_registers && staging.is_noted) {
        const pack::ConvSource& source = problem.source;
        const std::int64_t channel = item->group * problem.channels + step.channel;
        stage_noted<Tile::threads>(
            source, staging.is_plain, cut.window, channel, channels_of(step),
            item->entries.begin * source.batch_stride + channel * source.channel_stride, room.notes,
            room.window, thread);
      } else {
        stage_window<Tile::threads>(problem.source, problem.axes, cut.window, stage_of(*item, step),
                                    room.window, thread);
      }
      stage_weights(room, *item, step, staging.has_all_taps, thread);
    });
    team.team_barrier();
    for_each_thread(team, own, [=, this](int thread, Own& kept) {
      if (column_of(thread) < cut.panel.size) add_products(room, step, staging, thread, kept);
    });
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

  /// Stages a thread's share of the weights of some taps of some channels.
  KOKKOS_FUNCTION void stage_weights(const Room& room, const Item& item, const Step& step,
                                     bool has_all_taps, int thread) const {
    const std::int32_t panel = cut.panel.size;
    const std::int64_t channel =
        (item.group * cut.panels + item.panel) * problem.channels + step.channel;
    const std::int32_t channels = channels_of(step);
    if (tune::device_conv_has_registers && has_all_taps) {
      const std::int32_t size =
          static_cast<std::int32_t>(cut.taps[0] * cut.taps[1] * cut.taps[2]) * panel;
      return Copies::copy_run(weights + channel * size, room.weights, channels * size, thread);
    }
    const std::int64_t of_line = problem.axes[2].taps;
    const std::int64_t of_plane = problem.axes[1].taps * of_line;
    const std::int64_t of_channel = problem.axes[0].taps * of_plane;
    std::int64_t tap = 0;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      tap = tap * problem.axes[d].taps + pass_of(step, d).tap + step.tap[d];
    }
    const Scalar* const from = weights + (channel * of_channel + tap) * panel;
    const std::int32_t taps[] = {taps_of(step, 0), taps_of(step, 1), taps_of(step, 2)};
    const std::int64_t apart[] = {of_channel, of_plane, of_line};
    Copies::copy_taps(from, apart, taps, cut.panel, channels, room.weights, thread);
  }

  /// The first column of a thread; the end of the panel or later if it has none.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int32_t column_of(int thread) const {
    return cut.position_threads.divide(thread) * Tile::columns;
  }

  /// Adds the products of a stage to the sums of a thread.
  KOKKOS_FUNCTION void add_products(const Room& room, const Step& step, const Staging& staging,
                                    int thread, Own& own) const {
    if (tune::device_conv_has_registers && own.met == 0) return;
    const Scalar* others = room.weights + column_of(thread);
    std::int32_t taps[index::conv_dimensions];
    for (int d = 0; d < index::conv_dimensions; ++d) {
      taps[d] = tune::device_conv_has_registers && staging.has_all_taps
                    ? static_cast<std::int32_t>(cut.taps[d])
                    : taps_of(step, d);
    }
    // With one tap, the inner loop runs over channels.
    const bool is_one = taps[0] * taps[1] * taps[2] == 1;
    const std::int32_t inner = is_one ? channels_of(step) : taps[2];
    const std::int32_t channels = is_one ? 1 : channels_of(step);
    const std::int32_t apart = is_one ? cut.window.channel_step : cut.window.tap_steps[2];
    const std::int32_t panel = cut.panel.size;
    // Addresses advance from line to line with one addition each.
    std::int32_t next_plane = cut.window.tap_steps[0] - taps[1] * cut.window.tap_steps[1];
    const std::int32_t next_channel = cut.window.channel_step - taps[0] * cut.window.tap_steps[0];
    const bool is_flat = tune::device_conv_has_registers && taps[0] == 1;
    if (is_flat) next_plane += next_channel;
    const Scalar* at[Tile::rows];
    SYNELIX_UNROLL(16)
    for (int row = 0; row < Tile::rows; ++row) at[row] = room.window + own.from[row];
    const auto move = [&](std::int32_t by) {
      SYNELIX_UNROLL(16)
      for (int row = 0; row < Tile::rows; ++row) at[row] += by;
    };
    const auto for_each_line = [&](const auto& add) {
      for (std::int32_t c = 0; c < channels; ++c) {
        for (std::int32_t i = 0; i < taps[0]; ++i) {
          for (std::int32_t j = 0; j < taps[1]; ++j) {
            const Scalar* x[Tile::rows];
            SYNELIX_UNROLL(16)
            for (int row = 0; row < Tile::rows; ++row) x[row] = at[row];
            add(x);
            others += inner * panel;
            move(cut.window.tap_steps[1]);
          }
          move(next_plane);
        }
        if (!is_flat) move(next_channel);
      }
    };
    if (own.met != all_met) {
      for_each_line([&](const Scalar*(&x)[Tile::rows]) {
        own.sums.add_line_where(own.met, x, inner, apart, others, panel);
      });
    } else if (tune::device_conv_has_registers && Tile::columns > 1 && apart == 1 && inner == 3 &&
               taps[0] == 1 && taps[1] == 3 && panel == item_columns) {
      own.sums.template add_squares<item_columns>(at, cut.window.tap_steps[1],
                                                  cut.window.channel_step, others, channels);
    } else if (apart == 1 && inner == 3) {
      for_each_line([&](const Scalar*(&x)[Tile::rows]) {
        own.sums.template add_neighbours<3>(x, others, panel);
      });
    } else {
      for_each_line([&](const Scalar*(&x)[Tile::rows]) {
        own.sums.add_line(x, inner, apart, others, panel);
      });
    }
  }

  /// Sets the sums of a thread before the first stage.
  KOKKOS_FUNCTION void begin(const Item& item, int thread, Own& own) const {
    const std::int32_t column = column_of(thread);
    if (column >= cut.panel.size) return;
    Scalar first[Tile::columns];
    Sums::read(bias + (item.group * cut.panels + item.panel) * cut.panel.size + column, first);
    SYNELIX_UNROLL(16)
    for (int i = 0; i < Tile::rows; ++i) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < Tile::columns; ++j) own.sums.values[i][j] = first[j];
    }
  }

  /// Computes the places of a thread's positions in the window that a pass stages.
  KOKKOS_FUNCTION void meet(const Item& item, const Step& step, int thread, Own& own) const {
    const Meeting meeting = meeting_of(item, step);
    const std::int32_t column_thread = cut.position_threads.divide(thread);
    own.met = 0;
    bool has_any = false;
    SYNELIX_UNROLL(16)
    for (int i = 0; i < Tile::rows; ++i) {
      const std::int32_t position = position_of(thread, column_thread, i);
      const DeviceConvDigits digits(cut.box, item.first + position);
      bool is_there = position < item.positions && digits.at[0] < item.entries.size();
      bool is_met = true;
      std::int32_t place = meeting.base + digits.at[0] * cut.window.entry_step;
      for (int d = 0; d < index::conv_dimensions; ++d) {
        const std::int32_t at = digits.at[d + 1];
        is_there = is_there && at < item.along[d].size();
        is_met = is_met && at >= meeting.begin[d] && at < meeting.end[d];
        place += at * meeting.steps[d];
      }
      own.from[i] = is_there && is_met ? place : 0;
      if (!is_there || is_met) own.met |= 1U << i;
      // Positions that no thread has are excluded.
      if (i * cut.position_threads.size >= item.positions) own.met &= ~(1U << i);
      has_any = has_any || (is_there && is_met);
    }
    if (!has_any) own.met = 0;
  }

  /// The number of a thread's position in the box.
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t position_of(int thread, std::int32_t column_thread,
                                                         int row) const {
    return thread - column_thread * cut.position_threads.size + row * cut.position_threads.size;
  }

  /// Stores the results of a thread.
  KOKKOS_FUNCTION void put(const Item& item, int thread, const Own& own) const {
    const std::int32_t column_thread = cut.position_threads.divide(thread);
    const std::int64_t column = item.panel * cut.panel.size + column_thread * Tile::columns;
    if (column_thread * Tile::columns >= cut.panel.size) return;
    const auto columns =
        static_cast<std::int32_t>(index::smaller(Tile::columns, problem.output_channels - column));
    const ConvResult& result = problem.result;
    Scalar* const data = static_cast<Scalar*>(result.data) +
                         (item.group * problem.output_channels + column) * result.channel_stride;
    SYNELIX_UNROLL(16)
    for (int i = 0; i < Tile::rows; ++i) {
      const std::int32_t position = position_of(thread, column_thread, i);
      const DeviceConvDigits digits(cut.box, item.first + position);
      bool is_there = position < item.positions && digits.at[0] < item.entries.size();
      std::int64_t offset = (item.entries.begin + digits.at[0]) * result.batch_stride;
      for (int d = 0; d < index::conv_dimensions; ++d) {
        is_there = is_there && digits.at[d + 1] < item.along[d].size();
        offset +=
            (item.classes[d] + (item.along[d].begin + digits.at[d + 1]) * problem.axes[d].stride) *
            result.space_strides[d];
      }
      if (!is_there) continue;
      Scalar* to = data + offset;
      if (tune::device_conv_has_registers && columns == Tile::columns) {
        SYNELIX_UNROLL(16)
        for (int j = 0; j < Tile::columns; ++j, to += result.channel_stride) {
          *to = canonical(own.sums.values[i][j]);
        }
      } else {
        SYNELIX_UNROLL(16)
        for (int j = 0; j < Tile::columns; ++j, to += result.channel_stride) {
          if (j < columns) *to = canonical(own.sums.values[i][j]);
        }
      }
    }
  }
};

}  // namespace synelix::sweep
