// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/inputs.hpp"

#include "tool/run/machine.hpp"
#include "tool/text/stream_report.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/types/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

Links followed_links = Links::within_folder;

/// A number of samples; above 2^53 it has no fraction, and may not fit its type.
std::int64_t whole_samples(const char* option, double value) {
  constexpr double most = 9007199254740992.0;
  if (value != std::floor(value)) {
    throw Error(option, std::to_string(value) + " is not a whole number of samples",
                "Give whole samples, or a time with a unit");
  }
  if (!(std::abs(value) <= most)) {
    throw Error(option, std::to_string(value) + " samples are too many",
                "Give at most 2^53 samples");
  }
  return static_cast<std::int64_t>(value);
}

/// The first sample at or after a time; a plain number already is a sample.
std::int64_t sample_of(const Duration& time, const SeriesDescription& series) {
  if (!time.in_seconds) {
    return whole_samples("--time", time.value);
  }
  if (!series.rate_hz) {
    throw Error("--time", format_seconds(time.value) + " is a time, but the recording has no rate",
                "Give samples, or add an attribute `rate_hz` to the dataset");
  }
  return series.sample_at(time.value);
}

std::vector<Condition> conditions_of(const std::vector<ColumnValue>& where) {
  std::vector<Condition> conditions;
  conditions.reserve(where.size());
  for (const auto& [column, value] : where) conditions.push_back({column, value});
  return conditions;
}

/// The requested intervals.
std::vector<Interval> requested_intervals(const ConvolveRequest& request) {
  if (!request.intervals) return {};
  IntervalsSource source = *request.intervals;
  if (source.table.file.empty()) source.table.file = request.input.file;
  return intervals_of(source);
}

std::optional<Range> channels_of(const std::optional<IndexRange>& asked, std::int64_t channels) {
  if (!asked) return std::nullopt;
  const Range range{.begin = asked->begin, .end = asked->end.value_or(channels)};
  if (range.begin >= range.end || range.end > channels) {
    throw Error("--channels",
                std::to_string(range.begin) + ":" + std::to_string(range.end) +
                    " is not within the recording",
                "Give a range within its " + std::to_string(channels) + " channels");
  }
  return range;
}

/// The file's scaling for these channels, with the values of the command line replacing it.
std::optional<Scaling> scaling_of(const ConvolveRequest& request, Scaling scaling,
                                  const std::optional<Range>& channels) {
  if (!request.scale && !request.offset) return std::nullopt;
  const auto cut = [&](std::vector<double>& values) {
    if (!channels || values.empty()) return;
    values = {values.begin() + channels->begin, values.begin() + channels->end};
  };
  cut(scaling.channel_scale);
  cut(scaling.channel_offset);
  if (request.scale) {
    scaling.scale = *request.scale;
    scaling.channel_scale.clear();
  }
  if (request.offset) {
    scaling.offset = *request.offset;
    scaling.channel_offset.clear();
  }
  return scaling;
}

bool holds_dataset(const FilePath& path) {
  try {
    return !describe_file(path).datasets.empty();
  } catch (const Error&) {
    return false;  // other faults of the file are reported when it is opened
  }
}

/// Throws for spike times, which are not samples of a signal, though they could be read as such.
void require_no_spike_times(const FilePath& path) {
  if (!path.dataset.ends_with("/spike_times")) return;
  if (!holds_dataset({path.file, path.dataset + "_index", path.links})) return;
  throw Error(to_string(path), "these are spike times of an NWB table of units, not samples",
              "Give samples of a signal, or " + path.file + " with --units --bin TIME");
}

Recording open_array(const ConvolveRequest& request, const std::optional<TimestampsFit>& fit) {
  const FilePath path = file_path(request.input);
  require_no_spike_times(path);
  Hdf5SourceOptions options;
  options.time_axis = request.time_axis;
  if (request.channels || request.scale || request.offset) {
    // Values that the command line replaces need not be valid in the file.
    const bool is_replaced = request.scale && request.offset;
    const Hdf5Source whole(
        path, {.attribute_scaling = is_replaced ? AttributeScaling::ignore : AttributeScaling::use,
               .time_axis = request.time_axis,
               .timestamps = Timestamps::ignore});
    options.channels = channels_of(request.channels, whole.shape().channels);
    options.scaling = scaling_of(request, whole.shape().scaling, options.channels);
  }
  if (request.epochs) options.epochs = read_epochs(file_path(*request.epochs));
  options.intervals = requested_intervals(request);
  options.interval_stop = request.interval_stop;
  options.timestamps_fit = fit;
  auto source = std::make_unique<Hdf5Source>(path, options);
  const auto& found = source->timestamps_fit();
  const TimestampsFit* const known = found ? &*found : nullptr;
  return {std::move(source), known};
}

