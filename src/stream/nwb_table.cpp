// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/nwb_table.hpp"

#include "stream/h5_attributes.hpp"
#include "stream/h5_types.hpp"

#include <synelix/error.hpp>

#include <limits>

namespace synelix::nwb {
namespace {

/// Of a table that is read; a file may claim any number.
constexpr std::int64_t most_rows = std::int64_t{1} << 24;

}  // namespace

UnitsTable open_units(const std::string& file) {
  UnitsTable table{file, h5::open_file(file), {}};
  if (!h5::exists(table.file.id(), "/units/id")) {
    throw Error(file,
                h5::read_text(table.file.id(), "nwb_version")
                    ? "an NWB file without a table of units (/units)"
                    : "no NWB file: neither nwb_version nor /units is there",
                "an NWB file with spike times in /units");
  }
  const h5::Dataset id = open_column(table, "id");
  const h5::Type type = h5::type_of(id);
  const std::vector<std::int64_t> extents = h5::extents_of(id);
  if (H5Tget_class(type.id()) != H5T_INTEGER || extents.size() != 1) {
    throw Error(column_text(table, "id"),
                h5::type_text(type.id()) + " of extents " + h5::extents_text(extents),
                "integers of one dimension");
  }
  table.ids.resize(static_cast<std::size_t>(h5::count_of(id, most_rows)));
  h5::check(H5Dread(id.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.ids.data()),
            column_text(table, "id"));
  if (table.ids.empty()) throw Error(file, "a table of units without a unit", "at least one");
  return table;
}

std::string column_text(const UnitsTable& table, const std::string& column) {
  return table.file_name + ":/units/" + column;
}

bool has_column(const UnitsTable& table, const std::string& column) {
  return !column.empty() && h5::exists(table.file.id(), "/units/" + column);
}

h5::Dataset open_column(const UnitsTable& table, const std::string& column) {
  return h5::open_dataset(table.file, {table.file_name, "/units/" + column});
}

std::vector<std::int64_t> read_ends(const UnitsTable& table, const std::string& column) {
  const std::string name = column_text(table, column + "_index");
  const h5::Dataset index = open_column(table, column + "_index");
  const h5::Type type = h5::type_of(index);
  const std::vector<std::int64_t> extents = h5::extents_of(index);
  if (H5Tget_class(type.id()) != H5T_INTEGER || extents.size() != 1 ||
      extents[0] != table.units()) {
    throw Error(name, h5::type_text(type.id()) + " of extents " + h5::extents_text(extents),
                "an integer for each of the " + std::to_string(table.units()) + " units");
  }
  const std::vector<std::int64_t> entries = h5::extents_of(open_column(table, column));
  const std::int64_t length = entries.empty() ? 0 : entries[0];
  const bool is_signed = H5Tget_sign(type.id()) == H5T_SGN_2;
  std::vector<std::uint64_t> raw(static_cast<std::size_t>(table.units()));
  h5::check(H5Dread(index.id(), is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
                    H5P_DEFAULT, raw.data()),
            name);
  std::vector<std::int64_t> ends;
  std::int64_t previous = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    // A negative value is a huge one here, and leaves the column too.
    if (raw[i] > static_cast<std::uint64_t>(length) ||
        static_cast<std::int64_t>(raw[i]) < previous) {
      throw Error(
          name + "[" + std::to_string(i) + "]",
          is_signed ? std::to_string(static_cast<std::int64_t>(raw[i])) : std::to_string(raw[i]),
          std::to_string(previous) + " to " + std::to_string(length) +
              ": ends do not go down, nor beyond the " + std::to_string(length) + " entries of " +
              column);
    }
    previous = static_cast<std::int64_t>(raw[i]);
    ends.push_back(previous);
  }
  return ends;
}

}  // namespace synelix::nwb
