// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/bank_spectra.hpp"
#include "convolve/plan/fft_tables.hpp"
#include "convolve/sweep_bench.hpp"
#include "launch/mock_team.hpp"
#include "spectral/select.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

/// \file
/// Common parts of tests of the FFT sweeps of hosts: a functor for a problem that is laid out, with
/// its bank's spectra.

namespace ground {

template <class Scalar>
sweep::HostPasses<Scalar> passes_of(InstructionSet set) {
  return {&spectral::passes_of<Scalar>(set), {&tile::table_of<Scalar>(set)}};
}

/// The work items of a sweep by transforms.
struct FftCut {
  std::int64_t teams = 2;
  std::int64_t strips = 2;
  std::int64_t channels = 3;
  std::int64_t parts = 1;  ///< of the window
};

/// A sweep by transforms of 128 samples, its bank transformed on the mock team as well; with parts
/// of the window, blocks as long as those.
template <class Functor, class Scalar>
class TransformedBench {
 public:
  template <class Passes>
  TransformedBench(Bench<Scalar>& bench, const tune::Mapping& mapping, const Passes& passes,
                   const FftCut& cut, std::uint64_t seed)
      : m_bench(bench),
        m_functor(bench.template functor<Functor>(mapping, cut.teams, cut.strips, cut.channels,
                                                  bench.problem.bases)),
        m_spectra(Kokkos::DefaultHostExecutionSpace(), sizes_of(mapping, passes.lanes(), cut),
                  bench.problem.bases) {
    m_functor.source = bench.array();
    m_functor.passes = passes;
    m_functor.bases = {0, bench.problem.bases};
    m_functor.bank = m_spectra.bank();
    const sweep::SpectraOfBank<Scalar, Passes> of_bank{m_spectra.bank(),     bench.taps.data(),
                                                       bench.problem.window, bench.problem.bases,
                                                       m_functor.workspace,  passes};
    ground::run_on_mock(of_bank, static_cast<int>(m_functor.workspace.teams), seed, -1);
  }

  [[nodiscard]] Functor& functor() { return m_functor; }
  /// The features, as `Bench::run` has them.
  std::vector<Scalar> run(std::uint64_t seed) { return m_bench.run(m_functor, seed); }

 private:
  [[nodiscard]] spectral::BlockSizes sizes_of(const tune::Mapping& mapping, int pack_lanes,
                                              const FftCut& cut) const {
    spectral::BlockSizes sizes;
    sizes.scalar_bytes = sizeof(Scalar);
    sizes.points = 64;
    sizes.pack_lanes = pack_lanes;
    sizes.lanes = index::round_up(cut.strips * cut.channels, pack_lanes);
    sizes.bases = m_bench.problem.bases;
    sizes.resident_lines = 2;
    sizes.tile_columns = 3;
    sizes.stages = mapping.team_size;
    sizes.parts = cut.parts;
    sizes.part_taps = index::ceil_divide(m_bench.problem.window, cut.parts);
    sizes.block_rows = cut.parts > 1 ? sizes.part_taps : m_functor.problem.strip_rows;
    sizes.window_rows = cut.parts > 1 ? sizes.block_rows - 1 + m_bench.problem.window : 0;
    return sizes;
  }

  Bench<Scalar>& m_bench;
  Functor m_functor;
  plan::FftTables<Scalar, Kokkos::HostSpace> m_spectra;
};

/// The features by such a sweep on the mock team.
template <class Functor, class Passes, class Scalar>
std::vector<Scalar> transformed(Bench<Scalar>& bench, const tune::Mapping& mapping,
                                const Passes& passes, std::int64_t strips, std::int64_t channels,
                                std::uint64_t seed, std::int64_t parts = 1) {
  const FftCut cut{.teams = 2, .strips = strips, .channels = channels, .parts = parts};
  return TransformedBench<Functor, Scalar>(bench, mapping, passes, cut, seed).run(seed);
}

}  // namespace ground
