// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

/// \file
/// Banks with which transforms cannot overflow, however large the samples are that are not.

namespace synelix::plan {

/// Whether nothing overflows in blocks of N samples whose squares have a finite sum. Together such
/// samples are no larger than s = sqrt(max). The points of their transform are then at most
/// sqrt(N) s, their products with spectra at most sqrt(N) s sum|taps|, and all sums of the way back
/// N / 2 times that. What a butterfly holds before its common factors are multiplied in is a few
/// times larger: 64 is more than all of that together.
template <class Scalar>
bool is_tame(const Taps& taps, std::int64_t samples) {
  double largest = 0.0;
  for (std::int64_t b = 0; b < taps.bases; ++b) {
    double sum = 0.0;
    for (std::int64_t w = 0; w < taps.window; ++w) sum += std::abs(taps(w, b));
    largest = std::max(largest, sum);
  }
  const auto n = static_cast<double>(samples);
  const double most = std::sqrt(static_cast<double>(std::numeric_limits<Scalar>::max()));
  return 64.0 * n * std::sqrt(n) * largest < most;
}

}  // namespace synelix::plan
