// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Spike times to events.
#include "blocks/input_files.hpp"
#include "blocks/known_options.hpp"
#include "blocks/number_text.hpp"
#include "files/hdf5/h5_types.hpp"
#include "files/source/calendar.hpp"
#include "files/source/interval_sets.hpp"
#include "nwb/interval_bins.hpp"
#include "nwb/table.hpp"

#include <synelix/error.hpp>
#include <synelix/session.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace synelix {
namespace {

using nwb::Table;

/// Numbers of one list: a file may claim any number of them.
constexpr std::int64_t most_together = std::int64_t{1} << 27;

/// The spike times of a table, one unit at a time.
class SpikeTimes {
 public:
  explicit SpikeTimes(const Table& table)
      : m_table(table), m_name(nwb::column_text(table, "spike_times")) {
    for (const char* const column : {"spike_times", "spike_times_index"}) {
      if (!nwb::has_column(table, column)) {
        throw Error(table.file_name, "a table of units without the column " + std::string(column),
                    "spike_times and spike_times_index");
      }
    }
    m_dataset = nwb::open_column(table, "spike_times");
    const h5::Type type = h5::type_of(m_dataset);
    const std::vector<std::int64_t> extents = h5::extents_of(m_dataset);
    if (H5Tget_class(type.id()) != H5T_FLOAT || extents.size() != 1) {
      throw Error(m_name, h5::type_text(type.id()) + " of extents " + h5::extents_text(extents),
                  "floating-point seconds of one dimension");
    }
    m_ends = nwb::read_ends(table, "spike_times");
  }

  [[nodiscard]] std::int64_t count(std::size_t unit) const { return m_ends[unit] - first(unit); }

  /// Visits the times of a unit as they lie in the file, a part at a time; all are finite.
  template <class Visit>
  void for_each_part(std::size_t unit, const Visit& visit) const {
    constexpr std::int64_t together = std::int64_t{1} << 16;
    require_countable(unit);
    std::vector<double> times(static_cast<std::size_t>(std::min(together, count(unit))));
    for (std::int64_t at = first(unit); at < m_ends[unit]; at += together) {
      const std::int64_t number = std::min(together, m_ends[unit] - at);
      times.resize(static_cast<std::size_t>(number));
      read(unit, at, times);
      visit(std::span<const double>(times));
    }
  }

  /// The same in ascending order. \param in_order  whether they lie so in the file
  template <class Visit>
  void for_each_ascending(std::size_t unit, bool in_order, const Visit& visit) const {
    if (in_order) return for_each_part(unit, visit);
    require_countable(unit);
    std::vector<double> times(static_cast<std::size_t>(count(unit)));
    read(unit, first(unit), times);
    std::sort(times.begin(), times.end());
    visit(std::span<const double>(times));
  }

 private:
  void require_countable(std::size_t unit) const {
    if (count(unit) <= most_together) return;
    throw Error(
        m_name,
        std::to_string(count(unit)) + " spikes of unit " + std::to_string(m_table.ids[unit]),
        "at most " + std::to_string(most_together));
  }
  [[nodiscard]] std::int64_t first(std::size_t unit) const {
    return unit == 0 ? 0 : m_ends[unit - 1];
  }

  void read(std::size_t unit, std::int64_t first, std::vector<double>& times) const {
    const h5::Space in_file(H5Dget_space(m_dataset.id()), m_name);
    const auto start = static_cast<hsize_t>(first);
    const hsize_t count = times.size();
    const h5::Space in_memory(H5Screate_simple(1, &count, nullptr), m_name);
    h5::check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
              m_name);
    h5::check(H5Dread(m_dataset.id(), H5T_NATIVE_DOUBLE, in_memory.id(), in_file.id(), H5P_DEFAULT,
                      times.data()),
              m_name + ": cannot be read");
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (!stream::is_time(times[i])) {
        throw Error(
            m_name + "[" + std::to_string(start + i) + "]",
            stream::number_text(times[i]) + ", of unit " + std::to_string(m_table.ids[unit]),
            stream::time_allowed);
      }
    }
  }

  const Table& m_table;
  std::string m_name;
  h5::Dataset m_dataset;
  std::vector<std::int64_t> m_ends;
};

/// The largest finite value of a dataset of floats, if it is there.
double latest_in(const Table& table, const std::string& dataset, double otherwise) {
  if (!h5::exists(table.file, dataset)) return otherwise;
  const h5::Dataset opened = h5::open_dataset(table.file, {table.file_name, dataset});
  const h5::Type type = h5::type_of(opened);
  if (H5Tget_class(type.id()) != H5T_FLOAT) {
    throw Error(table.file_name + ":" + dataset, h5::type_text(type.id()),
                "floating-point seconds");
  }
  std::vector<double> values(static_cast<std::size_t>(h5::count_of(opened, most_together)));
  if (values.empty()) return otherwise;
  h5::check(H5Dread(opened.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
            table.file_name + ":" + dataset);
  double latest = otherwise;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (!stream::is_time(value)) {
      throw Error(table.file_name + ":" + dataset, stream::number_text(value),
                  stream::time_allowed);
    }
    latest = std::max(latest, value);
  }
  return latest;
}

