// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/row_map.hpp"

#include <algorithm>

namespace synelix::stream {

RowMap::RowMap(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options)
    : m_window(window),
      m_offset(lag_offset(options.causality, options.shift, window)),
      m_every(options.every) {
  std::vector<Epoch> epochs = shape.epochs;
  if (epochs.empty()) epochs = {{0, shape.samples}};
  std::int64_t border = 0;
  for (const Epoch& epoch : epochs) {
    append(index::gap_segment({border, epoch.begin}, options.border, m_every));
    append(index::epoch_segment(epoch, m_window, m_offset, options.border, m_every));
    border = epoch.end;
  }
  append(index::gap_segment({border, shape.samples}, options.border, m_every));
}

void RowMap::append(index::Segment segment) {
  if (segment.rows == 0) return;
  segment.row_begin = m_rows;
  m_rows += segment.rows;
  m_segments.push_back(segment);
}

std::int64_t RowMap::segment_of(std::int64_t row) const {
  return index::last_at_or_before(m_segments.data(), static_cast<std::int64_t>(m_segments.size()),
                                  &index::Segment::row_begin, row);
}

void RowMap::samples_of(Range rows, std::int64_t* samples) const {
  auto i = static_cast<std::size_t>(segment_of(rows.begin));
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    while (row >= m_segments[i].row_begin + m_segments[i].rows) ++i;
    *samples++ = index::sample_of(m_segments[i], row, m_every);
  }
}

Range RowMap::samples_for(Range rows) const {
  Range seen{0, 0};
  if (rows.size() == 0) return seen;
  for (auto i = static_cast<std::size_t>(segment_of(rows.begin)); i < m_segments.size(); ++i) {
    const index::Segment& segment = m_segments[i];
    if (segment.row_begin >= rows.end) break;
    if (segment.samples.size() == 0) continue;
    const std::int64_t first = std::max(rows.begin, segment.row_begin);
    const std::int64_t last = std::min(rows.end, segment.row_begin + segment.rows) - 1;
    const std::int64_t begin =
        std::max(segment.samples.begin,
                 index::sample_of(segment, first, m_every) + m_offset - (m_window - 1));
    const std::int64_t end =
        std::min(segment.samples.end, index::sample_of(segment, last, m_every) + m_offset + 1);
    if (begin >= end) continue;
    seen = seen.size() == 0 ? Range{begin, end} : Range{seen.begin, std::max(seen.end, end)};
  }
  return seen;
}

std::int64_t RowMap::rows_before(std::int64_t sample) const {
  std::int64_t low = 0;
  std::int64_t high = m_rows;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    std::int64_t at = 0;
    samples_of({middle, middle + 1}, &at);
    if (at < sample) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Range RowMap::rows_for(Range samples) const {
  const std::int64_t begin = rows_before(samples.begin);
  return {begin, std::max(begin, rows_before(samples.end))};
}

Range RowMap::piece(Range rows, std::int64_t samples_at_most) const {
  if (samples_for(rows).size() <= samples_at_most) return rows;
  std::int64_t fits = rows.begin + 1;  // one row sees at most a window
  std::int64_t too_many = rows.end;
  while (too_many - fits > 1) {
    const std::int64_t middle = fits + (too_many - fits) / 2;
    if (samples_for({rows.begin, middle}).size() <= samples_at_most) {
      fits = middle;
    } else {
      too_many = middle;
    }
  }
  return {rows.begin, fits};
}

}  // namespace synelix::stream
