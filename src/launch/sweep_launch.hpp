// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/workspace.hpp"

#include <string>

namespace synelix::plan {

/// How the sweeps of a plan are launched, by `start_sweep`.
template <class ExecutionSpace>
struct SweepLaunch {
  const ExecutionSpace& exec;
  const std::string& label;
  sweep::Workspace workspace;  ///< of as many teams as there ever are
  int team_size;
};

}  // namespace synelix::plan
