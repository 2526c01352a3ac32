// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/launch.hpp"
#include "launch/sweep_launch.hpp"

#include <algorithm>
#include <cstdint>

/// \file
/// The launch of a sweep. A call compiles a kernel, and on a device for long: calls are spread over
/// files, and headers of a plan have none.

namespace synelix::plan {

/// One launch, of as many teams as there is work for; without any, of as many as there ever are.
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

}  // namespace synelix::plan
