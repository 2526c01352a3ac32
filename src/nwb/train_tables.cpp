// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/table.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/source/signal_attributes.hpp"
#include "times/times.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>

namespace synelix::nwb {
namespace {

/// The column that holds the times of a group; empty if it has none.
std::string time_column_of(const h5::SourceFile& file, const std::string& group) {
  for (const char* const column : {"timestamp", "timestamps"}) {
    if (h5::exists(file, group + "/" + column)) return column;
  }
  return {};
}

/// Adds one of the requested paths: a table of units, a table of events, or a column.
void add_table(const std::string& path, TrainTables& trains, std::vector<bool>& is_units) {
  const std::string name = trains.file_name + ":" + path;
  if (!h5::exists(trains.file, path)) {
    const std::string group = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
    const std::string names = h5::names_in(trains.file, group);
    throw FileError(name, "there is no such table or column",
                    names.empty() ? "Give a table of units, or a column of times"
                                  : "The group " + group + " holds: " + names);
  }
  const bool is_group = H5Iget_type(h5::open_object(trains.file, path).id()) == H5I_GROUP;
  if (is_group && h5::exists(trains.file, path + "/spike_times")) {
    trains.tables.push_back(open_units(trains.file_name, trains.file, path));
    is_units.push_back(true);
    return;
  }
  const std::string column =
      is_group ? time_column_of(trains.file, path) : path.substr(path.rfind('/') + 1);
  if (column.empty()) {
    throw FileError(name, "it is neither a table of units nor one of events",
                    "Give a group with spike_times or timestamp, or a column of times; it holds " +
                        h5::names_in(trains.file, path));
  }
  const std::string group = is_group ? path : path.substr(0, path.rfind('/'));
  trains.tables.push_back(
      open_columns(trains.file_name, trains.file, group.empty() ? "/" : group, column));
  trains.columns.push_back(column);
  is_units.push_back(false);
}

/// Repeated ids cannot identify a train, so trains are then numbered, table by table and row by
/// row.
void take_ids(TrainTables& trains) {
  for (const Table& table : trains.tables) {
    if (!trains.are_units()) {
      trains.ids.push_back(static_cast<std::int64_t>(trains.ids.size()));
    } else {
      trains.ids.insert(trains.ids.end(), table.ids.begin(), table.ids.end());
    }
  }
  std::vector<std::int64_t> sorted = trains.ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  std::string numbers;
  std::int64_t first = 0;
  for (const Table& table : trains.tables) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(first) + " to " +
               std::to_string(first + table.rows() - 1) + " are the rows of " + table.path;
    first += table.rows();
  }
  warn(trains.file_name + ": the id " + std::to_string(*twice) + " belongs to " +
       std::to_string(std::count(sorted.begin(), sorted.end(), *twice)) +
       " units, so units are numbered: " + numbers);
  std::iota(trains.ids.begin(), trains.ids.end(), std::int64_t{0});
}

}  // namespace

TrainTables::Place TrainTables::place_of(std::size_t train) const {
  if (!are_units()) return {train, 0};
  Place place{0, train};
  while (place.row >= tables[place.table].ids.size()) {
    place.row -= tables[place.table].ids.size();
    ++place.table;
  }
  return place;
}

std::string TrainTables::times_text(std::size_t train) const {
  const std::size_t table = place_of(train).table;
  return column_text(tables[table], are_units() ? "spike_times" : columns[table]);
}

bool TrainTables::has_observations() const {
  return are_units() && std::all_of(tables.begin(), tables.end(), [](const Table& table) {
           return has_column(table, "obs_intervals") && has_column(table, "obs_intervals_index");
         });
}

TrainTables open_trains(const std::string& file, const UnitsOptions& options) {
  TrainTables trains{file, h5::open_file(file, options.links), {}, {}, {}};
  if (options.tables.empty()) {
    if (!h5::exists(trains.file, "/units/id")) {
      std::string others;
      for (const std::string& path : unit_tables_in(trains.file)) {
        others += (others.empty() ? "" : ",") + path;
      }
      throw FileError(file,
                      h5::read_text(trains.file.id(), "nwb_version")
                          ? "this is an NWB file without a table of units (/units)"
                          : "this is not an NWB file: neither nwb_version nor /units is there",
                      others.empty() ? "Give an NWB file with spike times in /units"
                                     : "Give its tables of units: " + file + ":" + others);
    }
    trains.tables.push_back(open_units(file, trains.file, "/units"));
    take_ids(trains);
    return trains;
  }
  std::vector<bool> is_units;
  for (const std::string& path : options.tables) add_table(path, trains, is_units);
  for (std::size_t i = 0; i < options.tables.size(); ++i) {
    if (is_units[i] != is_units[0]) {
      throw Error("tables",
                  options.tables[i] + " and " + options.tables[0] +
                      " are a table of units and a column of times",
                  "Give tables of units, or columns of times");
    }
    const auto first = options.tables.begin();
    const auto here = first + static_cast<std::ptrdiff_t>(i);
    if (std::find(first, here, *here) != here) {
      throw Error("tables", *here + " is there twice", "Give each table once");
    }
  }
  take_ids(trains);
  return trains;
}

