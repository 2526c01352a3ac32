// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/spike_times.hpp"

#include "files/hdf5/chunk_pieces.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/source/signal_attributes.hpp"
#include "vocabulary/number_text.hpp"
#include "vocabulary/times.hpp"

#include <synelix/error.hpp>

namespace synelix::nwb {

SpikeTimes::SpikeTimes(const TrainTables& tables, const std::vector<Condition>& where)
    : m_tables(tables) {
  for (std::size_t i = 0; i < tables.tables.size(); ++i) {
    if (tables.are_units()) {
      open_units_column(tables.tables[i]);
      continue;
    }
    Column column;
    column.name = column_text(tables.tables[i], tables.columns[i]);
    column.events = read_event_times(tables.tables[i], tables.columns[i], where);
    column.ends = {static_cast<std::int64_t>(column.events.size())};
    column.together = std::int64_t{1} << 16;
    m_columns.push_back(std::move(column));
  }
}

void SpikeTimes::open_units_column(const Table& table) {
  for (const char* const column : {"spike_times", "spike_times_index"}) {
    if (!has_column(table, column)) {
      throw FileError(table.file_name,
                      "its table of units comes without the column " + std::string(column),
                      "Give a file with spike_times and spike_times_index");
    }
  }
  Column opened;
  opened.name = column_text(table, "spike_times");
  opened.dataset = open_column(table, "spike_times");
  require_seconds(opened.dataset, opened.name);
  const h5::Type type = h5::type_of(opened.dataset);
  const std::vector<std::int64_t> extents = h5::extents_of(opened.dataset);
  const auto along = h5::vector_dimension(extents);
  if (H5Tget_class(type.id()) != H5T_FLOAT || !along) {
    throw FileError(opened.name,
                    "it holds " + h5::type_text(type.id()) + " of extents " + extents_text(extents),
                    "Valid are floating-point seconds of one dimension");
  }
  opened.ends = read_ends(table, "spike_times", extents[*along]);
  opened.together = std::int64_t{1} << 16;
  const std::vector<std::int64_t> chunk = h5::chunk_of(opened.dataset);
  if (!chunk.empty() && chunk[*along] < opened.together / stream::chunks_together) {
    opened.together = chunk[*along] * stream::chunks_together;  // each accessed chunk takes memory
  }
  m_columns.push_back(std::move(opened));
}

std::int64_t SpikeTimes::bytes() const {
  std::int64_t bytes = 0;
  for (const Column& column : m_columns) {
    bytes += static_cast<std::int64_t>(column.events.capacity() * sizeof(double));
  }
  return bytes;
}

void SpikeTimes::require_countable(std::size_t train) const {
  if (count(train) <= most_together) return;
  throw FileError(m_tables.times_text(train),
                  "it has " + std::to_string(count(train)) + " spikes of unit " +
                      std::to_string(m_tables.ids[train]),
                  "Valid are at most " + std::to_string(most_together));
}

void SpikeTimes::read(std::size_t train, std::int64_t first, std::span<double> times) const {
  const Column& column = m_columns[m_tables.place_of(train).table];
  if (!m_tables.are_units()) {
    std::copy_n(column.events.begin() + first, times.size(), times.begin());
    return;
  }
  h5::read_entries(column.dataset, H5T_NATIVE_DOUBLE, first,
                   static_cast<std::int64_t>(times.size()), times.data(),
                   column.name + ": cannot be read");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!is_time(times[i])) {
      throw FileError(
          column.name + "[" + std::to_string(first + static_cast<std::int64_t>(i)) + "]",
          "the time " + number_text(times[i]) + " of unit " + std::to_string(m_tables.ids[train]) +
              " is not a time of a spike",
          "Valid are " + std::string(valid_times));
    }
  }
}

}  // namespace synelix::nwb
