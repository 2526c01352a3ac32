// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/library.hpp"
#include "oracle/random_conv.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Convolutions of one dimension that can use transforms, their expected results, and the
/// tolerances.

namespace oracle {

/// A fixture of tests on a space with a type of results.
template <class Types>
class ConvLines : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  static constexpr bool is_host =
      std::is_same_v<typename Space::memory_space, typename Kokkos::HostSpace>;
};

/// A line with windows of at most this many taps.
inline Convolution random_line(synelix::PaddingKind kind, std::int64_t groups,
                               std::int64_t most_taps, std::mt19937_64& random) {
  Convolution conv;
  conv.kind = kind;
  conv.batch = draw(random, 1, 4);
  conv.groups = groups;
  conv.inputs = groups * draw(random, 1, 6);
  conv.outputs = groups * draw(random, 1, 6);
  conv.taps[2] = draw(random, 1, most_taps);
  conv.dilation[2] = draw(random, 1, 3);
  const std::int64_t window = conv.dilation[2] * (conv.taps[2] - 1) + 1;
  conv.in[2] = once_in(random, 4) ? window : draw(random, 1, 900);
  const std::int64_t most =
      std::min(conv.in[2] - (kind == synelix::PaddingKind::reflect ? 1 : 0), window);
  conv.before[2] = draw(random, 0, most);
  conv.after[2] = draw(random, 0, most);
  if (conv.before[2] + conv.in[2] + conv.after[2] < window) conv.in[2] = window;
  return conv;
}

/// Arrays of an operator, and the extents of its result.
template <class Scalar>
std::pair<synelix::ConvArrays, std::vector<std::int64_t>> arrays_of(
    synelix::ConvOperator op, const RandomConv<Scalar>& test) {
  switch (op) {
    case synelix::ConvOperator::forward:
      return {{op, 1, test.x.matrices(), test.w.matrices(), test.bias_array(), {}},
              test.y_extents()};
    case synelix::ConvOperator::transposed:
    case synelix::ConvOperator::grad_input:
      return {{op, 1, test.y.matrices(), test.w.matrices(), {}, {}}, test.x_extents()};
    default:
      return {{op, 1, test.x.matrices(), test.y.matrices(), {}, {}}, test.w_extents()};
  }
}

/// The expected result of an operator, in the order of the oracle.
template <class Scalar>
Sums expected_of(synelix::ConvOperator op, const RandomConv<Scalar>& test) {
  switch (op) {
    case synelix::ConvOperator::forward:
      return convolved(test.conv, test.x_values(), test.w.physical(), test.bias_values());
    case synelix::ConvOperator::transposed:
    case synelix::ConvOperator::grad_input:
      return gradient_by_input(test.conv, test.y_values(), test.w.physical());
    default:
      return gradient_by_weights(test.conv, test.x_values(), test.y_values());
  }
}

template <class Scalar>
std::vector<Scalar> in_oracle_order(synelix::ConvOperator op, const RandomConv<Scalar>& test,
                                    const std::vector<Scalar>& values) {
  const Convolution& conv = test.conv;
  if (op == synelix::ConvOperator::grad_weights) return values;
  if (op == synelix::ConvOperator::forward) {
    return test.order.channels_first(values, conv.outputs, volume(conv.out()));
  }
  return test.order.channels_first(values, conv.inputs, volume(conv.in));
}

inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

/// The bound in the header: the error of each result is the rounding of its entire block.
template <class Scalar>
double tolerance_of(const RandomConv<Scalar>& test, const Sums& sums, std::int64_t fft_length) {
  const double most = std::max({largest(test.x_values()) * largest(test.w.physical()),
                                largest(test.y_values()) * largest(test.w.physical()),
                                largest(test.x_values()) * largest(test.y_values()), 9.0});
  const auto length = static_cast<double>(fft_length);
  return static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * std::log2(length) *
         std::sqrt(length * static_cast<double>(sums.terms() + 1)) * most;
}

}  // namespace oracle
