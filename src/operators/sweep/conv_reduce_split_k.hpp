// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "launch/canonical.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/sweep/conv_positions.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Adds the split-K partials of a gradient by weights in their order, and stores the sums. (K, the
/// inner index of that product, are the positions.) A virtual item is a weight.

namespace synelix::sweep {

/// The contiguous sums of the first partial.
inline pack::ConvWeights<void> first_partial(const ConvWeightsProblem& problem, void* data) {
  pack::ConvWeights<void> sums = problem.result;
  sums.data = data;
  std::int64_t stride = 1;
  for (int d = index::conv_dimensions - 1; d >= 0; --d) {
    sums.tap_strides[d] = stride;
    stride *= problem.axes[d].taps;
  }
  sums.channel_stride = stride;
  sums.output_channel_stride = stride * problem.channels;
  sums.group_stride = sums.output_channel_stride * problem.output_channels;
  return sums;
}

/// The functor.
template <class Scalar>
struct ConvReduceSplitKSweep {
  ConvWeightsProblem problem;
  const Scalar* sums = nullptr;  ///< (partial, group, output channel, channel, taps)
  std::int64_t partials = 0;
  std::int64_t weights = 0;  ///< all, or none
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, weights, workspace.teams, [=, this](std::int64_t i) { add(i); });
  }

 private:
  KOKKOS_FUNCTION void add(std::int64_t number) const {
    Scalar sum = sums[number];
    for (std::int64_t i = 1; i < partials; ++i) sum += sums[i * weights + number];
    const pack::ConvWeights<void>& result = problem.result;
    std::int64_t place = 0;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      place += take_digit(number, problem.axes[d].taps) * result.tap_strides[d];
    }
    place += take_digit(number, problem.channels) * result.channel_stride;
    place += take_digit(number, problem.output_channels) * result.output_channel_stride;
    place += number * result.group_stride;
    static_cast<Scalar*>(result.data)[place] = canonical(sum);
  }
};

}  // namespace synelix::sweep
