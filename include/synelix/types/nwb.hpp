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

/// Rows of a table whose column has this value. Text, integers, floating-point numbers and booleans
/// (true, false) are compared as what the column holds; in a column with several entries for a row,
/// one of them is enough.
struct Condition {
  std::string column;  ///< name of a column of the table
  std::string value;   ///< as text: "good", "3", "true"
};

/// What becomes of rows of a table of intervals that overlap by more than 1e-9 s.
enum class Overlaps : std::uint8_t {
  join,  ///< they are one interval
  apart  ///< each is an interval up to the start of the next, so that no time is there twice; one
         ///< that reaches beyond another goes on behind it as a further interval
};

/// What becomes of rows of a table of intervals that cannot be used: a start or stop that is no
/// time, such as NaN, or a stop before the start.
enum class UnusableIntervals : std::uint8_t {
  leave_out,  ///< with a warning that counts them
  refuse      ///< an Error names the first
};

/// How rows of a table become intervals.
struct IntervalsOptions {
  Overlaps overlaps = Overlaps::join;                         ///< a warning counts them
  UnusableIntervals unusable = UnusableIntervals::leave_out;  ///< NaN, or a stop before the start
};

/// The intervals of a table of an NWB file, in the order of time, without those of no length.
/// \param table  FILE:/intervals/NAME, or any group with columns start_time and stop_time (seconds)
/// \param where  all of them have to hold; other rows are not looked at
/// \throws Error where there is no such table (those of /intervals are named) or column, nothing
///         fulfils the conditions (the column's values are named), a row cannot be used and such
///         rows are refused, or all that are left have no length
std::vector<Interval> read_intervals(const FilePath& table,
                                     const std::vector<Condition>& where = {},
                                     const IntervalsOptions& options = {});

/// What becomes of times when a selected unit was not observed, by the column obs_intervals.
enum class Unobserved : std::uint8_t {
  zero,      ///< its counts there are 0, as those of silence; a warning says so
  leave_out  ///< only times when all selected units were observed have rows, as intervals
};

/// Which units are read, and how they are binned.
struct UnitsOptions {
  double bin_seconds = 0;  ///< at least 1e-9
  /// Paths of tables of units, such as "/processing/ecephys/units_probe1"; empty: /units. Where an
  /// id repeats, the units are numbered, one table behind the other, and a warning says so. Or
  /// paths of events, one channel for each: columns of times, such as "/intervals/trials/go_time",
  /// and tables with a column `timestamp` (EventsTable) or `timestamps`. Times that are NaN are
  /// left out, with a warning.
  std::vector<std::string> tables = {};
  std::vector<std::int64_t> unit_ids = {};   ///< in this order; empty: all, in the file's order
  std::vector<Condition> where = {};         ///< all of them have to hold
  std::vector<Interval> intervals = {};      ///< in any order, disjoint; empty: the recording
  Unobserved unobserved = Unobserved::zero;  ///< what becomes of times without observation
  IntervalStop interval_stop = IntervalStop::included;  ///< of `intervals` and of observation
  /// Where bins begin without intervals. Absent: 0, but for a recording that starts more than a day
  /// and more than its own length behind 0. Its bins begin at the last whole bin at or before its
  /// start: its first observation, else its first spike. A warning says so.
  std::optional<double> from_seconds = {};
  Links links = Links::within_folder;  ///< where other files may lie that the units are read from
  /// Bytes that the trains and what it takes to read them may hold at a time; absent: any number.
  /// The trains are counted first and filled in place, so they are held once.
  std::optional<std::int64_t> budget = {};
  std::string budget_name = "budget";  ///< what messages call it
  std::int64_t held_bytes = 0;         ///< of the budget, that other trains hold already
  std::int64_t later_bytes = 0;        ///< of the budget, for use of the trains once they are read
  std::int64_t later_bytes_each = 0;   ///< and so much for each train beside that
  /// Only counts the events, whatever the budget: `events` of the result have the shape, the bytes
  /// and the number in each channel, for plans. All of them are at sample 0, and take no memory.
  bool only_count = false;
};

/// What became of the spikes of the selected units.
struct SpikeCounts {
  std::int64_t all = 0;      ///< that the file has
  std::int64_t before = 0;   ///< not counted: they lie before the first bin
  std::int64_t between = 0;  ///< not counted: they lie between intervals
  std::int64_t behind = 0;   ///< not counted: they lie behind the last bin that is kept

