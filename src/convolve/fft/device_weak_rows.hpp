// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/fft_lane.hpp"
#include "convolve/fft/fft_recompute.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "launch/team.hpp"
#include "spectral/levels.hpp"
#include "spectral/stages.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Weak rows (spectral/levels.hpp) of the FFT method on devices. This is a launch after that of
/// convolve/fft/device_fft.hpp, so that the kernel of the transforms keeps its registers. A team
/// processes one block of one channel at a time: it sums the squares of its segments, finds the
/// rows whose windows have too little energy, and sums those directly.
///
/// It checks all blocks if the launch of the transforms found a suspect one, which is rare.
/// Otherwise it checks only blocks with windows that cross the border of an epoch. The result
/// depends only on the samples of a block.

namespace synelix::sweep {

/// The functor. `Source` is pack::ArraySource or pack::EventSource.
template <class Scalar, class Source>
struct DeviceWeakRows {
  using Bounds = Kokkos::LaunchBounds<tune::device_weak_team, 2>;
  using Lane = FftLane<Scalar>;

  Problem<Scalar> problem;
  Source source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;  ///< no memory; only the number of teams
  spectral::StageSizes sizes;
  const std::int32_t* suspect;

  /// The most sums of squares of a block that are kept in scratch.
  static constexpr std::int64_t most_segments = 256;

  /// The memory of a team.
  struct Work {
    double* sums;          ///< of the squares of each segment
    std::int32_t* first;   ///< the first weak row
    std::int32_t* last;    ///< the last weak row
    std::int64_t oldest;   ///< sample of the first segment
    std::int64_t segment;  ///< samples
    double enough;         ///< energy of a window that is not weak, if all of its samples exist
    Range bases;
  };

  static constexpr std::int64_t scratch_bytes() {
    return index::round_up(most_segments * static_cast<std::int64_t>(sizeof(double)), 64) + 64;
  }
  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t teams) const {
    return {index::smaller(items, teams * tune::device_fft_waves), tune::device_weak_team,
            scratch_bytes()};
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Work work{};
    work.sums = team_memory<double>(team, most_segments);
    work.first = team_memory<std::int32_t>(team, 2);
    work.last = work.first + 1;
    const bool has_all = *suspect != 0;
    for_each_team_item(team, grid.size(), workspace.teams, [&](std::int64_t i) {
      const index::WorkItem item = grid.item(i);
      work.bases = item.bases;
      std::int64_t segment = problem.segment_of(item.strips.begin);
      for (std::int64_t s = item.strips.begin; s < item.strips.end; ++s) {
        Lane lane{};
        lane.strip = problem.strip_from(segment, s, {0, std::int64_t{1} << 62});
        sum_strip(team, work, item.channels, lane, has_all);
      }
    });
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void sum_strip(const Team& team, Work& work, Range channels, Lane& lane,
                                 bool has_all) const {
    const index::Strip strip = lane.strip;
    const std::int64_t every = problem.layout.every;
    const Range asked = index::common(
        {0, strip.rows}, {features.rows.begin - strip.row, features.rows.end - strip.row});
    for (std::int64_t k = asked.begin / sizes.block_rows; k * sizes.block_rows < asked.end; ++k) {
      const index::Strip block = index::block_of(strip, k, sizes.block_rows, every);
      for (lane.channel = channels.begin; lane.channel < channels.end; ++lane.channel) {
        lane.set_block(problem, features, block, sizes, true);
        if (!lane.has_values() || !(has_all || reaches_over(block))) break;
        lane.strip = block;
        sum_weak_rows(team, work, lane);
        lane.strip = strip;
      }
    }
  }

  /// The samples in the window of a row, including those that do not exist.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Range window_of(const Lane& lane, std::int64_t row) const {
    const std::int64_t end = lane.first + sizes.first_row() + 1 + row * problem.layout.every;
    return {end - problem.window, end};
  }
  /// Whether the window of a row with a value reaches samples beyond its epoch, which are zeros.
  [[nodiscard]] KOKKOS_FUNCTION bool reaches_over(const index::Strip& block) const {
    const std::int64_t every = problem.layout.every;
    const Range rows = index::valued_rows(block, every);
    const std::int64_t newest = block.sample + problem.lag;
    return rows.size() > 0 &&
           (newest + rows.begin * every + 1 - problem.window < block.samples.begin ||
            newest + (rows.end - 1) * every >= block.samples.end);
  }

