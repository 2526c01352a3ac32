// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nwb/table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `TrainTables`: the tables that trains of times are read from: units of several tables, or
/// columns of times (events).

namespace synelix::nwb {

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
