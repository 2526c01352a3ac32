// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"
#include "index/rows.hpp"

#include <synelix/choice.hpp>
#include <synelix/types/series.hpp>

#include <cstdint>
#include <vector>

/// \file
/// The segments of a series, or of a list of trials: epochs and the gaps between them, in order,
/// with their rows; and warnings of windows that are too long for them.

namespace synelix::plan {

/// The segments, and properties of all rows.
struct RowTable {
  std::vector<index::Segment> segments;
  index::RowLayout layout;
  std::int64_t rows = 0;
  std::int64_t longest = 0;  ///< rows of the longest segment
  chooser::SegmentLengths lengths = {};
  std::int64_t lag = 0;          ///< lag offset o
  bool has_short_epoch = false;  ///< an epoch has samples, but fewer than the window

  /// Makes room for the segments of a series.
  void reserve(const SeriesShape& shape);
  /// Appends a segment with a number of rows, unless it is zero.
  void append(index::Segment segment, std::int64_t rows_of_segment);
};

/// An empty table for series of at most `samples` samples. \throws Error for a window or options
/// out of range
RowTable start_rows(std::int64_t samples, std::int64_t window, const ConvolveOptions& options);

/// Appends the rows of a series to the table. \throws Error for an invalid shape
void append_rows(const SeriesShape& shape, std::int64_t trial, std::int64_t window,
                 RowTable& table);

/// Lays out the rows of a series. \throws Error for a shape, window or options out of range
RowTable make_rows(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options);

/// The rows whose samples are valid, as sorted disjoint ranges.
std::vector<Range> valid_ranges(const RowTable& table);

/// The sample of each row.
std::vector<std::int64_t> samples_of_all_rows(const RowTable& table);

/// The samples of the rows that have a value, as one range; empty if there are none.
Range samples_of_rows(const RowTable& table, Range rows);

/// Numbers the strips of `strip_rows` rows through all segments; returns how many there are.
std::int64_t number_strips(RowTable& table, std::int64_t strip_rows);

/// The kind of data that is too short for the window.
enum class Short : std::uint8_t { nothing, series, epochs, trials };

/// Warns of an acausal window of even length, and of data that is shorter than the window.
void warn_of(const char* verb, Short found, std::int64_t window, const ConvolveOptions& options);

/// The same for a series, or for its epochs if it has any.
void warn_of(const char* verb, const SeriesShape& shape, std::int64_t window, bool has_short_epoch,
             const ConvolveOptions& options);

}  // namespace synelix::plan
