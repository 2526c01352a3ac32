// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>
#include <synelix/types/series.hpp>
#include <synelix/types/stream.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// What nwb.hpp declares, without Kokkos. Programs include nwb.hpp.

namespace synelix {

/// Rows of a table whose column has this value. The value is converted to the type of the column:
/// text, integer, floating-point number or boolean (true, false). In a column with several entries
/// for a row, one equal entry is enough.
struct Condition {
  std::string column;  ///< name of a column of the table
  std::string value;   ///< as text: "good", "3", "true"
};

/// How rows of a table of intervals that overlap by more than 1e-9 s are handled.
enum class Overlaps : std::uint8_t {
  join,  ///< they become one interval
  apart  ///< each ends at the start of the next, so no time is in two intervals; the part of
         ///< an interval beyond the end of the next is a further interval
};

/// How unusable rows of a table of intervals are handled: a start or stop that is not finite, or a
/// stop before the start.
enum class UnusableIntervals : std::uint8_t {
  leave_out,  ///< with a warning that counts them
  refuse      ///< an Error names the first
};

/// How rows of a table become intervals.
struct IntervalsOptions {
  Overlaps overlaps = Overlaps::join;                         ///< with a warning that counts them
  UnusableIntervals unusable = UnusableIntervals::leave_out;  ///< NaN, or a stop before the start
};

/// The intervals of a table of an NWB file, sorted by time, without those of length 0.
/// \param table  FILE:/intervals/NAME, or any group with columns start_time and stop_time (seconds)
/// \param where  conditions that must all hold; other rows are ignored
/// \throws Error if there is no such table (the message names those of /intervals) or column, no
///         row meets the conditions (the message names the column's values), a row is unusable and
///         such rows are refused, or all remaining intervals have length 0
std::vector<Interval> read_intervals(const FilePath& table,
                                     const std::vector<Condition>& where = {},
                                     const IntervalsOptions& options = {});

/// How times are handled when a selected unit was not observed, according to obs_intervals.
enum class Unobserved : std::uint8_t {
  zero,      ///< its counts there are 0, like silence, with a warning
  leave_out  ///< only times when all selected units were observed have rows, as intervals
};

/// Which units are read, and how they are binned.
struct UnitsOptions {
  double bin_seconds = 0;  ///< at least 1e-9
  /// Paths of tables of units, such as "/processing/ecephys/units_probe1"; empty: /units. If an id
  /// repeats, the units are numbered across tables in order, with a warning. Or paths of events,
  /// one channel for each: columns of times, such as "/intervals/trials/go_time", and tables with a
  /// column `timestamp` (EventsTable) or `timestamps`. NaN times are left out, with a warning.
  std::vector<std::string> tables = {};
  std::vector<std::int64_t> unit_ids = {};   ///< in this order; empty: all, in the file's order
  std::vector<Condition> where = {};         ///< conditions that must all hold
  std::vector<Interval> intervals = {};      ///< in any order, disjoint; empty: the recording
  Unobserved unobserved = Unobserved::zero;  ///< how times without observation are handled
  IntervalStop interval_stop = IntervalStop::included;  ///< of `intervals` and of observation
  /// Where bins begin if there are no intervals. Absent: 0, except for a recording that starts more
  /// than a day and more than its own length after 0. Its bins begin at the last bin edge at or
  /// before its start, with a warning. The start is its first observation, else its first spike.
  std::optional<double> from_seconds = {};
  Links links = Links::within_folder;  ///< where other files of the units may be
  /// Most bytes of the trains and of the buffers for reading them at any time; absent: no bound.
  /// The trains are counted first and filled in place, so they are held only once.
  std::optional<std::int64_t> budget = {};
  std::string budget_name = "budget";  ///< its name in messages
  std::int64_t held_bytes = 0;         ///< of the budget, held already by other trains
  std::int64_t later_bytes = 0;        ///< of the budget, needed later to use the trains
  std::int64_t later_bytes_each = 0;   ///< the same, for each train in addition
  /// Only counts the events, for any budget. `events` of the result has the shape, the bytes and
  /// the number of events in each channel, for plans. All events are at sample 0, and take no
  /// memory.
  bool only_count = false;
};

/// How many spikes of the selected units were counted.
struct SpikeCounts {
  std::int64_t all = 0;      ///< in the file
  std::int64_t before = 0;   ///< not counted: before the first bin
  std::int64_t between = 0;  ///< not counted: between intervals
  std::int64_t behind = 0;   ///< not counted: after the last kept bin

