// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts spike times to events.
#include "hdf5/objects/chunk_pieces.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/known_options.hpp"
#include "machine/budget.hpp"
#include "nwb/spike_times.hpp"
#include "nwb/table.hpp"
#include "streams/input_files.hpp"
#include "streams/stream_plan.hpp"
#include "times/times.hpp"
#include "types/events.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace synelix {
namespace {

using nwb::SpikeTimes;
using nwb::Survey;
using nwb::TrainTables;

double length_of(const std::vector<Interval>& intervals) {
  double length = 0;
  for (const Interval& interval : intervals) {
    length += interval.stop_seconds - interval.start_seconds;
  }
  return length;
}

/// Whether intervals, given or of observation, determine which times have bins.
bool has_intervals_of(const UnitsOptions& options) {
  return !options.intervals.empty() || options.unobserved == Unobserved::leave_out;
}

/// Where bins begin without intervals. If the clock of a recording did not start at 0, bins begin
/// at the start of the recording. Otherwise there might be years of empty bins before it.
double first_edge(const Survey& survey, const UnitsOptions& options) {
  if (options.from_seconds) return *options.from_seconds;
  if (has_intervals_of(options)) return 0.0;
  const double start = start_of_bins(options.bin_seconds, survey.start, survey.end);
  if (start == 0.0) return start;
  warn("bins begin at " + number_text(start) + " s, because the recording starts at " +
       number_text(survey.start) + " s (its first " +
       (survey.is_observed ? "observation" : "spike") +
       "). To begin elsewhere, give --from (from_seconds)");
  return start;
}

/// \throws Error if the start of bins is not finite, or is given together with intervals
void require_start(const UnitsOptions& options) {
  if (!options.from_seconds) return;
  if (!is_time(*options.from_seconds)) {
    throw Error("from_seconds", number_text(*options.from_seconds) + " is not a time",
                "Valid are " + std::string(valid_times));
  }
  if (has_intervals_of(options)) {
    throw Error("from_seconds", "it is given beside intervals, at whose starts bins begin",
                "Leave it out, or the intervals (--intervals, --observed)");
  }
}

/// The sorted intervals of time that are cut into bins: without intervals, from `start` to `end`.
std::vector<Interval> times_to_bin(const TrainTables& table,
                                   const std::vector<std::size_t>& selected,
                                   const UnitsOptions& options, double start, double end) {
  std::vector<Interval> times = ordered_intervals("intervals", options.intervals);
  if (times.empty() && !options.intervals.empty()) {
    throw Error("intervals", "all of them are of no length", "Give at least one of some length");
  }
  const bool is_known = table.has_observations();
  const std::string name = nwb::column_text(table.tables.front(), "obs_intervals");
  if (options.unobserved == Unobserved::zero) {
    if (times.empty()) times = {{start, std::max(start, end)}};
    if (!is_known) return times;
    const double all = length_of(times);
    const double missing =
        all - length_of(intersection(times, nwb::observed_together(table, selected)));
    if (missing >= options.bin_seconds) {
      warn(name + ": in " + number_text(missing) + " of " + number_text(all) +
           " s one or more of the selected units were not observed; their counts there are 0. To "
           "leave such times out, give --observed (Unobserved::leave_out)");
    }
    return times;
  }
  if (!is_known) {
    throw FileError(
        name,
        "there is no such column, or no index of it, so times without observation cannot "
        "be left out",
        "Give a file with obs_intervals and obs_intervals_index, or keep all times "
        "(Unobserved::zero)");
  }
  const std::vector<Interval> observed = nwb::observed_together(table, selected);
  times = times.empty() ? observed : intersection(times, observed);
  if (times.empty()) {
    throw FileError(name,
                    "there is no time when all " + std::to_string(selected.size()) +
                        " selected units were observed" +
                        (options.intervals.empty() ? "" : " within the intervals"),
                    "Select units that were observed together");
  }
  return times;
}

/// Warns of intervals without rows, or without spikes.
void warn_of_empty(const std::vector<Interval>& times, const TimeBins& bins, double end,
                   double bin_seconds) {
  const std::string of_all = " of " + std::to_string(times.size()) + " intervals ";
  if (bins.without_rows() > 0) {
    warn(std::to_string(bins.without_rows()) + of_all +
         "have no row: they are shorter than half a "
         "bin of " +
         number_text(bin_seconds) + " s");
  }
  const auto behind = std::count_if(times.begin(), times.end(), [&](const Interval& interval) {
    return interval.start_seconds > end;
  });
  if (behind > 0) {
    warn(std::to_string(behind) + of_all + "start behind the end of the recording, at " +
         number_text(end) + " s; counts there are 0");
  }
}

/// Rows of ascending times, in ascending order except as below, each with its number of times. A
/// time that was rounded to 1e-9 s may be in the bin after an edge, and a later, exact time still
/// in the bin before it. So the last row is held back until a later row arrives.
class AscendingRows {
 public:
  /// \param take  take(row, times): rows do not decrease, and may repeat
  template <class Take>
  void add(std::int64_t row, const Take& take) {
    if (row == m_row) {
      ++m_times;
    } else if (row < m_row) {
      take(row, 1);
    } else {
      flush(take);
      m_row = row;
      m_times = 1;
    }
  }
  /// Call it after the last time of a unit.
  template <class Take>
  void flush(const Take& take) {
    if (m_times > 0) take(m_row, m_times);
    m_row = -1;
    m_times = 0;
  }

