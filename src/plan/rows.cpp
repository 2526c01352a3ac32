// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/rows.hpp"

#include <synelix/convolve.hpp>
#include <synelix/error.hpp>

#include <algorithm>
#include <string>

namespace synelix::plan {
namespace {

void check(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options) {
  require_valid(shape);
  if (window < 1) throw Error("window", std::to_string(window), "at least 1 sample");
  if (options.every < 1) throw Error("every", std::to_string(options.every), "at least 1");
  if (options.causality == Causality::acausal && options.shift == Shift::on) {
    throw Error("shift", "on with causality acausal",
                "automatic or off: an acausal window is not shifted");
  }
}

}  // namespace

RowTable make_rows(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options) {
  check(shape, window, options);
  RowTable table;
  table.lag = lag_offset(options.causality, options.shift, window);
  // A step beyond the series keeps the first row of each segment, as one of its length does.
  const std::int64_t every = std::min(options.every, shape.samples);
  const auto append = [&](index::Segment segment) {
    if (segment.rows == 0) return;
    segment.row_begin = table.rows;
    table.rows += segment.rows;
    table.longest = std::max(table.longest, segment.rows);
    table.segments.push_back(segment);
  };
  const std::vector<Epoch> whole{{0, shape.samples}};
  const std::vector<Epoch>& epochs = shape.epochs.empty() ? whole : shape.epochs;
  table.segments.reserve(epochs.size());
  std::int64_t border = 0;
  for (const Epoch& epoch : epochs) {
    append(index::gap_segment({border, epoch.begin}, options.border, every));
    append(index::epoch_segment(epoch, window, table.lag, options.border, every));
    table.has_short_epoch = table.has_short_epoch || (epoch.size() > 0 && epoch.size() < window);
    border = epoch.end;
  }
  append(index::gap_segment({border, shape.samples}, options.border, every));
  return table;
}

std::int64_t number_strips(std::vector<index::Segment>& segments, std::int64_t strip_rows) {
  std::int64_t strips = 0;
  for (index::Segment& segment : segments) {
    segment.strip_begin = strips;
    strips += index::ceil_divide(segment.rows, strip_rows);
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
  const plan::RowTable table = plan::make_rows(shape, window, options);
  std::vector<Range> ranges;
  for (const index::Segment& segment : table.segments) {
    const auto row_from = [&](std::int64_t sample) {
      const std::int64_t ahead = std::max<std::int64_t>(0, sample - segment.first_sample);
      return segment.row_begin + std::min(segment.rows, index::ceil_divide(ahead, options.every));
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

}  // namespace synelix
