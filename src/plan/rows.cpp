// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/rows.hpp"

#include "vocabulary/pages.hpp"

#include <synelix/convolve.hpp>
#include <synelix/error.hpp>

#include <algorithm>
#include <string>

namespace synelix::plan {
namespace {

void check(std::int64_t window, const ConvolveOptions& options) {
  if (window < 1) throw Error("window", std::to_string(window), "at least 1 sample");
  if (options.every < 1) throw Error("every", std::to_string(options.every), "at least 1");
  if (options.causality == Causality::acausal && options.shift == Shift::on) {
    throw Error("shift", "on with causality acausal",
                "automatic or off: an acausal window is not shifted");
  }
}

}  // namespace

void RowTable::append(index::Segment segment) {
  if (segment.rows == 0) return;
  segment.row_begin = rows;
  rows += segment.rows;
  longest = std::max(longest, segment.rows);
  lengths.add(segment.rows);
  segments.push_back(segment);
}

RowTable start_rows(std::int64_t window, const ConvolveOptions& options) {
  check(window, options);
  RowTable table;
  table.lag = lag_offset(options.causality, options.shift, window);
  return table;
}

void append_rows(const SeriesShape& shape, std::int64_t trial, std::int64_t window,
                 const ConvolveOptions& options, RowTable& table) {
  require_valid(shape);
  if (shape.epochs.size() > 1) {  // a table that grows is copied, and takes twice its memory
    std::size_t gaps = 0;
    std::int64_t border = 0;
    for (const Epoch& epoch : shape.epochs) {
      gaps += border < epoch.begin ? 1 : 0;
      border = epoch.end;
    }
    if (options.border == Border::valid) gaps = 0;
    const std::size_t before = table.segments.size();
    table.segments.reserve(before + shape.epochs.size() + gaps + 1);
    prefer_large_pages(table.segments.data() + before,
                       (table.segments.capacity() - before) * sizeof(index::Segment));
  }
  index::for_each_segment(
      shape.samples, shape.epochs.data(), static_cast<std::int64_t>(shape.epochs.size()),
      {window, table.lag}, {options.border, options.every}, [&](index::Segment segment) {
        const std::int64_t length = segment.samples.size();
        table.has_short_epoch = table.has_short_epoch || (length > 0 && length < window);
        segment.trial = trial;
        table.append(segment);
      });
}

RowTable make_rows(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options) {
  RowTable table = start_rows(window, options);
  append_rows(shape, 0, window, options, table);
  return table;
}

std::vector<Range> valid_ranges(const RowTable& table, std::int64_t every) {
  std::vector<Range> ranges;
  for (const index::Segment& segment : table.segments) {
    const auto row_from = [&](std::int64_t sample) {
      const std::int64_t ahead = std::max<std::int64_t>(0, sample - segment.first_sample);
      return segment.row_begin + std::min(segment.rows, index::ceil_divide(ahead, every));
    };
    const Range rows{row_from(segment.valid.begin), row_from(segment.valid.end)};
    if (segment.valid.size() == 0 || rows.size() == 0) continue;
    if (!ranges.empty() && ranges.back().end == rows.begin) {
      ranges.back().end = rows.end;
    } else {
      ranges.push_back(rows);
    }
  }
  return ranges;
}

Range samples_of_rows(const RowTable& table, Range rows, std::int64_t every) {
  Range samples;
  if (rows.size() == 0) return samples;
  const auto count = static_cast<std::int64_t>(table.segments.size());
  std::int64_t k = index::last_at_or_before(table.segments.data(), count,
                                            &index::Segment::row_begin, rows.begin);
  for (; k < count; ++k) {
    const index::Segment& segment = table.segments[static_cast<std::size_t>(k)];
    if (segment.row_begin >= rows.end) break;
    const std::int64_t first = std::max(rows.begin, segment.row_begin);
    const std::int64_t last = std::min(rows.end, segment.row_begin + segment.rows) - 1;
    const std::int64_t begin =
        std::max(index::sample_of(segment, first, every), segment.valid.begin);
    const std::int64_t end =
        std::min(index::sample_of(segment, last, every) + 1, segment.valid.end);
    if (begin >= end) continue;
    samples = samples.size() == 0 ? Range{begin, end} : Range{samples.begin, end};
  }
  return samples;
}

std::int64_t number_strips(std::vector<index::Segment>& segments, std::int64_t strip_rows) {
  std::int64_t strips = 0;
  for (index::Segment& segment : segments) {
    segment.strip_begin = strips;
    strips += segment.rows <= strip_rows ? 1 : index::ceil_divide(segment.rows, strip_rows);
  }
  return strips;
}

}  // namespace synelix::plan

namespace synelix {

std::int64_t feature_rows(const SeriesShape& shape, std::int64_t window,
                          const ConvolveOptions& options) {
  return plan::make_rows(shape, window, options).rows;
}

std::vector<std::int64_t> feature_samples(const SeriesShape& shape, std::int64_t window,
                                          const ConvolveOptions& options) {
  const plan::RowTable table = plan::make_rows(shape, window, options);
  std::vector<std::int64_t> samples;
  samples.reserve(static_cast<std::size_t>(table.rows));
  for (const index::Segment& segment : table.segments) {
    for (std::int64_t r = 0; r < segment.rows; ++r) {
      samples.push_back(segment.first_sample + r * options.every);
    }
  }
  return samples;
}

std::vector<Range> valid_rows(const SeriesShape& shape, std::int64_t window,
                              const ConvolveOptions& options) {
  return plan::valid_ranges(plan::make_rows(shape, window, options), options.every);
}

}  // namespace synelix