/// The options for reading the units, without a budget.
UnitsOptions units_options(const ConvolveRequest& request, const UnitsSource& source) {
  return {.bin_seconds = source.bin_seconds,
          .tables = source.tables,
          .unit_ids = source.ids,
          .where = conditions_of(source.where),
          .intervals = requested_intervals(request),
          .unobserved = source.only_observed ? Unobserved::leave_out : Unobserved::zero,
          .interval_stop = request.interval_stop,
          .from_seconds = source.from_seconds,
          .links = followed_links,
          .budget = {}};
}

SpikeTrains spike_trains(const ConvolveRequest& request, const UnitsSource& source,
                         ReadUnits read) {
  Units& units = read.units;
  SeriesDescription description = units.description();
  description.name = request.input.text();
  description.fingerprint = fingerprint_of_file(request.input.file);
  if (!request.input.dataset.empty()) {
    description.fingerprint.emplace_back("input tables", request.input.dataset);
  }
  const bool is_selected = request.intervals || source.only_observed;
  SpikeTrains trains{.events = std::move(units.events),
                     .description = std::move(description),
                     .counts = units.counts,
                     .is_selected = is_selected,
                     .first_spike_seconds = units.first_spike_seconds,
                     .end_seconds = units.end_seconds,
                     .refused = read.refused};
  if (!request.epochs) return trains;
  if (source.only_observed) {
    throw Error("--observed", "it is given beside --epochs, but times of observation are epochs",
                "Give one of them");
  }
  trains.events = trains.events.with_epochs(read_epochs(file_path(*request.epochs)));
  return trains;
}

std::string in_ten_digits(double number) {
  std::ostringstream text;
  text << std::setprecision(10) << number;
  return text.str();
}

std::int64_t window_of(const Duration& window, std::optional<double> rate_hz) {
  if (!window.in_seconds) {
    return whole_samples("--window", window.value);
  }
  if (!rate_hz) {
    throw Error("--window",
                format_seconds(window.value) + " is a time, but the recording has no rate",
                "Give samples, or add an attribute `rate_hz` to the dataset");
  }
  const double samples = window.value * *rate_hz;
  const double nearest = std::round(samples);
  const std::string found = format_seconds(window.value) + " is " + in_ten_digits(samples) +
                            " samples at " + in_ten_digits(*rate_hz) + " Hz";
  if (nearest < 1) throw Error("--window", found, "Give at least 1 sample");
  // rates such as 1249.9996 Hz are those of real clocks
  if (std::abs(samples - nearest) > 0.01 + 1e-5 * samples) {
    warn("--window: " + found + "; this run takes " + in_ten_digits(nearest));
  }
  return whole_samples("--window", nearest);
}

}  // namespace

Json spikes_tree(const SpikeCounts& spikes) {
  return {{"all", spikes.all},
          {"counted", spikes.counted()},
          {"before", spikes.before},
          {"between", spikes.between},
          {"behind", spikes.behind}};
}

Json bins_tree(const SpikeTrains& trains) {
  constexpr double nanoseconds = 1e9;
  const SeriesDescription& series = trains.description;
  const double bin = series.bin_seconds.value_or(0);
  Json tree = {{"count", trains.events.shape().samples},
               {"intervals", series.segments.size()},
               {"bin_seconds", bin},
               {"start_seconds", series.start_seconds},
               {"end_seconds", trains.end_seconds},
               // pynapple rounds its edges to nanoseconds, so other bins drift
               {"is_whole_nanoseconds", std::nearbyint(bin * nanoseconds) / nanoseconds == bin}};
  if (trains.first_spike_seconds) {
    const double offset = *trains.first_spike_seconds - series.start_seconds;
    tree["first_spike_seconds"] = *trains.first_spike_seconds;
    tree["first_spike_offset_seconds"] = offset;
    tree["first_spike_offset_bins"] = offset / bin;
  }
  return tree;
}

