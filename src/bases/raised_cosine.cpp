// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/families.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace synelix::bases {
namespace {

/// Raised cosine of half-width 1 around 0; exactly 0 from |x| = 1 on, because cos(pi) rounds to -1.
double bump(double x) {
  return 0.5 * (1.0 + std::cos(std::numbers::pi * std::clamp(x, -1.0, 1.0)));
}

}  // namespace

void check(const RaisedCosineLinear& basis) {
  require_at_least("RaisedCosineLinear.bases", basis.bases, 2);
  require_width("RaisedCosineLinear.width", basis.width);
}

void check(const RaisedCosineLog& basis) {
  require_at_least("RaisedCosineLog.bases", basis.bases, 2);
  require_width("RaisedCosineLog.width", basis.width);
  require_known("RaisedCosineLog.decay", basis.decay);
  require_finite("RaisedCosineLog.time_scaling", basis.time_scaling);
  if (!(basis.time_scaling > 0.0)) {
    refuse("RaisedCosineLog.time_scaling", basis.time_scaling, "is not positive",
           "Use numbers greater than 0");
  }
}

// In units of the peak spacing, tap w is at w (B-1) / (W-1) and peak b at b. Their distance is
// computed as one integer divided by W-1. If the spacing is a whole number of taps, all filters are
// then bitwise shifted copies of one filter, and a sweep may compute it once.
void fill(const RaisedCosineLinear& basis, std::int64_t window, std::span<double> values) {
  const std::int64_t bases = basis.bases;
  const std::int64_t steps = std::max<std::int64_t>(window - 1, 1);
  const double scale = static_cast<double>(steps) * basis.width;
  auto value = values.begin();
  for (std::int64_t w = 0; w < window; ++w) {
    for (std::int64_t b = 0; b < bases; ++b) {
      const std::int64_t distance = w * (bases - 1) - b * steps;
      *value++ = bump(static_cast<double>(distance) / scale);
    }
  }
}

void fill(const RaisedCosineLog& basis, std::int64_t window, std::span<double> values) {
  const auto last_peak = static_cast<double>(basis.bases - 1);
  const double spacings = basis.decay == Decay::to_zero ? last_peak + basis.width : last_peak;
  const double stretch = std::log1p(basis.time_scaling);
  auto value = values.begin();
  for (std::int64_t w = 0; w < window; ++w) {
    const double u = window_grid(w, window);
    const double s = std::log1p(basis.time_scaling * u) / stretch;
    for (std::int64_t b = 0; b < basis.bases; ++b) {
      *value++ = bump((s * spacings - static_cast<double>(b)) / basis.width);
    }
  }
}

}  // namespace synelix::bases
