// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/table.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <type_traits>

namespace synelix::nwb {
namespace {

/// Largest number of rows of a table, because a file may claim any number.
constexpr std::int64_t most_rows = std::int64_t{1} << 24;

/// The column `id`.
std::vector<std::int64_t> read_ids(const Table& table) {
  const std::string name = column_text(table, "id");
  const h5::Dataset id = open_column(table, "id");
  h5::require_list(id, name, h5::NumberKind::integer, "Valid are integers of one dimension");
  std::vector<std::int64_t> ids(static_cast<std::size_t>(h5::count_of(id, most_rows)));
  h5::read_all(id, H5T_NATIVE_INT64, ids.data(), name);
  return ids;
}

/// "the 3 units", for messages.
std::string rows_text(const Table& table) {
  return "the " + std::to_string(table.rows()) + " " + table.row_name + "s";
}

/// Without slashes at the end.
std::string table_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The ids of rows, or the numbers of rows without an id, of which this column has one each.
std::vector<std::int64_t> ids_by(const Table& table, const std::string& column) {
  if (has_column(table, "id") || !has_column(table, column)) return read_ids(table);
  return numbers_from<std::int64_t>(0, h5::count_of(open_column(table, column), most_rows));
}

}  // namespace

Table open_units(const std::string& file_name, const h5::SourceFile& file,
                 const std::string& path) {
  Table table{file_name, file, table_path(path), "unit", {}};
  table.ids = ids_by(table, "spike_times_index");
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
  table.ids =
      numbers_from<std::int64_t>(0, h5::count_of(open_column(table, rows), most_event_times));
  return table;
}

Table open_intervals(const FilePath& path) {
  Table table{
      path.file, h5::open_file(path.file, path.links), table_path(path.dataset), "interval", {}};
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
  table.ids = ids_by(table, "start_time");
  if (table.ids.empty()) {
    throw FileError(name, "this table holds no interval", "Give a table with at least one");
  }
  return table;
}

std::vector<double> read_numbers(const Table& table, const std::string& column) {
  const std::string name = column_text(table, column);
  const h5::Dataset dataset = open_column(table, column);
  h5::require_list(dataset, name, h5::NumberKind::any,
                   "Valid is a number for each of " + rows_text(table), table.rows());
  std::vector<double> values(table.ids.size());
  h5::read_all(dataset, H5T_NATIVE_DOUBLE, values.data(), name);
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
  h5::require_list(index, name, h5::NumberKind::integer,
                   "Valid is an integer for each of " + rows_text(table), table.rows());
  const std::vector<std::int64_t> entries = h5::extents_of(open_column(table, column));
  const std::int64_t length = length_given.value_or(entries.empty() ? 0 : entries[0]);
  const bool is_signed = H5Tget_sign(h5::type_of(index).id()) == H5T_SGN_2;
  std::vector<std::uint64_t> raw(static_cast<std::size_t>(table.rows()));
  h5::read_all(index, is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, raw.data(), name);
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

namespace {

/// Reads an entire text as a number; no value if it is not a number.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The entries of a column, each as text and whether it equals the wanted value.
struct Entries {
  std::vector<std::string> texts;
  std::vector<char> equal;
};

template <class Number>
Entries compare_numbers(const h5::Dataset& dataset, std::int64_t count, hid_t memory_type,
                        const Condition& condition, const std::string& name) {
  auto wanted = number_in<Number>(condition.value);
  if constexpr (std::is_integral_v<Number>) {
    constexpr double most_exact = 9e15;
    const auto number = wanted ? std::nullopt : number_in<double>(condition.value);
    if (number && *number == std::round(*number) && std::abs(*number) < most_exact) {
      wanted = static_cast<Number>(*number);
    }
  }
  if (!wanted) {
    const std::string kind = std::is_integral_v<Number> ? "whole number" : "number";
    throw Error(
        "where " + condition.column, "\"" + condition.value + "\" is not a " + kind,
        "Give a " + kind + ": the column holds " + h5::type_text(h5::type_of(dataset).id()));
  }
  std::vector<Number> values(static_cast<std::size_t>(count));
  h5::read_all(dataset, memory_type, values.data(), name);
  Entries entries;
  for (const Number value : values) {
    entries.texts.push_back(number_text(value));
    entries.equal.push_back(value == *wanted ? 1 : 0);
  }
  return entries;
}

Entries compare_booleans(const h5::Dataset& dataset, const h5::Type& type, std::int64_t count,
                         const Condition& condition, const std::string& name) {
  const auto& value = condition.value;
  const bool is_true = value == "true" || value == "True" || value == "TRUE" || value == "1";
  const bool is_false = value == "false" || value == "False" || value == "FALSE" || value == "0";
  if (!is_true && !is_false) {
    throw Error("where " + condition.column, "\"" + value + "\" is neither true nor false",
                "Give true or false: the column holds booleans");
  }
  std::vector<std::int8_t> values(static_cast<std::size_t>(count));
  h5::read_all(dataset, type.id(), values.data(), name);
  Entries entries;
  for (const std::int8_t entry : values) {
    entries.texts.emplace_back(entry != 0 ? "true" : "false");
    entries.equal.push_back((entry != 0) == is_true ? 1 : 0);
  }
  return entries;
}

Entries compare(const Table& table, const Condition& condition) {
  const std::string name = column_text(table, condition.column);
  const h5::Dataset dataset = open_column(table, condition.column);
  const h5::Type type = h5::type_of(dataset);
  const std::vector<std::int64_t> extents = h5::extents_of(dataset);
  const auto along = h5::vector_dimension(extents);
  if (!along) {
    throw FileError(name, "its extents are " + extents_text(extents),
                    "Give a column of one dimension");
  }
  constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
  const std::int64_t count =
      h5::count_of(dataset, most_bytes / static_cast<std::int64_t>(64 + H5Tget_size(type.id())));
  if (h5::is_boolean(type.id())) {
    return compare_booleans(dataset, type, count, condition, name);
  }
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      return compare_numbers<std::int64_t>(dataset, count, H5T_NATIVE_INT64, condition, name);
    case H5T_FLOAT:
      return compare_numbers<double>(dataset, count, H5T_NATIVE_DOUBLE, condition, name);
    case H5T_STRING: {
      Entries entries;
      entries.texts = h5::read_strings(type, count, [&](hid_t memory, void* to) {
        return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
      });
      for (std::string& text : entries.texts) {
        entries.equal.push_back(text == condition.value ? 1 : 0);
        text = "\"" + text + "\"";  // shows blanks at the ends
      }
      return entries;
    }
    default:
      throw FileError(name, "its entries are of type " + h5::type_text(type.id()),
                      "Give a column of text, numbers or booleans");
  }
}

/// Names of the columns that conditions may use.
std::string columns_text(const Table& table) {
  std::string names;
  for (const std::string& name : columns_of(table.file, table.path)) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

/// Keeps only the rows that meet a condition.
void keep_one(const Table& table, const Condition& condition, std::vector<std::size_t>& rows) {
  if (!has_column(table, condition.column)) {
    throw Error("where", "there is no column \"" + condition.column + "\"",
                "Give one of " + columns_text(table));
  }
  const Entries entries = compare(table, condition);
  const bool is_ragged = has_column(table, condition.column + "_index");
  if (!is_ragged && entries.texts.size() != table.ids.size()) {
    throw FileError(column_text(table, condition.column),
                    "it has " + std::to_string(entries.texts.size()) + " entries",
                    "Valid is one for each of the " + std::to_string(table.rows()) + " " +
                        table.row_name + "s");
  }
  const std::vector<std::int64_t> ends =
      is_ragged ? read_ends(table, condition.column) : numbers_from<std::int64_t>(1, table.rows());
  std::erase_if(rows, [&](std::size_t i) {
    const std::int64_t first = i == 0 ? 0 : ends[i - 1];
    return std::find(entries.equal.begin() + first, entries.equal.begin() + ends[i], 1) ==
           entries.equal.begin() + ends[i];
  });
  if (!rows.empty()) return;
  std::string found;
  constexpr std::size_t most = 10;
  const std::set<std::string> values(entries.texts.begin(), entries.texts.end());
  std::size_t named = 0;
  for (const std::string& value : values) {
    if (named++ == most) {
      found += ", and others";
      break;
    }
    found += (found.empty() ? "" : ", ") + value;
  }
  throw Error("where " + condition.column + "=" + condition.value,
              "there is no " + table.row_name + " left",
              "Give one of the values of the column: " + found);
}

}  // namespace

void keep_where(const Table& table, const std::vector<Condition>& conditions,
                std::vector<std::size_t>& rows) {
  for (const Condition& condition : conditions) keep_one(table, condition, rows);
}

}  // namespace synelix::nwb
