// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
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
#include "operators/sweep/device_conv_window.hpp"
#include "pack/conv_block.hpp"
#include "tune/device_conv.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Gradients of convolutions by their weights, on a device: a team computes some taps of some
/// channels by some output channels, over a run of slices of positions. For each box of a slice,
/// the samples for the taps and the output gradient are staged in scratch. A thread multiplies some
/// weights with some output channels, and keeps their sums in registers until the end of a slice.
/// If there are fewer weights than the tiles of all threads, several threads share them: each is a
/// lane that takes every n-th position of a box.
///
/// A sum of a lane takes its positions in their order. The lanes of a slice are added in theirs,
/// and so are slices; runs of slices are added by `ConvReduceSplitKSweep`.

namespace synelix::sweep {

/// The functor.
template <class Scalar, int tile_columns>
struct DeviceConvGradWeightsSweep {
  using Tile = DeviceConvTile<Scalar, tile_columns>;
  using Sums = DeviceConvSums<Scalar, tile_columns>;
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  using Bounds =
      Kokkos::LaunchBounds<Tile::threads, tune::device_conv_resident(tile_columns, sizeof(Scalar))>;

  /// The pitch of items with the most columns.
  static constexpr int whole_pitch = tune::device_conv_pitch(sizeof(Scalar));
  static constexpr std::int64_t part_bytes = 512 + 64;  ///< of two parts and items

  ConvWeightsProblem problem;  ///< its result has a place for each partial if there are several
  DeviceConvGradCut cut;
  std::int64_t partial_stride = 0;  ///< between such results
  std::int64_t items = 0;           ///< all, or none
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t count, std::int64_t) const {
    return {count, Tile::threads, Tile::window_bytes + part_bytes};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const stage = team_memory<Scalar>(team, Tile::window_values);
    Room room;
    room.output_gradient = stage;
    room.window = stage + cut.positions * cut.pitch;
    room.notes = reinterpret_cast<DeviceConvNote*>(stage + Tile::window_values) - cut.window.notes;
    room.places = reinterpret_cast<std::int32_t*>(room.notes) - cut.positions;
    room.sums = stage;
    ThreadValues<Own, Tile::threads, Team> own(team);
    room.parts = team_memory<Part>(team, 2);
    room.items = team_memory<Item>(team, 2);
    for_each_thread<Tile::threads>(team, [=, this](int thread) { note_whole_slots(room, thread); });
    for_each_team_item(team, items, workspace.teams,
                       [&](std::int64_t i) { compute(team, room, own, i, room.items + i % 2); });
  }

 private:
  /// Positions that are staged together.
  struct Box {
    Range along[conv_box_dimensions];
    std::int32_t size;
  };
  /// The same with the samples for the taps of an item.
  struct Part {
    Box box;
    DeviceConvStage stage;
    std::int64_t offset;  ///< of the first slot in the source
    bool is_plain;        ///< whether the source has values of the working type
    bool is_noted;        ///< whether notes have the places of all slots
  };
  struct Item {
    std::int64_t group;
    std::int64_t panel;
    Range channels;
    Range taps[index::conv_dimensions];
    std::int64_t partial;
    std::int32_t rows;  ///< weights of a column
  };
  static_assert(2 * sizeof(Part) <= 320 && 2 * sizeof(Item) <= 192);
  /// The layout of scratch. Items and parts are stored there, because registers hold sums: the
  /// current ones, and the next part, or the previous item, whose results may still be written.
  struct Room {
    Scalar* output_gradient;  ///< (position, column)
    Scalar* window;           ///< in the layout of `DeviceConvWindow`
    std::int32_t* places;     ///< (position): its place for the first tap and channel
    DeviceConvNote* notes;    ///< after all other staged data
    Part* parts;
    Item* items;
    Scalar* sums;  ///< of a slice, (row and column of a thread, thread); they replace the staged
                   ///< data
  };
  /// The registers of a thread.
  struct Own {
    Sums sums;
    std::int32_t from[Tile::rows];  ///< places of its weights in the window of the first position
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
    item.rows = static_cast<std::int32_t>(item.channels.size());
    for (const index::SmallDivisor& taps : cut.taps) item.rows *= taps.size;
    return item;
  }

