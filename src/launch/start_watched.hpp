// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/start_sweep.hpp"
#include "launch/team_turns.hpp"
#include "launch/watched.hpp"

#include <synelix/choice.hpp>

#include <cstdint>
#include <string>

/// \file
/// Launches of a call that its caller may watch.

namespace synelix::plan {

/// `start_sweep` of a sweep of a host with so many items, which the caller may watch. Null: nobody
/// does, and nothing is waited for.
template <class ExecutionSpace, class Functor>
void start_watched(const SweepLaunch<ExecutionSpace>& how, Functor functor, std::int64_t work,
                   std::int64_t items, Watched* watched) {
  if (watched == nullptr) return start_sweep(how, functor, work);
  const auto start = [&](sweep::TeamTurn* turns, sweep::TurnEnd end) {
    functor.turns = {turns, end};
    start_sweep(how, functor, work);
    how.exec.fence("synelix: the caller is asked");
  };
  watched->run(items, how.workspace.teams, start);
}

/// Runs what is prepared, and waits for the result. \throws Cancelled where watch.cancel asks for
/// it
/// \param bound  has items() of its sweeps, and run(exec, watched)
template <class ExecutionSpace, class Bound>
void run_and_wait(const ExecutionSpace& exec, const char* verb, const Bound& bound,
                  const Watch& watch) {
  run_watched(verb, watch, bound.items(), [&](Watched* watched) {
    bound.run(exec, watched);
    exec.fence(std::string("synelix::") + verb + ": the workspace is released");
  });
}

}  // namespace synelix::plan
