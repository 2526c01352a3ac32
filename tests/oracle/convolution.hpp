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
using synelix::Shift;

/// What is convolved, physical values throughout.
struct Problem {
  std::int64_t samples = 0;
  std::int64_t channels = 1;
  std::int64_t window = 1;
  std::int64_t bases = 1;
  std::vector<double> x;      ///< (t, c)
  std::vector<double> taps;   ///< (w, b)
  std::vector<Epoch> epochs;  ///< none: one
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
inline std::int64_t lag(const Problem& problem) {
  const bool shifted = problem.shift == Shift::on || (problem.shift == Shift::automatic &&
                                                      problem.causality != Causality::acausal);
  if (problem.causality == Causality::acausal) return problem.window / 2;
  if (problem.causality == Causality::causal) return shifted ? -1 : 0;
  return shifted ? problem.window : problem.window - 1;
}

/// sum over w of taps(w, b) x(t + lag - w, c), with 0 for samples outside the epoch.
inline double explicit_sum(const Problem& problem, Epoch epoch, std::int64_t t, std::int64_t c,
                           std::int64_t b) {
  double sum = 0.0;
  for (std::int64_t w = 0; w < problem.window; ++w) {
    const std::int64_t s = t + lag(problem) - w;
    const bool inside = epoch.begin <= s && s < epoch.end;
    const double sample =
        inside ? problem.x[static_cast<std::size_t>(s * problem.channels + c)] : 0.0;
    sum += problem.taps[static_cast<std::size_t>(w * problem.bases + b)] * sample;
  }
  return sum;
}

/// Adds the rows of an epoch, or of a gap between epochs.
inline void append_rows(const Problem& problem, Epoch range, bool is_gap, Features& features) {
  for (std::int64_t t = range.begin; t < range.end; ++t) {
    if ((t - range.begin) % problem.every != 0) continue;
    const std::int64_t newest = t + lag(problem);
    const std::int64_t oldest = newest - (problem.window - 1);
    const bool whole = !is_gap && oldest >= range.begin && newest < range.end;
    if (problem.border == Border::valid && !whole) continue;
    features.samples.push_back(t);
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t b = 0; b < problem.bases; ++b) {
        const bool has_value = !is_gap && (whole || problem.border == Border::zero);
        features.values.push_back(has_value ? explicit_sum(problem, range, t, c, b)
                                            : std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
}

/// All features of a problem.
inline Features convolve(const Problem& problem) {
  Features features;
  std::vector<Epoch> epochs = problem.epochs;
  if (epochs.empty()) epochs.push_back({0, problem.samples});
  std::int64_t border = 0;
  for (const Epoch& epoch : epochs) {
    append_rows(problem, {border, epoch.begin}, true, features);
    append_rows(problem, epoch, false, features);
    border = epoch.end;
  }
  append_rows(problem, {border, problem.samples}, true, features);
  return features;
}

/// What rounding may do to a value of a block of `length` samples that is transformed there and
/// back: 8 log2(N) eps |x|_2 max_b |taps|_2, the norm of x being at most sqrt(N) max|x|.
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

/// What rounding may do to a sum of `window` products: (W + 2) eps max|x| max_b sum_w |taps|,
/// finite x only.
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
