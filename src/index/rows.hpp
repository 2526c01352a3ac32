// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"

#include <synelix/alignment.hpp>
#include <synelix/choice.hpp>

#include <cstdint>

/// \file
/// The rows of a time axis: its segments in order, and the samples that rows depend on.

namespace synelix::index {

/// The reach of a row if complete strips are computed: the row may be the first of its strip, or
/// the last. (It may exceed the actual strips, but holds for all of them.)
constexpr Reach reach_of_strips(Reach reach, std::int64_t strip_rows, std::int64_t every) {
  const std::int64_t others = (strip_rows - 1) * every;
  return {reach.window + 2 * others, reach.offset + others};
}

/// The reach of a row for a choice. The FFT method computes complete blocks, so that its bits do
/// not depend on the division into rows; with a window in parts, all parts are complete.
constexpr Reach reach_by(const Choice& choice, Reach reach) {
  if (choice.method != Method::fft) return reach;
  if (choice.fft_parts == 1) return reach_of_strips(reach, choice.strip_rows, choice.every);
  reach.window = choice.fft_parts * choice.fft_part_taps;
  return reach_of_strips(reach, choice.fft_part_taps / choice.every, choice.every);
}

/// Calls `visit` with each segment in order, including those without rows, its first row counted
/// from 0, and the number of its rows. Without epochs, all samples are one segment. An epoch
/// without samples is skipped, and does not divide a gap. Returns the number of all rows.
template <class Visit>
constexpr std::int64_t for_each_segment(std::int64_t samples, const Epoch* epochs,
                                        std::int64_t count, const RowLayout& layout,
                                        const Visit& visit) {
  std::int64_t rows = 0;
  const auto append = [&](Range range, bool is_gap) {
    Segment segment;
    segment.range = range;
    segment.row_begin = rows;
    segment.is_gap = is_gap;
    const std::int64_t own = rows_of(segment, layout);
    rows += own;
    visit(segment, own);
  };
  const Epoch whole{0, samples};
  if (count == 0) {
    epochs = &whole;
    count = 1;
  }
  std::int64_t border = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (epochs[i].begin == epochs[i].end) continue;
    if (border < epochs[i].begin) append({border, epochs[i].begin}, true);
    append(epochs[i], false);
    border = epochs[i].end;
  }
  if (border < samples) append({border, samples}, true);
  return rows;
}

/// The samples in the windows of the given rows, within their segments; {0, 0} if there are none.
constexpr Range samples_seen(const Segment* segments, std::int64_t count, Range rows, Reach reach,
                             const RowLayout& layout) {
  Range seen{0, 0};
  if (rows.size() == 0 || count == 0) return seen;
  for (std::int64_t i = last_at_or_before(segments, count, &Segment::row_begin, rows.begin);
       i < count && segments[i].row_begin < rows.end; ++i) {
    const Segment& segment = segments[i];
    const std::int64_t segment_end = segment.row_begin + rows_of(segment, layout);
    const Range samples = samples_of(segment);
    const std::int64_t first = rows.begin > segment.row_begin ? rows.begin : segment.row_begin;
    const std::int64_t last = (rows.end < segment_end ? rows.end : segment_end) - 1;
    const std::int64_t oldest =
        sample_of(segment, first, layout) + reach.offset - (reach.window - 1);
    const std::int64_t newest = sample_of(segment, last, layout) + reach.offset;
    const std::int64_t begin = oldest > samples.begin ? oldest : samples.begin;
    const std::int64_t end = newest + 1 < samples.end ? newest + 1 : samples.end;
    if (begin >= end) continue;
    seen =
        seen.size() == 0 ? Range{begin, end} : Range{seen.begin, end > seen.end ? end : seen.end};
  }
  return seen;
}

}  // namespace synelix::index
