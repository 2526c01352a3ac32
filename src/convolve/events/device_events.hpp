// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "pack/source.hpp"
#include "tune/device.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The event method on a device. A team computes a strip of one channel for as many bases as a
/// thread holds in registers. The rows of a thread are one team apart. A thread adds the events in
/// the window of each row, newest first, and stores its sums. Neighboring threads read neighboring
/// taps and write neighboring rows. Threads share nothing, so there is neither scratch nor barrier.
///
/// The order is that of the host's event sweep and of the direct method, with one multiply_add for
/// each event and tap, so the bits are the same.

namespace synelix::sweep {

/// The functor, for `bases` bases in a thread's registers.
template <class Scalar, int bases>
struct DeviceEventSweep {
  using Bounds = Kokkos::LaunchBounds<tune::event_threads, tune::event_teams<Scalar>>;

  Problem<Scalar> problem;
  pack::EventSource events;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;  ///< an item is one strip, one channel and at most `bases` bases
  Workspace workspace;   ///< no memory: only the number of teams counts
  Record record;

  /// There is one team for each item: a device starts the next one as soon as one ends.
  [[nodiscard]] static constexpr TeamShape team_shape(std::int64_t items, std::int64_t) {
    return {items, tune::event_threads, 0};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_team_item(team, grid.size(), workspace.teams, [&](std::int64_t i) {
      for_each_item(team, tune::event_threads, [=, this](std::int64_t thread) {
        const index::WorkItem item = grid.item(i);
        if (thread == 0 && record.items != nullptr) record.items[i] = item;
        compute(item, thread);
      });
    });
  }

 private:
  /// The rows of a thread.
  KOKKOS_FUNCTION void compute(const index::WorkItem& item, std::int64_t thread) const {
    std::int64_t segment = problem.segment_of(item.strips.begin);
    const index::Strip strip = problem.strip_from(segment, item.strips.begin, features.rows);
    if (strip.rows <= thread) return;
    const std::int64_t channel = item.channels.begin;
    const FeatureTarget<Scalar>& own = features.of(strip.trial);
    const Range valued = index::valued_rows(strip, problem.layout.every);
    const Range seen = seen_events(strip, channel);
    std::int64_t newest = seen.begin;  // the end of the events up to a row, which grows from row to
                                       // row
    for (std::int64_t r = thread; r < strip.rows; r += tune::event_threads) {
      Scalar sums[bases] = {};
      const bool has_value = valued.begin <= r && r < valued.end;
      if (has_value) {
        const std::int64_t at = strip.sample + r * problem.layout.every + problem.lag;
        newest = pack::first_event_from(events.of(strip.trial), newest, seen.end, at + 1);
        add_events(strip, at, {seen.begin, newest}, item.bases, sums);
      }
      Scalar* const to = own.first_row(channel, item.bases.begin) +
                         (strip.row + r - own.rows.begin) * own.row_stride;
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; ++b) {
        if (b < item.bases.size()) {
          to[b * own.basis_stride] = has_value ? canonical(sums[b]) : missing_value<Scalar>();
        }
      }
    }
  }

  /// The events of a channel in the windows of a strip's rows.
  KOKKOS_FUNCTION Range seen_events(const index::Strip& strip, std::int64_t channel) const {
    const pack::EventSource& list = events.of(strip.trial);
    const std::int64_t oldest = strip.sample + problem.lag - (problem.window - 1);
    const std::int64_t last = strip.sample + (strip.rows - 1) * problem.layout.every + problem.lag;
    Range seen;
    seen.begin = pack::first_event_from(list, list.begins[channel], list.begins[channel + 1],
                                        index::larger(oldest, strip.samples.begin));
    seen.end = pack::first_event_from(list, seen.begin, list.begins[channel + 1],
                                      index::smaller(last + 1, strip.samples.end));
    return seen;
  }

  /// Adds the events of `range` in the window of a row whose tap 0 meets sample `at`.
  KOKKOS_FUNCTION void add_events(const index::Strip& strip, std::int64_t at, Range range,
                                  Range of_bases, Scalar (&sums)[bases]) const {
    const pack::EventSource& list = events.of(strip.trial);
    for (std::int64_t e = range.end; e-- > range.begin;) {
      const std::int64_t w = at - list.samples[e];
      if (w >= problem.window) return;
      const Scalar count = list.counts != nullptr ? static_cast<Scalar>(list.counts[e]) : Scalar(1);
      const Scalar* const taps = problem.taps + w * problem.bases + of_bases.begin;
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; ++b) {
        if (b < of_bases.size()) sums[b] = Kokkos::fma(taps[b], count, sums[b]);
      }
    }
  }
};

}  // namespace synelix::sweep
