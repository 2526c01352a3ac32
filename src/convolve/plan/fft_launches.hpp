// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"
#include "convolve/plan/device_fft_tables.hpp"
#include "convolve/plan/fft_tables.hpp"
#include "convolve/plan/sweep_run.hpp"
#include "launch/host_space.hpp"
#include "launch/sweep_launch.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// The FFT method of a plan.

namespace synelix::plan {

/// Its tables, and what its sweeps go by. Empty for other methods.
template <class Scalar, class ExecutionSpace>
class FftLaunches {
 public:
  FftLaunches() = default;
  FftLaunches(const ExecutionSpace& exec, const chooser::ProblemSize& size,
              const chooser::Resources& resources, const Choice& choice);

  /// Computes the spectra of a bank, whose taps lie at `taps` too.
  void update(const SweepLaunch<ExecutionSpace>& how, const Scalar* taps, const Taps& bank);
  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const pack::ArraySource& source) const;
  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const pack::EventSource& source) const;

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Tables = std::conditional_t<is_host_space<ExecutionSpace>, FftTables<Scalar, MemorySpace>,
                                    DeviceFftTables<Scalar, MemorySpace>>;

  InstructionSet m_set = InstructionSet::plain;  ///< on a host
  Tables m_tables;
};

}  // namespace synelix::plan
