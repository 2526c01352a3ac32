// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// \file
/// Time in bins: `TimeBins`, the rule by which spike times in seconds are counted.
///
///     const sx::TimeBins bins(0.001, {{10.0, 250.0}, {300.0, 410.5}});  // seconds
///     const sx::Events spikes = sx::Events::from_times({times_a, times_b}, bins);
///
/// Bin k is edge_k <= t < edge_{k+1} with edge_k = start + k * bin. Start and bin are taken as the
/// fractions that were rounded to these doubles: 1/30 s, 1001/60000 s, a sample of a 30 kHz clock,
/// a decimal number. A time is compared with the double nearest to the edge, so a time that was
/// written as k bins is in bin k, for every width and start. A time that was rounded to 1e-9 s is
/// also on the edge that rounds to it. If start and bin are whole nanoseconds, each edge is, too.
///
/// A bin is kept if its center is at or before the end, both rounded to 1e-9 s; times outside
/// [start, end] do not count.
///
/// With intervals, bins restart at the start of each, and end by the rule above at its stop. Only
/// these rows exist, one interval after the other, and each interval is an epoch. If an interval
/// stops where the next starts, a time there belongs to the next, and the center of a bin must be
/// 1e-6 s before it. `IntervalStop::excluded` applies that rule to each stop.
///
/// pynapple's count(bin, ep) has the same bins if start and bin are whole nanoseconds. It adds the
/// width repeatedly and rounds edges and times to 1e-9 s, so other edges drift. If two intervals
/// touch, it leaves out the times in the last 1e-6 s of the first; this library counts them.

namespace synelix {

/// An interval of time, in seconds of the recording's clock. For the samples at its ends see
/// `Hdf5SourceOptions::intervals` for signals, `TimeBins` for spike trains.
struct Interval {
  double start_seconds = 0.0;  ///< its first time
  double stop_seconds = 0.0;   ///< its end, not before its start

  /// Whether both ends are the same.
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Whether a sample or a time at the stop of an interval belongs to it. If the next interval starts
/// there, it always belongs to the next.
enum class IntervalStop : std::uint8_t {
  included,  ///< it does, as in pynapple's restrict and MNE's crop
  excluded   ///< it does not: start <= time < stop, as with ranges of samples
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

/// The start of the bin of a time. Bins begin at `from_seconds` and also extend before it.
/// \throws Error for a bin below 1e-9 s, times that are not finite, or more than 2^53 bins
double start_of_bin(double bin_seconds, double seconds, double from_seconds = 0.0);

/// The default start of the bins of a recording: 0. If a recording starts more than a day and more
/// than its own length after 0, as times since 1970 do, the start is that of the bin of its first
/// time.
/// \throws Error as start_of_bin
double start_of_bins(double bin_seconds, double first_seconds, double last_seconds);

/// Bins of one width. Rows are the bins that are kept. A value: copies share their tables. Needs no
/// running Kokkos.
class TimeBins {
 public:
  /// Bins from `start_seconds` to `end_seconds`, without epochs.
  /// \throws Error for a bin below 1e-9 s, times that are not finite or in the wrong order, or more
  ///         than 2^53 bins
  TimeBins(double bin_seconds, double start_seconds, double end_seconds);
  /// Bins that restart at each interval. Intervals may have any order; those of length 0 are left
  /// out.
  /// \throws Error as above, and if there is no interval, or two overlap by more than 1e-9 s
  TimeBins(double bin_seconds, const std::vector<Interval>& intervals,
           IntervalStop stop = IntervalStop::included);

  /// The width of a bin.
  [[nodiscard]] double bin_seconds() const { return m_bin_seconds; }
  /// Bins that are kept, of all intervals.
  [[nodiscard]] std::int64_t rows() const { return m_rows; }
  /// Number of intervals in which no bin is kept.
  [[nodiscard]] std::int64_t without_rows() const { return m_without_rows; }
  /// The row of a time; no value if it is in no interval or in no kept bin.
  [[nodiscard]] std::optional<std::int64_t> row_of(double time) const;
  /// The middle of each row, in seconds, rounded to 1e-9 s.
  [[nodiscard]] std::vector<double> centres() const;
  /// The rows of each interval that has rows; everything if there are no intervals.
  [[nodiscard]] Epochs epochs() const;
  /// Times of the rows (the start of each bin), one segment for each interval that has rows.
  [[nodiscard]] std::vector<TimeSegment> segments() const;
  /// Bytes held.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  struct Part;
  void add(const std::vector<Interval>& ordered, IntervalStop stop);

  double m_bin_seconds;
  bool m_has_intervals;
  std::int64_t m_rows = 0;
  std::int64_t m_without_rows = 0;
  std::shared_ptr<const std::vector<Part>> m_parts;
};

}  // namespace synelix
