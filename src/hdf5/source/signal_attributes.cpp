// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/signal_attributes.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "times/times.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace synelix::nwb {
namespace {

constexpr std::int64_t most_channels = std::int64_t{1} << 27;

bool is_data_of_series(const FilePath& path) { return path.dataset.ends_with("/data"); }

/// A list of floating-point numbers of a given length, which may be a row or a column.
h5::Dataset open_numbers(const h5::SourceFile& file, const FilePath& path, std::int64_t length,
                         const std::string& wanted, const h5::Properties& access = {}) {
  h5::Dataset dataset = h5::open_dataset(file, path, access);
  h5::require_list(dataset, to_string(path), h5::NumberKind::floating, "Valid are " + wanted,
                   length);
  return dataset;
}

/// Timestamps of an open dataset, in pieces.
stream::ReadTimestamps reader_of(const h5::Dataset& dataset, const std::string& name) {
  return [&dataset, name](Range samples, double* times) {
    h5::read_entries(dataset, H5T_NATIVE_DOUBLE, samples.begin, samples.size(), times,
                     name + ": cannot be read");
  };
}

/// Opens timestamps with a cache such that each chunk is read once, for any chunk size.
h5::Dataset open_timestamps(const h5::SourceFile& file, const FilePath& path,
                            std::int64_t samples) {
  const std::string wanted =
      "floating-point seconds, one for each of the " + std::to_string(samples) + " samples";
  h5::Dataset dataset = open_numbers(file, path, samples, wanted);
  const std::vector<std::int64_t> chunk = h5::chunk_of(dataset);
  const std::int64_t values = stream::product_of(chunk);
  if (chunk.empty() || std::min(values, samples) <= stream::timestamps_together) return dataset;
  const h5::Properties access(H5Pcreate(H5P_DATASET_ACCESS), to_string(path));
  const auto bytes = static_cast<std::size_t>(values) * sizeof(double);
  H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, bytes, 1.0);
  dataset = h5::Dataset();  // otherwise the second opening shares the first one's cache
  return open_numbers(file, path, samples, wanted, access);
}

/// A rate in an attribute. \throws Error if it is not a usable number
std::optional<double> read_rate(const h5::Dataset& dataset, const std::string& name,
                                const char* attribute) {
  const auto rate = h5::read_number(dataset.id(), attribute);
  if (rate && (!(*rate > 0) || !std::isfinite(*rate))) {
    throw FileError(name + ", attribute " + attribute, number_text(*rate) + " is not a rate",
                    "Write a positive number of samples a second, or remove the attribute");
  }
  return rate;
}

/// The bin width of a dataset of counts; nothing if the dataset is not marked as counts.
/// \throws Error if it does not match the rate
std::optional<double> read_bin(const h5::Dataset& dataset, const std::string& name,
                               double rate_hz) {
  constexpr double same = 1e-6;
  const auto bin = h5::read_number(dataset.id(), "bin_seconds");
  if (bin && !(std::abs(*bin * rate_hz - 1) <= same)) {
    throw FileError(
        name + ", attribute bin_seconds",
        number_text(*bin) + " s is not the width of a sample at " + number_text(rate_hz) + " Hz",
        "Write 1 / rate, or remove the attribute");
  }
  return bin;
}

/// A number that may be in any of several attributes; nothing if none has it.
/// \throws Error if they differ
template <class Read>
std::optional<double> agreed_number(const std::string& name,
                                    std::initializer_list<const char*> attributes,
                                    const Read& read) {
  std::optional<double> value;
  std::string first;
  for (const char* const attribute : attributes) {
    const std::optional<double> found = read(attribute);
    if (found && value && *found != *value) {
      throw FileError(name,
                      "its attributes " + first + ", " + number_text(*value) + ", and " +
                          attribute + ", " + number_text(*found) + ", differ",
                      "Remove the one that is wrong");
    }
    if (!found || value) continue;
    first = attribute;
    value = found;
  }
  return value;
}

/// Start and rate of `starting_time`; nothing if there is none. If it has no rate, it warns and
/// returns nothing.
std::optional<TimeSegment> read_starting_time(const h5::SourceFile& file, const FilePath& path) {
  const FilePath place = h5::beside(path, "starting_time");
  if (!h5::exists(file, place.dataset)) return std::nullopt;
  const std::string name = to_string(place);
  if (H5Iget_type(h5::open_object(file, place.dataset).id()) != H5I_DATASET) return std::nullopt;
  const h5::Dataset starting = h5::open_dataset(file, place);
  const auto rate = read_rate(starting, name, "rate");
  if (!rate) {
    warn(name + ": it has no attribute rate, and is not used");
    return std::nullopt;
  }
  require_seconds(starting, name);
  const std::vector<std::int64_t> extents = h5::extents_of(starting);
  const bool is_one = std::all_of(extents.begin(), extents.end(), [](auto n) { return n == 1; });
  if (!h5::are_numbers(starting, h5::NumberKind::any) || !is_one) {
    throw FileError(name, "it holds " + h5::contents_text(starting), "Write one number of seconds");
  }
  double start = 0;
  h5::read_all(starting, H5T_NATIVE_DOUBLE, &start, name);
  if (!is_time(start)) {
    throw FileError(name, number_text(start) + " is not a time",
                    "Valid are " + std::string(valid_times));
  }
  return TimeSegment{0, start, *rate};
}

