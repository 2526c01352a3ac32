// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "types/events.hpp"

#include <synelix/types/series.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// Events of a range of channels and samples, gathered for a device.

namespace synelix::plan {

/// The entries of a channel whose samples are in a range.
inline Range entries_of(const Events& events, std::int64_t channel, Range samples) {
  const pack::EventSource all = plan::source_of(events);
  const std::int64_t begin = all.begins[channel];
  const std::int64_t end = all.begins[channel + 1];
  const std::int64_t first = pack::first_event_from(all, begin, end, samples.begin);
  return {first, pack::first_event_from(all, first, end, samples.end)};
}

inline std::int64_t count_events(const Events& events, Range samples, Range channels) {
  std::int64_t count = 0;
  for (std::int64_t c = channels.begin; c < channels.end; ++c) {
    count += entries_of(events, c, samples).size();
  }
  return count;
}

/// The lists as an argument of kernels; `channels` starts with the given channel.
inline pack::EventSource source_of(const EventLists& lists, const std::byte* memory,
                                   std::int64_t first_channel) {
  return {lists.begins(memory) - first_channel, lists.samples(memory), lists.counts(memory)};
}

/// Gathers the events of a range into host memory.
inline void gather(const EventLists& lists, const Events& events, Range samples, Range channels,
                   std::byte* memory) {
  std::int64_t filled = 0;
  for (std::int64_t c = channels.begin; c < channels.end; ++c) {
    lists.begins(memory)[c - channels.begin] = filled;
    const Range entries = entries_of(events, c, samples);
    std::copy_n(events.sample_indices() + entries.begin, entries.size(),
                lists.samples(memory) + filled);
    if (events.counts() != nullptr) {
      std::copy_n(events.counts() + entries.begin, entries.size(), lists.counts(memory) + filled);
    }
    filled += entries.size();
  }
  lists.begins(memory)[channels.size()] = filled;
}

}  // namespace synelix::plan
