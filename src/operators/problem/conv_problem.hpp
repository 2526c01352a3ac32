// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "lanes/instruction_set.hpp"
#include "pack/conv_block.hpp"

#include <cstdint>

/// \file
/// A convolution operator in the form of its choice and its sweeps. Channels are those of a group
/// of the array with the windows; output channels are those of a group of the result. Output
/// channels are the columns of matrix tiles.

namespace synelix::sweep {

/// The destination of results: (batch, channels, space).
struct ConvResult {
  void* data = nullptr;
  std::int64_t batch_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t space_strides[index::conv_dimensions] = {0, 0, 0};
};

/// result(n, g, o, p) = bias(g, o) + sum over c and taps k of source(n, g, c, window of p) weights
/// (g, c, o, k), a convolution or its gradient by input.
struct ConvProblem {
  pack::ConvSource source;
  pack::ConvWeights<const void> weights;
  pack::ConvSource bias;  ///< along channels
  bool has_bias = false;
  ConvResult result;
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t channels = 0;
  std::int64_t output_channels = 0;
  bool is_depthwise = false;  ///< output channel o uses only channel o; `channels` is 1
  index::ConvAxis axes[index::conv_dimensions];

  /// Taps of a window.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t taps() const {
    return axes[0].taps * axes[1].taps * axes[2].taps;
  }
};

/// The weight for the i-th position of a window of one dimension.
template <class Scalar>
SYNELIX_FUNCTION Scalar weight_of(const ConvProblem& problem, std::int64_t group,
                                  std::int64_t channel, std::int64_t output_channel,
                                  std::int64_t i) {
  const pack::ConvWeights<const void>& weights = problem.weights;
  return pack::weight_value<Scalar>(
      weights, group * weights.group_stride + channel * weights.channel_stride +
                   output_channel * weights.output_channel_stride +
                   problem.axes[2].tap_order[i] * weights.tap_strides[2]);
}

/// result(g, c, o, k) = sum over n and p of source(n, g, c, window of p) output_gradient(n, g, o,
/// p), a gradient by weights. Axes are those of the convolution. For a transposed convolution, the
/// two arrays change roles: its input is the output gradient here.
struct ConvWeightsProblem {
  pack::ConvSource source;
  pack::ConvSource output_gradient;
  pack::ConvWeights<void> result;
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t channels = 0;
  std::int64_t output_channels = 0;
  bool is_depthwise = false;  ///< output channel o uses only channel o; `channels` is 1
  index::ConvAxis axes[index::conv_dimensions];
};

/// The weights that an operator reads, or the gradient of weights that it writes.
inline pack::ConvWeights<const void>& weights_of(ConvProblem& problem) { return problem.weights; }
inline pack::ConvWeights<void>& weights_of(ConvWeightsProblem& problem) { return problem.result; }

/// An operator with groups of one channel and one output channel becomes one group with these
/// output channels, the depthwise form of a host. Other operators are unchanged.
template <class Problem>
Problem host_form(Problem problem) {
  if (problem.channels != 1 || problem.output_channels != 1 || problem.groups == 1) return problem;
  problem.is_depthwise = true;
  problem.output_channels = problem.groups;
  problem.groups = 1;
  weights_of(problem).output_channel_stride = weights_of(problem).group_stride;
  return problem;
}

/// Values of the result of an operator with these axes.
inline std::int64_t count_results(const ConvProblem& problem, const index::ConvAxis* axes) {
  return problem.batch * problem.groups * problem.output_channels * axes[0].results *
         axes[1].results * axes[2].results;
}
inline std::int64_t count_results(const ConvWeightsProblem& problem, const index::ConvAxis* axes) {
  return problem.groups * problem.output_channels * problem.channels * axes[0].taps * axes[1].taps *
         axes[2].taps;
}

}  // namespace synelix::sweep
