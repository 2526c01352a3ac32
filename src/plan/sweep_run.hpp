// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/work_grid.hpp"
#include "sweep/problem.hpp"
#include "sweep/tiles.hpp"

#include <string>

namespace synelix::plan {

/// What every sweep of a convolution is given.
template <class Scalar>
struct SweepRun {
  sweep::Problem<Scalar> problem;
  index::WorkGrid grid;
  sweep::Features<Scalar> features;
  tune::Mapping mapping;
  sweep::Record record;
};

/// How the sweeps of a plan are launched, by `start_sweep`.
template <class ExecutionSpace>
struct SweepLaunch {
  const ExecutionSpace& exec;
  const std::string& label;
  sweep::Workspace workspace;  ///< of as many teams as there ever are
  int team_size;
};

}  // namespace synelix::plan
