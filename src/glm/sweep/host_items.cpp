// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/sweep/host_items.hpp"

#include "glm/sweep/host_sweeps.hpp"
#include "launch/launch.hpp"
#include "launch/team_turns.hpp"

#include <Kokkos_Core.hpp>

namespace synelix::sweep {

void HostItemsWithBreaks::compute(std::int64_t rank, std::int64_t team) const {
  TeamTurn& turn = m_turns[rank];
  const TeamTurns turns = turns_until(m_turns, m_end);
  for (std::int64_t i = rank + turn.items * m_teams; i < m_count; i += m_teams) {
    m_items.compute(i, team);
    ++turn.items;
    if (turns.are_over()) return;
  }
}

void run_host_loop(const std::string& label, std::int64_t items, LoopBody body) {
  if (items <= 0) return;
  const Kokkos::DefaultHostExecutionSpace exec;
  const std::int64_t threads = exec.concurrency();
  const std::int64_t teams = items < threads ? items : threads;
  launch(label, exec, static_cast<int>(teams), 1, HostLoopSweep{items, teams, body});
  exec.fence(label);
}

std::int64_t host_threads() { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

}  // namespace synelix::sweep