std::vector<std::size_t> select_trains(const TrainTables& trains, const UnitsOptions& options) {
  std::vector<std::size_t> selected;
  if (options.unit_ids.empty()) {
    selected = numbers_from(std::size_t{0}, static_cast<std::int64_t>(trains.ids.size()));
  }
  for (const std::int64_t id : options.unit_ids) {
    const auto place = std::find(trains.ids.begin(), trains.ids.end(), id);
    if (place == trains.ids.end()) {
      throw Error("unit_ids", "the file has no unit " + std::to_string(id),
                  "Give ids of the file's " + std::to_string(trains.ids.size()) + " units: from " +
                      std::to_string(*std::min_element(trains.ids.begin(), trains.ids.end())) +
                      " to " +
                      std::to_string(*std::max_element(trains.ids.begin(), trains.ids.end())));
    }
    const auto train = static_cast<std::size_t>(place - trains.ids.begin());
    if (std::find(selected.begin(), selected.end(), train) != selected.end()) {
      throw Error("unit_ids", std::to_string(id) + " is there twice", "Give each id once");
    }
    selected.push_back(train);
  }
  if (!trains.are_units() || options.where.empty()) return selected;
  // If there are several tables, each must have rows that meet the conditions.
  std::vector<bool> is_kept(trains.ids.size(), false);
  std::size_t first = 0;
  for (const Table& table : trains.tables) {
    std::vector<std::size_t> rows;
    for (const std::size_t train : selected) {
      if (train >= first && train < first + table.ids.size()) rows.push_back(train - first);
    }
    if (!rows.empty()) keep_where(table, options.where, rows);
    for (const std::size_t row : rows) is_kept[first + row] = true;
    first += table.ids.size();
  }
  std::erase_if(selected, [&](std::size_t train) { return !is_kept[train]; });
  return selected;
}

std::vector<Interval> observed_together(const TrainTables& trains,
                                        const std::vector<std::size_t>& selected) {
  std::vector<Interval> together;
  bool is_first = true;
  for (std::size_t i = 0; i < trains.tables.size(); ++i) {
    std::vector<std::size_t> rows;
    for (const std::size_t train : selected) {
      const TrainTables::Place place = trains.place_of(train);
      if (place.table == i) rows.push_back(place.row);
    }
    if (rows.empty()) continue;
    const std::vector<Interval> own = observed_together(trains.tables[i], rows);
    together = is_first ? own : intersection(together, own);
    is_first = false;
  }
  return together;
}

std::vector<double> read_event_times(const Table& table, const std::string& column,
                                     const std::vector<Condition>& where) {
  const std::string name = column_text(table, column);
  const h5::Dataset dataset = open_column(table, column);
  require_seconds(dataset, name);
  h5::require_list(dataset, name, h5::NumberKind::any, "Valid are seconds in one dimension");
  std::vector<double> all(static_cast<std::size_t>(h5::count_of(dataset, most_event_times)));
  if (!all.empty()) h5::read_all(dataset, H5T_NATIVE_DOUBLE, all.data(), name);
  std::vector<std::size_t> rows = numbers_from(std::size_t{0}, table.rows());
  keep_where(table, where, rows);
  const std::vector<std::int64_t> ends =
      has_column(table, column + "_index")
          ? read_ends(table, column, static_cast<std::int64_t>(all.size()))
          : numbers_from<std::int64_t>(1, table.rows());
  std::vector<double> times;
  std::int64_t missing = 0;
  for (const std::size_t row : rows) {
    for (std::int64_t i = row == 0 ? 0 : ends[row - 1]; i < ends[row]; ++i) {
      const double time = all[static_cast<std::size_t>(i)];
      if (std::isnan(time)) {
        ++missing;
      } else if (is_time(time)) {
        times.push_back(time);
      } else {
        throw FileError(name + "[" + std::to_string(i) + "]",
                        number_text(time) + " is not a time of an event",
                        "Valid are " + std::string(valid_times) + ", and NaN where there is none");
      }
    }
  }
  if (missing > 0) {
    warn(name + ": " + std::to_string(missing) + " of " +
         std::to_string(missing + static_cast<std::int64_t>(times.size())) +
         " times are NaN, and are left out");
  }
  return times;
}

std::vector<std::string> unit_tables_in(const h5::SourceFile& file) {
  std::vector<std::string> tables;
  h5::Visitor visitor;
  visitor.group = [&](const std::string& path, const std::vector<std::string>& names) {
    const auto holds = [&](const char* link) {
      return std::find(names.begin(), names.end(), link) != names.end();
    };
    if (path != "/units" && holds("spike_times") && holds("spike_times_index")) {
      tables.push_back(path);
    }
  };
  h5::walk(file, visitor);
  std::sort(tables.begin(), tables.end());
  return tables;
}

}  // namespace synelix::nwb
