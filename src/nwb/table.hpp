// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_file.hpp"

#include <synelix/types/nwb.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Columns of a table (DynamicTable) in an NWB file: flat ones, and ragged ones whose entries for
/// row i are [ends[i - 1], ends[i]) of a longer array. And `TrainTables`: the tables that trains of
/// times are read from: units of several tables, or columns of times (events).

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

/// Numbers that follow each other.
template <class Number>
std::vector<Number> numbers_from(Number first, std::int64_t count) {
  std::vector<Number> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

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

/// Tables of one file, whose rows are units; or columns of times, each of which is one train.
struct TrainTables {
  std::string file_name;
  h5::SourceFile file;
  std::vector<Table> tables;
  std::vector<std::string> columns;  ///< of each table of events, the column of times; else empty
  std::vector<std::int64_t> ids;     ///< of all trains, in the order of tables; unique

  struct Place {
    std::size_t table = 0;
    std::size_t row = 0;
  };

  [[nodiscard]] bool are_units() const { return columns.empty(); }
  [[nodiscard]] Place place_of(std::size_t train) const;
  /// "FILE:/units/spike_times", for messages about a train.
  [[nodiscard]] std::string times_text(std::size_t train) const;
  /// Whether the file says when each unit was observed.
  [[nodiscard]] bool has_observations() const;
};

/// Opens the tables of UnitsOptions::tables. \throws Error if one is neither a table of units nor a
/// column of times
TrainTables open_trains(const std::string& file, const UnitsOptions& options);

/// The numbers of the requested trains that meet all conditions.
std::vector<std::size_t> select_trains(const TrainTables& tables, const UnitsOptions& options);

/// The times when all of these units were observed.
std::vector<Interval> observed_together(const TrainTables& tables,
                                        const std::vector<std::size_t>& trains);

/// The times of a column of events in the rows that meet all conditions. NaN times are left out,
/// with a warning. \throws Error if the column is of another kind
std::vector<double> read_event_times(const Table& table, const std::string& column,
                                     const std::vector<Condition>& where);

/// Paths of all tables of units of a file except /units, in their order.
std::vector<std::string> unit_tables_in(const h5::SourceFile& file);

}  // namespace synelix::nwb
