// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables of intervals, and the times when units were observed.
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/known_options.hpp"
#include "hdf5/source/signal_attributes.hpp"
#include "nwb/table.hpp"
#include "times/times.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>

namespace synelix {

namespace {

/// Intervals that overlap by less do so only because of rounding.
constexpr double shared_seconds = 1e-9;

bool is_usable(const Interval& interval) {
  return is_time(interval.start_seconds) && is_time(interval.stop_seconds) &&
         interval.start_seconds <= interval.stop_seconds;
}

/// The number of intervals that begin in an earlier one, for a list sorted by start.
std::int64_t overlapping_in(const std::vector<Interval>& ordered) {
  std::int64_t count = 0;
  double end = -most_seconds;
  for (const Interval& interval : ordered) {
    if (interval.start_seconds < end - shared_seconds) ++count;
    end = std::max(end, interval.stop_seconds);
  }
  return count;
}

/// Merges overlapping intervals of a list sorted by start.
std::vector<Interval> joined(const std::vector<Interval>& ordered) {
  std::vector<Interval> result;
  for (const Interval& interval : ordered) {
    if (!result.empty() && interval.start_seconds < result.back().stop_seconds - shared_seconds) {
      result.back().stop_seconds = std::max(result.back().stop_seconds, interval.stop_seconds);
    } else {
      result.push_back(interval);
    }
  }
  return result;
}

/// Cuts each interval at the start of the next, for a list sorted by start. The part of an interval
/// beyond the end of the next one is a further interval.
std::vector<Interval> kept_apart(const std::vector<Interval>& ordered) {
  std::vector<Interval> result;
  std::vector<double> open_stops;  // of the intervals that have begun, the newest last
  double now = 0;
  const auto advance = [&](double time) {
    while (!open_stops.empty() && now < time) {
      const double stop = std::min(open_stops.back(), time);
      if (stop - now > shared_seconds) result.push_back({now, stop});
      now = std::max(now, stop);
      if (open_stops.back() <= now) open_stops.pop_back();
    }
    now = time;
  };
  for (const Interval& interval : ordered) {
    advance(interval.start_seconds);
    open_stops.push_back(interval.stop_seconds);
  }
  advance(most_seconds);
  return result;
}

/// The rows of a table that meet conditions, as intervals.
struct IntervalRows {
  std::vector<Interval> intervals;    ///< sorted by start, none of length 0
  std::int64_t all = 0;               ///< rows that meet the conditions
  std::vector<std::size_t> unusable;  ///< those of these rows that are no interval of time
};

IntervalRows rows_of(const nwb::Table& table, const std::vector<Condition>& where) {
  for (const char* const column : {"start_time", "stop_time"}) {
    nwb::require_seconds(nwb::open_column(table, column), nwb::column_text(table, column));
  }
  const std::vector<double> starts = nwb::read_numbers(table, "start_time");
  const std::vector<double> stops = nwb::read_numbers(table, "stop_time");
  std::vector<std::size_t> kept = nwb::numbers_from(std::size_t{0}, table.rows());
  nwb::keep_where(table, where, kept);
  IntervalRows rows;
  rows.all = static_cast<std::int64_t>(kept.size());
  for (const std::size_t i : kept) {
    const Interval interval{starts[i], stops[i]};
    if (!is_usable(interval)) {
      rows.unusable.push_back(i);
    } else if (interval.start_seconds < interval.stop_seconds) {
      rows.intervals.push_back(interval);
    }
  }
  std::stable_sort(
      rows.intervals.begin(), rows.intervals.end(),
      [](const Interval& a, const Interval& b) { return a.start_seconds < b.start_seconds; });
  return rows;
}

/// \throws FileError if a row is not an interval of time
void refuse_unusable(const nwb::Table& table, const std::string& name, const IntervalRows& rows) {
  if (rows.unusable.empty()) return;
  const std::size_t row = rows.unusable.front();
  const double start = nwb::read_numbers(table, "start_time")[row];
  const double stop = nwb::read_numbers(table, "stop_time")[row];
  throw FileError(name + "[" + std::to_string(row) + "]",
                  number_text(start) + " to " + number_text(stop) + " s is not an interval of time",
                  "Select other rows (--where), or leave --strict-intervals out: such rows, " +
                      std::to_string(rows.unusable.size()) + " of " + std::to_string(rows.all) +
                      " here, are then left out");
}

/// "FILE:/intervals/trials: 2 of 10 rows ".
std::string count_text(const std::string& name, std::int64_t count, std::int64_t all) {
  return name + ": " + std::to_string(count) + " of " + std::to_string(all) + " rows ";
}

/// \throws FileError if all intervals have length 0
std::vector<Interval> intervals_from(const std::string& name, const IntervalRows& rows,
                                     Overlaps overlaps) {
  if (rows.intervals.empty()) {
    throw FileError(name,
                    rows.unusable.empty()
                        ? "all of its intervals are of no length"
                        : "none of its " + std::to_string(rows.all) +
                              " rows is an interval of time: start or stop is no time, or the "
                              "stop lies before the start",
                    "Give at least one of some length");
  }
  return ordered_intervals(
      name, overlaps == Overlaps::join ? joined(rows.intervals) : kept_apart(rows.intervals));
}

}  // namespace

std::vector<Interval> read_intervals(const FilePath& path, const std::vector<Condition>& where,
                                     const IntervalsOptions& options) {
  require_known("overlaps", options.overlaps);
  require_known("unusable", options.unusable);
  const h5::Call call;
  const nwb::Table table = nwb::open_intervals(path);
  const std::string name = to_string(path);
  const IntervalRows rows = rows_of(table, where);
  if (options.unusable == UnusableIntervals::refuse) refuse_unusable(table, name, rows);
  std::vector<Interval> intervals = intervals_from(name, rows, options.overlaps);
  if (!rows.unusable.empty()) {
    warn(count_text(name, static_cast<std::int64_t>(rows.unusable.size()), rows.all) +
         "are left out, row " + std::to_string(rows.unusable.front()) +
         " first: start or stop is no time, or the stop lies before the start. "
         "--strict-intervals makes this an error");
  }
  if (const std::int64_t count = overlapping_in(rows.intervals); count > 0) {
    warn(count_text(name, count, rows.all) +
         (options.overlaps == Overlaps::join
              ? "begin within another one and are joined with it. --overlaps apart keeps each"
              : "begin within another one, which ends there. --overlaps join joins them"));
  }
  return intervals;
}

namespace nwb {

void describe_intervals(const FilePath& path, IntervalsDescription& description) {
  const Table table = open_intervals(path);
  description.rows = table.rows();
  const IntervalRows rows = rows_of(table, {});
  description.unusable = static_cast<std::int64_t>(rows.unusable.size());
  description.overlapping = overlapping_in(rows.intervals);
  description.intervals = intervals_from(to_string(path), rows, Overlaps::join);
}

std::vector<Interval> observed_together(const Table& table, const std::vector<std::size_t>& units) {
  constexpr std::int64_t most_numbers = std::int64_t{1} << 26;
  const std::string name = column_text(table, "obs_intervals");
  const std::vector<std::int64_t> ends = read_ends(table, "obs_intervals");
  const h5::Dataset dataset = open_column(table, "obs_intervals");
  require_seconds(dataset, name);
  const std::vector<std::int64_t> extents = h5::extents_of(dataset);
  if (!h5::are_numbers(dataset, h5::NumberKind::floating) || extents.size() != 2 ||
      extents[1] != 2) {
    throw FileError(name, "it holds " + h5::contents_text(dataset),
                    "Valid are floating-point seconds of extents (n, 2)");
  }
  std::vector<double> times(static_cast<std::size_t>(h5::count_of(dataset, most_numbers)));
  if (!times.empty()) h5::read_all(dataset, H5T_NATIVE_DOUBLE, times.data(), name);
  std::vector<Interval> together;
  for (std::size_t n = 0; n < units.size(); ++n) {
    const std::size_t unit = units[n];
    std::vector<Interval> own;
    for (std::int64_t i = unit == 0 ? 0 : ends[unit - 1]; i < ends[unit]; ++i) {
      const auto at = static_cast<std::size_t>(2 * i);
      const Interval interval{times[at], times[at + 1]};
      // separately: those of one unit may overlap
      for (const Interval& one : ordered_intervals(
               name + ", unit " + std::to_string(table.ids[unit]) + ", row", {interval}, {i})) {
        own.push_back(one);
      }
    }
    own = united(std::move(own));
    together = n == 0 ? own : intersection(together, own);
  }
  return together;
}

}  // namespace nwb
}  // namespace synelix