 private:
  std::int64_t m_row = -1;
  std::int64_t m_times = 0;
};

/// Visits the rows of a unit's spikes: take(row, spikes); rows do not decrease, and may repeat. Of
/// each spike it says before whether it is in a bin: look_at(time, is_in_bin).
template <class Take, class LookAt>
void for_each_row(const SpikeTimes& spikes, std::size_t unit, bool in_order, const TimeBins& bins,
                  const Take& take, const LookAt& look_at) {
  AscendingRows rows;
  spikes.for_each_ascending(unit, in_order, [&](std::span<const double> times) {
    for (const double time : times) {
      const auto row = bins.row_of(time);
      look_at(time, row.has_value());
      if (row) rows.add(*row, take);
    }
  });
  rows.flush(take);
}

/// Occupied bins of all units.
struct Occupied {
  std::int64_t bins = 0;
  bool has_counts = false;  ///< a bin holds several spikes
};

/// Counts the events of a unit, before there is memory for them.
void count_occupied(std::size_t unit, const TrainTables& table, const SpikeTimes& spikes,
                    bool in_order, const TimeBins& bins, Occupied& occupied) {
  constexpr std::int64_t most = std::int64_t{1} << 24;  // exact in a float
  std::int64_t before = -1;
  std::int64_t together = 0;
  const auto take = [&](std::int64_t row, std::int64_t times) {
    if (row != before) {
      before = row;
      together = 0;
      ++occupied.bins;
    }
    together += times;
    occupied.has_counts = occupied.has_counts || together > 1;
    if (together <= most) return;
    throw FileError(table.times_text(unit),
                    "there are more than 2^24 spikes of unit " + std::to_string(table.ids[unit]) +
                        " in bin " + std::to_string(row),
                    "Give shorter bins, which hold fewer; valid are at most 2^24 spikes in a bin");
  };
  for_each_row(spikes, unit, in_order, bins, take, [](double /*time*/, bool /*is_in_bin*/) {});
}

template <class T>
std::int64_t bytes_of(const std::vector<T>& list) {
  return static_cast<std::int64_t>(list.capacity() * sizeof(T));
}

/// Bytes that are held at a time while trains are read.
struct Needed {
  std::int64_t tables = 0;   ///< of intervals
  std::int64_t reading = 0;  ///< for the unit that is being read
  std::int64_t lists = 0;    ///< the trains themselves
  std::int64_t later = 0;    ///< in addition, after they are read

