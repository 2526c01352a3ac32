// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "choose/device_fft.hpp"
#include "choose/fft.hpp"
#include "plan/bound_spectra.hpp"
#include "plan/bound_stages.hpp"
#include "plan/host_space.hpp"
#include "plan/sweep_run.hpp"
#include "spectral/select.hpp"
#include "sweep/bank_spectra.hpp"
#include "sweep/device_fft.hpp"
#include "sweep/fft.hpp"
#include "sweep/fft_parts.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// The FFT method of a plan: its tables, and which sweeps a space has for it. `start(functor,
/// items)` launches a sweep.

namespace synelix::plan {

/// On a host. Empty for other methods.
template <class Scalar, class ExecutionSpace>
class HostFft {
 public:
  HostFft() = default;
  HostFft(const ExecutionSpace& exec, const chooser::ProblemSize& size,
          const chooser::Resources& resources, const Choice& choice)
      : m_spectra(exec, chooser::block_sizes(size, resources, choice), size.bases),
        m_passes{&spectral::passes_of<Scalar>(choice.instruction_set),
                 {&tile::table_of<Scalar>(choice.instruction_set)}},
        m_parts(choice.fft_parts) {}

  /// Computes the spectra of a bank.
  template <class Start>
  void update(const Start& start, const Scalar* taps, std::int64_t window,
              std::int64_t bases) const {
    start(sweep::SpectraOfBank<Scalar, Passes>{m_spectra.bank(), taps, window, bases, {}, m_passes},
          index::ceil_divide(bases, m_passes.lanes()));
  }

  /// The kernels lie in groups of bases: those are computed whole, whichever of them are asked for.
  template <class Start, class Source>
  void sweep(const Start& start, const SweepRun<Scalar>& run, const Source& source) const {
    index::WorkGrid grid = run.grid;
    const Range bases = grid.bases;
    const std::int64_t step = grid.basis_step;
    grid.bases = {bases.begin / step * step, index::round_up(bases.end, step)};
    const auto start_as = [&]<class Sweep>() {
      start(Sweep{run.problem,
                  source,
                  run.features,
                  grid,
                  {},
                  m_passes,
                  m_spectra.bank(),
                  bases,
                  run.mapping,
                  run.record},
            grid.size());
    };
    if (m_parts > 1) {
      start_as.template operator()<sweep::PartedFftSweep<Scalar, Passes, Source>>();
    } else {
      start_as.template operator()<sweep::FftSweep<Scalar, Passes, Source>>();
    }
  }

 private:
  using Passes = sweep::HostPasses<Scalar>;

  BoundSpectra<Scalar, typename ExecutionSpace::memory_space> m_spectra;
  Passes m_passes{};
  std::int64_t m_parts = 1;
};

/// On a device. Empty for other methods.
template <class Scalar, class ExecutionSpace>
class DeviceFft {
 public:
  DeviceFft() = default;
  DeviceFft(const ExecutionSpace& exec, const chooser::ProblemSize& size,
            const chooser::Resources& resources, const Choice& choice)
      : m_stages(exec, chooser::stage_sizes(size, resources, choice), size.bases) {}

  template <class Start>
  void update(const Start& start, const Scalar* taps, std::int64_t window,
              std::int64_t bases) const {
    start(sweep::DeviceSpectraOfBank<Scalar>{m_stages.bank_alone(), taps, window, bases, {}},
          bases * m_stages.bank().sizes.parts);
  }

  template <class Start, class Source>
  void sweep(const Start& start, const SweepRun<Scalar>& run, const Source& source) const {
    const auto start_as = [&]<class Sweep>() {
      start(Sweep{run.problem, source, run.features, run.grid, {}, m_stages.bank(), run.record},
            run.grid.size());
    };
    if (m_stages.bank().sizes.parts > 1) {
      start_as.template operator()<sweep::DeviceFftSweep<Scalar, Source, true>>();
    } else {
      start_as.template operator()<sweep::DeviceFftSweep<Scalar, Source, false>>();
    }
  }

 private:
  BoundStages<Scalar, typename ExecutionSpace::memory_space> m_stages;
};

/// That of a space.
template <class Scalar, class ExecutionSpace>
using BoundFft = std::conditional_t<is_host_space<ExecutionSpace>, HostFft<Scalar, ExecutionSpace>,
                                    DeviceFft<Scalar, ExecutionSpace>>;

}  // namespace synelix::plan
