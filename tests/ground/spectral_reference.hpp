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
/// The slow twin of a transform: its definition, one point at a time.

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

/// The spectrum of a real block, one place at a time. It takes each exp(2 pi i q / (4 n)) from a
/// table, since an emulated processor spends minutes on sines in long double.
template <class Scalar>
class SlowTransform {
 public:
  explicit SlowTransform(const synelix::spectral::Transform<Scalar>& shape) : shape_(shape) {
    const std::int64_t circle = 4 * shape.points;
    for (std::int64_t q = 0; q < circle; ++q) {
      const long double angle = 2.0L * std::numbers::pi_v<long double> *
                                static_cast<long double>(q) / static_cast<long double>(circle);
      unit_.emplace_back(static_cast<double>(std::cos(angle)),
                         static_cast<double>(std::sin(angle)));
    }
  }

  /// Each product is rounded to double, their sum is not.
  std::complex<double> point(const std::vector<double>& block, std::int64_t p) const {
    const std::int64_t n = shape_.points;
    const std::int64_t step = 1 - 4 * frequency_of(shape_, p);
    long double real = 0;
    long double imag = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t quarters = (j * step % (4 * n) + 4 * n) % (4 * n);
      const std::complex<double>& unit = unit_[static_cast<std::size_t>(quarters)];
      const double first = block[static_cast<std::size_t>(j)];
      const double second = block[static_cast<std::size_t>(j + n)];
      real += first * unit.real() - second * unit.imag();
      imag += first * unit.imag() + second * unit.real();
    }
    return {static_cast<double>(real), static_cast<double>(imag)};
  }

 private:
  synelix::spectral::Transform<Scalar> shape_;
  std::vector<std::complex<double>> unit_;
};

}  // namespace ground
