// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Spike times to events.
#include "files/hdf5/chunk_pieces.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/known_options.hpp"
#include "nwb/spike_times.hpp"
#include "nwb/table.hpp"
#include "streams/input_files.hpp"
#include "streams/stream_plan.hpp"
#include "vocabulary/events.hpp"
#include "vocabulary/number_text.hpp"
#include "vocabulary/times.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace synelix {
namespace {

using nwb::SpikeTimes;
using nwb::Table;

/// Visits the numbers of a dataset. They are read some rows at a time: a file may claim any number.
template <class Visit>
void for_each_number(const h5::Dataset& dataset, const std::string& name, const Visit& visit) {
  constexpr std::int64_t together = std::int64_t{1} << 16;
  const std::vector<std::int64_t> extents = h5::extents_of(dataset);
  if (h5::count_of(dataset, nwb::most_together) == 0) return;
  const std::vector<std::int64_t> chunk = h5::chunk_of(dataset);
  const std::int64_t across =
      h5::count_of(dataset, nwb::most_together) / (extents.empty() ? 1 : extents[0]);
  std::int64_t rows = std::max<std::int64_t>(together / across, 1);
  if (!chunk.empty()) rows = std::min(rows, chunk[0] * stream::chunks_together);
  std::vector<hsize_t> start(extents.size(), 0);
  std::vector<hsize_t> count(extents.begin(), extents.end());
  std::vector<double> values;
  const std::int64_t all = extents.empty() ? 1 : extents[0];
  for (std::int64_t at = 0; at < all; at += rows) {
    const std::int64_t number = std::min(rows, all - at);
    const h5::Space in_file(H5Dget_space(dataset.id()), name);
    if (!extents.empty()) {
      start[0] = static_cast<hsize_t>(at);
      count[0] = static_cast<hsize_t>(number);
      h5::check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr,
                                    count.data(), nullptr),
                name);
    }
    values.resize(static_cast<std::size_t>(number * across));
    const hsize_t length = values.size();
    const h5::Space in_memory(H5Screate_simple(1, &length, nullptr), name);
    h5::check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, in_memory.id(), in_file.id(), H5P_DEFAULT,
                      values.data()),
              name);
    for (const double value : values) visit(value);
  }
}

