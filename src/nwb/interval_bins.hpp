// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nwb/bins.hpp"

#include <synelix/stream.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// `IntervalBins`: bins that restart at each of several intervals, as rows one behind the other.

namespace synelix::nwb {

class IntervalBins {
 public:
  /// Intervals in the order of time, disjoint; times are rounded to 1e-9 s.
  /// \throws Error where a time is so large, or the bin so small, that bins have no edges, or where
  ///         there are more than 2^53
  IntervalBins(const std::vector<Interval>& intervals, double bin_seconds);

  /// Kept bins of all intervals.
  [[nodiscard]] std::int64_t rows() const { return m_rows; }
  /// Intervals in which no bin is kept.
  [[nodiscard]] std::int64_t without_rows() const { return m_without_rows; }
  /// The row of a time; nothing where it lies in no interval, or in no kept bin.
  [[nodiscard]] std::optional<std::int64_t> row_of(double time) const;
  /// The rows of each interval that has some.
  [[nodiscard]] std::vector<Epoch> epochs() const;
  /// Times of the rows, one segment for each interval that has some.
  [[nodiscard]] std::vector<TimeSegment> segments() const;
  /// Bytes held.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(m_parts.capacity() * sizeof(Part));
  }

 private:
  struct Part {
    Bins bins;
    std::int64_t first_row;
  };
  double m_bin_seconds;
  std::int64_t m_rows = 0;
  std::int64_t m_without_rows = 0;
  std::vector<Part> m_parts;
};

}  // namespace synelix::nwb
