// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which rows of a table meet the condition COLUMN=VALUE.
#include "files/hdf5/h5_attributes.hpp"
#include "nwb/table.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>
#include <type_traits>

namespace synelix::nwb {
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
  h5::check(H5Dread(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
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
  h5::check(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
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
  std::vector<std::int64_t> ends;
  if (is_ragged) {
    ends = read_ends(table, condition.column);
  } else {
    ends.resize(table.ids.size());
    std::iota(ends.begin(), ends.end(), std::int64_t{1});
    if (entries.texts.size() != table.ids.size()) {
      throw FileError(column_text(table, condition.column),
                      "it has " + std::to_string(entries.texts.size()) + " entries",
                      "Valid is one for each of the " + std::to_string(table.rows()) + " " +
                          table.row_name + "s");
    }
  }
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
