// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/row_map.hpp"

#include <algorithm>
#include "blocks/block_search.hpp"

namespace synelix::stream {

RowMap::RowMap(const SeriesShape& shape, index::Reach reach, index::RowRule rule)
    : m_reach(reach), m_layout(index::layout_of(rule, reach, shape.samples)) {
  const auto visit_all = [&](const auto& visit) {
    return index::for_each_segment(shape.samples, shape.epochs.data(),
                                   static_cast<std::int64_t>(shape.epochs.size()), m_layout, visit);
  };
  // Segments are counted first, because a growing table takes up to three times its memory while it
  // is copied.
  std::size_t count = 0;
  visit_all([&](const index::Segment&, std::int64_t rows) { count += rows > 0 ? 1 : 0; });
  m_segments.reserve(count);
  m_rows = visit_all([&](const index::Segment& segment, std::int64_t rows) {
    if (rows > 0) m_segments.push_back(segment);
  });
}

RowMap::RowMap(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options)
    : RowMap(shape, {window, lag_offset(options.causality, options.shift, window)},
             {options.border, options.every}) {}

std::int64_t RowMap::segment_of(std::int64_t row) const {
  return index::last_at_or_before(m_segments.data(), static_cast<std::int64_t>(m_segments.size()),
                                  &index::Segment::row_begin, row);
}

void RowMap::samples_of(Range rows, std::int64_t* samples) const {
  auto i = static_cast<std::size_t>(segment_of(rows.begin));
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    while (i + 1 < m_segments.size() && row >= m_segments[i + 1].row_begin) ++i;
    *samples++ = index::sample_of(m_segments[i], row, m_layout);
  }
}

Range RowMap::samples_for(Range rows, index::Reach reach) const {
  return index::samples_seen(m_segments.data(), static_cast<std::int64_t>(m_segments.size()), rows,
                             reach, m_layout);
}

std::int64_t RowMap::rows_before(std::int64_t sample) const {
  return blocks::last_that(0, m_rows, [&](std::int64_t rows) {
    std::int64_t last = 0;
    samples_of({rows - 1, rows}, &last);
    return last < sample;
  });
}

Range RowMap::rows_for(Range samples) const {
  const std::int64_t begin = rows_before(samples.begin);
  return {begin, std::max(begin, rows_before(samples.end))};
}

Range RowMap::piece(Range rows, std::int64_t samples_at_most, index::Reach reach) const {
  return blocks::leading_rows(
      rows, [&](Range some) { return samples_for(some, reach).size() <= samples_at_most; });
}

}  // namespace synelix::stream
