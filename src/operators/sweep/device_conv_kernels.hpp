// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/device_conv_blocks.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The spectra of the weights of a convolution on a device. A work item is one part of one filter:
/// its taps from the last to the first, since a convolution of spectra is the cross-correlation
/// with the taps reversed.

namespace synelix::sweep {

/// The functor, for stages with one lane.
template <class Scalar>
struct DeviceConvKernelsSweep {
  using Bounds =
      Kokkos::LaunchBounds<tune::device_fft_team, tune::device_fft_teams(sizeof(Scalar))>;
  using Stored = spectral::StoredPoint<Scalar>;

  ConvProblem problem;
  DeviceConvParts parts;
  DeviceStages<Scalar> stages;
  Stored* kernels = nullptr;  ///< (group, output channel, channel, part, place)
  std::int64_t items = 0;     ///< all, or none
  Workspace workspace;

  [[nodiscard]] DeviceConvFftScratch scratch() const {
    return {sizeof(Scalar), stages.stages.points, 1, 0, 0};
  }
  [[nodiscard]] TeamShape team_shape(std::int64_t count, std::int64_t) const {
    return device_conv_team(scratch(), count);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const points = team_memory<Stored>(team, spectral::slots_of(stages.stages.points));
    for_each_team_item(team, items, workspace.teams,
                       [&](std::int64_t i) { transform(team, points, i); });
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void transform(const Team& team, Stored* points, std::int64_t number) const {
    const std::int32_t n = stages.stages.points;
    Stored* const to = kernels + number * n;
    const std::int64_t part = take_digit(number, parts.count);
    const std::int64_t channel = take_digit(number, problem.channels);
    const std::int64_t output_channel = take_digit(number, problem.output_channels);
    const std::int64_t group = number;
    const Range taps = parts.of(part);
    const auto newest = static_cast<std::int32_t>(parts.ahead(0));
    // A dilation may be longer than a block; parts then have one tap.
    const auto spacing =
        static_cast<std::int32_t>(index::smaller(parts.spacing, std::int64_t{2} * n));
    for_each_item(team, n, [=, this](std::int64_t i) {
      const auto tap = [&](std::int32_t row) {
        const std::int32_t back = newest - row;
        const std::int32_t k = back / spacing;
        if (back < 0 || k >= taps.size() || k * spacing != back) return Scalar(0);
        return weight_of<Scalar>(problem, group, channel, output_channel, taps.begin + k);
      };
      const auto row = static_cast<std::int32_t>(i);
      points[spectral::slot_of(row)] = {tap(row), tap(row + n)};
    });
    team.team_barrier();
    stages.forward(team, points, [](std::int32_t, const spectral::Places&) {});
    const Scalar scale = Scalar(1) / static_cast<Scalar>(n);  // the inverse transform does not
                                                              // scale
    stages.store_spectrum(
        team, points,
        [=](std::int32_t place, std::int32_t, const spectral::Point<Scalar>& first,
            const spectral::Point<Scalar>& second) {
          spectral::store_pair(to + place, spectral::scaled(first, scale),
                               spectral::scaled(second, scale));
        });
  }
};

}  // namespace synelix::sweep
