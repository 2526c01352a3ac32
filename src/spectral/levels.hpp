// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"

#include <cstdint>

/// \file
/// Which rows of a transformed block are weak. The rounding errors of a transform are in proportion
/// to the norm of all samples of its block. A row is weak if its window holds less than
/// `weak_share` of their energy, in proportion to the samples of its window that exist: its error
/// would be more than 256 times that of a transform of what it sees. Weak rows are summed directly.
/// So the error of each row is in proportion to what its own window holds.
///
/// A window of zeros has no energy, and is weak only between weak rows: else a block of few events
/// would be summed directly, whose transform is exact enough for them.
///
/// Samples are cut into segments so short that each window holds some of them whole. Where these
/// have enough energy, no row of their windows is weak: with usual samples nothing else is looked
/// at. Even a part of the samples of each segment has enough, so that few are read twice.

namespace synelix::spectral {

inline constexpr double weak_share = 1.0 / 65536.0;
/// The same with room for the rounding of sums of squares, however they are summed.
inline constexpr double surely_enough = 1.001 * weak_share;

/// Whole segments of so many samples that each window of `window` samples holds: at most two.
constexpr std::int64_t whole_segments(std::int64_t window, std::int64_t segment) {
  return index::larger(0, index::smaller(2, window / segment - 1));
}
/// Samples of a segment: a quarter of the window.
constexpr std::int64_t segment_of_window(std::int64_t window) {
  return index::larger(1, window / 4);
}

/// Samples of a segment that are summed first.
constexpr std::int64_t first_summed(std::int64_t segment) { return index::larger(1, segment / 4); }

/// The windows of rows that lie in a block, which rows are named after: their newest samples.
struct Windows {
  std::int64_t window = 0;
  Range newest;         ///< of all rows
  Range samples;        ///< that exist; all others are zeros
  double enough = 0.0;  ///< energy of a window that is not weak, if all of its samples exist
};

/// Whether the whole segments that the rows of group g see have enough energy: those whose newest
/// sample is in segment g. `sum(s)` is the energy of segment s.
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

/// The smallest range that holds all weak rows of the groups that are not strong. `square(i)` is
/// that of sample i. (A sum of squares that others have been taken from again is off by no more
/// than about 1e-13 of the energy of the block.)
template <class IsStrong, class Square>
SYNELIX_FUNCTION Range weak_rows(const Windows& windows, std::int64_t segment,
                                 const IsStrong& is_strong, const Square& square) {
  Range weak{0, 0};
  double energy = 0.0;
  std::int64_t nonzero = 0;
  std::int64_t next = -1;  // the row whose window has this energy but for its newest sample
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
