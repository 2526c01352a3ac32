// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "index/work_grid.hpp"
#include "launch/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Finds the strips of a work item, a pass of its own.

namespace synelix::sweep {

/// Writes the strips of an item, clipped to `rows`, and their order as they come. A virtual item
/// searches for the segment of its first strip and walks on from there.
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

}  // namespace synelix::sweep
