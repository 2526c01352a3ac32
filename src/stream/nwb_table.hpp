// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stream/h5_file.hpp"

#include <synelix/nwb.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Columns of the table of units in an NWB file: flat ones, and ragged ones whose entries for unit
/// i are [ends[i - 1], ends[i]) of a longer array.

namespace synelix::nwb {

/// The table /units of an open file.
struct UnitsTable {
  std::string file_name;
  h5::File file;
  std::vector<std::int64_t> ids;  ///< column `id`

  [[nodiscard]] std::int64_t units() const { return static_cast<std::int64_t>(ids.size()); }
};

/// Opens a file's table of units. \throws Error where there is none
UnitsTable open_units(const std::string& file);

/// "FILE:/units/COLUMN", for messages.
std::string column_text(const UnitsTable& table, const std::string& column);

/// Whether there is such a column.
bool has_column(const UnitsTable& table, const std::string& column);

/// The dataset of a column.
h5::Dataset open_column(const UnitsTable& table, const std::string& column);

/// Where the entries of each unit end in a ragged column: COLUMN_index, whatever unsigned type it
/// has. \throws Error where it goes down, leaves the column, or has another length than the table
std::vector<std::int64_t> read_ends(const UnitsTable& table, const std::string& column);

/// The units, as places in the table, that are asked for and fulfil all conditions.
std::vector<std::size_t> select_units(const UnitsTable& table, const UnitsOptions& options);

}  // namespace synelix::nwb