/// The largest finite value of a dataset of floats, if it is there.
double latest_in(const Table& table, const std::string& dataset, double otherwise) {
  if (!h5::exists(table.file, dataset)) return otherwise;
  const h5::Dataset opened = h5::open_dataset(table.file, {table.file_name, dataset});
  const h5::Type type = h5::type_of(opened);
  if (H5Tget_class(type.id()) != H5T_FLOAT) {
    throw FileError(table.file_name + ":" + dataset, "it holds " + h5::type_text(type.id()),
                    "Valid are floating-point seconds");
  }
  const std::string name = table.file_name + ":" + dataset;
  double latest = otherwise;
  for_each_number(opened, name, [&](double value) {
    if (!std::isfinite(value)) return;
    if (!is_time(value)) {
      throw FileError(name, number_text(value) + " is not a time",
                      "Valid are " + std::string(valid_times));
    }
    latest = std::max(latest, value);
  });
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
  std::vector<Interval> times = ordered_intervals("intervals", options.intervals);
  if (times.empty() && !options.intervals.empty()) {
    throw Error("intervals", "all of them are of no length", "Give at least one of some length");
  }
  const bool is_known =
      nwb::has_column(table, "obs_intervals") && nwb::has_column(table, "obs_intervals_index");
  const std::string name = nwb::column_text(table, "obs_intervals");
  if (options.unobserved == Unobserved::zero) {
    if (times.empty()) times = {{0.0, end}};
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

/// Says which intervals have no rows, or no spikes.
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

/// Adds spikes of one unit to its events, and to what became of spikes. Rows begin at the times of
/// `segments`.
void add_spikes(std::span<const double> times, const TimeBins& bins,
                const std::vector<TimeSegment>& segments, EventsBuilder& builder,
                SpikeCounts& counts) {
  counts.all += static_cast<std::int64_t>(times.size());
  for (const double time : times) {
    if (const auto row = bins.row_of(time)) {
      builder.count(*row);
      continue;
    }
    std::int64_t& dropped = time < segments.front().start_seconds  ? counts.before
                            : time < segments.back().start_seconds ? counts.between
                                                                   : counts.behind;
    ++dropped;
  }
}

/// Occupied bins of all units.
struct Occupied {
  std::int64_t bins = 0;
  bool has_counts = false;  ///< a bin holds several spikes
};

/// Counts the events of a unit, before there is memory for them.
void count_occupied(std::size_t unit, const Table& table, const SpikeTimes& spikes, bool in_order,
                    const TimeBins& bins, Occupied& occupied) {
  constexpr std::int64_t most = std::int64_t{1} << 24;  // a float holds every number up to this
  std::int64_t before = -1;
  std::int64_t together = 0;
  spikes.for_each_ascending(unit, in_order, [&](std::span<const double> times) {
    for (const double time : times) {
      const auto row = bins.row_of(time);
      if (!row) continue;
      if (*row != before) {
        before = *row;
        together = 1;
        ++occupied.bins;
        continue;
      }
      occupied.has_counts = true;
      if (++together <= most) continue;
      throw FileError(
          nwb::column_text(table, "spike_times"),
          "there are more than 2^24 spikes of unit " + std::to_string(table.ids[unit]) +
              " in bin " + std::to_string(*row),
          "Give shorter bins, which hold fewer; valid are at most 2^24 spikes in a bin");
    }
  });
}

template <class T>
std::int64_t bytes_of(const std::vector<T>& list) {
  return static_cast<std::int64_t>(list.capacity() * sizeof(T));
}

/// What is held at a time while trains are read.
struct Needed {
  std::int64_t tables = 0;   ///< of intervals
  std::int64_t reading = 0;  ///< of the unit that is read
  std::int64_t lists = 0;    ///< the trains themselves

  [[nodiscard]] std::int64_t bytes() const { return tables + reading + lists; }
};

/// \param enough  "at least 12 bytes"
[[noreturn]] void refuse(const UnitsOptions& options, const std::string& enough,
                         const Needed& needed) {
  const std::string beside =
      options.held_bytes > 0
          ? ", and " + std::to_string(options.held_bytes) + " that other spike trains hold already"
          : std::string();
  throw BudgetError(
      options.budget_name, std::to_string(options.budget.value_or(0)) + " bytes are not enough",
      "Give " + enough + ": " + std::to_string(needed.lists) + " that the spike trains take, " +
          std::to_string(needed.reading) + " to read a unit, " + std::to_string(needed.tables) +
          " for tables of intervals" + beside + "; longer bins or fewer units take less");
}

std::string bytes_text(const UnitsOptions& options, const Needed& needed) {
  return std::to_string(options.held_bytes + needed.bytes()) + " bytes";
}

/// Counts the events of all units. \throws Error where they do not fit the budget
Occupied counted(const Table& table, const SpikeTimes& spikes, const Survey& survey,
                 const std::vector<std::size_t>& units, const TimeBins& bins,
                 std::int64_t table_bytes, const UnitsOptions& options) {
  const auto channels = static_cast<std::int64_t>(units.size());
  const auto exceeds = [&](const Needed& needed) {
    return options.budget && options.held_bytes + needed.bytes() > *options.budget;
  };
  Needed needed{.tables = table_bytes};
  std::int64_t most_events = 0;
  for (const std::size_t unit : units) {
    needed.reading = std::max(needed.reading, spikes.bytes_to_read(unit, survey.order[unit] != 0));
    most_events += std::min(spikes.count(unit), bins.rows());
  }
  constexpr std::int64_t not_worth_counting = std::int64_t{1} << 20;
  if (needed.reading > not_worth_counting && exceeds(needed)) {
    // A unit whose spikes are not in order is held to be counted, so nobody knows the least.
    needed.lists = EventLists(channels, most_events, true).bytes();
    refuse(options, bytes_text(options, needed) + ", which are enough", needed);
  }
  Occupied occupied;
  for (const std::size_t unit : units) {
    count_occupied(unit, table, spikes, survey.order[unit] != 0, bins, occupied);
  }
  needed.lists = EventLists(channels, occupied.bins, occupied.has_counts).bytes();
  if (exceeds(needed)) refuse(options, "at least " + bytes_text(options, needed), needed);
  return occupied;
}

/// Beyond 2^53 a bin has no number of its own. \throws FileError
void require_bins_with_numbers(const std::string& file, double end, double bin_seconds) {
  constexpr double most_bins = 9007199254740992.0;
  if (end / bin_seconds <= most_bins) return;
  throw FileError(file,
                  "it has an end at " + std::to_string(end) + " s, which makes too many bins of " +
                      number_text(bin_seconds) + " s",
                  "Give longer bins; valid are at most 2^53 bins");
}

/// The bins of the intervals, or of the whole recording. Warns of intervals without a bin.
/// \throws Error if no bin is left
TimeBins bins_of(const std::vector<Interval>& times, bool has_intervals, double end,
                 double bin_seconds) {
  TimeBins bins = has_intervals ? TimeBins(bin_seconds, times) : TimeBins(bin_seconds, 0.0, end);
  if (bins.rows() < 1 && !has_intervals && !(end > 0)) {
    throw Error("bin_seconds",
                "there is no bin, because the last spike of these units is at " +
                    std::to_string(end) + " s, and bins start at 0 s",
                "Give units with spikes after 0 s, or intervals that hold the spikes");
  }
  if (bins.rows() < 1) {
    throw Error(
        "bin_seconds", std::to_string(bin_seconds) + " s are too long, so that no bin is left",
        has_intervals
            ? "Give at most twice the longest interval"
            : "Give at most twice the recording, which ends at " + std::to_string(end) + " s");
  }
  if (has_intervals) warn_of_empty(times, bins, end, bin_seconds);
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
  const h5::Call call;
  const Table table = nwb::open_units(file, options.links);
  const SpikeTimes spikes(table);
  const std::vector<std::size_t> selected = nwb::select_units(table, options);
  const Survey survey = survey_of(table, spikes);
  require_bins_with_numbers(file, survey.end, options.bin_seconds);
  const std::vector<Interval> times = times_to_bin(table, selected, options, survey.end);
  const bool has_intervals =
      !options.intervals.empty() || options.unobserved == Unobserved::leave_out;
  const TimeBins bins = bins_of(times, has_intervals, survey.end, options.bin_seconds);
  std::vector<TimeSegment> segments = bins.segments();
  std::vector<Epoch> epochs;
  if (has_intervals) epochs = bins.epochs();
  const std::int64_t tables =
      bins.bytes() + bytes_of(times) + bytes_of(segments) + bytes_of(epochs);
  const Occupied occupied = counted(table, spikes, survey, selected, bins, tables, options);
  std::vector<std::int64_t> ids;
  SpikeCounts counts;
  std::optional<double> first_spike;
  EventsBuilder builder(bins.rows(), static_cast<std::int64_t>(selected.size()), occupied.bins,
                        occupied.has_counts);
  for (const std::size_t unit : selected) {
    ids.push_back(table.ids[unit]);
    spikes.for_each_ascending(unit, survey.order[unit] != 0, [&](std::span<const double> part) {
      add_spikes(part, bins, segments, builder, counts);
      if (!part.empty()) first_spike = std::min(first_spike.value_or(part.front()), part.front());
    });
    builder.end_channel();
  }
  std::vector<InputFile> files = table.file.behind().files();
  stream::require_unchanged(files);
  for (InputFile& read : files) read.is_read_in_run = false;
  if (!has_intervals) segments.clear();
  const double start = segments.empty() ? 0.0 : segments.front().start_seconds;
  return {.events = builder.finish(std::move(epochs)),
          .ids = std::move(ids),
          .bin_seconds = options.bin_seconds,
          .start_seconds = start,
          .end_seconds = times.back().stop_seconds,
          .spikes = counts.counted(),
          .segments = std::move(segments),
          .files = std::move(files),
          .counts = counts,
          .first_spike_seconds = first_spike};
}

}  // namespace synelix
