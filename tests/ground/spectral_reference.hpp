// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/transform.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

/// \file
/// The slow twin of a transform: its definition, in long double, one point at a time.

namespace ground {

/// The frequency of the point that the passes leave at place p.
template <class Scalar>
std::int64_t frequency_of(const synelix::spectral::Transform<Scalar>& shape, std::int64_t p) {
  std::int64_t frequency = 0;
  std::int64_t factor = 1;
  for (int i = 0; i < shape.passes; ++i) {
    frequency += p / shape.columns[i] * factor;
    p %= shape.columns[i];
    factor *= shape.radix[i];
  }
  return frequency;
}

/// The spectrum of a real block at place p.
template <class Scalar>
std::complex<double> slow_point(const synelix::spectral::Transform<Scalar>& shape,
                                const std::vector<double>& block, std::int64_t p) {
  const std::int64_t n = shape.points;
  const std::int64_t frequency = frequency_of(shape, p);
  std::complex<long double> sum = 0.0L;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::complex<long double> point(block[static_cast<std::size_t>(j)],
                                          block[static_cast<std::size_t>(j + n)]);
    const std::int64_t quarters = (j - 4 * j * frequency) % (4 * n);  // of 2 pi / (4 n)
    const long double angle = 2.0L * std::numbers::pi_v<long double> *
                              static_cast<long double>(quarters) / static_cast<long double>(4 * n);
    sum += point * std::polar(1.0L, angle);
  }
  return {static_cast<double>(sum.real()), static_cast<double>(sum.imag())};
}

}  // namespace ground
