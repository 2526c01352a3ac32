// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/rows.hpp"

#include <synelix/choice.hpp>
#include <synelix/types/series.hpp>

#include <cstdint>
#include <vector>

/// \file
/// `RowMap`: the samples that the rows of the features stand for, and those that they depend on.
/// Its memory grows with the epochs and not with the rows.

namespace synelix::stream {

class RowMap {
 public:
  /// \param shape  samples and epochs; the rest is ignored
  /// \param reach  what a row needs for a complete window: determines which rows Border::valid
  ///               keeps
  RowMap(const SeriesShape& shape, index::Reach reach, index::RowRule rule);
  /// The rows of a convolution.
  RowMap(const SeriesShape& shape, std::int64_t window, const ConvolveOptions& options);

  [[nodiscard]] std::int64_t rows() const { return m_rows; }
  /// Bytes that the map holds.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(m_segments.capacity() * sizeof(index::Segment));
  }
  /// Writes the sample of each of the given rows.
  void samples_of(Range rows, std::int64_t* samples) const;
  /// The samples in the windows of the given rows; {0, 0} if there are none.
  [[nodiscard]] Range samples_for(Range rows) const { return samples_for(rows, m_reach); }
  /// As above, for rows with this reach.
  [[nodiscard]] Range samples_for(Range rows, index::Reach reach) const;
  /// The rows of the given samples.
  [[nodiscard]] Range rows_for(Range samples) const;
  /// The longest range of rows from rows.begin that depend on at most this many samples.
  [[nodiscard]] Range piece(Range rows, std::int64_t samples_at_most, index::Reach reach) const;

 private:
  [[nodiscard]] std::int64_t segment_of(std::int64_t row) const;
  [[nodiscard]] std::int64_t rows_before(std::int64_t sample) const;

  std::vector<index::Segment> m_segments;  ///< those with rows, ascending
  std::int64_t m_rows = 0;
  index::Reach m_reach;
  index::RowLayout m_layout;
};

}  // namespace synelix::stream
