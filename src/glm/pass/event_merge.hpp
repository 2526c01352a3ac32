// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_design.hpp"
#include "tile/event_products.hpp"
#include "tune/fit.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

/// \file
/// `EventMerge`: the events of some channels as one list, sorted by the first row of their windows.

namespace synelix::glm {

/// The events of a channel whose windows begin in [first, last) rows.
inline Range events_between(const EventChannel& channel, std::int64_t first, std::int64_t last) {
  const std::int64_t* const end = channel.samples + channel.events;
  return {std::lower_bound(channel.samples, end, first + channel.offset) - channel.samples,
          std::lower_bound(channel.samples, end, last + channel.offset) - channel.samples};
}

/// Merges the events of channels whose windows begin in some rows.
struct EventMerge {
  const EventDesign& design;
  std::int64_t origin;  ///< the row that is number 0
  tile::PairEvent* scratch;

  /// Returns how many events there are.
  std::int64_t write_sorted(Range channels, Range rows, tile::PairEvent* events) const {
    std::array<std::int64_t, tune::event_pair_channels + 1> ends{};
    int rounds = 0;
    for (std::int64_t lists = channels.size(); lists > 1; lists = (lists + 1) / 2) ++rounds;
    tile::PairEvent* from = rounds % 2 == 0 ? events : scratch;
    tile::PairEvent* into = rounds % 2 == 0 ? scratch : events;
    for (std::int64_t i = 0; i < channels.size(); ++i) {
      const auto c = static_cast<std::size_t>(channels.begin + i);
      const std::int64_t first = ends[static_cast<std::size_t>(i)];
      ends[static_cast<std::size_t>(i + 1)] =
          first + copy(design.channels[c], rows, i, from + first);
    }
    const auto end = [&](std::int64_t list) {
      return ends[static_cast<std::size_t>(std::min(list, channels.size()))];
    };
    for (std::int64_t step = 1; step < channels.size(); step *= 2) {  // two lists become one
      for (std::int64_t i = 0; i < channels.size(); i += 2 * step) {
        std::merge(from + end(i), from + end(i + step), from + end(i + step),
                   from + end(i + 2 * step), into + end(i), is_before);
      }
      std::swap(from, into);
    }
    return end(channels.size());
  }

  /// The events of one channel whose windows leave the run in which they begin.
  std::int64_t copy_leaving(const EventChannel& channel, Range rows, const std::int32_t* run_ends,
                            tile::PairEvent* events) const {
    const Range all = events_between(channel, rows.begin, rows.end);
    const std::int64_t first = channel.offset + origin;  // sample of row 0
    tile::PairEvent* to = events;
    for (std::int64_t e = all.begin; e < all.end;) {
      const std::int64_t row = channel.samples[e] - first;
      const std::int64_t end = run_ends[row];
      if (row + channel.window > end) {
        *to++ = event_of(channel, e, 0);
        ++e;
      } else {  // to the next one that leaves it
        e = std::upper_bound(channel.samples + e, channel.samples + all.end,
                             first + end - channel.window) -
            channel.samples;
      }
    }
    return to - events;
  }

 private:
  static bool is_before(const tile::PairEvent& a, const tile::PairEvent& b) {
    return a.row != b.row ? a.row < b.row : a.channel < b.channel;
  }
  std::int64_t copy(const EventChannel& channel, Range rows, std::int64_t number,
                    tile::PairEvent* to) const {
    const Range events = events_between(channel, rows.begin, rows.end);
    for (std::int64_t e = events.begin; e < events.end; ++e) *to++ = event_of(channel, e, number);
    return events.size();
  }
  [[nodiscard]] tile::PairEvent event_of(const EventChannel& channel, std::int64_t e,
                                         std::int64_t number) const {
    return {static_cast<std::int32_t>(channel.samples[e] - channel.offset - origin),
            static_cast<std::int32_t>(number),
            channel.counts == nullptr ? 1.0F : channel.counts[e]};
  }
};

}  // namespace synelix::glm
