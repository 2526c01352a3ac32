// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/bank_spectra.hpp"
#include "convolve/fft/fft_store.hpp"
#include "convolve/sweep/problem.hpp"
#include "launch/team.hpp"
#include "pack/gather.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The first steps of both forms of the FFT method: a team's memory, samples in packs of lanes, and
/// their spectra.

namespace synelix::sweep {

/// The memory of a team and the bases of a work item; the caller sets the strips.
template <class Scalar, class Sweep>
KOKKOS_FUNCTION PackWork<Scalar> work_of(const Sweep& sweep, std::byte* memory,
                                         const index::WorkItem& item) {
  const spectral::BlockMemory layout = spectral::block_memory(sweep.bank.sizes);
  PackWork<Scalar> work;
  work.features = &sweep.features;
  pack::PackedBlock<Scalar>& block = work.block;
  block.values = reinterpret_cast<Scalar*>(memory + layout.packed);
  block.rows = 2 * sweep.bank.transform.points;
  block.channels = item.channels.size();
  block.lanes = index::round_up(item.strips.size() * block.channels, sweep.passes.lanes());
  block.first_channel = item.channels.begin;
  block.pack_lanes = sweep.passes.lanes();
  block.strip_count = item.strips.size();
  block.lag = sweep.problem.lag - (sweep.bank.sizes.part_taps - 1);
  block.window = sweep.bank.sizes.part_taps;
  block.every = sweep.problem.layout.every;
  work.points = reinterpret_cast<Scalar*>(memory + layout.points);
  work.spectra = reinterpret_cast<Scalar*>(memory + layout.spectra);
  work.spectra_step = layout.spectra_step;
  work.probes = reinterpret_cast<Scalar*>(memory + layout.probes);
  work.energy = reinterpret_cast<Scalar*>(memory + layout.energy);
  work.levels = reinterpret_cast<Scalar*>(memory + layout.levels);
  work.least = reinterpret_cast<Scalar*>(memory + layout.least);
  work.smallest = reinterpret_cast<Scalar*>(memory + layout.smallest);
  work.weak = reinterpret_cast<Range*>(memory + layout.weak);
  work.stages = reinterpret_cast<Scalar*>(memory + layout.stages);
  work.stage_values = layout.stage_values;
  work.kernels =
      sweep.bank.kernels + item.bases.begin / sweep.bank.lines.bases * sweep.bank.group_step;
  work.first_basis = item.bases.begin;
  work.bases = sweep.bank.lines.bases;
  work.pack_lanes = sweep.passes.lanes();
  return work;
}

/// Called before the samples of a pack of lanes are transformed; has no barrier.
template <class Team, class Scalar>
KOKKOS_FUNCTION void clear_energy(const Team& team, const PackWork<Scalar>& work) {
  Scalar* const energy = work.energy;
  for_each_item(team, work.pack_lanes, [=](std::int64_t i) { energy[i] = Scalar(0); });
}

/// Whether a transform of the samples, or of their product with the bank, may overflow. Squares of
/// samples that are not finite, or very large, have no finite sum.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION bool may_overflow(const Sweep& sweep, const PackWork<Scalar>& work) {
  if (!sweep.bank.cannot_overflow) return true;
  Scalar sum = 0;
  for (std::int64_t i = 0; i < work.pack_lanes; ++i) sum += work.energy[i] * Scalar(0);
  return sum != Scalar(0);
}

/// Gathers the rows of some packs of lanes, from `first_row` on, without a barrier.
template <class Team, class Sweep, class Scalar>
KOKKOS_FUNCTION void gather_packs(const Team& team, const Sweep& sweep,
                                  const pack::PackedBlock<Scalar>& block, Range lanes,
                                  std::int64_t first_row = 0) {
  const std::int64_t rows = sweep.mapping.pack_rows;
  const std::int64_t packs = lanes.size() / block.pack_lanes;
  const std::int64_t row_groups = index::ceil_divide(block.rows - first_row, rows);
  for_each_item(team, row_groups * packs, [=, &sweep](std::int64_t i) {
    const std::int64_t lane = lanes.begin + i % packs * block.pack_lanes;
    const std::int64_t row = first_row + i / packs * rows;
    pack::gather(block, sweep.source, lane, lane + block.pack_lanes, row,
                 smaller(row + rows, block.rows), sweep.passes.copies());
  });
}

/// The spectra of a pack of lanes with samples at `samples`; ends with a barrier. The squares of
/// the samples are added to `energy`.
template <class Team, class Sweep, class Scalar>
KOKKOS_FUNCTION void transform_pack(const Team& team, const Sweep& sweep, const Scalar* samples,
                                    Scalar* points, Scalar* spectra, Scalar* energy) {
  const spectral::Transform<Scalar>& transform = sweep.bank.transform;
  const std::int64_t columns = transform.columns[0];
  const std::int64_t chunk = sweep.mapping.fft_columns > 0 ? sweep.mapping.fft_columns : columns;
  for_each_item(team, index::ceil_divide(columns, chunk), [=, &sweep](std::int64_t i) {
    sweep.passes.call(spectral::FirstPass<Scalar>{&sweep.bank.transform, samples,
                                                  sweep.passes.lanes(), points, i * chunk,
                                                  smaller((i + 1) * chunk, columns), energy});
  });
  team.team_barrier();
  for_each_item(team, transform.radix[0], [=, &sweep](std::int64_t q) {
    sweep.passes.call(spectral::ForwardBlock<Scalar>{&sweep.bank.transform, &sweep.bank.lines,
                                                     points, spectra, q});
  });
  team.team_barrier();
}

}  // namespace synelix::sweep
