// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <cstdint>

/// \file
/// Rows, segments and strips: how the sample axis becomes rows of features.
///
/// The sample axis is cut into epochs and the gaps between them: the segments. Each segment emits
/// every n-th of its samples as a row, counted from its own start. A strip is a run of at most
/// `strip_rows` rows of one segment, anchored at the segment's first row: what one lane of a tile
/// computes. Strips are numbered through all segments.
///
/// The segments of a list of trials are those of each trial in turn: samples are numbered in each
/// trial, rows and strips through all of them.

namespace synelix::index {

/// a / b, rounded up; a >= 0, b > 0, of any size.
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

/// The same where b is mostly 1, and a division would be most of the work.
constexpr std::int64_t steps_of(std::int64_t a, std::int64_t b) {
  return b == 1 ? a : ceil_divide(a, b);
}

/// a rounded up to a multiple of b.
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_divide(a, b) * b; }

/// An epoch, or a gap between epochs, as rows see it.
struct Segment {
  Range samples;                  ///< what windows may see; empty for a gap
  Range valid;                    ///< samples whose rows get values; all others get NaN
  std::int64_t first_sample = 0;  ///< sample of the first row
  std::int64_t row_begin = 0;     ///< its number among all rows
  std::int64_t rows = 0;
  std::int64_t strip_begin = 0;  ///< number of the first strip among all strips
  std::int64_t trial = 0;        ///< the array that its samples and rows lie in
};

/// The segment of an epoch: which of its samples become rows, and which of those get values.
/// Its place among all rows and strips is the caller's to fill in.
constexpr Segment epoch_segment(Epoch epoch, std::int64_t window, std::int64_t offset,
                                Border border, std::int64_t every) {
  Segment segment;
  segment.samples = epoch;
  segment.valid = border == Border::zero ? epoch : valid_samples(epoch, window, offset);
  segment.first_sample = epoch.begin;
  std::int64_t end = epoch.end;
  if (border == Border::valid) {
    segment.first_sample += steps_of(segment.valid.begin - epoch.begin, every) * every;
    end = segment.valid.end;
  }
  segment.rows = segment.first_sample < end ? steps_of(end - segment.first_sample, every) : 0;
  return segment;
}

/// The segment of a gap between epochs: rows of NaN, none for Border::valid.
constexpr Segment gap_segment(Range gap, Border border, std::int64_t every) {
  Segment segment;
  segment.samples = {gap.begin, gap.begin};
  segment.valid = {gap.begin, gap.begin};
  segment.first_sample = gap.begin;
  segment.rows = border == Border::valid ? 0 : steps_of(gap.size(), every);
  return segment;
}

/// The sample that a row of a segment stands for.
constexpr std::int64_t sample_of(const Segment& segment, std::int64_t row, std::int64_t every) {
  return segment.first_sample + (row - segment.row_begin) * every;
}

/// The last of `count` segments whose `first` (a member: row_begin or strip_begin) is at or before
/// `position`. Empty segments begin where the next one does, so the one found is not empty.
constexpr std::int64_t last_at_or_before(const Segment* segments, std::int64_t count,
                                         std::int64_t Segment::* first, std::int64_t position) {
  std::int64_t low = 0;
  std::int64_t high = count;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (segments[middle].*first <= position) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// A run of rows of one segment that one lane computes.
struct Strip {
  std::int64_t row = 0;     ///< its first row, among all rows
  std::int64_t rows = 0;    ///< 0 where the strip lies outside what is asked for
  std::int64_t sample = 0;  ///< sample of the first row
  Range samples;            ///< what its windows may see
  Range valid;              ///< samples whose rows get values
  std::int64_t trial = 0;   ///< the array that its samples and rows lie in
};

/// Strip number `strip` of a segment, clipped to the rows that are asked for.
constexpr Strip strip_of(const Segment& segment, std::int64_t strip, std::int64_t strip_rows,
                         std::int64_t every, Range rows) {
  const std::int64_t begin = segment.row_begin + (strip - segment.strip_begin) * strip_rows;
  const std::int64_t segment_end = segment.row_begin + segment.rows;
  const std::int64_t end = begin + strip_rows < segment_end ? begin + strip_rows : segment_end;
  const std::int64_t first = begin > rows.begin ? begin : rows.begin;
  const std::int64_t last = end < rows.end ? end : rows.end;
  Strip result;
  result.row = first;
  result.rows = last > first ? last - first : 0;
  result.sample = sample_of(segment, first, every);
  result.samples = segment.samples;
  result.valid = segment.valid;
  result.trial = segment.trial;
  return result;
}

/// Strip number `strip` of all, clipped to the rows that are asked for.
constexpr Strip locate_strip(const Segment* segments, std::int64_t count, std::int64_t strip,
                             std::int64_t strip_rows, std::int64_t every, Range rows) {
  const std::int64_t k = last_at_or_before(segments, count, &Segment::strip_begin, strip);
  return strip_of(segments[k], strip, strip_rows, every, rows);
}

/// The rows of a strip that get values, counted from its first.
constexpr Range valued_rows(const Strip& strip, std::int64_t every) {
  const auto row_from = [&](std::int64_t sample) {
    const std::int64_t ahead = sample > strip.sample ? sample - strip.sample : 0;
    const std::int64_t row = steps_of(ahead, every);
    return row < strip.rows ? row : strip.rows;
  };
  return {row_from(strip.valid.begin), row_from(strip.valid.end)};
}

}  // namespace synelix::index
