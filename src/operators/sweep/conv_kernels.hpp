// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/conv_transform_cut.hpp"
#include "operators/sweep/conv_fft.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/conv_transforms.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The spectra of the weights of a convolution. A virtual item is a pack of filters of one group, a
/// lane for each result and channel: their taps from the last to the first, since a convolution of
/// spectra is the cross-correlation with the taps reversed.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvKernelsSweep {
  using TeamMemory = ConvTransformTeamMemory<Scalar>;

  ConvProblem problem;
  ConvFftCut cut;
  ConvTransforms<Scalar> transforms;
  Scalar* kernels = nullptr;
  std::int64_t items = 0;  ///< all, or none
  Workspace workspace;

  [[nodiscard]] static std::int64_t count(const ConvProblem& problem, std::int64_t lanes) {
    return problem.groups * index::ceil_divide(problem.output_channels * problem.channels, lanes);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamMemory room(workspace.data + team.league_rank() * workspace.bytes, transforms.sizes(),
                          cut.kernels.results_at_once);
    for_each_of_share(team, items, workspace.teams,
                      [=, this](std::int64_t i) { transform(i, room); });
  }

 private:
  KOKKOS_FUNCTION void transform(std::int64_t number, const TeamMemory& room) const {
    const std::int64_t lanes = transforms.lanes();
    const std::int64_t filters = problem.output_channels * problem.channels;
    const std::int64_t first = take_digit(number, index::ceil_divide(filters, lanes)) * lanes;
    const std::int64_t group = number;
    const index::ConvAxis& axis = problem.axes[2];
    const std::int64_t used = index::smaller(lanes, filters - first);
    for (std::int64_t i = 0; i < lanes; ++i) {
      Scalar* const line = room.points + i * transforms.line_step();
      for (std::int64_t k = 0; k < transforms.length(); ++k) line[k] = Scalar(0);
      for (std::int64_t k = 0; i < used && k < axis.taps; ++k) {
        line[cut.blocks.window - 1 - k * axis.spacing] = weight_of<Scalar>(
            problem, group, (first + i) % problem.channels, (first + i) / problem.channels, k);
      }
    }
    transforms.forward(room.points, room.packed, room.spectra);
    for (std::int64_t i = 0; i < used; ++i) {
      write(group, (first + i) / problem.channels, (first + i) % problem.channels,
            room.spectra + i);
    }
  }

  /// Writes the kernel of a filter, divided by the number of points, so the inverse transform needs
  /// no scaling.
  KOKKOS_FUNCTION void write(std::int64_t group, std::int64_t output_channel, std::int64_t channel,
                             const Scalar* spectrum) const {
    const std::int64_t lanes = transforms.lanes();
    const std::int64_t results = cut.kernels.results(output_channel);
    const std::int64_t point = cut.kernels.point(results);
    const Scalar scale = Scalar(1) / static_cast<Scalar>(transforms.transform.points);
    Scalar* to = kernels + cut.kernels.offset(group, output_channel) + channel * 2 * results +
                 output_channel % results;
    for (std::int64_t p = 0; p < transforms.transform.points; ++p, to += point) {
      to[0] = spectrum[2 * p * lanes] * scale;
      to[results] = spectrum[(2 * p + 1) * lanes] * scale;
    }
  }
};

}  // namespace synelix::sweep
