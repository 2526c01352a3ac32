// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/spike_times.hpp"

#include "hdf5/objects/chunk_pieces.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/source/signal_attributes.hpp"
#include "times/times.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <cmath>
#include <limits>

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
  h5::require_list(opened.dataset, opened.name, h5::NumberKind::floating,
                   "Valid are floating-point seconds of one dimension");
  const std::vector<std::int64_t> extents = h5::extents_of(opened.dataset);
  const std::size_t along = h5::vector_dimension(extents).value_or(0);
  opened.ends = read_ends(table, "spike_times", extents[along]);
  opened.together = std::int64_t{1} << 16;
  const std::vector<std::int64_t> chunk = h5::chunk_of(opened.dataset);
  if (!chunk.empty() && chunk[along] < opened.together / stream::chunks_together) {
    opened.together = chunk[along] * stream::chunks_together;  // each accessed chunk takes memory
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

namespace {

/// Visits the numbers of a dataset. They are read in parts, because a file may claim any number.
template <class Visit>
void for_each_number(const h5::Dataset& dataset, const std::string& name, const Visit& visit) {
  constexpr std::int64_t together = std::int64_t{1} << 16;
  const std::vector<std::int64_t> extents = h5::extents_of(dataset);
  if (h5::count_of(dataset, most_together) == 0) return;
  const std::vector<std::int64_t> chunk = h5::chunk_of(dataset);
  const std::int64_t across =
      h5::count_of(dataset, most_together) / (extents.empty() ? 1 : extents[0]);
  std::int64_t rows = std::max<std::int64_t>(together / across, 1);
  if (!chunk.empty()) rows = std::min(rows, chunk[0] * stream::chunks_together);
  std::vector<std::int64_t> start(extents.size(), 0);
  std::vector<std::int64_t> count = extents;
  std::vector<double> values;
  const std::int64_t all = extents.empty() ? 1 : extents[0];
  for (std::int64_t at = 0; at < all; at += rows) {
    const std::int64_t number = std::min(rows, all - at);
    values.resize(static_cast<std::size_t>(number * across));
    if (extents.empty()) {
      h5::read_all(dataset, H5T_NATIVE_DOUBLE, values.data(), name);
    } else {
      start[0] = at;
      count[0] = number;
      h5::read_box(dataset, H5T_NATIVE_DOUBLE, start, count, values.data(), name);
    }
    for (const double value : values) visit(value);
  }
}

/// The first and the last of some times.
struct Extent {
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();

  void take(double time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
  [[nodiscard]] bool is_known() const { return first <= last; }
};

/// The finite values of a dataset of floats, if it is there.
Extent extent_of(const TrainTables& table, const std::string& dataset) {
  Extent extent;
  if (!h5::exists(table.file, dataset)) return extent;
  const h5::Dataset opened = h5::open_dataset(table.file, {table.file_name, dataset});
  const std::string name = table.file_name + ":" + dataset;
  if (!h5::are_numbers(opened, h5::NumberKind::floating)) {
    throw FileError(name, "it holds " + h5::type_text(h5::type_of(opened).id()),
                    "Valid are floating-point seconds");
  }
  require_seconds(opened, name);
  for_each_number(opened, name, [&](double value) {
    if (!std::isfinite(value)) return;
    if (!is_time(value)) {
      throw FileError(name, number_text(value) + " is not a time",
                      "Valid are " + std::string(valid_times));
    }
    extent.take(value);
  });
  return extent;
}

}  // namespace

Survey survey_of(const TrainTables& tables, const SpikeTimes& spikes) {
  Survey survey{.order = {}};
  Extent observed;
  Extent spiking;
  // Events may end long before the recording, but use its bins.
  if (!tables.are_units()) spiking = extent_of(tables, "/units/spike_times");
  for (const Table& table : tables.tables) {
    const Extent one =
        extent_of(tables, table.path + (tables.are_units() ? "/obs_intervals" : "/stop_time"));
    if (one.is_known() && tables.are_units()) {
      observed.take(one.first);
      observed.take(one.last);
    } else if (one.is_known()) {
      spiking.take(one.last);
    }
  }
  for (std::size_t i = 0; i < tables.ids.size(); ++i) {
    double before = -std::numeric_limits<double>::infinity();
    bool in_order = true;
    spikes.for_each_part(i, [&](std::span<const double> times) {
      for (const double time : times) {
        in_order = in_order && time >= before;
        before = time;
        spiking.take(time);
      }
    });
    survey.order.push_back(in_order ? 1 : 0);
  }
  const Extent epochs = extent_of(tables, "/intervals/epochs/stop_time");
  survey.end = std::max({0.0, epochs.last, observed.last, spiking.last});
  survey.is_observed = observed.is_known();
  if (observed.is_known() || spiking.is_known()) {
    survey.start = observed.is_known() ? observed.first : spiking.first;
  }
  return survey;
}

}  // namespace synelix::nwb
