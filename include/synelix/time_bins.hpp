// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// \file
/// Time in bins: `TimeBins`, what becomes of spike times in seconds when they are counted.
///
///     const sx::TimeBins bins(0.001, {{10.0, 250.0}, {300.0, 410.5}});  // seconds
///     const sx::Events spikes = sx::Events::from_times({times_a, times_b}, bins);
///
/// Bin k is edge_k <= t < edge_{k+1} with edge_k = start + k * bin, rounded to 1e-9 s. A bin is
/// kept where its centre is at or before the end; times outside [start, end] do not count.
///
/// With intervals, bins restart at the start of each, and end by the rule above at its stop. Only
/// these rows exist, one interval behind the other, and each interval is an epoch. Where one stops
/// as the next starts, a time there is the next one's, and the centre of a bin has to lie 1e-6 s
/// before it.
///
/// That is what pynapple's count(bin, ep) gives; of intervals that touch it leaves out the times of
/// the last 1e-6 s of the first, which are counted here.

namespace synelix {

/// A stretch of time, in seconds of the recording's clock. Which samples belong to it at its ends:
/// see `Hdf5SourceOptions::intervals` for signals, `TimeBins` for spike trains.
struct Interval {
  double start_seconds = 0.0;  ///< its first time
  double stop_seconds = 0.0;   ///< its end, not before its start

  /// Whether both ends are the same.
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Samples that follow each other in time, up to the first sample of the next segment:
/// time(t) = start_seconds + (t - first_sample) / rate_hz.
struct TimeSegment {
  std::int64_t first_sample = 0;  ///< of the series
  double start_seconds = 0.0;     ///< its time
  double rate_hz = 0.0;           ///< samples a second

  /// Whether all members are the same.
  friend bool operator==(const TimeSegment&, const TimeSegment&) = default;
};

/// Bins of one width. Rows are the bins that are kept. A value: copies share their tables. Needs no
/// running Kokkos.
class TimeBins {
 public:
  /// Bins from `start_seconds` to `end_seconds`, without epochs.
  /// \throws Error for a bin below 1e-9 s, times that are not finite or in the wrong order, or more
  ///         than 2^53 bins
  TimeBins(double bin_seconds, double start_seconds, double end_seconds);
  /// Bins that restart at each interval. Intervals may have any order; those of no length are left
  /// out.
  /// \throws Error as above, and where there is no interval, or two overlap by more than 1e-9 s
  TimeBins(double bin_seconds, const std::vector<Interval>& intervals);

  /// The width of a bin.
  [[nodiscard]] double bin_seconds() const { return m_bin_seconds; }
  /// Bins that are kept, of all intervals.
  [[nodiscard]] std::int64_t rows() const { return m_rows; }
  /// Intervals in which no bin is kept.
  [[nodiscard]] std::int64_t without_rows() const { return m_without_rows; }
  /// The row of a time; nothing where it lies in no interval, or in no kept bin.
  [[nodiscard]] std::optional<std::int64_t> row_of(double time) const;
  /// The middle of each row, in seconds, rounded to 1e-9 s.
  [[nodiscard]] std::vector<double> centres() const;
  /// The rows of each interval that has some; none where the bins were made without intervals.
  [[nodiscard]] std::vector<Epoch> epochs() const;
  /// Times of the rows (where each begins), one segment for each interval that has some.
  [[nodiscard]] std::vector<TimeSegment> segments() const;
  /// Bytes held.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  struct Part;
  void add(const std::vector<Interval>& ordered);

  double m_bin_seconds;
  bool m_has_intervals;
  std::int64_t m_rows = 0;
  std::int64_t m_without_rows = 0;
  std::shared_ptr<const std::vector<Part>> m_parts;
};

}  // namespace synelix
