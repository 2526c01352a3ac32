// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"

#include <synelix/alignment.hpp>

#include <cstdint>

/// \file
/// The rows of a whole time axis: its segments in order, and the samples that rows depend on.

namespace synelix::index {

/// What a row of sample t sees: the samples [t + offset - (window - 1), t + offset].
struct Reach {
  std::int64_t window = 1;
  std::int64_t offset = 0;

  /// The smallest reach that holds both.
  [[nodiscard]] constexpr Reach united(const Reach& other) const {
    const std::int64_t newest = offset > other.offset ? offset : other.offset;
    const std::int64_t oldest = offset - window < other.offset - other.window
                                    ? offset - window
                                    : other.offset - other.window;
    return {newest - oldest, newest};
  }
  friend constexpr bool operator==(const Reach&, const Reach&) = default;
};

/// How rows are laid out.
struct RowRule {
  Border border = Border::nan;
  std::int64_t every = 1;
};

/// Calls `visit` with each segment in order, those without rows too, its first row counted from 0.
/// Without epochs, all samples are one. Returns the number of rows.
template <class Visit>
constexpr std::int64_t for_each_segment(std::int64_t samples, const Epoch* epochs,
                                        std::int64_t count, Reach reach, RowRule rule,
                                        const Visit& visit) {
  std::int64_t rows = 0;
  const auto append = [&](Segment segment) {
    segment.row_begin = rows;
    rows += segment.rows;
    visit(segment);
  };
  const Epoch whole{0, samples};
  if (count == 0) {
    epochs = &whole;
    count = 1;
  }
  // A step beyond the series keeps the first row of each segment, as one of its length does.
  const std::int64_t every = rule.every < samples ? rule.every : samples;
  std::int64_t border = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (border < epochs[i].begin)
      append(gap_segment({border, epochs[i].begin}, rule.border, every));
    append(epoch_segment(epochs[i], reach.window, reach.offset, rule.border, every));
    border = epochs[i].end;
  }
  if (border < samples) append(gap_segment({border, samples}, rule.border, every));
  return rows;
}

/// The samples that the given rows see, within their segments; {0, 0} where they see none.
constexpr Range samples_seen(const Segment* segments, std::int64_t count, Range rows, Reach reach,
                             std::int64_t every) {
  Range seen{0, 0};
  if (rows.size() == 0 || count == 0) return seen;
  for (std::int64_t i = last_at_or_before(segments, count, &Segment::row_begin, rows.begin);
       i < count && segments[i].row_begin < rows.end; ++i) {
    const Segment& segment = segments[i];
    const std::int64_t segment_end = segment.row_begin + segment.rows;
    const std::int64_t first = rows.begin > segment.row_begin ? rows.begin : segment.row_begin;
    const std::int64_t last = (rows.end < segment_end ? rows.end : segment_end) - 1;
    const std::int64_t oldest =
        sample_of(segment, first, every) + reach.offset - (reach.window - 1);
    const std::int64_t newest = sample_of(segment, last, every) + reach.offset;
    const std::int64_t begin = oldest > segment.samples.begin ? oldest : segment.samples.begin;
    const std::int64_t end = newest + 1 < segment.samples.end ? newest + 1 : segment.samples.end;
    if (begin >= end) continue;
    seen =
        seen.size() == 0 ? Range{begin, end} : Range{seen.begin, end > seen.end ? end : seen.end};
  }
  return seen;
}

}  // namespace synelix::index
