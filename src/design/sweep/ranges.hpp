// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"
#include "launch/team.hpp"
#include "pack/value.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The least and greatest sample of each channel among the samples in epochs, without NaN. A
/// virtual item is a share of the samples x a few channels; it writes (least, greatest) of its
/// share, which the host merges. Minimum and maximum are associative, so the cut changes no bit.

namespace synelix::sweep {

/// The functor. Segments have a row for each sample.
struct RangeSweep {
  static constexpr int group = 8;  ///< channels of a virtual item: two cache lines of doubles

  const index::Segment* segments = nullptr;
  std::int64_t segment_count = 0;
  pack::AnySource source;
  Range samples;
  std::int64_t channels = 0;
  std::int64_t shares = 1;
  double* ranges = nullptr;  ///< (share, channel, least and greatest)
  std::int64_t teams = 1;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t groups = index::ceil_divide(channels, group);
    for_each_thread_item(team, shares * groups, teams, [=, this](std::int64_t item) {
      const std::int64_t first = item % groups * group;
      const std::int64_t left = channels - first;
      find(item / groups, first, left < group ? left : group);
    });
  }

 private:
  KOKKOS_FUNCTION void find(std::int64_t share, std::int64_t first, std::int64_t count) const {
    const TeamShare cut = team_share(samples.size(), share, shares);
    double least[group];
    double greatest[group];
    for (std::int64_t c = 0; c < count; ++c) {
      least[c] = Kokkos::Experimental::infinity_v<double>;
      greatest[c] = -Kokkos::Experimental::infinity_v<double>;
    }
    const std::int64_t begin = samples.begin + cut.begin;
    const std::int64_t end = samples.begin + cut.end;
    std::int64_t k = index::last_at_or_before(segments, segment_count, &index::Segment::row_begin,
                                              begin < end ? begin : 0);
    for (; k < segment_count && segments[k].range.begin < end; ++k) {
      const Range seen = index::samples_of(segments[k]);
      const std::int64_t last = seen.end < end ? seen.end : end;
      for (std::int64_t t = seen.begin > begin ? seen.begin : begin; t < last; ++t) {
        for (std::int64_t c = 0; c < count; ++c) {
          const double x = pack::value_of(source, t, first + c) + 0.0;  // -0 becomes 0
          if (x < least[c]) least[c] = x;
          if (x > greatest[c]) greatest[c] = x;
        }
      }
    }
    double* const to = ranges + (share * channels + first) * 2;
    for (std::int64_t c = 0; c < count; ++c) {
      to[c * 2] = least[c];
      to[c * 2 + 1] = greatest[c];
    }
  }
};

}  // namespace synelix::sweep
