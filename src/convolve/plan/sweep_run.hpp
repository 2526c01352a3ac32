// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "convolve/sweep/tiles.hpp"
#include "index/work_grid.hpp"

namespace synelix::plan {

/// What every sweep of a convolution is given.
template <class Scalar>
struct SweepRun {
  sweep::Problem<Scalar> problem;
  index::WorkGrid grid;
  sweep::FeatureTarget<Scalar> features;
  tune::Mapping mapping;
  sweep::Record record;
};

}  // namespace synelix::plan