  [[nodiscard]] std::int64_t bytes() const { return lists + std::max(tables + reading, later); }
};

/// \param enough  "at least 12 bytes"
[[noreturn]] void refuse(const UnitsOptions& options, const std::string& enough,
                         const Needed& needed) {
  const std::string beside =
      options.held_bytes > 0
          ? ", and " + std::to_string(options.held_bytes) + " that other spike trains hold already"
          : std::string();
  const std::string later =
      needed.later > needed.tables + needed.reading
          ? " (and " + std::to_string(needed.later) + " in their place, when the trains are used)"
          : std::string();
  throw BudgetError(
      options.budget_name, not_enough(options.budget.value_or(0)),
      "Give " + enough + ": " + std::to_string(needed.lists) + " that the spike trains take, " +
          std::to_string(needed.reading) + " to read a unit, " + std::to_string(needed.tables) +
          " for tables of intervals" + later + beside + "; longer bins or fewer units take less",
      options.held_bytes + needed.bytes());
}

std::string bytes_text(const UnitsOptions& options, const Needed& needed) {
  return std::to_string(options.held_bytes + needed.bytes()) + " bytes";
}

/// The number of events of all units, and the bytes for reading them.
struct Counted {
  Occupied occupied;
  Needed needed;
  std::vector<std::int64_t> events_of_each = {};  ///< of each unit, if they are only counted
  bool is_least = true;                           ///< false: they were not all counted
};

/// Counts the events of all units. \throws Error if they do not fit the budget
Counted counted(const TrainTables& table, const SpikeTimes& spikes, const Survey& survey,
                const std::vector<std::size_t>& units, const TimeBins& bins,
                std::int64_t table_bytes, const UnitsOptions& options) {
  const auto channels = static_cast<std::int64_t>(units.size());
  Counted result;
  Needed& needed = result.needed;
  const auto exceeds = [&] {
    return options.budget && options.held_bytes + needed.bytes() > *options.budget;
  };
  needed = {.tables = table_bytes + spikes.bytes(),
            .later = options.later_bytes + channels * options.later_bytes_each};
  std::int64_t most_events = 0;
  for (const std::size_t unit : units) {
    needed.reading = std::max(needed.reading, spikes.bytes_to_read(unit, survey.order[unit] != 0));
    const std::int64_t most = std::min(spikes.count(unit), bins.rows());
    most_events += most;
    if (options.only_count) result.events_of_each.push_back(most);
  }
  constexpr std::int64_t not_worth_counting = std::int64_t{1} << 20;
  if (needed.reading > not_worth_counting && exceeds()) {
    // A unit whose spikes are not in order must be in memory to be counted, so the least budget is
    // not known.
    result.occupied = {.bins = most_events, .has_counts = true};
    result.is_least = false;
    needed.lists = EventLists(channels, most_events, true).bytes();
    if (options.only_count) return result;
    refuse(options, bytes_text(options, needed) + ", which are enough", needed);
  }
  Occupied& occupied = result.occupied;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::int64_t before = occupied.bins;
    count_occupied(units[i], table, spikes, survey.order[units[i]] != 0, bins, occupied);
    if (options.only_count) result.events_of_each[i] = occupied.bins - before;
  }
  needed.lists = EventLists(channels, occupied.bins, occupied.has_counts).bytes();
  if (exceeds() && !options.only_count) {
    refuse(options, "at least " + bytes_text(options, needed), needed);
  }
  return result;
}

/// The results of reading trains.
struct Trains {
  Events events;
  SpikeCounts counts = {};
  std::optional<double> first_spike = {};
};

/// Reads the spikes of all units into lists of the counted sizes.
Trains filled(const SpikeTimes& spikes, const Survey& survey, const std::vector<std::size_t>& units,
              const TimeBins& bins, const std::vector<TimeSegment>& segments,
              const Occupied& occupied, Epochs epochs) {
  SpikeCounts counts;
  std::optional<double> first_spike;
  EventsBuilder builder(bins.rows(), static_cast<std::int64_t>(units.size()), occupied.bins,
                        occupied.has_counts);
  const auto take = [&](std::int64_t row, std::int64_t spikes_there) {
    for (std::int64_t i = 0; i < spikes_there; ++i) builder.count(row);
  };
  const auto look_at = [&](double time, bool is_in_bin) {
    ++counts.all;
    first_spike = std::min(first_spike.value_or(time), time);
    if (is_in_bin) return;  // else: rows begin at the times of `segments`
    std::int64_t& dropped = time < segments.front().start_seconds  ? counts.before
                            : time < segments.back().start_seconds ? counts.between
                                                                   : counts.behind;
    ++dropped;
  };
  for (const std::size_t unit : units) {
    for_each_row(spikes, unit, survey.order[unit] != 0, bins, take, look_at);
    builder.end_channel();
  }
  return {builder.finish(std::move(epochs)), counts, first_spike};
}

/// Numbers of bins beyond 2^53 are not exact. \throws FileError
void require_bins_with_numbers(const std::string& file, double end, double bin_seconds) {
  constexpr double most_bins = 9007199254740992.0;
  if (end / bin_seconds <= most_bins) return;
  throw FileError(file,
                  "it has an end at " + std::to_string(end) + " s, which makes too many bins of " +
                      number_text(bin_seconds) + " s",
                  "Give longer bins, or times by --observed or --intervals; valid are at most 2^53 "
                  "bins");
}