constexpr std::initializer_list<const char*> names_of_rates{"rate_hz", "rate", "sampling_rate"};

/// \throws Error if a rate of the samples differs from another rate of the file by more than the
///         relative difference `most`
void require_same_rate(const std::string& name, double rate, double other, double most,
                       const std::string& whose) {
  if (std::abs(rate / other - 1) <= most) return;
  throw FileError(name,
                  "its attribute says " + number_text(rate) + " Hz, and " + whose + " " +
                      number_text(other) + " Hz",
                  "Remove the one that is wrong");
}

/// Throws if the two, which are both in the file, disagree.
void require_agreement(const TimestampsFit& fit, const TimeSegment& starting, std::int64_t samples,
                       const FilePath& path) {
  const auto compare = [&](std::int64_t t, const TimeSegment& segment) {
    const double by_rate = starting.start_seconds + static_cast<double>(t) / starting.rate_hz;
    const double by_fit =
        segment.start_seconds + static_cast<double>(t - segment.first_sample) / segment.rate_hz;
    if (std::abs(by_rate - by_fit) * fit.rate_hz <= 0.5) return;
    throw FileError(to_string(h5::beside(path, "starting_time")),
                    "it makes " + number_text(by_rate) + " s for sample " + std::to_string(t) +
                        ", where timestamps beside it make it " + number_text(by_fit) + " s",
                    "Keep timestamps or starting_time, or both if they agree within half a sample");
  };
  for (std::size_t i = 0; i < fit.segments.size(); ++i) {
    const bool is_last = i + 1 == fit.segments.size();
    compare(fit.segments[i].first_sample, fit.segments[i]);
    compare((is_last ? samples : fit.segments[i + 1].first_sample) - 1, fit.segments[i]);
  }
}

}  // namespace

void require_seconds(const h5::Dataset& times, const std::string& name) {
  for (const char* const attribute : {"unit", "units"}) {
    const std::string unit = h5::lower_text(times.id(), attribute);
    constexpr std::array seconds{"", "s", "sec", "second", "seconds"};
    if (std::find(seconds.begin(), seconds.end(), unit) != seconds.end()) continue;
    throw FileError(name + ", attribute " + attribute, "times in " + unit + " are not read",
                    "Write the times in seconds, and seconds as their unit");
  }
  // Times are read without scaling.
  for (const auto& [attribute, neutral] :
       {std::pair("conversion", 1.0), std::pair("scale_factor", 1.0), std::pair("offset", 0.0),
        std::pair("add_offset", 0.0)}) {
    const auto number = h5::readable_number(times.id(), attribute);
    if (!number || *number == neutral) continue;
    throw FileError(name + ", attribute " + attribute,
                    "it is " + number_text(*number) + ", and is not applied to times",
                    "Write the times in seconds, and remove the attribute");
  }
  for (const char* const attribute : {"_FillValue", "missing_value"}) {
    const auto marks = h5::read_numbers(times.id(), attribute).value_or(std::vector<double>{});
    if (std::all_of(marks.begin(), marks.end(), [](double mark) { return std::isnan(mark); })) {
      continue;
    }
    throw FileError(name + ", attribute " + attribute, "marks of missing times are not read",
                    "Write NaN in place of missing times, and remove the attribute");
  }
}

FilePath data_of(const h5::SourceFile& file, FilePath path) {
  while (path.dataset.size() > 1 && path.dataset.ends_with('/')) path.dataset.pop_back();
  if (path.dataset.size() < 2 || !h5::exists(file, path.dataset)) return path;
  const h5::Object object = h5::open_object(file, path.dataset);
  if (H5Iget_type(object.id()) == H5I_GROUP && h5::exists(file, path.dataset + "/data")) {
    path.dataset += "/data";
  }
  return path;
}

