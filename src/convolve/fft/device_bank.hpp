// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "launch/device_stages.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "spectral/stages.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The spectra of a bank on devices: their layout, and a parallel loop that computes them, one
/// basis and one part of its window at a time.

namespace synelix::sweep {

/// Samples with at most this energy cause no overflow with usual taps.
template <class Scalar>
constexpr double safe_energy() {
  return sizeof(Scalar) == 4 ? 0x1p60 : 0x1p500;
}

/// A bank as spectra on a device.
template <class Scalar>
struct DeviceBank {
  using Stored = spectral::StoredPoint<Scalar>;

  DeviceStages<Scalar> stages;
  Stored* kernels = nullptr;  ///< (basis, part, place), in the numbering of DeviceStages
  spectral::StageSizes sizes;
  std::int32_t first_row = 0;  ///< the first row of `sizes`, which each thread needs
  /// Whether no transform of a block overflows if its squares sum to at most safe_energy.
  bool cannot_overflow = false;

  /// A thread for each butterfly of 16 points, at most a full team.
  [[nodiscard]] TeamShape team_shape(std::int64_t teams) const {
    constexpr std::int64_t fewest = 64;  // at least a warp or wavefront on any device
    const std::int64_t threads = sizes.lanes * sizes.points / 16;
    return {index::larger(1, teams),
            static_cast<int>(index::larger(
                fewest, index::smaller(threads, std::int64_t{tune::device_fft_team}))),
            spectral::stage_scratch_bytes(sizes)};
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Stored* kernel(std::int64_t basis, std::int64_t part) const {
    return kernels + (basis * sizes.parts + part) * stages.stages.points;
  }
};

/// The functor, for a bank with one lane. A team needs spectral::stage_scratch_bytes of scratch.
template <class Scalar>
struct DeviceSpectraOfBank {
  using Bounds =
      Kokkos::LaunchBounds<tune::device_fft_team, tune::device_fft_teams(sizeof(Scalar))>;
  using Stored = spectral::StoredPoint<Scalar>;

  DeviceBank<Scalar> bank;
  const Scalar* taps = nullptr;  ///< taps(w, b) at taps[w * bases + b]
  std::int64_t window = 0;
  std::int64_t bases = 0;
  Workspace workspace;  ///< no memory; only the number of teams

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return bank.team_shape(items);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const points = team_memory<Stored>(team, spectral::slots_of(bank.sizes.points));
    for_each_team_item(team, bases * bank.sizes.parts, workspace.teams, [&](std::int64_t i) {
      transform(team, points, i / bank.sizes.parts, i % bank.sizes.parts);
    });
  }

 private:
  /// The kernel of a part, divided by the number of points, so the inverse transform needs no
  /// scaling.
  template <class Team>
  KOKKOS_FUNCTION void transform(const Team& team, Stored* points, std::int64_t basis,
                                 std::int64_t part) const {
    const std::int32_t n = bank.stages.stages.points;
    const Range of_part{part * bank.sizes.part_taps,
                        index::smaller((part + 1) * bank.sizes.part_taps, window)};
    for_each_item(team, n, [=, this](std::int64_t i) {
      const auto tap = [&](std::int64_t row) {
        const std::int64_t w = of_part.begin + row;
        return w < of_part.end ? taps[w * bases + basis] : Scalar(0);
      };
      points[spectral::slot_of(static_cast<std::int32_t>(i))] = {tap(i), tap(i + n)};
    });
    team.team_barrier();
    bank.stages.forward(team, points, [](std::int32_t, const spectral::Places&) {});
    Stored* const to = bank.kernel(basis, part);
    const Scalar scale = Scalar(1) / static_cast<Scalar>(n);
    bank.stages.store_spectrum(
        team, points,
        [=](std::int32_t place, std::int32_t, const spectral::Point<Scalar>& first,
            const spectral::Point<Scalar>& second) {
          spectral::store_pair(to + place, spectral::scaled(first, scale),
                               spectral::scaled(second, scale));
        });
  }
};

}  // namespace synelix::sweep
