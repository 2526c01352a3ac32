// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"

#include <synelix/alignment.hpp>

#include <cstdint>

/// \file
/// `WorkGrid`: how a block of features is cut into work items. A constexpr map from the number of
/// an item to its strips, channels and bases, so that all sweeps divide the work in the same way.

namespace synelix::index {

/// One work item: ranges of strips, channels and bases.
struct WorkItem {
  Range strips;
  Range channels;
  Range bases;
};

/// A box of strips x channels x bases, cut into items of at most `strip_step` x `channel_step` x
/// `basis_step`. Bases vary fastest, then channels, then strips, so that neighboring items use
/// neighboring samples.
struct WorkGrid {
  Range strips;
  Range channels;
  Range bases;
  std::int64_t strip_step = 1;
  std::int64_t channel_step = 1;
  std::int64_t basis_step = 1;

  /// Number of items.
  [[nodiscard]] constexpr std::int64_t size() const {
    return steps_of(strips.size(), strip_step) * steps_of(channels.size(), channel_step) *
           basis_groups();
  }

  /// Item number i.
  [[nodiscard]] constexpr WorkItem item(std::int64_t i) const {
    const std::int64_t basis_group = take(i, basis_groups());
    const std::int64_t channel_group = take(i, steps_of(channels.size(), channel_step));
    return {cut(strips, strip_step, i), cut(channels, channel_step, channel_group),
            cut(bases, basis_step, basis_group)};
  }

 private:
  /// Usually one; a division would be most of the work.
  [[nodiscard]] constexpr std::int64_t basis_groups() const {
    return bases.size() <= basis_step ? (bases.size() > 0 ? 1 : 0)
                                      : ceil_divide(bases.size(), basis_step);
  }
  /// i modulo `count`; i becomes the quotient.
  static constexpr std::int64_t take(std::int64_t& i, std::int64_t count) {
    if (count <= 1) return 0;
    const std::int64_t rest = i % count;
    i /= count;
    return rest;
  }
  static constexpr Range cut(Range whole, std::int64_t step, std::int64_t number) {
    const std::int64_t begin = whole.begin + number * step;
    return {begin, begin + step < whole.end ? begin + step : whole.end};
  }
};

}  // namespace synelix::index
