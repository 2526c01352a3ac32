// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// The arguments of launches of sweeps: the memory of their teams, an instance, a label.

namespace synelix::sweep {

/// The memory of the teams in flight: `bytes` for each, consecutive.
struct Workspace {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;
  std::int64_t teams = 1;
};

}  // namespace synelix::sweep

namespace synelix::plan {

/// How `start_sweep` launches the sweeps of a plan.
template <class ExecutionSpace>
struct SweepLaunch {
  const ExecutionSpace& exec;
  const std::string& label;
  sweep::Workspace workspace;  ///< for the largest number of teams
  int team_size;
};

/// Whether each kernel is launched once without work when products are bound, so that `run`
/// allocates nothing.
enum class FirstLaunch : std::uint8_t { now, with_first_run };

}  // namespace synelix::plan

namespace synelix::sweep {

/// The progress of a team in its share.
struct alignas(64) TeamTurn {
  std::int64_t items = 0;  ///< that are done
  std::int64_t step = 0;   ///< the step at which the next one continues
};

/// The end of a launch: after it, no team begins another item.
struct TurnEnd {
  std::int64_t nanoseconds = 0;  ///< of the steady clock
};

}  // namespace synelix::sweep