/// The bins of the intervals, or of the entire recording. Warns of intervals without a bin.
/// \throws Error if no bin is left
TimeBins bins_of(const std::vector<Interval>& times, const UnitsOptions& options, double end) {
  const double bin_seconds = options.bin_seconds;
  const bool has_intervals = has_intervals_of(options);
  const double start = times.front().start_seconds;
  TimeBins bins = has_intervals ? TimeBins(bin_seconds, times, options.interval_stop)
                                : TimeBins(bin_seconds, start, times.front().stop_seconds);
  if (bins.rows() < 1 && !has_intervals && !(end > start)) {
    throw Error("bin_seconds",
                "there is no bin, because the last spike of these units is at " +
                    std::to_string(end) + " s, and bins start at " + number_text(start) + " s",
                "Give units with spikes after " + number_text(start) +
                    " s, an earlier start (--from), or intervals that hold the spikes");
  }
  if (bins.rows() < 1) {
    throw Error(
        "bin_seconds", std::to_string(bin_seconds) + " s are too long, so that no bin is left",
        has_intervals
            ? "Give at most twice the longest interval"
            : "Give at most twice the recording, which ends at " + std::to_string(end) + " s");
  }
  if (has_intervals) warn_of_empty(times, bins, end, bin_seconds);
  constexpr std::int64_t many = 10'000'000'000;  // 115 days of 1 ms
  if (!has_intervals && bins.rows() > many) {
    warn("from " + number_text(start) + " to " + number_text(end) + " s there are " +
         std::to_string(bins.rows()) + " bins of " + number_text(bin_seconds) +
         " s. To select the times that were recorded, give --observed, --intervals or --from");
  }
  return bins;
}

}  // namespace

Units read_units(const std::string& file, const UnitsOptions& options) {
  require_known("unobserved", options.unobserved);
  stream::require_held_bytes(options.held_bytes);
  if (!(options.bin_seconds >= 1e-9) || !std::isfinite(options.bin_seconds)) {
    throw Error("bin_seconds", std::to_string(options.bin_seconds) + " is not a width of a bin",
                "Give at least 1e-9");
  }
  require_known("interval_stop", options.interval_stop);
  require_start(options);
  const h5::Call call;
  const TrainTables table = nwb::open_trains(file, options);
  const SpikeTimes spikes(table, options.where);
  const std::vector<std::size_t> selected = nwb::select_trains(table, options);
  const Survey survey = nwb::survey_of(table, spikes);
  require_bins_with_numbers(file, survey.end, options.bin_seconds);
  const double first = first_edge(survey, options);
  const std::vector<Interval> times = times_to_bin(table, selected, options, first, survey.end);
  const bool has_intervals = has_intervals_of(options);
  const TimeBins bins = bins_of(times, options, survey.end);
  std::vector<TimeSegment> segments = bins.segments();
  Epochs epochs = bins.epochs();
  const std::int64_t tables =
      bins.bytes() + bytes_of(times) + bytes_of(segments) + bytes_of(epochs.list());
  const Counted found = counted(table, spikes, survey, selected, bins, tables, options);
  std::vector<std::int64_t> ids;
  ids.reserve(selected.size());
  for (const std::size_t unit : selected) ids.push_back(table.ids[unit]);
  Trains trains =
      options.only_count
          ? Trains{EventsBuilder::only_counted(bins.rows(), found.events_of_each,
                                               found.occupied.has_counts, std::move(epochs))}
          : filled(spikes, survey, selected, bins, segments, found.occupied, std::move(epochs));
  std::vector<InputFile> files = table.file.behind().files();
  stream::require_unchanged(files);
  for (InputFile& read : files) read.is_read_in_run = false;
  const double start = segments.empty() ? 0.0 : segments.front().start_seconds;
  if (!has_intervals) segments.clear();
  return {.events = std::move(trains.events),
          .ids = std::move(ids),
          .bin_seconds = options.bin_seconds,
          .start_seconds = start,
          .end_seconds = times.back().stop_seconds,
          .spikes = trains.counts.counted(),
          .segments = std::move(segments),
          .files = std::move(files),
          .counts = trains.counts,
          .first_spike_seconds = trains.first_spike,
          .least_bytes = options.held_bytes + found.needed.bytes(),
          .is_least = found.is_least};
}

}  // namespace synelix
