// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"
#include "convolve/plan/sweep_run.hpp"
#include "launch/sweep_launch.hpp"

/// \file
/// The direct and the event method of a plan, which sum over taps.

namespace synelix::plan {

/// What their sweeps go by.
template <class Scalar, class ExecutionSpace>
class SumLaunches {
 public:
  SumLaunches() = default;
  SumLaunches(const chooser::ProblemSize& size, const chooser::Resources& resources,
              const Choice& choice);

  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const pack::ArraySource& source) const;
  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const pack::EventSource& source) const;

 private:
  Method m_method = Method::direct;
  InstructionSet m_set = InstructionSet::plain;  ///< on a host
  int m_window_shape = 0;                        ///< of window tiles; -1: lanes instead
};

}  // namespace synelix::plan
