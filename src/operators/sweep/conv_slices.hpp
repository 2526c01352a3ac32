// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "launch/canonical.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "operators/sweep/conv_problem.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Adds the slices of a gradient by weights in their order, and stores the sums. A virtual item is
/// a weight.

namespace synelix::sweep {

/// Where a slice's sums lie, one weight behind the other: those of the first of them.
inline pack::ConvWeights<void> slices_of(const ConvWeightsProblem& problem, void* data) {
  pack::ConvWeights<void> sums = problem.result;
  sums.data = data;
  std::int64_t stride = 1;
  for (int d = index::conv_dimensions - 1; d >= 0; --d) {
    sums.tap_strides[d] = stride;
    stride *= problem.axes[d].taps;
  }
  sums.channel_stride = stride;
  sums.result_stride = stride * problem.channels;
  sums.group_stride = sums.result_stride * problem.columns;
  return sums;
}

/// The functor.
template <class Scalar>
struct ConvSlicesSweep {
  ConvWeightsProblem problem;
  const Scalar* sums = nullptr;  ///< (slice, group, column, channel, taps)
  std::int64_t slices = 0;
  std::int64_t weights = 0;  ///< all, or none
  Workspace workspace;

  [[nodiscard]] static std::int64_t count(const ConvWeightsProblem& problem) {
    return count_of(problem, problem.axes);
  }
  /// With axes that are not the problem's yet.
  [[nodiscard]] static std::int64_t count_of(const ConvWeightsProblem& problem,
                                             const index::ConvAxis* axes) {
    return problem.groups * problem.columns * problem.channels * axes[0].taps * axes[1].taps *
           axes[2].taps;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, weights, workspace.teams, [=, this](std::int64_t i) { add(i); });
  }

 private:
  KOKKOS_FUNCTION void add(std::int64_t number) const {
    Scalar sum = sums[number];
    for (std::int64_t i = 1; i < slices; ++i) sum += sums[i * weights + number];
    const pack::ConvWeights<void>& result = problem.result;
    std::int64_t place = 0;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      place += take_digit(number, problem.axes[d].taps) * result.tap_strides[d];
    }
    place += take_digit(number, problem.channels) * result.channel_stride;
    place += take_digit(number, problem.columns) * result.result_stride;
    place += number * result.group_stride;
    static_cast<Scalar*>(result.data)[place] = canonical(sum);
  }
};

}  // namespace synelix::sweep
