// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nwb/table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// \file
/// `SpikeTimes`: the times of trains, read one train at a time and in parts; and `Survey`: the
/// beginning and end of a recording of units.

namespace synelix::nwb {

/// Largest number of times in one list, because a file may claim any number.
inline constexpr std::int64_t most_together = std::int64_t{1} << 27;

class SpikeTimes {
 public:
  /// \param where  conditions on rows of events; the caller applies those of units
  /// \throws Error if a column is missing or of another kind
  SpikeTimes(const TrainTables& tables, const std::vector<Condition>& where);

  [[nodiscard]] std::int64_t count(std::size_t train) const {
    const auto [table, row] = m_tables.place_of(train);
    return m_columns[table].ends[row] - first(train);
  }

  /// Bytes of times in memory while a train is read in ascending order.
  /// \param in_order  whether its times are ascending in the file: otherwise all of them are sorted
  ///                  in memory
  [[nodiscard]] std::int64_t bytes_to_read(std::size_t train, bool in_order) const {
    const std::int64_t held = in_order ? std::min(together(train), count(train)) : count(train);
    return held * static_cast<std::int64_t>(sizeof(double));
  }

  /// Bytes of events, which this object holds.
  [[nodiscard]] std::int64_t bytes() const;

  /// Visits the times of a train in the order of the file, a part at a time; all are finite.
  template <class Visit>
  void for_each_part(std::size_t train, const Visit& visit) const {
    require_countable(train);
    const std::int64_t number = count(train);
    const std::int64_t most = together(train);
    std::vector<double> times(static_cast<std::size_t>(std::min(most, number)));
    for (std::int64_t at = 0; at < number; at += most) {
      const std::span<double> part =
          std::span(times).first(static_cast<std::size_t>(std::min(most, number - at)));
      read(train, first(train) + at, part);
      visit(std::span<const double>(part));
    }
  }

  /// The same in ascending order. \param in_order whether they are ascending in the file
  template <class Visit>
  void for_each_ascending(std::size_t train, bool in_order, const Visit& visit) const {
    if (in_order) return for_each_part(train, visit);
    require_countable(train);
    std::vector<double> times(static_cast<std::size_t>(count(train)));
    const std::int64_t most = together(train);
    for (std::int64_t at = 0; at < count(train); at += most) {
      const std::int64_t number = std::min(most, count(train) - at);
      read(
          train, first(train) + at,
          std::span(times).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(number)));
    }
    std::sort(times.begin(), times.end());
    visit(std::span<const double>(times));
  }

 private:
  /// The times of a table.
  struct Column {
    std::string name;
    h5::Dataset dataset;             ///< of units
    std::vector<double> events;      ///< of events, which are all read at once
    std::vector<std::int64_t> ends;  ///< of each row
    std::int64_t together = 1;       ///< times that one call reads
  };

  void open_units_column(const Table& table);
  void require_countable(std::size_t train) const;
  [[nodiscard]] std::int64_t first(std::size_t train) const {
    const auto [table, row] = m_tables.place_of(train);
    return row == 0 ? 0 : m_columns[table].ends[row - 1];
  }
  [[nodiscard]] std::int64_t together(std::size_t train) const {
    return m_columns[m_tables.place_of(train).table].together;
  }
  void read(std::size_t train, std::int64_t first, std::span<double> times) const;

  const TrainTables& m_tables;
  std::vector<Column> m_columns;  ///< of each table
};

/// Facts that follow from all spikes.
struct Survey {
  double end = 0;  ///< of the recording, from all units, selected or not
  /// The start of the recording: its first observation, else its first spike, else 0.
  double start = 0;
  bool is_observed = false;         ///< whether `start` is that of an observation
  std::vector<std::uint8_t> order;  ///< for each unit: whether its spikes are in order
};

/// Reads the spike times of all units once. \throws Error if one is not finite
Survey survey_of(const TrainTables& tables, const SpikeTimes& spikes);

}  // namespace synelix::nwb
