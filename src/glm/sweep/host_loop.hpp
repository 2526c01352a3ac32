// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/launch.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

/// \file
/// Work items of the threads of the host, for loops whose items share no memory that they write.

namespace synelix::sweep {

/// body(i) for the items of a team's share, in their order.
template <class Body>
struct HostLoop {
  std::int64_t items;
  std::int64_t teams;
  const Body* body;

  void operator()(
      const Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>::member_type& team) const {
    const Body* const each = body;
    for_each_of_share(team, items, teams, [each](std::int64_t i) { (*each)(i); });
  }
};

/// body(i) for i = 0, ..., items - 1 on all threads of the host. Returns when all are done. The
/// body must not throw.
template <class Body>
void run_host_loop(const std::string& label, std::int64_t items, const Body& body) {
  if (items <= 0) return;
  const Kokkos::DefaultHostExecutionSpace exec;
  const std::int64_t threads = exec.concurrency();
  const std::int64_t teams = items < threads ? items : threads;
  launch(label, exec, static_cast<int>(teams), 1, HostLoop<Body>{items, teams, &body});
  exec.fence(label);
}

}  // namespace synelix::sweep
