// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "launch/team.hpp"
#include "pack/source.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The event method as a parallel loop. A work item is strips x channels x bases. A virtual item
/// has a few channels: sums of (row, channel, basis) start at zero in the team's workspace, the
/// taps of each event are added to the rows whose windows contain it, newest event first, and the
/// rows are stored. Segments and events are searched once, then traversed in order. Time grows with
/// events x window x bases, and with the features that are stored.

namespace synelix::sweep {

/// The functor. `Tiles` adds one event. A team's share of the workspace holds, for each virtual
/// item in flight, sums of (row, channel, basis).
template <class Scalar, class Tiles>
struct EventSweep {
  Problem<Scalar> problem;
  pack::EventSource events;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Tiles tiles;
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    compute_items(team, *this, grid.bases, [&](std::int64_t number, const index::WorkItem& item) {
      compute_item(team, number, item);
    });
    tiles.fence_streams();
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, std::int64_t number,
                                    const index::WorkItem& item) const {
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    const std::int64_t groups = index::ceil_divide(item.channels.size(), mapping.event_channels);
    for_each_item(team, groups, [=, this](std::int64_t k) {
      const std::int64_t first = item.channels.begin + k * mapping.event_channels;
      const Range channels{first,
                           index::smaller(first + mapping.event_channels, item.channels.end)};
      const std::int64_t slot = workspace.bytes / mapping.team_size;
      auto* const sums = reinterpret_cast<Scalar*>(memory + k % mapping.team_size * slot);
      compute(item.strips, channels, item.bases, sums);
      if (k == 0 && record.items != nullptr) record.items[number] = item;
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void compute(Range strips, Range channels, Range bases, Scalar* sums) const {
    const std::int64_t width = bases.size();
    const std::int64_t row =
        tune::event_row(channels.size() * width, static_cast<std::int64_t>(sizeof(Scalar)));
    std::int64_t first_segment = problem.segment_of(strips.begin);
    const std::int64_t first_row =
        problem.strip_from(first_segment, strips.begin, features.rows).row;
    std::int64_t last_segment = first_segment;
    const index::Strip last = problem.strip_from(last_segment, strips.end - 1, features.rows);
    const std::int64_t size = (last.row + last.rows - first_row) * row;
    for (std::int64_t k = 0; k < size; ++k) sums[k] = Scalar(0);
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      Scalar* const of_channel = sums + (c - channels.begin) * width;
      std::int64_t segment = last_segment;
      std::int64_t trial = -1;
      std::int64_t e = 0;
      for (std::int64_t number = strips.end; number-- > strips.begin;) {
        const index::Strip strip = problem.strip_from(segment, number, features.rows);
        if (index::valued_rows(strip, problem.layout.every).size() == 0) continue;
        const pack::EventSource& list = events.of(strip.trial);
        if (strip.trial != trial) e = list.begins[c + 1];
        trial = strip.trial;
        e = add_events(strip, list, {list.begins[c], e}, bases,
                       of_channel + (strip.row - first_row) * row, row);
      }
    }
    // Strips whose rows are consecutive in the features are stored together.
    index::Strip run;
    run.row = first_row;
    for (std::int64_t number = strips.begin; number < strips.end; ++number) {
      const index::Strip strip = problem.strip_from(first_segment, number, features.rows);
      mark_missing(strip, sums + (strip.row - first_row) * row, row);
      if (strip.rows == 0) continue;
      if (strip.trial == run.trial && strip.row == run.row + run.rows) {
        run.rows += strip.rows;
        continue;
      }
      store(run, channels, bases, sums + (run.row - first_row) * row, row);
      run = strip;
    }
    store(run, channels, bases, sums + (run.row - first_row) * row, row);
  }

  /// Sets sums of rows without a value to NaN; rows are `size` values apart.
  KOKKOS_FUNCTION void mark_missing(const index::Strip& strip, Scalar* rows,
                                    std::int64_t size) const {
    const Range valued = index::valued_rows(strip, problem.layout.every);
    if (valued.size() == strip.rows) return;
    for (std::int64_t i = 0; i < valued.begin * size; ++i) rows[i] = missing_value<Scalar>();
    for (std::int64_t i = valued.end * size; i < strip.rows * size; ++i) {
      rows[i] = missing_value<Scalar>();
    }
  }

  /// Stores rows of a trial in the features; rows are `row` sums apart.
  KOKKOS_FUNCTION void store(const index::Strip& run, Range channels, Range bases,
                             const Scalar* sums, std::int64_t row) const {
    if (run.rows == 0) return;
    const FeatureTarget<Scalar>& own = features.of(run.trial);
    const std::int64_t width = bases.size();
    const std::int64_t to_row = (run.row - own.rows.begin) * own.row_stride;
    if constexpr (Tiles::spreads) {
      if (lie_side_by_side(own, channels, width)) {
        tiles.store_copy({.to = own.first_row(channels.begin, bases.begin) + to_row,
                          .to_step = own.row_stride,
                          .from = sums,
                          .from_step = row,
                          .count = channels.size() * width,
                          .rows = run.rows},
                         features.stores);
        return;
      }
    }
    Scalar* places[tune::most_event_channels];
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      places[c - channels.begin] = own.first_row(c, bases.begin) + to_row;
    }
    for (std::int64_t r = 0; r < run.rows; ++r) {
      for (std::int64_t i = 0; i < channels.size(); ++i) {
        store_bases(places[i] + r * own.row_stride, own.basis_stride, sums + r * row + i * width,
                    width);
      }
    }
  }

  /// Whether the features of a row of some channels are contiguous.
  [[nodiscard]] KOKKOS_FUNCTION static bool lie_side_by_side(const FeatureTarget<Scalar>& own,
                                                             Range channels, std::int64_t width) {
    return own.basis_stride == 1 &&
           (channels.size() == 1 ||
            (own.channels.stride() == width &&
             own.channels.run_length(channels.begin - own.first_channel) >= channels.size()));
  }

  /// Adds the events `range` of a channel to the rows of a strip, newest event first: row t uses
  /// tap w = t + o - s for the event at sample s. Returns the end of the events that earlier strips
  /// may need.
  KOKKOS_FUNCTION std::int64_t add_events(const index::Strip& strip, const pack::EventSource& list,
                                          Range range, Range bases, Scalar* rows,
                                          std::int64_t row_step) const {
    const std::int64_t last = strip.sample + (strip.rows - 1) * problem.layout.every + problem.lag;
    std::int64_t first = strip.sample + problem.lag - (problem.window - 1);
    if (strip.samples.begin > first) first = strip.samples.begin;
    const std::int64_t beyond = last + 1 < strip.samples.end ? last + 1 : strip.samples.end;
    const std::int64_t newest = pack::last_events_to(list, range.begin, range.end, beyond);
    for (std::int64_t e = newest; e-- > range.begin;) {
      const std::int64_t s = list.samples[e];
      if (s < first) break;
      const Scalar count = list.counts != nullptr ? static_cast<Scalar>(list.counts[e]) : Scalar(1);
      add_event(strip, s - problem.lag, bases, count, rows, row_step);
    }
    return newest;
  }

  /// Adds one event whose tap 0 falls on sample `newest`: rows of samples t in [newest, newest + W)
  /// get tap t - newest. The kernel is in tile/events.hpp.
  KOKKOS_FUNCTION void add_event(const index::Strip& strip, std::int64_t newest, Range bases,
                                 Scalar count, Scalar* rows, std::int64_t row_step) const {
    const std::int64_t every = problem.layout.every;
    const std::int64_t ahead = newest - strip.sample;
    const std::int64_t row_begin = ahead > 0 ? index::ceil_divide(ahead, every) : 0;
    std::int64_t row_end = index::ceil_divide(ahead + problem.window, every);
    if (row_end > strip.rows) row_end = strip.rows;
    if (row_begin >= row_end) return;
    tiles.add_event(
        {.sums = rows + row_begin * row_step,
         .sums_step = row_step,
         .taps = problem.taps + bases.begin + (row_begin * every - ahead) * problem.bases,
         .taps_step = every * problem.bases,
         .width = bases.size(),
         .rows = row_end - row_begin},
        count);
  }
};

}  // namespace synelix::sweep