/// What all spikes together say.
struct Survey {
  double end = 0;  ///< of the recording: by any unit, whether it is asked for or not
  std::vector<std::uint8_t> order;  ///< of each unit: whether its spikes lie in order
};

Survey survey_of(const Table& table, const SpikeTimes& spikes) {
  Survey survey{.end = latest_in(table, "/intervals/epochs/stop_time", 0.0), .order = {}};
  survey.end = latest_in(table, "/units/obs_intervals", survey.end);
  for (std::size_t i = 0; i < table.ids.size(); ++i) {
    double before = -std::numeric_limits<double>::infinity();
    bool in_order = true;
    spikes.for_each_part(i, [&](std::span<const double> times) {
      for (const double time : times) {
        in_order = in_order && time >= before;
        before = time;
        survey.end = std::max(survey.end, time);
      }
    });
    survey.order.push_back(in_order ? 1 : 0);
  }
  return survey;
}

double length_of(const std::vector<Interval>& intervals) {
  double length = 0;
  for (const Interval& interval : intervals) {
    length += interval.stop_seconds - interval.start_seconds;
  }
  return length;
}

/// The times that are cut into bins, in order. `end` is the recording's.
std::vector<Interval> times_to_bin(const Table& table, const std::vector<std::size_t>& selected,
                                   const UnitsOptions& options, double end) {
  std::vector<Interval> times = stream::ordered_intervals("intervals", options.intervals);
  if (times.empty() && !options.intervals.empty()) {
    throw Error("intervals", "intervals of no length", "at least one of some length");
  }
  const bool is_known =
      nwb::has_column(table, "obs_intervals") && nwb::has_column(table, "obs_intervals_index");
  const std::string name = nwb::column_text(table, "obs_intervals");
  if (options.unobserved == Unobserved::zero) {
    if (times.empty()) times = {{0.0, end}};
    if (!is_known) return times;
    const double all = length_of(times);
    const double missing =
        all - length_of(stream::intersection(times, nwb::observed_together(table, selected)));
    if (missing >= options.bin_seconds) {
      warn(name + ": in " + stream::number_text(missing) + " of " + stream::number_text(all) +
           " s one or more of the selected units were not observed; their counts there are 0, "
           "unless such times are left out");
    }
    return times;
  }
  if (!is_known) {
    throw Error(name, "no such column, or no index of it",
                "obs_intervals and obs_intervals_index: this file does not say when its units were "
                "observed, so times without observation cannot be left out");
  }
  const std::vector<Interval> observed = nwb::observed_together(table, selected);
  times = times.empty() ? observed : stream::intersection(times, observed);
  if (times.empty()) {
    throw Error(name,
                "no time when all " + std::to_string(selected.size()) +
                    " selected units were observed" +
                    (options.intervals.empty() ? "" : " within the intervals"),
                "units that were observed together");
  }
  return times;
}

/// Says which intervals have no rows, or no spikes.
void warn_of_empty(const std::vector<Interval>& times, const nwb::IntervalBins& bins, double end,
                   double bin_seconds) {
  const std::string of_all = " of " + std::to_string(times.size()) + " intervals ";
  if (bins.without_rows() > 0) {
    warn(std::to_string(bins.without_rows()) + of_all +
         "have no row: they are shorter than half a "
         "bin of " +
         stream::number_text(bin_seconds) + " s");
  }
  const auto behind = std::count_if(times.begin(), times.end(), [&](const Interval& interval) {
    return interval.start_seconds > end;
  });
  if (behind > 0) {
    warn(std::to_string(behind) + of_all + "start behind the end of the recording, at " +
         stream::number_text(end) + " s; counts there are 0");
  }
}

/// Adds spikes of one unit to its events, and to what became of spikes. Rows begin at the times of
/// `segments`.
void count_spikes(std::span<const double> times, const nwb::IntervalBins& bins,
                  const std::vector<TimeSegment>& segments, Events::Train& train,
                  SpikeCounts& counts) {
  counts.all += static_cast<std::int64_t>(times.size());
  for (const double time : times) {
    const auto row = bins.row_of(time);
    if (!row) {
      std::int64_t& dropped = time < segments.front().start_seconds  ? counts.before
                              : time < segments.back().start_seconds ? counts.between
                                                                     : counts.behind;
      ++dropped;
      continue;
    }
    if (!train.samples.empty() && train.samples.back() == *row) {
      // Counts of 1 take no memory until there is another.
      if (train.counts.empty()) {
        train.counts.reserve(train.samples.capacity());
        train.counts.assign(train.samples.size(), 1.0F);
      }
      train.counts.back() += 1.0F;
    } else {
      train.samples.push_back(*row);
      if (!train.counts.empty()) train.counts.push_back(1.0F);
    }
  }
}

/// Occupied bins of a unit.
struct Occupied {
  std::int64_t bins = 0;
  bool has_counts = false;  ///< a bin holds several spikes
};