SampleTimes sample_times(const h5::SourceFile& file, const FilePath& path,
                         const h5::Dataset& dataset, std::int64_t samples,
                         const Hdf5SourceOptions& options) {
  SampleTimes times;
  SeriesDescription& series = times.series;
  const FilePath place = h5::beside(path, "timestamps");
  const bool is_used = options.timestamps == Timestamps::use;
  if (is_used && is_data_of_series(path) && h5::exists(file, place.dataset)) {
    const h5::Dataset opened = open_timestamps(file, place, samples);
    require_seconds(opened, to_string(place));
    const auto read = reader_of(opened, to_string(place));
    if (samples < 2) {
      read({0, samples}, &series.start_seconds);
      return times;
    }
    if (options.timestamps_fit) {
      stream::require_fit_of(*options.timestamps_fit, samples);
      times.fit = options.timestamps_fit;
    } else {
      times.fit = stream::fit_timestamps(to_string(place), samples, read);
    }
    if (const auto starting = read_starting_time(file, path)) {
      require_agreement(*times.fit, *starting, samples, path);
    }
    constexpr double drift = 0.01;  // drift of a clock, relative to its nominal rate
    for (const char* const one : names_of_rates) {
      const auto rate = h5::readable_number(dataset.id(), one);
      if (!rate) continue;
      require_same_rate(to_string(path), *rate, times.fit->rate_hz, drift,
                        "the timestamps beside it");
    }
    series.rate_hz = times.fit->rate_hz;
    series.start_seconds = times.fit->segments.front().start_seconds;
    if (times.fit->segments.size() > 1) series.segments = times.fit->segments;
    return times;
  }
  const auto own = agreed_number(to_string(path), names_of_rates, [&](const char* name) {
    return read_rate(dataset, to_string(path), name);
  });
  if (own) series.rate_hz = own;
  if (const auto starting = read_starting_time(file, path)) {
    constexpr double rounding = 1e-6;
    if (own) {
      require_same_rate(to_string(path), *own, starting->rate_hz, rounding, "its starting_time");
    } else {
      series.rate_hz = starting->rate_hz;
    }
    series.start_seconds = starting->start_seconds;
  }
  if (series.rate_hz) {
    series.bin_seconds = read_bin(dataset, to_string(path), *series.rate_hz);
  } else if (H5Aexists(dataset.id(), "bin_seconds") > 0) {
    warn(to_string(path) +
         ": its attribute bin_seconds is not used without a rate; write rate_hz, 1 / bin_seconds");
  }
  return times;
}

Scaling scaling_of(const h5::SourceFile& file, const FilePath& path, const h5::Dataset& dataset,
                   const h5::AxisOrder& axes) {
  const std::vector<std::int64_t>& extents = axes.extents;
  Scaling scaling;
  const auto read = [&](const char* attribute, bool is_factor) -> std::optional<double> {
    const auto value = h5::read_number(dataset.id(), attribute);
    if (!value || (std::isfinite(*value) && (!is_factor || *value != 0))) return value;
    throw FileError(
        to_string(path) + ", attribute " + attribute,
        number_text(*value) + (is_factor ? " is not a factor" : " is not an offset"),
        std::string(is_factor ? "Write a finite number other than 0" : "Write a finite number") +
            ", or give --scale and --offset in place of what the file says");
  };
  const auto factor = agreed_number(to_string(path), {"conversion", "scale_factor"},
                                    [&](const char* name) { return read(name, true); });
  const auto offset = agreed_number(to_string(path), {"offset", "add_offset"},
                                    [&](const char* name) { return read(name, false); });
  scaling.scale = factor.value_or(1.0);
  scaling.offset = offset.value_or(0.0);
  const FilePath place = h5::beside(path, "channel_conversion");
  if (!is_data_of_series(path) || !h5::exists(file, place.dataset)) return scaling;

  const std::string name = to_string(place);
  const std::int64_t entries = extents.size() > 1 ? extents[1] : 1;
  const std::int64_t inner = stream::product_of(extents, 2);  // channels that share an entry
  if (entries * inner > most_channels) {
    throw FileError(name, "it would scale " + std::to_string(entries * inner) + " channels",
                    "Valid are at most " + std::to_string(most_channels));
  }
  const h5::Dataset opened =
      open_numbers(file, place, entries,
                   "floating-point numbers, one for each of the " + std::to_string(entries) +
                       " channels (if time is not the first dimension, give --time-axis)");
  const auto channels = extents.size() > 1 ? static_cast<double>(axes.in_file[1]) : 1.0;
  // pynwb always writes 1, even if the data have the other order.
  constexpr double written_always = 1.0;
  const double axis = h5::read_number(opened.id(), "axis").value_or(channels);
  if (axis != channels && axis != written_always) {
    throw FileError(name + ", axis",
                    number_text(axis) + " is not the dimension of the channels, which is " +
                        number_text(channels),
                    "Give --time-axis if time is not the first dimension, or correct the axis");
  }
  std::vector<double> conversions(static_cast<std::size_t>(entries));
  h5::read_all(opened, H5T_NATIVE_DOUBLE, conversions.data(), name);
  for (std::size_t i = 0; i < conversions.size(); ++i) {
    if (!std::isfinite(conversions[i])) {
      throw FileError(name + "[" + std::to_string(i) + "]",
                      number_text(conversions[i]) + " is not a factor", "Valid are finite numbers");
    }
    scaling.channel_scale.insert(scaling.channel_scale.end(), static_cast<std::size_t>(inner),
                                 scaling.scale * conversions[i]);
  }
  return scaling;
}

}  // namespace synelix::nwb
