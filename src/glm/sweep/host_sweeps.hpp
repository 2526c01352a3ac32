// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/host_items.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The sweeps of host_items.hpp.

namespace synelix::sweep {

/// Team t takes items t, t + teams, ...: neighboring items often take about the same time.
struct HostItemsSweep {
  const HostItems* items;
  std::int64_t count;
  std::int64_t teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_item(team, 1, [&](std::int64_t) {
      const std::int64_t rank = team.league_rank();
      for (std::int64_t i = rank; i < count; i += teams) {
        KOKKOS_IF_ON_HOST((items->compute(i, rank);))
      }
    });
  }
};

/// The body of a loop for the items of a team's share, in their order.
struct HostLoopSweep {
  std::int64_t items;
  std::int64_t teams;
  LoopBody body;

  void operator()(
      const Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>::member_type& team) const {
    const LoopBody each = body;
    for_each_of_share(team, items, teams, [each](std::int64_t i) { each(i); });
  }
};

}  // namespace synelix::sweep
