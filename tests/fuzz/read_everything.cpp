// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_everything.hpp"

#include <synelix/error.hpp>
#include <synelix/fit_file.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/nwb.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace fuzz {
namespace {

namespace sx = synelix;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Calls, and accepts an Error with a message as an answer.
template <class Call>
void attempt(const Call& call) {
  try {
    call();
  } catch (const sx::Error& error) {
    require(error.what()[0] != '\0', "an Error without a word");
  }
}

constexpr std::size_t most_datasets = 24;
constexpr std::size_t most_tables = 8;   // of intervals; and signals
constexpr std::size_t most_columns = 6;  // of a table
constexpr unsigned char mark = 0xA5;

/// Reads a block into a buffer whose end is marked.
void read_block(sx::Source& source, sx::Range samples, sx::Range channels) {
  constexpr std::size_t beyond = 64;
  const std::int64_t bytes = samples.size() * channels.size() * sx::size_of(source.shape().type);
  std::vector<unsigned char> buffer(static_cast<std::size_t>(bytes) + beyond, mark);
  attempt([&] { source.read(samples, channels, buffer.data()); });
  const bool is_whole = std::all_of(buffer.end() - beyond, buffer.end(),
                                    [](unsigned char byte) { return byte == mark; });
  require(is_whole, "a read wrote beyond its buffer");
}

/// The first, the last and one block between, first as opened and then with a chunk cache.
void read_parts(sx::Source& source) {
  const sx::SeriesShape& shape = source.shape();
  require(shape.samples > 0 && shape.channels > 0, "a source of nothing");
  const std::int64_t samples = std::min<std::int64_t>(shape.samples, 16);
  const std::int64_t channels = std::min<std::int64_t>(shape.channels, 16);
  const auto read_three = [&] {
    read_block(source, {0, samples}, {0, channels});
    read_block(source, {shape.samples - samples, shape.samples},
               {shape.channels - channels, shape.channels});
    read_block(source, {(shape.samples - samples) / 2, (shape.samples - samples) / 2 + samples},
               {0, channels});
  };
  read_three();
  std::int64_t all = 1;
  for (const std::int64_t extent : source.channel_extents()) {
    require(!__builtin_mul_overflow(all, extent, &all), "channel extents that overflow");
  }
  require(all == shape.channels, "channel extents that are not the channels");
  const std::int64_t own = source.own_bytes(samples, channels, sx::mebibytes(4));
  require(own >= 0, "a negative number of bytes");
  require(source.read_cost(samples, channels, own) > 0, "a cost that is none");
  // Reads that exceed the budget of a stream are not tried.
  if (own > sx::mebibytes(64)) return;
  attempt([&] { source.begin(samples, channels, own); });
  read_three();
}

void read_dataset(const sx::FilePath& path) {
  attempt([&] {
    sx::Hdf5Source source(path);
    require(!source.description().name.empty(), "a source without a name");
    read_parts(source);
  });
  attempt([&] {
    sx::Hdf5Source source(path, {.samples = sx::Range{1, 3},
                                 .channels = sx::Range{1, 2},
                                 .attribute_scaling = sx::AttributeScaling::ignore,
                                 .epochs = {{0, 2}, {2, 5}}});
    read_parts(source);
  });
  for (const std::int64_t axis : {1, 2}) {
    attempt([&] {
      sx::Hdf5Source source(path, {.time_axis = axis});
      read_parts(source);
    });
  }
  attempt([&] {
    const sx::Matrix matrix = sx::read_matrix(path);
    require(static_cast<std::int64_t>(matrix.values.size()) == matrix.rows * matrix.columns,
            "a matrix of another size");
  });
  attempt([&] { sx::read_epochs(path); });
  attempt([&] {
    const sx::CustomTaps taps = sx::read_bank(path);
    if (taps.taps.size() < 4096) sx::evaluate_taps(taps);
  });
}

void read_spike_trains(const std::string& file, const std::vector<std::string>& columns) {
  attempt([&] {
    const sx::Units units = sx::read_units(file, {.bin_seconds = 0.01});
    const auto channels = static_cast<std::size_t>(units.events.shape().channels);
    require(units.ids.size() == channels, "ids that are not the channels'");
    for (std::int64_t i = 0; i < units.events.begins()[channels]; ++i) {
      const std::int64_t sample = units.events.sample_indices()[i];
      require(sample >= 0 && sample < units.rows(), "an event outside the rows");
    }
  });
  attempt([&] { sx::read_units(file, {.bin_seconds = 1e-9, .unit_ids = {2, 0}}); });
  for (const std::string& column : columns) {
    for (const char* const value : {"1", "true", "a"}) {
      attempt([&] { sx::read_units(file, {.bin_seconds = 1.0, .where = {{column, value}}}); });
    }
  }
}

/// Intervals that anything may be cut by: each has a length, and they are in order.
void check_intervals(const std::vector<sx::Interval>& intervals) {
  require(!intervals.empty(), "no intervals, and no Error");
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const auto [start, stop] = intervals[i];
    require(start < stop, "an interval of no length");
    require(i == 0 || intervals[i - 1].start_seconds <= start, "intervals in no order");
  }
}