Occupied occupied_by(std::size_t unit, const SpikeTimes& spikes, const Survey& survey,
                     const nwb::IntervalBins& bins) {
  Occupied occupied;
  std::int64_t before = -1;
  spikes.for_each_ascending(unit, survey.order[unit] != 0, [&](std::span<const double> times) {
    for (const double time : times) {
      const auto row = bins.row_of(time);
      if (!row) continue;
      if (*row == before) {
        occupied.has_counts = true;
      } else {
        ++occupied.bins;
      }
      before = *row;
    }
  });
  return occupied;
}

/// Events that each unit has at most. They are counted where a guess does not fit the budget.
/// \throws Error where the trains do not fit either
std::vector<std::int64_t> room_for(const SpikeTimes& spikes, const Survey& survey,
                                   const std::vector<std::size_t>& units,
                                   const nwb::IntervalBins& bins, const UnitsOptions& options) {
  std::vector<std::int64_t> room;
  std::int64_t all = 0;
  for (const std::size_t unit : units) {
    room.push_back(std::min(spikes.count(unit), bins.rows()));
    all += room.back();
  }
  constexpr std::int64_t sample = sizeof(std::int64_t);
  constexpr std::int64_t count = sizeof(float);
  if (!options.budget || 2 * (sample + count) * all <= *options.budget) return room;
  std::int64_t events = 0;
  std::int64_t with_counts = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Occupied occupied = occupied_by(units[i], spikes, survey, bins);
    room[i] = occupied.bins;
    events += occupied.bins;
    if (occupied.has_counts) with_counts += occupied.bins;
  }
  const std::int64_t held = events * sample + (with_counts > 0 ? events * count : 0);
  const std::int64_t least = held + events * sample + with_counts * count;
  if (least > *options.budget) {
    throw Error(options.budget_name, std::to_string(*options.budget) + " bytes",
                "at least " + std::to_string(least) + " bytes, for the " + std::to_string(held) +
                    " that the spike trains take, and once more while they are put in place; "
                    "longer bins or fewer units take less");
  }
  return room;
}

}  // namespace

Units read_units(const std::string& file, const UnitsOptions& options) {
  require_running("synelix::read_units");
  require_known("unobserved", options.unobserved);
  if (!(options.bin_seconds >= 1e-9) || !std::isfinite(options.bin_seconds)) {
    throw Error("bin_seconds", std::to_string(options.bin_seconds), "at least 1e-9");
  }
  const h5::Call call;
  const Table table = nwb::open_units(file, options.links);
  const SpikeTimes spikes(table);
  const std::vector<std::size_t> selected = nwb::select_units(table, options);
  const Survey survey = survey_of(table, spikes);
  const double end = survey.end;
  constexpr double most_bins = 9007199254740992.0;  // beyond 2^53 a bin has no number of its own
  if (end / options.bin_seconds > most_bins) {
    throw Error(file, "an end at " + std::to_string(end) + " s", "at most 2^53 bins");
  }
  const std::vector<Interval> times = times_to_bin(table, selected, options, end);
  const nwb::IntervalBins bins(times, options.bin_seconds);
  const bool has_intervals =
      !options.intervals.empty() || options.unobserved == Unobserved::leave_out;
  if (bins.rows() < 1) {
    throw Error("bin_seconds", std::to_string(options.bin_seconds),
                has_intervals
                    ? "at most twice the longest interval"
                    : "at most twice the recording, which ends at " + std::to_string(end) + " s");
  }
  if (has_intervals) warn_of_empty(times, bins, end, options.bin_seconds);
  std::vector<Events::Train> trains;
  std::vector<std::int64_t> ids;
  std::vector<TimeSegment> segments = bins.segments();
  SpikeCounts counts;
  const std::vector<std::int64_t> room = room_for(spikes, survey, selected, bins, options);
  trains.resize(selected.size());
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const std::size_t unit = selected[i];
    ids.push_back(table.ids[unit]);
    trains[i].samples.reserve(static_cast<std::size_t>(room[i]));
    spikes.for_each_ascending(unit, survey.order[unit] != 0, [&](std::span<const double> part) {
      count_spikes(part, bins, segments, trains[i], counts);
    });
  }
  std::vector<InputFile> files = table.file.behind().files();
  stream::require_unchanged(files);
  for (InputFile& read : files) read.is_read_in_run = false;
  std::vector<Epoch> epochs;
  if (has_intervals) {
    epochs = bins.epochs();
  } else {
    segments.clear();
  }
  const double start = segments.empty() ? 0.0 : segments.front().start_seconds;
  return {.events = Events(bins.rows(), trains, std::move(epochs)),
          .ids = std::move(ids),
          .bin_seconds = options.bin_seconds,
          .start_seconds = start,
          .end_seconds = times.back().stop_seconds,
          .spikes = counts.counted(),
          .segments = std::move(segments),
          .files = std::move(files),
          .counts = counts};
}

}  // namespace synelix
