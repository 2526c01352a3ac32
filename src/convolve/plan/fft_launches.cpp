// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/sweep_launches.hpp"

#include "convolve/choice/fft_blocks.hpp"
#include "convolve/fft/bank_spectra.hpp"
#include "convolve/fft/device_fft.hpp"
#include "convolve/fft/device_weak_rows.hpp"
#include "convolve/fft/fft.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "spectral/select.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Selects and launches the sweeps of a space for the FFT method.

namespace synelix::plan {
namespace {

template <class Scalar>
sweep::HostPasses<Scalar> passes_of(InstructionSet set) {
  return {&spectral::passes_of<Scalar>(set), {&tile::table_of<Scalar>(set)}};
}

/// On a host. The kernels are compiled for groups of bases, and complete groups are computed even
/// if only some bases are requested.
template <class ExecutionSpace, class Scalar, class Source>
void sweep_blocks(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
                  const Source& source, const sweep::BankSpectra<Scalar>& bank,
                  const sweep::HostPasses<Scalar>& passes) {
  using Passes = sweep::HostPasses<Scalar>;
  index::WorkGrid grid = run.grid;
  const Range bases = grid.bases;
  const std::int64_t step = grid.basis_step;
  grid.bases = {bases.begin / step * step, index::round_up(bases.end, step)};
  start_sweep(how,
              sweep::FftSweep<Scalar, Passes, Source>{run.problem,
                                                      source,
                                                      run.features,
                                                      grid,
                                                      {},
                                                      passes,
                                                      bank,
                                                      bases,
                                                      run.mapping,
                                                      run.record},
              grid.size());
}

/// On a device: first the transforms, then the weak rows.
template <class ExecutionSpace, class Scalar, class Source, class Tables>
void sweep_stages(const SweepLaunch<ExecutionSpace>& how, const SweepRun<Scalar>& run,
                  const Source& source, const Tables& tables) {
  const sweep::DeviceBank<Scalar>& bank = tables.bank();
  const auto start_as = [&]<class Sweep>() {
    start_sweep(how,
                Sweep{run.problem,
                      source,
                      run.features,
                      run.grid,
                      {},
                      bank,
                      tables.suspect().data(),
                      run.record},
                run.grid.size());
  };
  Kokkos::deep_copy(how.exec, tables.suspect(), std::int32_t{0});
  if (bank.sizes.parts > 1) {
    start_as.template operator()<sweep::DeviceFftSweep<Scalar, Source, true>>();
  } else {
    start_as.template operator()<sweep::DeviceFftSweep<Scalar, Source, false>>();
  }
  start_sweep(
      how,
      sweep::DeviceWeakRows<Scalar, Source>{
          run.problem, source, run.features, run.grid, {}, bank.sizes, tables.suspect().data()},
      run.grid.size());
}

}  // namespace

template <class Scalar, class ExecutionSpace>
FftLaunches<Scalar, ExecutionSpace>::FftLaunches(const ExecutionSpace& exec,
                                                 const chooser::ProblemSize& size,
                                                 const chooser::Resources& resources,
                                                 const Choice& choice)
    : m_set(choice.instruction_set) {
  if constexpr (is_host_space<ExecutionSpace>) {
    m_tables = Tables(exec, chooser::block_sizes(size, resources, choice), size.bases);
  } else {
    m_tables = Tables(exec, chooser::stage_sizes(size, resources, choice), size.bases);
  }
}

template <class Scalar, class ExecutionSpace>
void FftLaunches<Scalar, ExecutionSpace>::update(const SweepLaunch<ExecutionSpace>& how,
                                                 const Scalar* taps, const Taps& bank) {
  const std::int64_t window = bank.window;
  const std::int64_t bases = bank.bases;
  m_tables.set_taps(bank);
  if constexpr (is_host_space<ExecutionSpace>) {
    const auto passes = passes_of<Scalar>(m_set);
    start_sweep(how,
                sweep::SpectraOfBank<Scalar, sweep::HostPasses<Scalar>>{
                    m_tables.bank(), taps, window, bases, {}, passes},
                index::ceil_divide(bases, passes.lanes()));
  } else {
    start_sweep(how,
                sweep::DeviceSpectraOfBank<Scalar>{m_tables.bank_alone(), taps, window, bases, {}},
                bases * m_tables.bank().sizes.parts);
  }
}

template <class Scalar, class ExecutionSpace>
template <class Source>
void FftLaunches<Scalar, ExecutionSpace>::sweep(const SweepLaunch<ExecutionSpace>& how,
                                                const SweepRun<Scalar>& run,
                                                const Source& source) const {
  if constexpr (is_host_space<ExecutionSpace>) {
    sweep_blocks(how, run, source, m_tables.bank(), passes_of<Scalar>(m_set));
  } else {
    sweep_stages(how, run, source, m_tables);
  }
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                                 \
  template class FftLaunches<SCALAR, SPACE>;                                               \
  template void FftLaunches<SCALAR, SPACE>::sweep(                                         \
      const SweepLaunch<SPACE>&, const SweepRun<SCALAR>&, const pack::ArraySource&) const; \
  template void FftLaunches<SCALAR, SPACE>::sweep(                                         \
      const SweepLaunch<SPACE>&, const SweepRun<SCALAR>&, const pack::EventSource&) const;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
