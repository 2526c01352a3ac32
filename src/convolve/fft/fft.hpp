// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/fft_block.hpp"
#include "convolve/fft/fft_lines.hpp"
#include "convolve/fft/fft_passes.hpp"
#include "convolve/fft/fft_recompute.hpp"
#include "convolve/fft/fft_store.hpp"
#include "convolve/sweep/problem.hpp"
#include "convolve/sweep/strips.hpp"
#include "index/team_memory.hpp"
#include "launch/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Overlap-save by fast Fourier transforms as a parallel loop. A work item is strips x channels x
/// bases, a strip being a block of N - W + 1 samples of one epoch; whoever asks for a part of its
/// rows gets the bits that the whole would have. Samples are packed as for the direct method, N
/// rows of one lane for each strip and channel. A pack of lanes at a time is transformed; its
/// product with the bank's spectra is expanded to outputs (channel, basis), line by line, and those
/// are transformed back, so that the last pass leaves finished rows (convolve/fft/fft_lines.hpp).
///
/// A value that is not finite spoils its lane's whole block, and a sum of large values may overflow
/// in some of its rows only. The first pass sums up the squares of the samples: where that is
/// finite and the bank is tame (BankSpectra), no transform overflows. Elsewhere the last pass looks
/// at all rows of each line, and convolve/fft/fft_recompute.hpp does what has to be done then.

namespace synelix::sweep {

/// The functor. `Source` is pack::ArraySource or pack::EventSource. A team's share of the workspace
/// holds what spectral::block_memory says, then strips.
template <class Scalar, class Passes, class Source>
struct FftSweep {
  Problem<Scalar> problem;
  Source source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Passes passes;
  BankSpectra<Scalar> bank;
  Range bases;  ///< those that are asked for; the grid has them in whole groups
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(grid.size(), team.league_rank(), workspace.teams);
    for (std::int64_t i = share.begin; i < share.end; ++i) compute_item(team, i);
    passes.end_copies();
  }

 private:
  using Work = PackWork<Scalar>;

  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, std::int64_t number) const {
    const index::WorkItem item = grid.item(number);
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    auto* const strips =
        reinterpret_cast<index::Strip*>(memory + spectral::block_memory(bank.sizes).bytes);
    auto* const order = reinterpret_cast<std::int32_t*>(reinterpret_cast<std::byte*>(strips) +
                                                        index::strip_memory(grid.strip_step).order);
    Work work = work_of<Scalar>(*this, memory, item);
    const pack::PackedBlock<Scalar>& block = work.block;
    work.block.strips = strips;
    work.block.order = order;

    // Whole blocks, whichever of their rows are asked for: those stand for their transforms.
    constexpr Range every_row{0, std::int64_t{1} << 62};
    locate_strips(team, problem, mapping, item.strips, every_row, strips, order);
    if (record.items != nullptr) {
      for_each_item(team, 1, [=, this](std::int64_t) { record.items[number] = item; });
    }
    gather_packs(team, *this, block, {0, block.lanes});
    clear_energy(team, work);
    team.team_barrier();
    for (std::int64_t lane = 0; lane < block.lanes; lane += passes.lanes()) {
      work.set_first_lane(lane);
      if (work.has_values(problem.layout.every)) {
        compute_pack(team, work);
      } else {
        store_missing(team, work);
      }
      team.team_barrier();
    }
  }

  /// One pack of lanes, and once more where it is not finite.
  template <class Team>
  KOKKOS_FUNCTION void compute_pack(const Team& team, Work& work) const {
    convolve_pack(team, work);
    if (!work.is_careful || work.is_finite()) return;
    for_each_item(team, work.pack_lanes, [=](std::int64_t i) {
      zero_what_is_not_finite(work.block, work.first_lane + i);
    });
    team.team_barrier();
    convolve_pack(team, work);
    gather_packs(team, *this, work.block, {work.first_lane, work.first_lane + work.pack_lanes});
    team.team_barrier();
    for_each_item(team, work.lanes, [=, this](std::int64_t i) {
      const LaneSamples<Scalar> seen{work.block.lane(work.first_lane + i), work.pack_lanes};
      recompute_lane(problem, features, bases, work, i, seen);
    });
  }

  template <class Team>
  KOKKOS_FUNCTION void convolve_pack(const Team& team, Work& work) const {
    transform_pack(team, *this, work.block.lane(work.first_lane), work.points, work.spectra,
                   work.energy);
    work.is_careful = may_overflow(*this, work);
    FftLines(*this, work).store(team);
    clear_energy(team, work);  // a barrier comes before the next transform
  }

  /// NaN to all rows of a pack of lanes.
  template <class Team>
  KOKKOS_FUNCTION void store_missing(const Team& team, const Work& work) const {
    for_each_item(team, work.lanes, [=, this](std::int64_t i) {
      const LaneSamples<Scalar> seen{work.block.lane(work.first_lane + i), work.pack_lanes};
      recompute_lane(problem, features, bases, work, i, seen);
    });
  }
};

}  // namespace synelix::sweep
