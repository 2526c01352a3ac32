// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "launch/team.hpp"
#include "pack/past.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Keeps a block of a stream for the windows of later blocks. There is no scratch and no barrier,
/// since virtual items write to disjoint places.

namespace synelix::sweep {

/// The functor for samples: a virtual item takes some channels of one sample.
struct KeepSamples {
  static constexpr std::int64_t channels_of_item = 128;

  pack::Ring ring;
  pack::ArraySource block;
  Range samples;  ///< of the block
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t groups = index::ceil_divide(ring.channels, channels_of_item);
    const std::int64_t items = samples.size() * groups;
    for_each_thread_item(team, items, workspace.teams, [=, this](std::int64_t item) {
      const std::int64_t begin = item % groups * channels_of_item;
      const std::int64_t end =
          begin + channels_of_item < ring.channels ? begin + channels_of_item : ring.channels;
      pack::keep_sample(ring, block, samples.begin + item / groups, begin, end);
    });
  }
};

/// The functor for events. They are stored channel by channel without gaps, so one item copies them
/// all.
struct KeepEvents {
  pack::EventStore to;
  pack::EventSource past;
  std::int64_t from;  ///< events before this sample are not kept
  pack::EventSource block;
  std::int64_t first;  ///< the first sample of the block
  std::int64_t channels;
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_item(team, channels > 0 && team.league_rank() == 0 ? 1 : 0, [=, this](std::int64_t) {
      pack::keep_events(to, past, from, block, first, channels);
    });
  }
};

}  // namespace synelix::sweep
