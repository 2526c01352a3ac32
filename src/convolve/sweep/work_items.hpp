// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/work_grid.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The work items of a team in a sweep of a convolution on a host.

namespace synelix::sweep {

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
