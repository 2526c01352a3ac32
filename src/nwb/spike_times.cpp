// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/spike_times.hpp"

#include "files/hdf5/chunk_pieces.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "vocabulary/number_text.hpp"
#include "vocabulary/times.hpp"

#include <synelix/error.hpp>

namespace synelix::nwb {

SpikeTimes::SpikeTimes(const Table& table)
    : m_table(table), m_name(column_text(table, "spike_times")) {
  for (const char* const column : {"spike_times", "spike_times_index"}) {
    if (!has_column(table, column)) {
      throw FileError(table.file_name,
                      "its table of units comes without the column " + std::string(column),
                      "Give a file with spike_times and spike_times_index");
    }
  }
  m_dataset = open_column(table, "spike_times");
  const h5::Type type = h5::type_of(m_dataset);
  const std::vector<std::int64_t> extents = h5::extents_of(m_dataset);
  if (H5Tget_class(type.id()) != H5T_FLOAT || extents.size() != 1) {
    throw FileError(m_name,
                    "it holds " + h5::type_text(type.id()) + " of extents " + extents_text(extents),
                    "Valid are floating-point seconds of one dimension");
  }
  m_ends = read_ends(table, "spike_times");
  m_together = std::int64_t{1} << 16;
  const std::vector<std::int64_t> chunk = h5::chunk_of(m_dataset);
  if (!chunk.empty() && chunk[0] < m_together / stream::chunks_together) {
    m_together = chunk[0] * stream::chunks_together;  // each that is touched takes memory
  }
}

void SpikeTimes::require_countable(std::size_t unit) const {
  if (count(unit) <= most_together) return;
  throw FileError(m_name,
                  "it has " + std::to_string(count(unit)) + " spikes of unit " +
                      std::to_string(m_table.ids[unit]),
                  "Valid are at most " + std::to_string(most_together));
}

void SpikeTimes::read(std::size_t unit, std::int64_t first, std::span<double> times) const {
  const h5::Space in_file(H5Dget_space(m_dataset.id()), m_name);
  const auto start = static_cast<hsize_t>(first);
  const hsize_t count = times.size();
  const h5::Space in_memory(H5Screate_simple(1, &count, nullptr), m_name);
  h5::check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
            m_name);
  h5::check(H5Dread(m_dataset.id(), H5T_NATIVE_DOUBLE, in_memory.id(), in_file.id(), H5P_DEFAULT,
                    times.data()),
            m_name + ": cannot be read");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!is_time(times[i])) {
      throw FileError(m_name + "[" + std::to_string(start + i) + "]",
                      "the time " + number_text(times[i]) + " of unit " +
                          std::to_string(m_table.ids[unit]) + " is not a time of a spike",
                      "Valid are " + std::string(valid_times));
    }
  }
}

}  // namespace synelix::nwb
