// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"

#include <cstdint>

/// \file
/// Weak rows of a transformed block. The rounding errors of a transform are proportional to the
/// norm of all samples of its block. A row is weak if its window has less than `weak_share` of
/// their energy, scaled by the share of existing samples in the window: its error would be more
/// than 256 times that of a transform of its window alone. Weak rows are summed directly. So the
/// error of each row is proportional to the norm of its own window.
///
/// A window of zeros has no energy, and is weak only between weak rows. Otherwise a block of few
/// events would be summed directly, although its transform is exact enough.
///
/// Samples are cut into segments so short that each window contains some of them completely. If
/// these have enough energy, no row of their windows is weak; for usual samples no further check is
/// needed. Even a part of the samples of each segment has enough, so few samples are read twice.

namespace synelix::spectral {

inline constexpr double weak_share = 1.0 / 65536.0;
/// The same with a margin for the rounding of sums of squares in any order.
inline constexpr double surely_enough = 1.001 * weak_share;

/// The most complete segments that each window of `window` samples contains: at most two.
constexpr std::int64_t whole_segments(std::int64_t window, std::int64_t segment) {
  return index::larger(0, index::smaller(2, window / segment - 1));
}
/// Samples of a segment: a quarter of the window.
constexpr std::int64_t segment_of_window(std::int64_t window) {
  return index::larger(1, window / 4);
}

/// The number of samples of a segment that are summed first.
constexpr std::int64_t first_summed(std::int64_t segment) { return index::larger(1, segment / 4); }

/// The windows of rows in a block. Rows are numbered by their newest samples.
struct Windows {
  std::int64_t window = 0;
  Range newest;         ///< of all rows
  Range samples;        ///< that exist; all others are zeros
  double enough = 0.0;  ///< energy of a window that is not weak, if all of its samples exist
};

/// Whether the complete segments in the windows of group g have enough energy. Group g are the rows
/// whose newest sample is in segment g. `sum(s)` is the energy of segment s.
template <class Sum>
SYNELIX_FUNCTION bool has_strong_core(const Windows& windows, std::int64_t segment, std::int64_t g,
                                      const Sum& sum) {
  const std::int64_t end = (g + 1) * segment;
  const std::int64_t oldest =
      end > windows.window ? index::ceil_divide(end - windows.window, segment) : 0;
  double core = 0.0;
  for (std::int64_t s = g - 1; s >= oldest; --s) {
    core += sum(s);
    if (core >= windows.enough) return true;
  }
  return false;
}

/// The smallest range with all weak rows of the groups that are not strong. `square(i)` is the
/// square of sample i. (A sum of squares from which others were subtracted has an error of at most
/// about 1e-13 of the energy of the block.)
template <class IsStrong, class Square>
SYNELIX_FUNCTION Range weak_rows(const Windows& windows, std::int64_t segment,
                                 const IsStrong& is_strong, const Square& square) {
  Range weak{0, 0};
  double energy = 0.0;
  std::int64_t nonzero = 0;
  std::int64_t next = -1;  // the row whose window has this energy without its newest sample
  const auto add = [&](std::int64_t i) {
    const double value = square(i);
    energy += value;
    if (value != 0.0) ++nonzero;
  };
  for (std::int64_t g = windows.newest.begin / segment; g * segment < windows.newest.end; ++g) {
    if (is_strong(g)) continue;
    const Range group = index::common({g * segment, (g + 1) * segment}, windows.newest);
    for (std::int64_t row = group.begin; row < group.end; ++row) {
      const Range seen = index::common({row - windows.window + 1, row + 1}, windows.samples);
      if (next == row) {
        const std::int64_t left = row - windows.window;
        if (windows.samples.begin <= left && left < windows.samples.end) {
          const double value = square(left);
          energy -= value;
          if (value != 0.0) --nonzero;
        }
        if (windows.samples.begin <= row && row < windows.samples.end) add(row);
      } else {
        energy = 0.0;
        nonzero = 0;
        for (std::int64_t i = seen.begin; i < seen.end; ++i) add(i);
      }
      next = row + 1;
      if (nonzero == 0) continue;
      const double share = static_cast<double>(seen.size()) / static_cast<double>(windows.window);
      if (energy < windows.enough * share) weak = index::hull(weak, {row, row + 1});
    }
  }
  return weak;
}

}  // namespace synelix::spectral
