// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/row_table.hpp"

#include "types/checks.hpp"

#include <synelix/error.hpp>
#include <synelix/types/convolve.hpp>

#include <algorithm>
#include <string>

namespace synelix::plan {
namespace {

void check_window(std::int64_t window, const ConvolveOptions& options) {
  require_known("causality", options.causality);
  require_known("shift", options.shift);
  require_known("border", options.border);
  require_known("method", options.method);
  require_known("staging", options.staging);
  require_known("machine.instruction_set", options.machine.instruction_set);
  if (window < 1) {
    throw Error("window", std::to_string(window) + " is too small", "Use at least 1 sample");
  }
  if (options.every < 1) {
    throw Error("every", std::to_string(options.every) + " is too small", "Use at least 1");
  }
  if (options.causality == Causality::acausal && options.shift == Shift::on) {
    throw Error("shift", "on does not go with causality acausal, whose window is not shifted",
                "Use automatic or off");
  }
}

}  // namespace

void RowTable::reserve(const SeriesShape& shape) {
  if (shape.epochs.size() <= 1) return;
  // A table that grows is copied, which takes twice its memory. Unused capacity, for a gap before
  // each epoch and after the last one, costs only addresses.
  const std::size_t before = segments.size();
  const std::size_t gaps = layout.whole_only ? 0 : shape.epochs.size() + 1;
  segments.reserve(before + shape.epochs.size() + gaps);
  seam::prefer_large_pages(segments.data() + before,
                           (segments.capacity() - before) * sizeof(index::Segment));
}

void RowTable::append(index::Segment segment, std::int64_t rows_of_segment) {
  if (rows_of_segment == 0) return;
  segment.row_begin = rows;
  segment.strip_begin =
      static_cast<std::int64_t>(segments.size());  // one strip each, until numbered differently
  rows += rows_of_segment;
  longest = std::max(longest, rows_of_segment);
  lengths.add(rows_of_segment);
  segments.push_back(segment);
}

RowTable start_rows(std::int64_t samples, std::int64_t window, const ConvolveOptions& options) {
  check_window(window, options);
  RowTable table;
  table.lag = lag_offset(options.causality, options.shift, window);
  table.layout = index::layout_of({options.border, options.every}, {window, table.lag}, samples);
  return table;
}

void append_rows(const SeriesShape& shape, std::int64_t trial, std::int64_t window,
                 RowTable& table) {
  require_valid(shape);
  table.reserve(shape);
  index::for_each_segment(
      shape.samples, shape.epochs.data(), static_cast<std::int64_t>(shape.epochs.size()),
      table.layout, [&](index::Segment segment, std::int64_t rows) {
        const std::int64_t length = index::samples_of(segment).size();
        table.has_short_epoch = table.has_short_epoch || (length > 0 && length < window);
        segment.trial = static_cast<std::int32_t>(trial);
        table.append(segment, rows);
      });
}

RowTable make_rows(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options) {
  RowTable table = start_rows(shape.samples, window, options);
  append_rows(shape, 0, window, table);
  return table;
}

std::vector<Range> valid_ranges(const RowTable& table) {
  std::vector<Range> ranges;
  for (const index::Segment& segment : table.segments) {
    const Range valid = index::valid_of(segment, table.layout);
    const std::int64_t own_rows = index::rows_of(segment, table.layout);
    const auto row_from = [&](std::int64_t sample) {
      const std::int64_t ahead =
          std::max<std::int64_t>(0, sample - index::first_sample_of(segment, table.layout));
      return segment.row_begin + std::min(own_rows, index::ceil_divide(ahead, table.layout.every));
    };
    const Range rows{row_from(valid.begin), row_from(valid.end)};
    if (valid.size() == 0 || rows.size() == 0) continue;
    if (!ranges.empty() && ranges.back().end == rows.begin) {
      ranges.back().end = rows.end;
    } else {
      ranges.push_back(rows);
    }
  }
  return ranges;
}

std::vector<std::int64_t> samples_of_all_rows(const RowTable& table) {
  std::vector<std::int64_t> samples;
  samples.reserve(static_cast<std::size_t>(table.rows));
  for (const index::Segment& segment : table.segments) {
    const std::int64_t first = index::first_sample_of(segment, table.layout);
    const std::int64_t rows = index::rows_of(segment, table.layout);
    for (std::int64_t r = 0; r < rows; ++r) samples.push_back(first + r * table.layout.every);
  }
  return samples;
}

Range samples_of_rows(const RowTable& table, Range rows) {
  Range samples;
  if (rows.size() == 0) return samples;
  const auto count = static_cast<std::int64_t>(table.segments.size());
  std::int64_t k = index::last_at_or_before(table.segments.data(), count,
                                            &index::Segment::row_begin, rows.begin);
  for (; k < count; ++k) {
    const index::Segment& segment = table.segments[static_cast<std::size_t>(k)];
    if (segment.row_begin >= rows.end) break;
    const Range valid = index::valid_of(segment, table.layout);
    const std::int64_t first = std::max(rows.begin, segment.row_begin);
    const std::int64_t last =
        std::min(rows.end, segment.row_begin + index::rows_of(segment, table.layout)) - 1;
    const std::int64_t begin =
        std::max(index::sample_of(segment, first, table.layout), valid.begin);
    const std::int64_t end = std::min(index::sample_of(segment, last, table.layout) + 1, valid.end);
    if (begin >= end) continue;
    samples = samples.size() == 0 ? Range{begin, end} : Range{samples.begin, end};
  }
  return samples;
}

std::int64_t number_strips(RowTable& table, std::int64_t strip_rows) {
  // Initially each segment is numbered as one strip.
  if (table.longest <= strip_rows) return static_cast<std::int64_t>(table.segments.size());
  std::int64_t strips = 0;
  for (index::Segment& segment : table.segments) {
    segment.strip_begin = strips;
    strips += index::ceil_divide(index::rows_of(segment, table.layout), strip_rows);
  }
  return strips;
}

}  // namespace synelix::plan

