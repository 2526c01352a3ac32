// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/fft_recompute.hpp"
#include "convolve/fft/fft_store.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "spectral/block.hpp"
#include "spectral/levels.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Weak rows (spectral/levels.hpp) of the FFT method on a host: the energy of the segments of a
/// block, the weak rows of a lane, and their sums by flat tiles, which have the bits of the direct
/// method. All of it depends only on the blocks in the windows of a row.
///
/// With a window in parts, the samples of earlier blocks are no longer available; only the energies
/// of their segments are kept. A lane that may have weak rows is checked again after its samples
/// are gathered.

namespace synelix::sweep {

/// The windows of a lane's rows, in samples numbered from the oldest one of its row 0.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION spectral::Windows windows_of(const Sweep& sweep, const PackWork<Scalar>& work,
                                             std::int64_t lane, double energy) {
  const Problem<Scalar>& problem = sweep.problem;
  const index::Strip& strip = work.strip_of(lane);
  const std::int64_t every = problem.layout.every;
  const Range valued = index::valued_rows(strip, every);
  const std::int64_t first = strip.sample + problem.lag - (problem.window - 1);
  spectral::Windows windows;
  windows.window = problem.window;
  windows.newest.begin = windows.window - 1 + valued.begin * every;
  windows.newest.end =
      valued.size() > 0 ? windows.window + (valued.end - 1) * every : windows.newest.begin;
  windows.samples = index::common({strip.samples.begin - first, strip.samples.end - first},
                                  {0, windows.newest.end});
  windows.enough = spectral::weak_share * energy;
  return windows;
}

/// The levels of the newest block of a pack of lanes with samples at `samples`: from some samples
/// of each segment, or from all of them.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION void sum_levels(const Sweep& sweep, const PackWork<Scalar>& work,
                                const Scalar* samples, bool has_all) {
  const spectral::BlockSizes& sizes = sweep.bank.sizes;
  spectral::Energies<Scalar> energies{};
  energies.samples = samples;
  energies.segment = spectral::segment_samples(sizes);
  energies.summed = has_all ? energies.segment : spectral::first_summed(energies.segment);
  energies.sums = work.levels;
  if (sizes.parts == 1) {
    Range newest{0, 0};
    for (std::int64_t lane = 0; lane < work.lanes; lane = work.end_of_strip(lane)) {
      newest = index::hull(newest, windows_of(sweep, work, lane, 0.0).newest);
    }
    if (newest.size() == 0) return;  // then no row is stored
    energies.rows = newest.end;
    energies.least = work.least;
    energies.together = spectral::whole_segments(sizes.part_taps, energies.segment);
    energies.begin = newest.begin / energies.segment - energies.together;
    energies.end = (newest.end - 1) / energies.segment;
    sweep.passes.call(energies);
    return;
  }
  const std::int64_t lanes = work.pack_lanes;
  Scalar* const levels = work.levels_of(0, spectral::seen_blocks(sizes.parts));
  for (std::int64_t i = 0; i < lanes; ++i) levels[i] = work.energy[i];
  energies.samples = samples + (sizes.part_taps - sweep.problem.layout.every) * lanes;
  energies.rows = sizes.part_taps;
  energies.sums = levels + lanes;
  energies.summed = index::ceil_divide(energies.segment, 2);
  sweep.passes.call(energies);
}

/// The rows of a lane whose newest samples are in a range.
template <class Sweep>
KOKKOS_FUNCTION Range rows_of_newest(const Sweep& sweep, Range newest) {
  if (newest.size() == 0) return {0, 0};
  const std::int64_t every = sweep.problem.layout.every;
  const std::int64_t first = sweep.problem.window - 1;
  return {index::ceil_divide(newest.begin - first, every), (newest.end - 1 - first) / every + 1};
}

/// The square of a sample in double. Values that are not finite were replaced by zero.
template <class Scalar>
KOKKOS_INLINE_FUNCTION double square_of(Scalar value) {
  return is_finite(value) ? static_cast<double>(value) * static_cast<double>(value) : 0.0;
}

/// The weak rows of a lane whose blocks hold the complete window, with samples at `samples`.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION Range weak_rows_of_block(const Sweep& sweep, const PackWork<Scalar>& work,
                                         std::int64_t lane, const Scalar* samples) {
  const spectral::Windows windows =
      windows_of(sweep, work, lane, static_cast<double>(work.energy[lane]));
  const std::int64_t segment = spectral::segment_samples(sweep.bank.sizes);
  const std::int64_t lanes = work.pack_lanes;
  const auto is_strong = [&](std::int64_t g) {
    return spectral::has_strong_core(windows, segment, g, [&](std::int64_t s) {
      return static_cast<double>(work.levels[s * lanes + lane]);
    });
  };
  const auto square = [&](std::int64_t i) { return square_of(samples[i * lanes + lane]); };
  return rows_of_newest(sweep, spectral::weak_rows(windows, segment, is_strong, square));
}

/// Whether the segments that are completely in windows of a lane have enough energy for all rows of
/// the newest block, if there are parts.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION bool has_strong_parts(const Sweep& sweep, const PackWork<Scalar>& work,
                                      std::int64_t lane, double enough) {
  const spectral::BlockSizes& sizes = sweep.bank.sizes;
  const std::int64_t segment = spectral::segment_samples(sizes);
  const std::int64_t segments = index::ceil_divide(sizes.part_taps, segment);
  const std::int64_t kept = spectral::seen_blocks(sizes.parts);
  for (std::int64_t g = 0; g < segments; ++g) {
    const std::int64_t end = smaller((g + 1) * segment, sizes.part_taps);
    double core = 0.0;
    std::int64_t ago = 0;
    std::int64_t s = g;
    while (core < enough) {
      if (s == 0) {
        s = segments;
        ++ago;
      }
      --s;
      const std::int64_t begin = s * segment - ago * sizes.part_taps;
      if (ago >= work.parts || begin < end - sweep.problem.window) return false;
      core += static_cast<double>(work.levels_of(ago, kept)[(1 + s) * work.pack_lanes + lane]);
    }
  }
  return true;
}

