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
/// `strip_rows` rows of one segment, aligned to the segment's first row. One lane of a tile
/// computes a strip. Strips are numbered through all segments.
///
/// The segments of a list of trials are those of each trial in turn: samples are numbered in each
/// trial, rows and strips through all of them.

namespace synelix::index {

/// a / b, rounded up; a >= 0, b > 0, of any size.
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

/// The same for a b that usually is 1, because a division would be most of the work.
constexpr std::int64_t steps_of(std::int64_t a, std::int64_t b) {
  return b == 1 ? a : ceil_divide(a, b);
}

/// a rounded up to a multiple of b.
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_divide(a, b) * b; }

/// The size of about equal parts of a total, at most `most` each.
constexpr std::int64_t even_part(std::int64_t size, std::int64_t most) {
  return size <= 0 ? 1 : ceil_divide(size, ceil_divide(size, most < 1 ? 1 : most));
}

/// The samples in the window of a row at sample t: [t + offset - (window - 1), t + offset].
struct Reach {
  std::int64_t window = 1;
  std::int64_t offset = 0;

  /// The smallest reach that contains both.
  [[nodiscard]] constexpr Reach united(const Reach& other) const {
    const std::int64_t newest = offset > other.offset ? offset : other.offset;
    const std::int64_t oldest = offset - window < other.offset - other.window
                                    ? offset - window
                                    : other.offset - other.window;
    return {newest - oldest, newest};
  }
  friend constexpr bool operator==(const Reach&, const Reach&) = default;
};

/// The requested rows.
struct RowRule {
  Border border = Border::nan;
  std::int64_t every = 1;
};

/// The relation of samples and rows in every segment of a series.
struct RowLayout {
  std::int64_t every = 1;
  std::int64_t front = 0;   ///< samples at the beginning of an epoch whose rows have no value
  std::int64_t back = 0;    ///< the same at its end
  bool whole_only = false;  ///< whether rows without a value are omitted
  std::int64_t given = 0;   ///< omitted rows at the beginning of a segment: a stream has already
                            ///< returned them
};

/// The layout of a series with this number of samples.
constexpr RowLayout layout_of(RowRule rule, Reach reach, std::int64_t samples) {
  RowLayout layout;
  // A step beyond the series keeps the first row of each segment, like a step of its length.
  layout.every = rule.every < samples ? rule.every : samples;
  layout.whole_only = rule.border == Border::valid;
  if (rule.border == Border::zero) return layout;
  const auto at_most = [samples](std::int64_t missing) {
    const std::int64_t some = missing > 0 ? missing : 0;
    return some < samples ? some : samples;
  };
  layout.front = at_most(reach.window - 1 - reach.offset);
  layout.back = at_most(reach.offset);
  return layout;
}

/// An epoch, or a gap between epochs. There may be millions, so values that follow from the layout
/// are not stored.
struct Segment {
  Range range;                   ///< its samples
  std::int64_t row_begin = 0;    ///< number of its first row among all rows
  std::int64_t strip_begin = 0;  ///< number of its first strip among all strips
  std::int32_t trial = 0;        ///< number of the array with its samples and rows
  bool is_gap = false;           ///< no window contains its samples, and its rows have no values
};

/// The samples that windows of a segment may contain.
constexpr Range samples_of(const Segment& segment) {
  return {segment.range.begin, segment.is_gap ? segment.range.begin : segment.range.end};
}

/// The samples of a segment whose rows have values.
constexpr Range valid_of(const Segment& segment, const RowLayout& layout) {
  const Range range = segment.range;
  if (segment.is_gap || range.size() <= layout.front + layout.back) {
    return {range.begin, range.begin};
  }
  return {range.begin + layout.front, range.end - layout.back};
}

/// The sample of the first row of a segment.
constexpr std::int64_t first_sample_of(const Segment& segment, const RowLayout& layout) {
  const std::int64_t left_out =
      (layout.whole_only ? steps_of(layout.front, layout.every) : 0) + layout.given;
  return segment.range.begin + left_out * layout.every;
}

/// The number of rows of a segment.
constexpr std::int64_t rows_of(const Segment& segment, const RowLayout& layout) {
  if (layout.whole_only && segment.is_gap) return 0;
  const std::int64_t first = first_sample_of(segment, layout);
  const std::int64_t end = segment.range.end - (layout.whole_only ? layout.back : 0);
  return first < end ? steps_of(end - first, layout.every) : 0;
}

/// The sample of a row of a segment.
constexpr std::int64_t sample_of(const Segment& segment, std::int64_t row,
                                 const RowLayout& layout) {
  return first_sample_of(segment, layout) + (row - segment.row_begin) * layout.every;
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
  std::int64_t rows = 0;    ///< 0 if the strip is outside of the requested rows
  std::int64_t sample = 0;  ///< sample of the first row
  Range samples;            ///< samples that its windows may contain
  Range valid;              ///< samples whose rows have values
  std::int64_t trial = 0;   ///< number of the array with its samples and rows
};

/// Strip number `strip` of a segment, clipped to the requested rows.
constexpr Strip strip_of(const Segment& segment, std::int64_t strip, std::int64_t strip_rows,
                         const RowLayout& layout, Range rows) {
  const std::int64_t begin = segment.row_begin + (strip - segment.strip_begin) * strip_rows;
  const std::int64_t segment_end = segment.row_begin + rows_of(segment, layout);
  const std::int64_t end = begin + strip_rows < segment_end ? begin + strip_rows : segment_end;
  const std::int64_t first = begin > rows.begin ? begin : rows.begin;
  const std::int64_t last = end < rows.end ? end : rows.end;
  Strip result;
  result.row = first;
  result.rows = last > first ? last - first : 0;
  result.sample = sample_of(segment, first, layout);
  result.samples = samples_of(segment);
  result.valid = valid_of(segment, layout);
  result.trial = segment.trial;
  return result;
}

/// Block number k of a strip that is cut into blocks of `rows` rows. Blocks before block 0 are
/// complete: the strip's windows contain them, in the same segment or as zeros before it.
constexpr Strip block_of(const Strip& strip, std::int64_t k, std::int64_t rows,
                         std::int64_t every) {
  Strip block = strip;
  block.row = strip.row + k * rows;
  block.sample = strip.sample + k * rows * every;
  block.rows = k < 0 || (k + 1) * rows < strip.rows ? rows : strip.rows - k * rows;
  if (block.rows < 0) block.rows = 0;
  return block;
}

/// The rows of a strip that have values, counted from its first.
constexpr Range valued_rows(const Strip& strip, std::int64_t every) {
  const auto row_from = [&](std::int64_t sample) {
    const std::int64_t ahead = sample > strip.sample ? sample - strip.sample : 0;
    const std::int64_t row = steps_of(ahead, every);
    return row < strip.rows ? row : strip.rows;
  };
  return {row_from(strip.valid.begin), row_from(strip.valid.end)};
}

}  // namespace synelix::index
