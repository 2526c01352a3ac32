// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "choose/choose.hpp"
#include "plan/bound_spectra.hpp"
#include "plan/bound_stages.hpp"
#include "plan/host_space.hpp"
#include "plan/sweep_launch.hpp"
#include "plan/sweep_run.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// The FFT method of a plan.

namespace synelix::plan {

/// Its tables, and what its sweeps go by. Empty for other methods.
template <class Scalar, class ExecutionSpace>
class BoundFft {
 public:
  BoundFft() = default;
  BoundFft(const ExecutionSpace& exec, const chooser::ProblemSize& size,
           const chooser::Resources& resources, const Choice& choice);

  /// Computes the spectra of a bank, whose taps lie at `taps` too.
  void update(const SweepLaunch<ExecutionSpace>& how, const Scalar* taps, const Taps& bank);
  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const pack::ArraySource& source) const;
  void sweep(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
             const pack::EventSource& source) const;

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Tables =
      std::conditional_t<is_host_space<ExecutionSpace>, BoundSpectra<Scalar, MemorySpace>,
                         BoundStages<Scalar, MemorySpace>>;

  InstructionSet m_set = InstructionSet::plain;  ///< on a host
  Tables m_tables;
};

}  // namespace synelix::plan
