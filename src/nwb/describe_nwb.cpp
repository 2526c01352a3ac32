// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The contents of an NWB file that this library can read.
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "hdf5/source/signal_attributes.hpp"
#include "nwb/table.hpp"

#include <synelix/error.hpp>

#include <algorithm>

namespace synelix {
namespace {

std::string kind_of(const h5::SourceFile& file, const std::string& path) {
  const h5::Object group = h5::open_object(file, path);
  return h5::read_text(group.id(), "neurodata_type").value_or("");
}

SignalDescription signal_at(const h5::SourceFile& file, const FilePath& group) {
  SignalDescription signal;
  signal.path = group.dataset;
  signal.refusal = h5::refusal_of([&] {
    signal.kind = kind_of(file, group.dataset);
    const h5::Dataset data =
        h5::open_dataset(file, {group.file, group.dataset + "/data", group.links});
    signal.type = h5::type_text(h5::type_of(data).id());
    signal.extents = h5::extents_of(data);
  });
  if (!signal.refusal.empty()) return signal;
  signal.refusal = h5::refusal_of([&] {
    const Hdf5Source source(group);
    signal.times = source.description();
    signal.fit = source.timestamps_fit();
  });
  return signal;
}

IntervalsDescription intervals_at(const h5::SourceFile& file, const FilePath& table) {
  IntervalsDescription description;
  description.path = table.dataset;
  description.refusal = h5::refusal_of([&] {
    description.columns = nwb::columns_of(file, table.dataset);
    nwb::describe_intervals(table, description);
  });
  return description;
}

TrainsDescription trains_at(const h5::SourceFile& file, const FilePath& place, bool is_units) {
  TrainsDescription trains;
  trains.path = place.dataset;
  trains.is_units = is_units;
  trains.refusal = h5::refusal_of([&] {
    if (is_units) {
      trains.columns = nwb::columns_of(file, place.dataset);
      trains.rows = nwb::open_units(place.file, file, place.dataset).rows();
    } else {
      trains.rows = h5::count_of(h5::open_dataset(file, place), nwb::most_event_times);
    }
  });
  return trains;
}

/// Whether a column of a table of intervals holds times of events.
bool is_event_column(const std::string& name) {
  if (name == "start_time" || name == "stop_time") return false;
  return name.ends_with("_time") || name.ends_with("_times");
}

}  // namespace

NwbDescription describe_nwb(const std::string& name, Links links) {
  const h5::Call call;
  const h5::SourceFile file = h5::open_file(name, links);
  NwbDescription description;
  std::vector<std::string> tables;
  std::vector<std::string> signals;
  std::vector<std::string> unit_tables;
  std::vector<std::string> events;
  h5::Visitor visitor;
  visitor.group = [&](const std::string& path, const std::vector<std::string>& names) {
    if (path == "/" || path.starts_with("/specifications")) return;
    const auto holds = [&](const char* link) {
      return std::find(names.begin(), names.end(), link) != names.end();
    };
    if (holds("start_time") && holds("stop_time")) {
      tables.push_back(path);
      for (const std::string& column : names) {
        if (is_event_column(column)) events.push_back(path + "/" + column);
      }
    } else if (holds("spike_times") && holds("spike_times_index")) {
      if (path != "/units") unit_tables.push_back(path);
    } else if (holds("timestamp")) {
      events.push_back(path + "/timestamp");
    } else if (holds("timestamps") && !holds("data")) {
      events.push_back(path + "/timestamps");
    } else if (holds("data") && (holds("starting_time") || holds("timestamps"))) {
      signals.push_back(path);
    }
  };
  h5::walk(file, visitor);
  std::sort(tables.begin(), tables.end());
  std::sort(signals.begin(), signals.end());
  for (const std::string& path : tables) {
    description.intervals.push_back(intervals_at(file, {name, path, links}));
  }
  for (const std::string& path : signals) {
    description.signals.push_back(signal_at(file, {name, path, links}));
  }
  for (std::vector<std::string>* const paths : {&unit_tables, &events}) {
    std::sort(paths->begin(), paths->end());
    for (const std::string& path : *paths) {
      description.trains.push_back(trains_at(file, {name, path, links}, paths == &unit_tables));
    }
  }
  // A table behind a link may be refused. `describe_file` reports that.
  try {
    if (h5::exists(file, "/units/id")) description.unit_columns = nwb::columns_of(file, "/units");
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): `describe_file` reports it
  }
  return description;
}

}  // namespace synelix