  /// Spikes that are in no bin.
  [[nodiscard]] std::int64_t dropped() const { return before + between + behind; }
  /// Spikes that are in a bin.
  [[nodiscard]] std::int64_t counted() const { return all - dropped(); }
};

/// Spike trains as events, one channel for each unit.
struct Units {
  Events events;                           ///< spike counts: rows are bins, channels are units
  std::vector<std::int64_t> ids;           ///< of each channel, as in the column `id`
  double bin_seconds = 0;                  ///< width of a bin
  double start_seconds = 0;                ///< start of the first bin
  double end_seconds = 0;                  ///< of the recording, or the last interval's stop
  std::int64_t spikes = 0;                 ///< counted
  std::vector<TimeSegment> segments = {};  ///< one for each interval; empty: there were none
  std::vector<InputFile> files = {};       ///< that were read; none of them changed meanwhile
  SpikeCounts counts = {};                 ///< which were counted, and which were not
  /// The earliest spike of the selected units, where pynapple's `count(bin)` starts its bins when
  /// no intervals are given; absent if there is no spike.
  std::optional<double> first_spike_seconds = {};
  /// The least budget for reading them, including `UnitsOptions::held_bytes`.
  std::int64_t least_bytes = 0;
  /// False with `only_count` if a unit of many spikes is not in order and does not fit the budget:
  /// it is then not known how many of its spikes share a bin. `least_bytes` is then sufficient, but
  /// may be more than the least.
  bool is_least = true;

  /// Number of bins.
  [[nodiscard]] std::int64_t rows() const { return events.shape().samples; }
  /// Rate, start times of the bins and ids, for a stream.
  [[nodiscard]] SeriesDescription description() const {
    return {.rate_hz = 1 / bin_seconds,
            .start_seconds = start_seconds,
            .segments = segments,
            .channel_ids = ids,
            .files = files,
            .bin_seconds = bin_seconds};
  }
};

/// Reads the units of a file, the spikes of one unit at a time. Spike times that are not in order
/// are sorted. Intervals in which no bin is kept are left out. A warning names them, and intervals
/// that start after the end of the recording.
/// \throws Error if the file is not an NWB file with units, a unit or a column is missing, no unit
///         meets the conditions (the message names the column's values), the index leaves the spike
///         times or decreases, or a spike time is not finite; for intervals that are not finite,
///         end before they start or overlap; if no bin is kept; with Unobserved::leave_out, if
///         there is no column obs_intervals, or the selected units were never observed together;
///         for more than 2^24 spikes in a bin; if the budget is too small
Units read_units(const std::string& file, const UnitsOptions& options);

/// A signal of an NWB file, as Hdf5Source takes it.
struct SignalDescription {
  std::string path;                       ///< of the group that holds `data`
  std::string kind;                       ///< "ElectricalSeries"; empty: not in the file
  std::string type;                       ///< stored, as DatasetDescription::type
  std::vector<std::int64_t> extents;      ///< of `data`
  SeriesDescription times = {};           ///< rate, start and segments of its samples
  std::optional<TimestampsFit> fit = {};  ///< set if the rate was fitted to timestamps
  std::string refusal = {};               ///< why it cannot be read; empty: it can
};

/// A table of intervals of an NWB file, as read_intervals takes it.
struct IntervalsDescription {
  std::string path;                       ///< of its group: "/intervals/trials"
  std::vector<std::string> columns = {};  ///< that conditions can use
  std::int64_t rows = 0;                  ///< of the table, including those of length 0
  std::vector<Interval> intervals = {};   ///< as read_intervals gives them
  std::int64_t unusable = 0;              ///< rows that are no interval of time
  std::int64_t overlapping = 0;           ///< rows that begin in another interval
  std::string refusal = {};               ///< why they cannot be read; empty: they can
};

/// Trains of an NWB file other than /units, as UnitsOptions::tables takes them: a table of units,
/// or a column of times.
struct TrainsDescription {
  std::string path;                       ///< "/processing/behavior/licks/timestamp"
  bool is_units = false;                  ///< false: times of events
  std::int64_t rows = 0;                  ///< units, or times
  std::vector<std::string> columns = {};  ///< of units: columns that conditions can use
  std::string refusal = {};               ///< why they cannot be read; empty: they can
};

/// The contents of an NWB file that this library can read.
struct NwbDescription {
  std::vector<SignalDescription> signals;       ///< in the order of their paths
  std::vector<IntervalsDescription> intervals;  ///< in the order of their paths
  std::vector<std::string> unit_columns;        ///< of /units: columns that conditions can use
  std::vector<TrainsDescription> trains = {};   ///< in the order of their paths
};

/// Describes the contents of an NWB file. Timestamps are read twice, to fit the rate.
/// \throws Error as Hdf5Source; errors of one signal or table become its `refusal`
NwbDescription describe_nwb(const std::string& file, Links links = Links::within_folder);

}  // namespace synelix
