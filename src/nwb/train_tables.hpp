// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nwb/table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `TrainTables`: where trains of times are read from, which may be units of several tables, or
/// columns of times (events).

namespace synelix::nwb {

/// Tables of one file, whose rows are units; or columns of times, each of which is one train.
struct TrainTables {
  std::string file_name;
  h5::SourceFile file;
  std::vector<Table> tables;
  std::vector<std::string> columns;  ///< of each table, where its times are events; else empty
  std::vector<std::int64_t> ids;     ///< of all trains, one table behind the other; each once

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

/// Opens what UnitsOptions::tables names. \throws Error where it is neither a table of units nor a
/// column of times
TrainTables open_trains(const std::string& file, const UnitsOptions& options);

/// The trains, as places in the tables, that are asked for and fulfil all conditions.
std::vector<std::size_t> select_trains(const TrainTables& tables, const UnitsOptions& options);

/// The times when all of these units were observed.
std::vector<Interval> observed_together(const TrainTables& tables,
                                        const std::vector<std::size_t>& trains);

/// The times of a column of events, of the rows that fulfil all conditions. Warns of times that are
/// NaN, which are left out. \throws Error where the column holds something else
std::vector<double> read_event_times(const Table& table, const std::string& column,
                                     const std::vector<Condition>& where);

/// Paths of all tables of units of a file but /units, in their order.
std::vector<std::string> unit_tables_in(const h5::SourceFile& file);

}  // namespace synelix::nwb
