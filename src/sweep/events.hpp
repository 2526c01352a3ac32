// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/source.hpp"
#include "sweep/problem.hpp"
#include "sweep/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The event method as a parallel loop. A work item is a strip x channels x bases. A virtual item
/// takes a few channels: sums of (channel, row, basis) start at zero in the team's workspace, the
/// taps of each event are added to the rows that see it, newest event first, and the rows stream
/// out. Time grows with events x window x bases, and with the features that are stored.

namespace synelix::sweep {

/// The functor. `Tiles` adds one event. A team's share of the workspace holds, for each virtual
/// item in flight, sums of (channel, row, basis).
template <class Scalar, class Tiles>
struct EventSweep {
  Problem<Scalar> problem;
  pack::EventSource events;
  Features<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Tiles tiles;
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(grid.size(), team.league_rank(), workspace.teams);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      const index::WorkItem item = grid.item(i);
      std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
      const std::int64_t groups = index::ceil_divide(item.channels.size(), mapping.event_channels);
      for_each_item(team, item.strips.size() * groups, [=, this](std::int64_t k) {
        const std::int64_t strip = item.strips.begin + k / groups;
        Range channels;
        channels.begin = item.channels.begin + k % groups * mapping.event_channels;
        channels.end = channels.begin + mapping.event_channels < item.channels.end
                           ? channels.begin + mapping.event_channels
                           : item.channels.end;
        const std::int64_t slot = workspace.bytes / mapping.team_size;
        auto* const sums = reinterpret_cast<Scalar*>(memory + k % mapping.team_size * slot);
        compute(strip, channels, item.bases, sums);
        if (k == 0 && record.items != nullptr) record.items[i] = item;
      });
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION void compute(std::int64_t number, Range channels, Range bases,
                               Scalar* sums) const {
    const index::Strip strip =
        index::locate_strip(problem.segments, problem.segment_count, number, problem.strip_rows,
                            problem.every, features.rows);
    if (strip.rows == 0) return;
    const std::int64_t width = bases.size();
    const std::int64_t size = strip.rows * width;
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      Scalar* const rows = sums + (c - channels.begin) * size;
      for (std::int64_t k = 0; k < size; ++k) rows[k] = Scalar(0);
      add_events(strip, c, bases, rows);
    }
    store(strip, channels, bases, sums);
  }

  /// Rows of a strip to the features, row by row, so that neighbouring channels meet in the cache.
  KOKKOS_FUNCTION void store(const index::Strip& strip, Range channels, Range bases,
                             const Scalar* sums) const {
    const std::int64_t width = bases.size();
    const std::int64_t size = strip.rows * width;
    const std::int64_t stride = features.basis_stride;
    Scalar* places[tune::most_event_channels];
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      places[c - channels.begin] = features.first_row(c, bases.begin) +
                                   (strip.row - features.rows.begin) * features.row_stride;
    }
    for (std::int64_t r = 0; r < strip.rows; ++r) {
      const bool valued = has_value(strip, strip.sample + r * problem.every);
      for (std::int64_t i = 0; i < channels.size(); ++i) {
        Scalar* const to = places[i] + r * features.row_stride;
        if (valued) {
          store_bases(to, stride, sums + i * size + r * width, width);
        } else {
          for (std::int64_t b = 0; b < width; ++b) to[b * stride] = missing_value<Scalar>();
        }
      }
    }
  }

  /// Adds what the events of channel c give to the rows of a strip, newest event first: a row sees
  /// the event at sample s by tap w = t + o - s.
  KOKKOS_FUNCTION void add_events(const index::Strip& strip, std::int64_t c, Range bases,
                                  Scalar* rows) const {
    const std::int64_t last = strip.sample + (strip.rows - 1) * problem.every + problem.lag;
    std::int64_t first = strip.sample + problem.lag - (problem.window - 1);
    if (strip.samples.begin > first) first = strip.samples.begin;
    const std::int64_t beyond = last + 1 < strip.samples.end ? last + 1 : strip.samples.end;
    const std::int64_t begin = events.begins[c];
    const std::int64_t end = events.begins[c + 1];
    std::int64_t e = pack::first_event_from(events, begin, end, beyond);
    while (e-- > begin) {
      const std::int64_t s = events.samples[e];
      if (s < first) break;
      const Scalar count =
          events.counts != nullptr ? static_cast<Scalar>(events.counts[e]) : Scalar(1);
      add_event(strip, s - problem.lag, bases, count, rows);
    }
  }

  /// Adds one event whose tap 0 falls on sample `newest`: rows of samples t in
  /// [newest, newest + W) get tap t - newest.
  KOKKOS_FUNCTION void add_event(const index::Strip& strip, std::int64_t newest, Range bases,
                                 Scalar count, Scalar* rows) const {
    const std::int64_t every = problem.every;
    const std::int64_t width = bases.size();
    const std::int64_t ahead = newest - strip.sample;
    const std::int64_t row_begin = ahead > 0 ? index::ceil_divide(ahead, every) : 0;
    std::int64_t row_end = index::ceil_divide(ahead + problem.window, every);
    if (row_end > strip.rows) row_end = strip.rows;
    if (row_begin >= row_end) return;
    const Scalar* const taps = problem.taps + bases.begin;
    if (every == 1 && width == problem.bases) {
      tiles.add_event(rows + row_begin * width, taps + (row_begin - ahead) * width, count,
                      (row_end - row_begin) * width);
      return;
    }
    for (std::int64_t r = row_begin; r < row_end; ++r) {
      tiles.add_event(rows + r * width, taps + (r * every - ahead) * problem.bases, count, width);
    }
  }
};

}  // namespace synelix::sweep