Json recording_tree(const std::string& name, const Recording& recording) {
  const SeriesShape& shape = recording.shape();
  Json tree = {{"path", name},
               {"samples", shape.samples},
               {"channels", shape.channels},
               {"type", shape.has_events ? "events" : name_of(shape.type)},
               {"epochs", std::max<std::size_t>(shape.epochs.size(), 1)}};
  if (const SpikeTrains* const trains = recording.trains()) {
    tree["events"] = shape.events;
    tree["spikes"] = spikes_tree(trains->counts);
    tree["bins"] = bins_tree(*trains);
  }
  if (const auto rate = recording.series().rate_hz) tree["rate_hz"] = *rate;
  if (const TimestampsFit* const fit = recording.fit()) {
    tree["timestamps"] = {{"most_deviation_samples", fit->most_deviation},
                          {"segments", fit->segments.size()}};
  }
  return tree;
}

void require_spikes(const std::string& name, const SpikeTrains* trains, bool is_strict) {
  if (trains == nullptr || trains->counts.dropped() == 0 || trains->is_selected) return;
  const SpikeCounts& spikes = trains->counts;
  const std::string found = format_count(spikes.dropped()) + " of " + format_count(spikes.all) +
                            " spikes of " + name +
                            " are dropped: " + sentence_of(dropped_sentence, spikes_tree(spikes));
  if (is_strict) {
    throw Error("--strict: " + found +
                ". Leave --strict out, or select the times that are read by --intervals.");
  }
  if (!trains->is_end_known || spikes.dropped() > spikes.behind) {
    print_warning(found + ". --strict makes this an error");
  }
}

void refuse_run(std::int64_t budget, std::int64_t bytes, bool is_least) {
  const std::string found = budget == 1 ? "1 byte is" : std::to_string(budget) + " bytes are";
  throw by_option(BudgetError("budget", found + " not enough",
                              "Give at least " + std::to_string(bytes) + " bytes", bytes),
                  is_least);
}

BudgetError by_option(const BudgetError& error, bool is_least) {
  if (error.argument().empty()) return error;
  std::string argument(error.argument());
  if (argument == "budget") argument = "--budget";
  if (argument == "host_budget") argument = "--host-budget";
  std::string remedy(error.remedy());
  const std::string least = "Give at least " + std::to_string(error.least_bytes()) + " bytes";
  if (!is_least && remedy.starts_with(least)) {
    remedy.replace(0, least.size(),
                   "Give " + std::to_string(error.least_bytes()) +
                       " bytes, which are enough (nobody knows the least: spikes of a unit "
                       "are not in order)");
  }
  return {argument, error.problem(), remedy, error.least_bytes()};
}

ReadUnits read_or_count(const std::string& file, UnitsOptions options) {
  try {
    return {read_units(file, options)};
  } catch (const BudgetError& error) {
    options.only_count = true;
    Units units = read_units(file, options);
    const bool is_least = units.is_least;
    return {std::move(units), Refusal{error, is_least}};
  }
}

void limit_trains(const ConvolveOptions& computing, std::int64_t held, UnitsOptions& options) {
  const bool is_staged = streams_through_device(computing.staging);
  options.budget =
      (is_staged ? computing.host_budget : computing.budget).value_or(default_budget());
  options.budget_name = is_staged ? "--host-budget" : "--budget";
  options.held_bytes = held;
}

std::vector<Interval> intervals_of(const IntervalsSource& source) {
  return read_intervals(file_path(source.table), conditions_of(source.where), source.rules.rows);
}

std::string conditions_text(const std::vector<ColumnValue>& where) {
  std::string text;
  for (const auto& [column, value] : where) text += " where " + column + "=" + value;
  return text;
}

std::string intervals_text(const IntervalsSource& intervals) {
  std::string text = conditions_text(intervals.where);
  if (intervals.rules.stop == IntervalStop::excluded) text += " stop excluded";
  if (intervals.rules.rows.overlaps == Overlaps::apart) text += " overlaps apart";
  return text;
}

std::optional<Range> samples_of(const std::optional<TimeRange>& time, std::int64_t samples,
                                const SeriesDescription& series) {
  if (!time) return std::nullopt;
  Range range{.begin = 0, .end = samples};
  if (time->start) range.begin = sample_of(*time->start, series);
  if (time->stop) range.end = sample_of(*time->stop, series);
  if (!series.segments.empty()) {  // times outside of intervals do not belong to the recording
    range.begin = std::max<std::int64_t>(range.begin, 0);
    range.end = std::min(range.end, samples);
  }
  if (range.begin < 0 || range.begin >= range.end || range.end > samples) {
    throw Error("--time",
                "samples " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                    " are not a range of the recording",
                "Give START before STOP, within the " + std::to_string(samples) +
                    " samples of the recording");
  }
  return range;
}

