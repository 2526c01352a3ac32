// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/choice.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// \file
/// The convolution as the obvious loops over samples, channels, bases and taps, in double, from
/// the text of the semantics and not from the library's index arithmetic.

namespace oracle {

using synelix::Border;
using synelix::Causality;
using synelix::Epoch;
using synelix::Epochs;
using synelix::Shift;

/// The input of a convolution, with physical values.
struct Problem {
  std::int64_t samples = 0;
  std::int64_t channels = 1;
  std::int64_t window = 1;
  std::int64_t bases = 1;
  std::vector<double> x;     ///< (t, c)
  std::vector<double> taps;  ///< (w, b)
  Epochs epochs;             ///< none: one
  Causality causality = Causality::causal;
  Shift shift = Shift::automatic;
  Border border = Border::nan;
  std::int64_t every = 1;
};

/// Features (r, c, b), and the sample of each row.
struct Features {
  std::vector<double> values;
  std::vector<std::int64_t> samples;
};

/// The newest sample of the window of row t is t + lag.
std::int64_t lag(const Problem& problem);

/// All features of a problem.
Features convolve(const Problem& problem);

/// The bound for rounding errors of a value of a block of `length` samples that is transformed
/// there and back: 8 log2(N) eps |x|_2 max_b |taps|_2; the norm of x is at most sqrt(N) max|x|.
template <class Scalar>
double rounding_of_blocks(const Problem& problem, std::int64_t length) {
  double largest = 0.0;
  for (const double x : problem.x) {
    if (std::isfinite(x)) largest = std::fmax(largest, std::fabs(x));
  }
  double column = 0.0;
  for (std::int64_t b = 0; b < problem.bases; ++b) {
    double sum = 0.0;
    for (std::int64_t w = 0; w < problem.window; ++w) {
      const double tap = problem.taps[static_cast<std::size_t>(w * problem.bases + b)];
      sum += tap * tap;
    }
    column = std::fmax(column, std::sqrt(sum));
  }
  const auto n = static_cast<double>(length);
  return 8.0 * std::log2(n) * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) *
         std::sqrt(n) * largest * column;
}

/// The bound for rounding errors of a sum of `window` products: (W + 2) eps max|x| max_b sum_w
/// |taps|, finite x only.
template <class Scalar>
double rounding(const Problem& problem) {
  double largest = 0.0;
  for (const double x : problem.x) {
    if (std::isfinite(x)) largest = std::fmax(largest, std::fabs(x));
  }
  double column = 0.0;
  for (std::int64_t b = 0; b < problem.bases; ++b) {
    double sum = 0.0;
    for (std::int64_t w = 0; w < problem.window; ++w) {
      sum += std::fabs(problem.taps[static_cast<std::size_t>(w * problem.bases + b)]);
    }
    column = std::fmax(column, sum);
  }
  return static_cast<double>(problem.window + 2) *
         static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * largest * column;
}

}  // namespace oracle
