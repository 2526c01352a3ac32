// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "launch/canonical.hpp"
#include "pack/conv_block.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// A convolution operator as the sweeps see it, and how it is cut. Channels are those of a group of
/// the array that windows are of; columns those of a group of what comes out.

namespace synelix::sweep {

/// Where results go: (batch, channels, space).
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
  std::int64_t columns = 0;
  bool is_depthwise = false;  ///< column o sees channel o only; `channels` is 1
  index::ConvAxis axes[index::conv_dimensions];

  /// Taps of a window.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t taps() const {
    return axes[0].taps * axes[1].taps * axes[2].taps;
  }
};

/// The same with groups of one channel and one column as the columns of one group: what a host
/// computes side by side.
inline ConvProblem host_form(const ConvProblem& problem) {
  if (problem.channels != 1 || problem.columns != 1 || problem.groups == 1) return problem;
  ConvProblem result = problem;
  result.is_depthwise = true;
  result.columns = problem.groups;
  result.groups = 1;
  result.weights.result_stride = problem.weights.group_stride;
  return result;
}

/// result(g, c, o, k) = sum over n and p of source(n, g, c, window of p) seen(n, g, o, p), a
/// gradient by weights. Axes are those of the convolution.
struct ConvWeightsProblem {
  pack::ConvSource source;
  pack::ConvSource seen;
  pack::ConvWeights<void> result;
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t channels = 0;
  std::int64_t columns = 0;
  bool is_depthwise = false;  ///< column o sees channel o only; `channels` is 1
  index::ConvAxis axes[index::conv_dimensions];
};

/// As above.
inline ConvWeightsProblem host_form(const ConvWeightsProblem& problem) {
  if (problem.channels != 1 || problem.columns != 1 || problem.groups == 1) return problem;
  ConvWeightsProblem result = problem;
  result.is_depthwise = true;
  result.columns = problem.groups;
  result.groups = 1;
  result.result.result_stride = problem.result.group_stride;
  return result;
}

/// Ranges of positions along each dimension.
struct ConvBox {
  Range along[index::conv_dimensions];

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t size() const {
    return along[0].size() * along[1].size() * along[2].size();
  }
};

/// Sums of a line of positions to their places, neighbours in memory side by side: position after
/// position `row` sums, `columns` of which are results.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void put_conv_line(const Scalar* sums, std::int64_t row,
                                          std::int64_t columns, Scalar* to, std::int64_t column,
                                          std::int64_t step, std::int64_t length) {
  if (column == 1) {
    for (std::int64_t p = 0; p < length; ++p) {
      for (std::int64_t o = 0; o < columns; ++o) to[p * step + o] = canonical(sums[p * row + o]);
    }
    return;
  }
  for (std::int64_t o = 0; o < columns; ++o) {
    for (std::int64_t p = 0; p < length; ++p) {
      to[o * column + p * step] = canonical(sums[p * row + o]);
    }
  }
}

/// The place of a position.
template <class Array>
KOKKOS_INLINE_FUNCTION std::int64_t space_offset(const Array& array, std::int64_t a, std::int64_t b,
                                                 std::int64_t c) {
  return a * array.space_strides[0] + b * array.space_strides[1] + c * array.space_strides[2];
}

/// Splits a number: its remainder by a size, which it is divided by.
KOKKOS_INLINE_FUNCTION std::int64_t take_digit(std::int64_t& number, std::int64_t size) {
  const std::int64_t digit = number % size;
  number /= size;
  return digit;
}

/// Part number i of [0, size), of at most `step`.
KOKKOS_INLINE_FUNCTION Range part_of(std::int64_t size, std::int64_t step, std::int64_t i) {
  const std::int64_t begin = index::smaller(size, i * step);
  return {begin, index::smaller(size, begin + step)};
}

}  // namespace synelix::sweep