Recording open_recording(const ConvolveRequest& request, const std::optional<TimestampsFit>& fit) {
  if (!request.units) return open_array(request, fit);
  UnitsOptions options = units_options(request, *request.units);
  limit_trains(request.options, 0, options);
  return Recording(
      spike_trains(request, *request.units, read_or_count(request.input.file, options)));
}

SpikeTrains open_trains(const CountsRequest& request, std::int64_t later_bytes,
                        std::int64_t later_bytes_each) {
  if (!request.units) throw Error("IN", "no units are asked for", "Give --bin");
  UnitsOptions options = units_options(request, *request.units);
  options.budget = request.options.budget.value_or(default_budget());
  options.budget_name = "--budget";
  options.later_bytes = later_bytes;
  options.later_bytes_each = later_bytes_each;
  return spike_trains(request, *request.units, {read_units(request.input.file, options)});
}

SeriesDescription cut(SeriesDescription series, Range samples) {
  if (!series.rate_hz) {
    series.first_sample += samples.begin;
    return series;
  }
  std::vector<TimeSegment> segments;
  if (series.segments.empty()) segments = {{0, series.start_seconds, *series.rate_hz}};
  for (std::size_t i = 0; i < series.segments.size(); ++i) {
    const bool is_last = i + 1 == series.segments.size();
    const std::int64_t end = is_last ? samples.end : series.segments[i + 1].first_sample;
    const std::int64_t first = std::max(series.segments[i].first_sample, samples.begin);
    if (first < std::min(end, samples.end)) segments.push_back(series.segments[i]);
  }
  for (TimeSegment& segment : segments) segment.first_sample -= samples.begin;
  series.start_seconds = series.seconds_of(samples.begin);
  series.first_sample += samples.begin;
  series.segments = std::move(segments);
  return series;
}

Taps taps_of(const BankSource& source, std::optional<double> rate_hz) {
  if (source.file) return evaluate_taps(read_bank(file_path(*source.file)));
  if (!source.basis || !source.window) {
    throw Error("filters", "none are given", "Give a basis with a window, or a file of taps");
  }
  return evaluate_taps(*source.basis, window_of(*source.window, rate_hz));
}

void apply(const Trust& trust) {
  followed_links = trust.follow_links ? Links::anywhere : Links::within_folder;
  set_filter_plugins(trust.allow_plugins ? FilterPlugins::load : FilterPlugins::refuse);
}

Links links_followed() { return followed_links; }

FilePath file_path(const DatasetPath& path) {
  return {.file = path.file, .dataset = path.dataset, .links = followed_links};
}

std::vector<InputFile> held_files(const std::vector<ReadFile>& files) {
  std::vector<InputFile> held;
  // Whether a run needs a file that fails here is decided when it is read.
  for (const ReadFile& file : files) {
    std::error_code status;
    const bool is_text = file.path.dataset.empty();
    if (!is_text && !std::filesystem::exists(file.path.file, status)) continue;
    held.push_back(look_at_file(file.path.file));
    if (is_text) continue;
    try {
      const std::vector<InputFile> behind = files_behind(file_path(file.path));
      held.insert(held.end(), behind.begin(), behind.end());
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the read reports it if it matters
    }
  }
  for (InputFile& file : held) file.is_read_in_run = false;
  return held;
}

void require_free_place(const DatasetPath& output, Existing existing) {
  std::error_code error;
  if (!std::filesystem::exists(output.file, error)) return;
  if (existing == Existing::refuse) {
    throw Error("output " + output.file, "this is an existing file",
                "Give a new name, -O to replace the file, or --append to add to it");
  }
  if (existing == Existing::append && holds_dataset(file_path(output))) {
    throw Error("output " + output.text(), "this is an existing dataset",
                "Give a new name with --append");
  }
}

Hdf5OutputOptions output_options(Existing existing, const std::string& command_line) {
  Hdf5OutputOptions options;
  options.existing = existing;
  options.history = command_line;
  return options;
}

}  // namespace synelix::tool