/// The energy of the blocks in the windows of the newest block's rows.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION Scalar seen_energy(const Sweep& sweep, const PackWork<Scalar>& work,
                                   std::int64_t lane) {
  if (sweep.bank.sizes.parts == 1) return work.energy[lane];
  Scalar energy = 0;
  for (std::int64_t ago = 0; ago < work.parts; ++ago) {
    energy += work.levels_of(ago, spectral::seen_blocks(sweep.bank.sizes.parts))[lane];
  }
  return energy;
}

/// Finds the weak rows of all lanes of a pack; with parts, candidates. A skipped lane certainly has
/// none, so the result does not depend on the other lanes of its pack.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION void find_weak_rows(const Sweep& sweep, const PackWork<Scalar>& work,
                                    const Scalar* samples) {
  const bool has_parts = sweep.bank.sizes.parts > 1;
  const auto enough_of = [&](std::int64_t lane) {
    return spectral::surely_enough * static_cast<double>(seen_energy(sweep, work, lane));
  };
  std::uint64_t asked = 0;  // lanes that may have weak rows
  for (std::int64_t lane = 0; lane < work.lanes; ++lane) {
    const bool is_strong = has_parts ? has_strong_parts(sweep, work, lane, enough_of(lane))
                                     : static_cast<double>(work.least[lane]) >= enough_of(lane);
    const bool is_bounded = is_finite(seen_energy(sweep, work, lane));
    work.weak[lane] = {0, 0};
    if (is_bounded && is_strong) continue;
    if (has_parts || !is_bounded) {
      work.weak[lane] = index::valued_rows(work.strip_of(lane), sweep.problem.layout.every);
    } else {
      asked |= std::uint64_t{1} << lane;
    }
  }
  if (asked == 0) return;
  sum_levels(sweep, work, samples, true);
  for (std::int64_t lane = 0; lane < work.lanes; ++lane) {
    if (static_cast<double>(work.least[lane]) >= enough_of(lane)) {
      asked &= ~(std::uint64_t{1} << lane);
    }
  }
  if (asked == 0) return;
  // A value above any share of the energy, if all samples are 0.
  sweep.passes.call(spectral::SmallestSquare<Scalar>{samples, 2 * sweep.bank.sizes.points,
                                                     Kokkos::Experimental::finite_max_v<Scalar>,
                                                     work.smallest});
  for (std::int64_t lane = 0; lane < work.lanes; ++lane) {
    if ((asked >> lane & 1U) == 0 || static_cast<double>(work.smallest[lane]) >= enough_of(lane)) {
      continue;
    }
    work.weak[lane] = weak_rows_of_block(sweep, work, lane, samples);
  }
}

/// Sums the weak rows of a lane; all samples of their windows are at `samples`.
template <class Sweep, class Scalar>
KOKKOS_FUNCTION void sum_weak_rows(const Sweep& sweep, const PackWork<Scalar>& work,
                                   std::int64_t lane, const Scalar* samples) {
  const Problem<Scalar>& problem = sweep.problem;
  const FeatureTarget<Scalar>& features = *work.features;
  const index::Strip& strip = work.strip_of(lane);
  const FeatureTarget<Scalar>& own = features.of(strip.trial);
  const std::int64_t every = problem.layout.every;
  const std::int64_t channel = work.channel_of(lane);
  Range weak = work.weak[lane];
  const Scalar energy = seen_energy(sweep, work, lane);
  if (sweep.bank.sizes.parts > 1 && is_finite(energy)) {
    const spectral::Windows windows = windows_of(sweep, work, lane, static_cast<double>(energy));
    weak = rows_of_newest(sweep, spectral::weak_rows(
                                     windows, windows.window, [](std::int64_t) { return false; },
                                     [&](std::int64_t i) { return square_of(samples[i]); }));
  }
  weak = index::common(weak, {features.rows.begin - strip.row, features.rows.end - strip.row});
  // nvcc 13.0 loses a braced list without a type that is an argument of a qualified call.
  const Range bases =
      index::common(sweep.bases, Range{work.first_basis, work.first_basis + work.bases});
  // The memory of the points is free until the next block is loaded.
  Scalar* const sums = work.points;
  const std::int64_t room = 2 * sweep.bank.transform.stored_points() * work.pack_lanes;
  const std::int64_t most = every > 1 ? 1 : (room - work.pack_lanes) / problem.bases;
  for (std::int64_t row = weak.begin; row < weak.end;) {
    const std::int64_t rows = smaller(larger(1, most), weak.end - row);
    const Scalar* const newest = samples + problem.window - 1 + row * every;
    const bool fits = rows * problem.bases + work.pack_lanes <= room;
    if (fits) {
      sweep.passes.call(tile::FlatTile<Scalar>{newest, 1 - problem.window, problem.taps,
                                               problem.window, problem.bases, rows, sums});
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t b = bases.begin; b < bases.end; ++b) {
        const Scalar sum = fits ? sums[r * problem.bases + b]
                                : window_sum(problem, newest + r * every, 1, b, true);
        own.first_row(channel, b)[(strip.row + row + r - own.rows.begin) * own.row_stride] = sum;
      }
    }
    row += rows;
  }
}

}  // namespace synelix::sweep