/// A table of intervals: all of its rows, those of conditions, and the samples that they select.
void read_table(const sx::FilePath& table, const std::vector<std::string>& columns,
                const std::vector<sx::SignalDescription>& signals) {
  std::vector<sx::Interval> intervals;
  attempt([&] {
    intervals = sx::read_intervals(table);
    check_intervals(intervals);
  });
  for (std::size_t i = 0; i < std::min(columns.size(), most_columns); ++i) {
    for (const char* const value : {"1", "true", "a"}) {
      attempt([&] { check_intervals(sx::read_intervals(table, {{columns[i], value}})); });
    }
  }
  if (intervals.empty()) return;
  attempt([&] { sx::read_units(table.file, {.bin_seconds = 0.01, .intervals = intervals}); });
  for (std::size_t i = 0; i < std::min(signals.size(), most_tables); ++i) {
    attempt([&] {
      sx::Hdf5Source source({table.file, signals[i].path}, {.intervals = intervals});
      read_parts(source);
    });
  }
}

/// The contents of an NWB file by its own description.
void read_nwb(const std::string& file) {
  sx::NwbDescription nwb;
  attempt([&] { nwb = sx::describe_nwb(file); });
  for (const sx::TrainsDescription& trains : nwb.trains) {
    attempt([&] {
      const sx::Units read = sx::read_units(file, {.bin_seconds = 0.01, .tables = {trains.path}});
    });
  }
  for (std::size_t i = 0; i < std::min(nwb.signals.size(), most_tables); ++i) {
    const sx::FilePath path{file, nwb.signals[i].path};
    attempt([&] {
      sx::Hdf5Source source(path);
      read_parts(source);
    });
    attempt([&] {
      sx::Hdf5Source source(path, {.timestamps = sx::Timestamps::ignore});
      read_parts(source);
    });
  }
  for (std::size_t i = 0; i < std::min(nwb.intervals.size(), most_tables); ++i) {
    const sx::IntervalsDescription& table = nwb.intervals[i];
    if (table.refusal.empty()) check_intervals(table.intervals);
    read_table({file, table.path}, table.columns, nwb.signals);
  }
  attempt([&] { sx::read_intervals({file, "/intervals/none"}); });
  attempt([&] {
    sx::read_units(file, {.bin_seconds = 0.01, .unobserved = sx::Unobserved::leave_out});
  });
}

/// A model whose numbers have the sizes in its description.
void read_model(const std::string& file) {
  attempt([&] {
    const sx::FitFile model = sx::read_fit(file);
    const sx::FitResult& result = model.result;
    const auto predictors = static_cast<std::size_t>(result.targets * result.classes);
    require(result.intercepts.size() == predictors, "intercepts of another number");
    require(result.coefficients.size() == static_cast<std::size_t>(result.columns) * predictors,
            "coefficients of another number");
    require(
        model.scores.empty() || static_cast<std::int64_t>(model.scores.size()) == result.targets,
        "scores of another number");
    require(result.stop.empty() || static_cast<std::int64_t>(result.stop.size()) == result.targets,
            "reasons of another number");
    sx::require_same_design(model, model.terms, model.components);
  });
}

}  // namespace

void read_everything(const std::string& file) {
  std::vector<std::string> paths = {"/x"};
  std::vector<std::string> columns = {"none"};
  attempt([&] {
    const sx::FileDescription description = sx::describe_file({file, {}});
    paths.clear();
    for (const sx::DatasetDescription& dataset : description.datasets) {
      if (paths.size() == most_datasets) break;
      paths.push_back(dataset.path);
      if (dataset.path.rfind("/units/", 0) == 0) columns.push_back(dataset.path.substr(7));
    }
  });
  for (const std::string& path : paths) {
    read_dataset({file, path});
    attempt([&] { sx::describe_file({file, path}); });
  }
  attempt([&] { sx::describe_file({file, "/no/such"}); });
  read_spike_trains(file, columns);
  read_nwb(file);
  read_model(file);
}

}  // namespace fuzz
