// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/channel_map.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "index/work_grid.hpp"
#include "launch/canonical.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/source.hpp"
#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The arguments of every sweep of a convolution: the problem, the features, and the share of the
/// workspace. Trivially copyable.

namespace synelix::sweep {

/// Windows, taps, and the layout of rows in segments.
template <class Scalar>
struct Problem {
  const index::Segment* segments = nullptr;  ///< null: one, `single`
  std::int64_t segment_count = 0;
  const Scalar* taps = nullptr;     ///< taps(w, b) at taps[w * bases + b], between tile::flat_zeros
  const Scalar* filters = nullptr;  ///< taps(w, b) at filters[b * window + w]: the direct method
  const Range* supports = nullptr;  ///< of each filter: all other taps are zero
  /// The delay of each filter that is the shared one, in samples; -1 for other filters. Null if
  /// there is none, and on devices.
  const std::int64_t* delays = nullptr;
  std::int64_t shared_basis = 0;
  std::int64_t most_delay = 0;
  std::int64_t window = 0;
  std::int64_t bases = 0;
  std::int64_t lag = 0;  ///< lag offset o
  index::RowLayout layout = {};
  std::int64_t strip_rows = 0;
  index::Segment single = {};

  /// Whether rows of filter b are copies of another filter's rows.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr bool is_copied(std::int64_t b) const {
    return delays != nullptr && delays[b] >= 0 && b != shared_basis;
  }
  /// The segments.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr const index::Segment* table() const {
    return segments != nullptr ? segments : &single;
  }
  /// The segment of a strip.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t segment_of(std::int64_t strip) const {
    return index::last_at_or_before(table(), segment_count, &index::Segment::strip_begin, strip);
  }
  /// A strip, clipped to `rows`; the search for its segment starts at `segment`.
  KOKKOS_INLINE_FUNCTION constexpr index::Strip strip_from(std::int64_t& segment,
                                                           std::int64_t strip, Range rows) const {
    const index::Segment* const all = table();
    while (segment + 1 < segment_count && all[segment + 1].strip_begin <= strip) ++segment;
    while (all[segment].strip_begin > strip) --segment;
    return index::strip_of(all[segment], strip, strip_rows, layout, rows);
  }
};

/// The destination of features: the requested block, and the address of its first value.
template <class Scalar>
struct FeatureTarget {
  Scalar* data = nullptr;
  Range rows;  ///< the requested ones of all rows
  std::int64_t first_channel = 0;
  std::int64_t first_basis = 0;
  std::int64_t row_stride = 0;
  std::int64_t basis_stride = 0;
  index::ChannelMap channels;
  tile::Stores stores = tile::Stores::cached;
  const FeatureTarget* trials = nullptr;  ///< one for each trial; null: these for all

  /// The features of a trial.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr const FeatureTarget& of(std::int64_t trial) const {
    return trials != nullptr ? trials[trial] : *this;
  }

  /// Address of basis b of a channel, in the first requested row.
  KOKKOS_INLINE_FUNCTION Scalar* first_row(std::int64_t c, std::int64_t b) const {
    return data + channels.offset(c - first_channel) + (b - first_basis) * basis_stride;
  }
};

/// Where the borders of executed work items are recorded for tests, by item number. Null: not
/// recorded.
struct Record {
  index::WorkItem* items = nullptr;
};

/// Stores `bases` values to features with any stride.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void store_bases(Scalar* to, std::int64_t stride, const Scalar* from,
                                        std::int64_t bases) {
  if (stride == 1) {
    copy_values(to, from, bases);
  } else {
    for (std::int64_t b = 0; b < bases; ++b) to[b * stride] = canonical(from[b]);
  }
}

/// Whether the row of sample t has a value.
KOKKOS_INLINE_FUNCTION constexpr bool has_value(const index::Strip& strip, std::int64_t t) {
  return strip.valid.begin <= t && t < strip.valid.end;
}

// Finds the strips of a work item, in a separate pass.

/// Stores the strips of an item, clipped to `rows`, in their original order. A virtual item
/// searches for the segment of its first strip and continues from there.
template <class Team, class Scalar>
KOKKOS_FUNCTION void locate_strips(const Team& team, const Problem<Scalar>& problem,
                                   const tune::Mapping& mapping, Range numbers, Range rows,
                                   index::Strip* strips, std::int32_t* order) {
  const std::int64_t count = numbers.size();
  const std::int64_t step = mapping.strips > 0 ? mapping.strips : count;
  for_each_item(team, index::ceil_divide(count, step), [=, &problem](std::int64_t run) {
    const std::int64_t end = index::smaller((run + 1) * step, count);
    std::int64_t i = run * step;
    for (std::int64_t segment = problem.segment_of(numbers.begin + i); i < end; ++i) {
      strips[i] = problem.strip_from(segment, numbers.begin + i, rows);
      order[i] = static_cast<std::int32_t>(i);
    }
  });
  team.team_barrier();
}

/// The work items of a team in turn: all threads run compute(number, item), which ends with a
/// barrier. Only the bases of an item that are in `bases` are computed.
template <class Team, class Sweep, class Compute>
KOKKOS_INLINE_FUNCTION void compute_items(const Team& team, const Sweep& sweep, Range bases,
                                          const Compute& compute) {
  for_each_team_item(team, sweep.grid.size(), sweep.workspace.teams, [&](std::int64_t number) {
    index::WorkItem item = sweep.grid.item(number);
    item.bases = index::common(item.bases, bases);
    compute(number, item);
  });
}

}  // namespace synelix::sweep
