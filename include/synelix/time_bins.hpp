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
/// Bin k is edge_k <= t < edge_{k+1} with edge_k = start + k * bin. Start and bin are the fractions
/// that were rounded to these doubles: 1/30 s, 1001/60000 s, a sample of a 30 kHz clock, a decimal
/// number. A time is compared with the double nearest to the edge, so a time that was written as k
/// bins is in bin k, for every width and start. A time that was rounded to 1e-9 s is also on the
/// edge that rounds to it. Where start and bin are whole nanoseconds, so is each edge.
///
/// A bin is kept where its centre is at or before the end, both rounded to 1e-9 s; times outside
/// [start, end] do not count.
///
/// With intervals, bins restart at the start of each, and end by the rule above at its stop. Only
/// these rows exist, one interval behind the other, and each interval is an epoch. Where one stops
/// as the next starts, a time there is the next one's, and the centre of a bin has to lie 1e-6 s
/// before it. `IntervalStop::excluded` has that rule for each stop.
///
/// pynapple's count(bin, ep) has the same bins where start and bin are whole nanoseconds. It adds
/// the width repeatedly and rounds edges and times to 1e-9 s, so other edges drift. Of intervals
/// that touch it leaves out the times of the last 1e-6 s of the first, which are counted here.

namespace synelix {

/// A stretch of time, in seconds of the recording's clock. Which samples belong to it at its ends:
/// see `Hdf5SourceOptions::intervals` for signals, `TimeBins` for spike trains.
struct Interval {
  double start_seconds = 0.0;  ///< its first time
  double stop_seconds = 0.0;   ///< its end, not before its start

  /// Whether both ends are the same.
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Whether a sample or a time at the stop of an interval belongs to it. Where the next interval
/// starts there, it is always the next one's.
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

/// Where the bin of a time begins, of bins that begin at `from_seconds` and go on before it.
/// \throws Error for a bin below 1e-9 s, times that are not finite, or more than 2^53 bins
double start_of_bin(double bin_seconds, double seconds, double from_seconds = 0.0);

/// Where bins of a recording begin if nobody says so: at 0. For a recording that starts more than a
/// day and more than its own length behind 0, such as times since 1970, at the start of the bin of
/// its first time.
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
  /// Bins that restart at each interval. Intervals may have any order; those of no length are left
  /// out.
  /// \throws Error as above, and where there is no interval, or two overlap by more than 1e-9 s
  TimeBins(double bin_seconds, const std::vector<Interval>& intervals,
           IntervalStop stop = IntervalStop::included);

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
  /// The rows of each interval that has some; all where the bins were made without intervals.
  [[nodiscard]] Epochs epochs() const;
  /// Times of the rows (where each begins), one segment for each interval that has some.
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
