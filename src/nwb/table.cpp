// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/table.hpp"

#include "files/hdf5/h5_attributes.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <numeric>

namespace synelix::nwb {
namespace {

/// Largest number of rows of a table, because a file may claim any number.
constexpr std::int64_t most_rows = std::int64_t{1} << 24;

/// Whether extents are those of a list of this many entries, or of any number. A row or a column
/// counts, too, because programs without vectors write those.
bool is_list(const std::vector<std::int64_t>& extents, std::optional<std::int64_t> length = {}) {
  const auto along = h5::vector_dimension(extents);
  return along && (!length || extents[*along] == *length);
}

/// The column `id`.
std::vector<std::int64_t> read_ids(const Table& table) {
  const std::string name = column_text(table, "id");
  const h5::Dataset id = open_column(table, "id");
  const h5::Type type = h5::type_of(id);
  const std::vector<std::int64_t> extents = h5::extents_of(id);
  if (H5Tget_class(type.id()) != H5T_INTEGER || !is_list(extents)) {
    throw FileError(name,
                    "it holds " + h5::type_text(type.id()) + " of extents " + extents_text(extents),
                    "Valid are integers of one dimension");
  }
  std::vector<std::int64_t> ids(static_cast<std::size_t>(h5::count_of(id, most_rows)));
  h5::check(H5Dread(id.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids.data()), name);
  return ids;
}

/// Numbers rows without an id.
std::vector<std::int64_t> numbered(std::int64_t rows) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(rows));
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  return ids;
}

}  // namespace

Table open_units(const std::string& file_name, const h5::SourceFile& file,
                 const std::string& path) {
  Table table{file_name, file, path, "unit", {}};
  while (table.path.size() > 1 && table.path.ends_with('/')) table.path.pop_back();
  const bool has_ids = has_column(table, "id");
  table.ids = has_ids || !has_column(table, "spike_times_index")
                  ? read_ids(table)
                  : numbered(h5::count_of(open_column(table, "spike_times_index"), most_rows));
  if (table.ids.empty()) {
    throw FileError(path == "/units" ? file_name : file_name + ":" + table.path,
                    "its table of units holds no unit", "Give a file with at least one");
  }
  return table;
}

Table open_columns(const std::string& file_name, const h5::SourceFile& file,
                   const std::string& group, const std::string& column) {
  Table table{file_name, file, group, "row", {}};
  const std::string rows = has_column(table, "id")                ? "id"
                           : has_column(table, column + "_index") ? column + "_index"
                                                                  : column;
  table.ids = numbered(h5::count_of(open_column(table, rows), most_event_times));
  return table;
}

Table open_intervals(const FilePath& path) {
  Table table{path.file, h5::open_file(path.file, path.links), path.dataset, "interval", {}};
  while (table.path.size() > 1 && table.path.ends_with('/')) table.path.pop_back();
  const std::string name = path.file + ":" + table.path;
  if (table.path.size() < 2 || !h5::exists(table.file, table.path)) {
    const bool has_some = h5::exists(table.file, "/intervals");
    const std::string names = has_some ? h5::names_in(table.file, "/intervals") : std::string();
    throw FileError(name, "there is no such table",
                    names.empty()
                        ? "Give a table with start_time and stop_time; the file has no /intervals"
                        : "Give a table with start_time and stop_time; /intervals holds " + names);
  }
  for (const char* const column : {"start_time", "stop_time"}) {
    if (has_column(table, column)) continue;
    const std::string names = h5::names_in(table.file, table.path);
    throw FileError(name,
                    names.empty()
                        ? "there is no column " + std::string(column) + ", since it is empty"
                        : "there is no column " + std::string(column) + " among " + names,
                    "Give a table of intervals, with start_time and stop_time");
  }
  if (has_column(table, "id")) {
    table.ids = read_ids(table);
  } else {
    table.ids = numbered(h5::count_of(open_column(table, "start_time"), most_rows));
  }
  if (table.ids.empty()) {
    throw FileError(name, "this table holds no interval", "Give a table with at least one");
  }
  return table;
}

std::vector<double> read_numbers(const Table& table, const std::string& column) {
  const std::string name = column_text(table, column);
  const h5::Dataset dataset = open_column(table, column);
  const h5::Type type = h5::type_of(dataset);
  const H5T_class_t kind = H5Tget_class(type.id());
  const std::vector<std::int64_t> extents = h5::extents_of(dataset);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || !is_list(extents, table.rows())) {
    throw FileError(name,
                    "it holds " + h5::type_text(type.id()) + " of extents " + extents_text(extents),
                    "Valid is a number for each of the " + std::to_string(table.rows()) + " " +
                        table.row_name + "s");
  }
  std::vector<double> values(table.ids.size());
  h5::check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
            name);
  return values;
}

std::string column_text(const Table& table, const std::string& column) {
  const std::string group = table.path == "/" ? std::string() : table.path;
  return table.file_name + ":" + group + "/" + column;
}

std::vector<std::string> columns_of(const h5::SourceFile& file, const std::string& table) {
  std::vector<std::string> columns;
  for (const std::string& name : h5::links_of(file, table)) {
    const bool is_index =
        name.ends_with("_index") && h5::exists(file, table + "/" + name.substr(0, name.size() - 6));
    if (!is_index) columns.push_back(name);
  }
  return columns;
}

bool has_column(const Table& table, const std::string& column) {
  return !column.empty() && h5::exists(table.file, table.path + "/" + column);
}

h5::Dataset open_column(const Table& table, const std::string& column) {
  return h5::open_dataset(table.file, {table.file_name, table.path + "/" + column});
}

std::vector<std::int64_t> read_ends(const Table& table, const std::string& column,
                                    std::optional<std::int64_t> length_given) {
  const std::string name = column_text(table, column + "_index");
  const h5::Dataset index = open_column(table, column + "_index");
  const h5::Type type = h5::type_of(index);
  const std::vector<std::int64_t> extents = h5::extents_of(index);
  if (H5Tget_class(type.id()) != H5T_INTEGER || !is_list(extents, table.rows())) {
    throw FileError(name,
                    "it holds " + h5::type_text(type.id()) + " of extents " + extents_text(extents),
                    "Valid is an integer for each of the " + std::to_string(table.rows()) + " " +
                        table.row_name + "s");
  }
  const std::vector<std::int64_t> entries = h5::extents_of(open_column(table, column));
  const std::int64_t length = length_given.value_or(entries.empty() ? 0 : entries[0]);
  const bool is_signed = H5Tget_sign(type.id()) == H5T_SGN_2;
  std::vector<std::uint64_t> raw(static_cast<std::size_t>(table.rows()));
  h5::check(H5Dread(index.id(), is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
                    H5P_DEFAULT, raw.data()),
            name);
  std::vector<std::int64_t> ends;
  std::int64_t previous = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    // A negative value is a huge one here, so it is out of the column, too.
    if (raw[i] > static_cast<std::uint64_t>(length) ||
        static_cast<std::int64_t>(raw[i]) < previous) {
      throw FileError(name + "[" + std::to_string(i) + "]",
                      "the end " +
                          (is_signed ? std::to_string(static_cast<std::int64_t>(raw[i]))
                                     : std::to_string(raw[i])) +
                          " goes down, or beyond the " + std::to_string(length) + " entries of " +
                          column,
                      "Valid are " + std::to_string(previous) + " to " + std::to_string(length));
    }
    previous = static_cast<std::int64_t>(raw[i]);
    ends.push_back(previous);
  }
  return ends;
}

}  // namespace synelix::nwb
