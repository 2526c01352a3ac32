// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"
#include "convolve/plan/fft_tables.hpp"
#include "convolve/sweep/problem.hpp"
#include "convolve/sweep/tiles.hpp"
#include "index/work_grid.hpp"
#include "launch/host_space.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// The direct and the event method of a plan, which sum over taps.

namespace synelix::plan {

/// The arguments of every sweep of a convolution.
template <class Scalar>
struct SweepRun {
  sweep::Problem<Scalar> problem;
  index::WorkGrid grid;
  sweep::FeatureTarget<Scalar> features;
  tune::Mapping mapping;
  sweep::Record record;
};

/// The parameters of these sweeps.
template <class Scalar, class ExecutionSpace>
class SumLaunches {
 public:
  SumLaunches() = default;
  SumLaunches(const chooser::ProblemSize& size, const chooser::Resources& resources,
              const Choice& choice);

  /// \param source  an ArraySource or an EventSource
  template <class Source>
  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const Source& source) const;

 private:
  Method m_method = Method::direct;
  InstructionSet m_set = InstructionSet::plain;  ///< on a host
  int m_window_shape = 0;                        ///< of window tiles; -1: lanes are used instead
};

// The FFT method of a plan.

/// The tables of the FFT method, and the parameters of its sweeps. Empty for other methods.
template <class Scalar, class ExecutionSpace>
class FftLaunches {
 public:
  FftLaunches() = default;
  FftLaunches(const ExecutionSpace& exec, const chooser::ProblemSize& size,
              const chooser::Resources& resources, const Choice& choice);

  /// Computes the spectra of a bank, whose taps are also stored at `taps`.
  void update(const SweepLaunch<ExecutionSpace>& how, const Scalar* taps, const Taps& bank);
  template <class Source>
  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const Source& source) const;

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Tables = std::conditional_t<is_host_space<ExecutionSpace>, FftTables<Scalar, MemorySpace>,
                                    DeviceFftTables<Scalar, MemorySpace>>;

  InstructionSet m_set = InstructionSet::plain;  ///< on a host
  Tables m_tables;
};

}  // namespace synelix::plan