  template <class Team>
  KOKKOS_FUNCTION void sum_weak_rows(const Team& team, Work& work, const Lane& lane) const {
    const std::int64_t every = problem.layout.every;
    const Range rows = index::valued_rows(lane.strip, every);
    const std::int64_t oldest = lane.first + sizes.first_row() + 1 - sizes.part_taps -
                                (sizes.parts - 1) * sizes.block_rows * every;
    // nvcc 13.0 loses a braced list without a type that is an argument of a qualified call.
    const Range seen = index::common(lane.strip.samples, Range{oldest, lane.first + lane.seen.end});
    work.oldest = seen.begin;
    work.segment = index::larger(spectral::segment_of_window(problem.window),
                                 index::ceil_divide(seen.size(), most_segments));
    const std::int64_t segments = index::ceil_divide(seen.size(), work.segment);
    for_each_item(team, index::larger(1, segments), [=, this](std::int64_t s) {
      const std::int64_t begin = work.oldest + s * work.segment;
      work.sums[s] = energy_of(lane, index::common({begin, begin + work.segment}, seen)).sum;
      if (s > 0) return;
      *work.first = static_cast<std::int32_t>(rows.end);
      *work.last = -1;
    });
    team.team_barrier();
    double energy = 0.0;
    for (std::int64_t s = 0; s < segments; ++s) energy += work.sums[s];
    work.enough = spectral::weak_share * energy;
    const bool is_bounded = is_finite(energy);
    for_each_item(team, rows.size(), [=, this](std::int64_t i) {
      const auto row = static_cast<std::int32_t>(rows.begin + i);
      if (is_bounded && !is_weak(work, lane, row)) return;
      Kokkos::atomic_min(work.first, row);
      Kokkos::atomic_max(work.last, row);
    });
    team.team_barrier();
    // nvcc 13.0 loses a braced list without a type that is an argument of a qualified call.
    const Range weak = index::common(Range{*work.first, *work.last + 1},
                                     Range{lane.valued.begin, lane.valued.end});
    for_each_item(team, weak.size() * work.bases.size(), [=, this](std::int64_t i) {
      sum_window(lane, weak.begin + i / work.bases.size(),
                 work.bases.begin + i % work.bases.size());
    });
    team.team_barrier();
  }

  /// The energy of some samples. Values that are not finite count as zero.
  struct Energy {
    double sum = 0.0;
    bool is_any = false;  ///< whether any is not zero
  };
  [[nodiscard]] KOKKOS_FUNCTION Energy energy_of(const Lane& lane, Range samples) const {
    Energy energy;
    for (std::int64_t t = samples.begin; t < samples.end; ++t) {
      const auto value = static_cast<double>(sample_of(lane, source, t));
      if (!is_finite(value)) continue;
      energy.sum += value * value;
      energy.is_any = energy.is_any || value != 0.0;
    }
    return energy;
  }

  [[nodiscard]] KOKKOS_FUNCTION bool is_weak(const Work& work, const Lane& lane,
                                             std::int64_t row) const {
    const Range seen = index::common(window_of(lane, row), lane.strip.samples);
    double core = 0.0;
    for (std::int64_t s = index::ceil_divide(seen.begin - work.oldest, work.segment);
         work.oldest + (s + 1) * work.segment <= seen.end; ++s) {
      core += work.sums[s];
      if (core >= work.enough) return false;
    }
    const Energy own = energy_of(lane, seen);
    const double share = static_cast<double>(seen.size()) / static_cast<double>(problem.window);
    return own.is_any && own.sum < work.enough * share;
  }

  /// Sums one row of a basis in the order of the direct method. Rows whose windows contain values
  /// that are not finite already have their sums.
  KOKKOS_FUNCTION void sum_window(const Lane& lane, std::int64_t row, std::int64_t b) const {
    const Range window = window_of(lane, row);
    Scalar sum = 0;
    for (std::int64_t t = window.end - 1; t >= window.begin; --t) {
      const Scalar sample = sample_of(lane, source, t);
      if (!is_finite(sample)) return;
      sum = Kokkos::fma(sample, problem.taps[(window.end - 1 - t) * problem.bases + b], sum);
    }
    *lane.row_of(b, row) = canonical(sum);
  }
};

}  // namespace synelix::sweep