  template <class Team, class Owns>
  KOKKOS_FUNCTION void compute(const Team& team, const Room& room, Owns& own, std::int64_t number,
                               Item* item) const {
    for_each_item(team, 1, [=, this](std::int64_t) { *item = item_of(number); });
    team.team_barrier();
    const std::int64_t boxes = cut.boxes[0] * cut.boxes[1] * cut.boxes[2] * cut.boxes[3];
    const TeamShare slices = team_share(cut.slices, item->partial, cut.partials);
    for (std::int64_t slice = slices.begin; slice < slices.end; ++slice) {
      const Range of_slice = part_of(boxes, cut.slice_boxes, slice);
      for_each_item(team, 1, [=, this](std::int64_t) {
        if (of_slice.size() > 0) describe(*item, of_slice.begin, room.parts[of_slice.begin % 2]);
      });
      // Staged data also replace the sums of the previous slice.
      team.team_barrier();
      for_each_thread(team, own, [=, this](int thread, Own& kept) { begin(thread, kept); });
      for (std::int64_t i = of_slice.begin; i < of_slice.end; ++i) {
        add_box(team, room, own, item, i, i + 1 == of_slice.end);
      }
      for_each_thread(team, own,
                      [=](int thread, Own& kept) { kept.sums.store(room.sums, thread); });
      team.team_barrier();
      const bool is_empty = of_slice.size() == 0;
      const bool is_first = slice == slices.begin;
      for_each_thread<Tile::threads>(
          team, [=, this](int thread) { put(room, *item, thread, is_empty, is_first); });
    }
  }