  /// Spikes that no bin holds.
  [[nodiscard]] std::int64_t dropped() const { return before + between + behind; }
  /// Spikes that bins hold.
  [[nodiscard]] std::int64_t counted() const { return all - dropped(); }
};

/// Spike trains as events, one channel for each unit.
struct Units {
  Events events;                           ///< spike counts: rows are bins, channels are units
  std::vector<std::int64_t> ids;           ///< of each channel, as in the column `id`
  double bin_seconds = 0;                  ///< width of a bin
  double start_seconds = 0;                ///< of the first bin
  double end_seconds = 0;                  ///< of the recording, or the last interval's stop
  std::int64_t spikes = 0;                 ///< that were counted
  std::vector<TimeSegment> segments = {};  ///< one for each interval; empty: there were none
  std::vector<InputFile> files = {};       ///< that were read; none of them changed meanwhile
  SpikeCounts counts = {};                 ///< which were counted, and which were not
  /// The earliest spike of the selected units, where pynapple's `count(bin)` starts its bins when
  /// no intervals are given; absent: they have no spike.
  std::optional<double> first_spike_seconds = {};
  /// The least budget that reads them, with `UnitsOptions::held_bytes`.
  std::int64_t least_bytes = 0;
  /// False with `only_count` where a unit of many spikes is not in order, and the budget does not
  /// hold it: nobody knows how many of its spikes share a bin. `least_bytes` is enough then, and
  /// may be more than the least.
  bool is_least = true;

  /// Number of bins.
  [[nodiscard]] std::int64_t rows() const { return events.shape().samples; }
  /// Rate, times of the bins (where each begins) and ids, as a stream takes them.
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
/// are sorted. Intervals in which no bin is kept are left out, with a warning; so is it said where
/// one starts behind the end of the recording.
/// \throws Error where the file is no NWB file with units, a unit or a column is not there, nothing
///         fulfils the conditions (the column's values are named), the index leaves the spike times
///         or goes down, a spike time is not finite; for intervals that are not finite, end before
///         they start or overlap; where no bin is kept; with Unobserved::leave_out, where there is
///         no column obs_intervals, or the selected units were never observed together; for more
///         than 2^24 spikes in a bin; where the budget is too small
Units read_units(const std::string& file, const UnitsOptions& options);

/// A signal of an NWB file, as Hdf5Source takes it.
struct SignalDescription {
  std::string path;                       ///< of the group that holds `data`
  std::string kind;                       ///< "ElectricalSeries"; empty: the file does not say
  std::string type;                       ///< stored, as DatasetDescription::type
  std::vector<std::int64_t> extents;      ///< of `data`
  SeriesDescription times = {};           ///< rate, start and segments of its samples
  std::optional<TimestampsFit> fit = {};  ///< where the rate was fitted to timestamps
  std::string refusal = {};               ///< why it cannot be read; empty: it can
};

/// A table of intervals of an NWB file, as read_intervals takes it.
struct IntervalsDescription {
  std::string path;                       ///< of its group: "/intervals/trials"
  std::vector<std::string> columns = {};  ///< that can be asked for
  std::int64_t rows = 0;                  ///< of the table, those of no length too
  std::vector<Interval> intervals = {};   ///< as read_intervals gives them
  std::int64_t unusable = 0;              ///< rows without an interval of time
  std::int64_t overlapping = 0;           ///< rows that begin in another one
  std::string refusal = {};               ///< why they cannot be read; empty: they can
};

/// Trains of an NWB file beside /units, as UnitsOptions::tables takes them: a table of units, or a
/// column of times.
struct TrainsDescription {
  std::string path;                       ///< "/processing/behavior/licks/timestamp"
  bool is_units = false;                  ///< false: times of events
  std::int64_t rows = 0;                  ///< units, or times
  std::vector<std::string> columns = {};  ///< of units, that can be asked for
  std::string refusal = {};               ///< why they cannot be read; empty: they can
};

/// What an NWB file holds that can be read here.
struct NwbDescription {
  std::vector<SignalDescription> signals;       ///< in the order of their paths
  std::vector<IntervalsDescription> intervals;  ///< in the order of their paths
  std::vector<std::string> unit_columns;        ///< of /units, that can be asked for
  std::vector<TrainsDescription> trains = {};   ///< in the order of their paths
};

/// Looks through an NWB file. Timestamps are read, twice, for the rate that fits them.
/// \throws Error as Hdf5Source; what is wrong with one signal or table is its `refusal`
NwbDescription describe_nwb(const std::string& file, Links links = Links::within_folder);

}  // namespace synelix
