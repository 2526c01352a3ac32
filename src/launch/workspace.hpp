// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// What the launches of sweeps are given: the memory of their teams, an instance, a label.

namespace synelix::sweep {

/// The memory of the teams that are in flight: `bytes` for each, one after the other.
struct Workspace {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;
  std::int64_t teams = 1;
};

}  // namespace synelix::sweep

namespace synelix::plan {

/// How the sweeps of a plan are launched, by `start_sweep`.
template <class ExecutionSpace>
struct SweepLaunch {
  const ExecutionSpace& exec;
  const std::string& label;
  sweep::Workspace workspace;  ///< of as many teams as there ever are
  int team_size;
};

/// Whether each kernel is launched once with no work when products are bound, so that `run`
/// allocates nothing.
enum class FirstLaunch : std::uint8_t { now, with_first_run };

}  // namespace synelix::plan