  /// Describes a box of an item and the samples for its taps in scratch, since sums fill the
  /// registers.
  KOKKOS_FUNCTION void describe(const Item& item, std::int64_t number, Part& part) const {
    Box& box = part.box;
    box.size = 1;
    for (int d = conv_box_dimensions - 1; d >= 0; --d) {
      const std::int64_t positions = d == 0 ? problem.batch : problem.axes[d - 1].results;
      box.along[d] = part_of(positions, cut.box[d], take_item_digit(number, cut.boxes[d]));
      box.size *= static_cast<std::int32_t>(box.along[d].size());
    }
    const pack::ConvSource& source = problem.source;
    DeviceConvStage& stage = part.stage;
    stage.entry = box.along[0].begin;
    stage.entries = static_cast<std::int32_t>(box.along[0].size());
    stage.channel = item.group * problem.channels + item.channels.begin;
    stage.channels = static_cast<std::int32_t>(item.channels.size());
    part.offset = stage.entry * source.batch_stride + stage.channel * source.channel_stride;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvAxis& axis = problem.axes[d];
      stage.first[d] = axis.source_of(axis.pass(), box.along[d + 1].begin, item.taps[d].begin);
      const std::int64_t reach =
          (box.along[d + 1].size() - 1) * axis.step + (item.taps[d].size() - 1) * axis.spacing;
      stage.count[d] = static_cast<std::int32_t>(axis.gcd == 1 ? reach : reach / axis.gcd) + 1;
      part.offset += stage.first[d] * source.space_strides[d];
    }
    part.is_plain = pack::is_plain<Scalar>(source);
    part.is_noted = is_whole(stage);
  }

  /// Adds a box, which one thread has described. That thread describes the next one, if there is
  /// one, which is as much work as 100 multiply-adds of each thread.
  template <class Team, class Owns>
  KOKKOS_FUNCTION void add_box(const Team& team, const Room& room, Owns& own, const Item* item,
                               std::int64_t number, bool ends) const {
    const Part* const part = room.parts + number % 2;
    Part* const next = room.parts + (number + 1) % 2;
    for_each_thread<Tile::threads>(team, [=, this](int thread) {
      const DeviceConvStage& stage = part->stage;
      if (tune::device_conv_has_registers && part->is_noted) {
        stage_noted<Tile::threads>(problem.source, part->is_plain, cut.window, stage.channel,
                                   stage.channels, part->offset, room.notes, room.window, thread);
      } else {
        stage_window<Tile::threads>(problem.source, problem.axes, cut.window, stage, room.window,
                                    thread);
      }
      stage_output_gradient(room, *item, part->box, thread);
    });
    team.team_barrier();
    for_each_thread(team, own, [=, this](int thread, Own& kept) {
      if (thread == 0 && !ends) describe(*item, number + 1, *next);
      accumulate(room, part->box, item->rows, thread, kept);
    });
    team.team_barrier();
  }

  /// Notes the slots of the largest window, counted from the beginning of the source. If the source
  /// is smaller, no window has this size, and the notes are not read.
  KOKKOS_FUNCTION void note_whole_slots(const Room& room, int thread) const {
    DeviceConvStage stage;
    stage.entry = stage.channel = 0;
    stage.entries = cut.window.entries.size;
    stage.channels = 0;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      stage.first[d] = 0;
      stage.count[d] = cut.window.slots[d].size;
    }
    note_slots<Tile::threads>(problem.source, problem.axes, cut.window, stage, room.notes, thread);
  }
  /// Whether a stage has the full number of slots, all inside the source.
  KOKKOS_FUNCTION bool is_whole(const DeviceConvStage& stage) const {
    bool is_whole = cut.window.notes > 0 && stage.entries == cut.window.entries.size;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      const index::ConvAxis& axis = problem.axes[d];
      is_whole = is_whole && stage.count[d] == cut.window.slots[d].size && stage.first[d] >= 0 &&
                 stage.first[d] + (stage.count[d] - 1) * axis.gcd < axis.sources;
    }
    return is_whole;
  }

  /// Stages a thread's share of the output gradient of a box, and the place of each position in the
  /// window. Neighboring threads read neighboring channels, or otherwise 8 neighboring positions,
  /// such that a warp writes to different banks.
  KOKKOS_FUNCTION void stage_output_gradient(const Room& room, const Item& item, const Box& box,
                                             int thread) const {
    const std::int64_t first = item.group * problem.output_channels + item.panel * cut.panel.size;
    const auto columns = static_cast<std::int32_t>(
        index::smaller(cut.panel.size, problem.output_channels - item.panel * cut.panel.size));
    const bool is_plain = pack::is_plain<Scalar>(problem.output_gradient);
    if (is_plain && cut.output_gradient_has_packs &&
        reinterpret_cast<std::uintptr_t>(problem.output_gradient.data) % sizeof(Pack) == 0) {
      const DeviceConvLines<Scalar> lines{problem.output_gradient,
                                          box.along,
                                          cut.window,
                                          room.output_gradient,
                                          room.places,
                                          first,
                                          columns,
                                          cut.panel.size};
      if (tune::device_conv_has_registers && cut.pitch == whole_pitch) {
        return lines.template stage<Tile::threads>(thread, DeviceConvPitch<whole_pitch>());
      }
      return lines.template stage<Tile::threads>(thread, cut.pitch);
    }
    const bool is_by_channel = cut.output_gradient_is_by_channel;
    const std::int32_t fast = is_by_channel && cut.panel.size > 8 ? 32 : 8;
    const std::int32_t slow = Tile::threads / fast;
    const std::int32_t first_position = is_by_channel ? thread / fast : thread % fast;
    const std::int32_t first_column = is_by_channel ? thread % fast : thread / fast;
    const std::int32_t next_position = is_by_channel ? slow : fast;
    const std::int32_t next_column = is_by_channel ? fast : slow;
    const std::int64_t stride = problem.output_gradient.channel_stride;
    for (std::int32_t position = first_position; position < box.size; position += next_position) {
      std::int32_t left = position;
      std::int64_t offset = (first + first_column) * stride;
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
      if (first_column == 0) room.places[position] = place;
      Scalar* const to = room.output_gradient + position * cut.pitch;
      std::int32_t column = first_column;
      if (is_plain) {
        const Scalar* from = static_cast<const Scalar*>(problem.output_gradient.data) + offset;
        SYNELIX_UNROLL(4)
        for (; column < columns; column += next_column) {
          to[column] = *from;
          from += next_column * stride;
        }
      } else {
        for (; column < columns; column += next_column) {
          to[column] = pack::conv_value<Scalar>(problem.output_gradient, first + column, offset);
          offset += next_column * stride;
        }
      }
      for (; column < cut.panel.size; column += next_column) to[column] = Scalar(0);
    }
  }

  /// The weights and the lane of a thread.
  struct Place {
    std::int32_t row;
    std::int32_t column;
    std::int32_t lane;
  };
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Place place_of_thread(int thread) const {
    Place place;
    std::int32_t left = thread;
    place.row = cut.row_threads.take_digit(left);
    place.column = cut.column_threads.take_digit(left);
    place.lane = left;
    return place;
  }

  /// Sets the sums of a thread before the first box of a slice.
  KOKKOS_FUNCTION void begin(int thread, Own& own) const {
    const Place place = place_of_thread(thread);
    SYNELIX_UNROLL(16)
    for (int i = 0; i < Tile::rows; ++i) {
      const std::int32_t row = place.row + i * cut.row_threads.size;
      own.from[i] = row < cut.rows ? place_of(row) : 0;
      SYNELIX_UNROLL(16)
      for (int j = 0; j < Tile::columns; ++j) own.sums.values[i][j] = Scalar(0);
    }
  }

  /// Adds the staged products to the sums of a thread: line after line, or every n-th position.
  KOKKOS_FUNCTION void accumulate(const Room& room, const Box& box, std::int32_t rows, int thread,
                                  Own& own) const {
    const Place place = place_of_thread(thread);
    if (place.lane >= cut.lanes || place.row >= rows) return;
    // Rows of a thread that are not needed are skipped if they are most of its rows.
    const std::int32_t used = cut.row_threads.divide(rows - 1) + 1;
    const bool is_part = tune::device_conv_has_registers && 2 * used <= Tile::rows;
    const std::uint32_t met = (1U << used) - 1;
    const Scalar* const others = room.output_gradient + place.column * Tile::columns;
    const bool is_alone = cut.lanes == 1;
    const auto length = is_alone ? static_cast<std::int32_t>(box.along[3].size()) : 1;
    const std::int32_t next = is_alone ? length : cut.lanes;
    for (std::int32_t p = place.lane; p < box.size; p += next) {
      const Scalar* const window = room.window + room.places[p];
      const Scalar* x[Tile::rows];
      SYNELIX_UNROLL(16)
      for (int i = 0; i < Tile::rows; ++i) x[i] = window + own.from[i];
      const Scalar* const from = others + p * cut.pitch;
      const std::int32_t apart = cut.window.position_steps[2];
      if (is_part) {
        own.sums.add_line_where(met, x, length, apart, from, cut.pitch);
      } else if (tune::device_conv_has_registers && cut.pitch == whole_pitch) {
        own.sums.add_line(x, length, apart, from, DeviceConvPitch<whole_pitch>());
      } else {
        own.sums.add_line(x, length, apart, from, cut.pitch);
      }
    }
  }

  /// The place of a weight of an item in the window of the first position. Rows are (channel,
  /// taps).
  [[nodiscard]] KOKKOS_FUNCTION std::int32_t place_of(std::int32_t row) const {
    std::int32_t place = 0;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      place += cut.taps[d].take_digit(row) * cut.window.tap_steps[d];
    }
    return place + row * cut.window.channel_step;
  }

  /// Stores a thread's share of the sums of a slice, or adds it to the stored sums. Neighboring
  /// threads write neighboring weights: taps and channels, or output channels.
  KOKKOS_FUNCTION void put(const Room& room, const Item& item, int thread, bool is_empty,
                           bool is_first) const {
    const bool by_column = problem.result.output_channel_stride == 1;
    const std::int32_t extent = by_column ? cut.panel.size : cut.rows;
    const std::int32_t fast = extent < Tile::threads ? extent : Tile::threads;
    const std::int32_t slow = Tile::threads / fast;
    const std::int32_t at_slow = thread / fast;
    const std::int32_t at_fast = thread - at_slow * fast;
    if (at_slow >= slow) return;
    for (std::int32_t row = by_column ? at_slow : at_fast; row < cut.rows;
         row += by_column ? slow : fast) {
      put_row(room, item, row, by_column ? at_fast : at_slow, by_column ? fast : slow,
              is_empty ? 0 : cut.lanes, is_first);
    }
  }

  /// Stores every n-th column of a row, summed over the lanes.
  KOKKOS_FUNCTION void put_row(const Room& room, const Item& item, std::int32_t row,
                               std::int32_t column, std::int32_t apart, std::int32_t lanes,
                               bool is_first) const {
    const pack::ConvWeights<void>& result = problem.result;
    std::int32_t left = row;
    std::int64_t place = item.partial * partial_stride + item.group * result.group_stride;
    bool is_there = true;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const std::int32_t tap = cut.taps[d].take_digit(left);
      is_there = is_there && tap < item.taps[d].size();
      place += (item.taps[d].begin + tap) * result.tap_strides[d];
    }
    place += (item.channels.begin + left) * result.channel_stride;
    if (!is_there || left >= item.channels.size()) return;
    const std::int64_t first = item.panel * cut.panel.size;
    const auto columns =
        static_cast<std::int32_t>(index::smaller(cut.panel.size, problem.output_channels - first));
    const std::int32_t row_of_thread = cut.row_threads.divide(row);
    const std::int32_t row_thread = row - row_of_thread * cut.row_threads.size;
    Scalar* to =
        static_cast<Scalar*>(result.data) + place + (first + column) * result.output_channel_stride;
    if (tune::device_conv_has_registers && apart == 1 && lanes == 1) {
      for (std::int32_t thread = row_thread; column < columns; thread += cut.row_threads.size) {
        const Scalar* const from = room.sums + Sums::place(thread, row_of_thread, 0);
        const std::int32_t behind = columns - column;
        SYNELIX_UNROLL(16)
        for (int j = 0; j < Tile::columns; ++j) {
          if (j >= behind) continue;
          add_sum(from[j * Tile::threads], is_first, to);
          to += result.output_channel_stride;
        }
        column += Tile::columns;
      }
      return;
    }
    for (; column < columns; column += apart) {
      std::int32_t thread = column / Tile::columns * cut.row_threads.size + row_thread;
      Scalar sum(0);
      for (std::int32_t lane = 0; lane < lanes; ++lane) {
        sum += room.sums[Sums::place(thread, row_of_thread, column % Tile::columns)];
        thread += cut.column_threads.size * cut.row_threads.size;
      }
      add_sum(sum, is_first, to);
      to += apart * result.output_channel_stride;
    }
  }
  KOKKOS_INLINE_FUNCTION static void add_sum(Scalar sum, bool is_first, Scalar* to) {
    *to = canonical(is_first ? sum : *to + sum);
  }
};

}  // namespace synelix::sweep