namespace synelix {

std::int64_t feature_rows(const SeriesShape& shape, std::int64_t window,
                          const ConvolveOptions& options) {
  return plan::make_rows(shape, window, options).rows;
}

std::vector<std::int64_t> feature_extents(const StridedSeries& series, std::int64_t window,
                                          std::int64_t bases, const ConvolveOptions& options) {
  const Strided& data = series.data();
  std::vector<std::int64_t> extents(data.extents.begin(), data.extents.begin() + data.rank);
  extents[static_cast<std::size_t>(series.sample_axis())] =
      feature_rows(series.shape(), window, options);
  extents.push_back(bases);
  return extents;
}

std::vector<std::int64_t> feature_extents(const Events& events, std::int64_t window,
                                          std::int64_t bases, const ConvolveOptions& options) {
  return {feature_rows(events.shape(), window, options), events.shape().channels, bases};
}

std::vector<std::int64_t> feature_samples(const SeriesShape& shape, std::int64_t window,
                                          const ConvolveOptions& options) {
  return plan::samples_of_all_rows(plan::make_rows(shape, window, options));
}

std::vector<Range> valid_rows(const SeriesShape& shape, std::int64_t window,
                              const ConvolveOptions& options) {
  return plan::valid_ranges(plan::make_rows(shape, window, options));
}

}  // namespace synelix

namespace synelix::plan {

void warn_of(const char* verb, Short found, std::int64_t window, const ConvolveOptions& options) {
  const std::string call = std::string(verb) + ": ";
  if (options.causality == Causality::acausal && window % 2 == 0) {
    warn(call +
         "an acausal window should probably be odd, so that equally many NaN fall on "
         "either side; the window has " +
         std::to_string(window) + " samples");
  }
  if (options.border == Border::zero || found == Short::nothing) return;
  const bool is_one = found == Short::series;
  const std::string what = is_one                   ? "the series is"
                           : found == Short::epochs ? "one or more epochs are"
                                                    : "one or more trials are";
  warn(call + what + " shorter than the window of " + std::to_string(window) +
       " samples: " + (is_one ? "it has" : "they have") + " no row with a whole window" +
       (options.border != Border::nan ? ""
        : is_one                      ? ", and gives NaN"
                                      : ", and give NaN"));
}

void warn_of(const char* verb, const SeriesShape& shape, std::int64_t window, bool has_short_epoch,
             const ConvolveOptions& options) {
  warn_of(verb,
          !has_short_epoch       ? Short::nothing
          : shape.epochs.empty() ? Short::series
                                 : Short::epochs,
          window, options);
}

}  // namespace synelix::plan
