// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_file.hpp"

#include <synelix/types/nwb.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Columns of a table (DynamicTable) in an NWB file: flat ones, and ragged ones whose entries for
/// row i are [ends[i - 1], ends[i]) of a longer array.

namespace synelix::nwb {

/// A table of an open file: its units, or intervals of time.
struct Table {
  std::string file_name;
  h5::SourceFile file;
  std::string path;               ///< "/units"
  std::string row_name;           ///< "unit", for messages
  std::vector<std::int64_t> ids;  ///< column `id`; 0, 1, 2, ... if there is none

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(ids.size()); }
};

/// Largest number of times in a column of events, because a file may claim any number.
inline constexpr std::int64_t most_event_times = std::int64_t{1} << 27;

/// Opens a table of units of an open file. \throws Error if it has no unit
Table open_units(const std::string& file_name, const h5::SourceFile& file, const std::string& path);

/// Opens the group of a column of an open file as a table; its rows are those of the column.
Table open_columns(const std::string& file_name, const h5::SourceFile& file,
                   const std::string& group, const std::string& column);

/// Opens a table of at least one interval. \throws Error if it is not such a table, naming those in
/// /intervals
Table open_intervals(const FilePath& path);

/// "FILE:/units/COLUMN", for messages.
std::string column_text(const Table& table, const std::string& column);

/// Names of the columns of a table, without the indices of ragged ones.
std::vector<std::string> columns_of(const h5::SourceFile& file, const std::string& table);

/// Whether there is such a column.
bool has_column(const Table& table, const std::string& column);

/// The dataset of a column.
h5::Dataset open_column(const Table& table, const std::string& column);

/// A column of numbers, one for each row. \throws Error if it is missing or of another kind
std::vector<double> read_numbers(const Table& table, const std::string& column);

/// The ends of the entries of each row in a ragged column: COLUMN_index, of any unsigned type.
/// \throws Error if it decreases, leaves the column, or has another length than the table
/// \param length  entries of the column; absent: its first extent
std::vector<std::int64_t> read_ends(const Table& table, const std::string& column,
                                    std::optional<std::int64_t> length = {});

/// The times when all of these units, given by their rows, were observed: the intersection of their
/// intervals in the column obs_intervals. \throws Error if the table has no such column
std::vector<Interval> observed_together(const Table& table, const std::vector<std::size_t>& units);

/// Describes the results of read_intervals for a table: rows, intervals, and the numbers of rows in
/// its warnings.
/// \throws Error as read_intervals
void describe_intervals(const FilePath& path, IntervalsDescription& description);

/// Keeps only those of the given rows that meet all conditions.
/// \throws Error if none is left after one of them
void keep_where(const Table& table, const std::vector<Condition>& conditions,
                std::vector<std::size_t>& rows);

}  // namespace synelix::nwb
