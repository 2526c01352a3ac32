// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/launch.hpp"
#include "launch/team_turns.hpp"
#include "launch/watched.hpp"
#include "launch/workspace.hpp"

#include <synelix/choice.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// \file
/// The launch of a sweep, which its caller may watch. Each call compiles a kernel, which takes long
/// for a device. So calls are in separate files, and no header of a plan has one.

namespace synelix::plan {

/// One launch, with as many teams as there is work for; if there is no work, with the largest
/// number of teams.
template <class ExecutionSpace, class Functor>
void start_sweep(const SweepLaunch<ExecutionSpace>& how, Functor functor, std::int64_t work) {
  const std::int64_t items = work > 0 ? work : how.workspace.teams;
  sweep::TeamShape shape{std::min(how.workspace.teams, items), how.team_size, 0};
  if constexpr (requires { functor.team_shape(items, items); }) {
    shape = functor.team_shape(items, how.workspace.teams);
  }
  constexpr std::int64_t most_teams = std::int64_t{1} << 30;
  functor.workspace = how.workspace;
  functor.workspace.teams = std::clamp<std::int64_t>(shape.teams, 1, most_teams);
  sweep::launch(how.label, how.exec, static_cast<int>(functor.workspace.teams), shape.team_size,
                functor, shape.scratch_bytes);
}

/// `start_sweep` for a sweep of a host with a number of items, which the caller may watch. Null:
/// not watched, and there is no wait.
template <class ExecutionSpace, class Functor>
void start_watched(const SweepLaunch<ExecutionSpace>& how, Functor functor, std::int64_t work,
                   std::int64_t items, Watched* watched) {
  if (watched == nullptr) return start_sweep(how, functor, work);
  const auto start = [&](sweep::TeamTurn* turns, sweep::TurnEnd end) {
    functor.turns = sweep::turns_until(turns, end);
    start_sweep(how, functor, work);
    how.exec.fence("synelix: the caller is asked");
  };
  watched->in_turns(items, how.workspace.teams, start);
}

/// Runs prepared work, and waits for the result. \throws Cancelled if watch.cancel requests it
/// \param bound  has items() of its sweeps, and launch(exec, watched)
template <class ExecutionSpace, class Bound>
void run_and_wait(const ExecutionSpace& exec, const char* verb, const Bound& bound,
                  const Watch& watch) {
  run_watched(verb, watch, bound.items(), [&](Watched* watched) {
    bound.launch(exec, watched);
    exec.fence(std::string("synelix::") + verb + ": the workspace is released");
  });
}

}  // namespace synelix::plan
