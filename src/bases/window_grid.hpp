// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace synelix::bases {

/// u(w) = w / (window - 1), both ends included; 0 where window is 1.
///
/// Rounded as numpy.linspace(0, 1, window) rounds it, w times the rounded step: splines of order 1
/// jump at their knots, and there the last bit of u decides on which side a tap lies.
inline double window_grid(std::int64_t w, std::int64_t window) {
  if (window == 1) return 0.0;
  if (w == window - 1) return 1.0;
  return static_cast<double>(w) * (1.0 / static_cast<double>(window - 1));
}

}  // namespace synelix::bases
