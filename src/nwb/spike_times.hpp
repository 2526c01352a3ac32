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
/// `SpikeTimes`: the spike times of a table of units, read one unit at a time, and in parts.

namespace synelix::nwb {

/// Numbers of one list: a file may claim any number of them.
inline constexpr std::int64_t most_together = std::int64_t{1} << 27;

class SpikeTimes {
 public:
  /// \throws Error where a column is missing, or is something else
  explicit SpikeTimes(const Table& table);

  [[nodiscard]] std::int64_t count(std::size_t unit) const { return m_ends[unit] - first(unit); }

  /// Bytes of times that are held while a unit is read in ascending order.
  /// \param in_order  whether its times lie so in the file: else all of them are sorted together
  [[nodiscard]] std::int64_t bytes_to_read(std::size_t unit, bool in_order) const {
    const std::int64_t held = in_order ? std::min(m_together, count(unit)) : count(unit);
    return held * static_cast<std::int64_t>(sizeof(double));
  }

  /// Visits the times of a unit as they lie in the file, a part at a time; all are finite.
  template <class Visit>
  void for_each_part(std::size_t unit, const Visit& visit) const {
    require_countable(unit);
    std::vector<double> times(static_cast<std::size_t>(std::min(m_together, count(unit))));
    for (std::int64_t at = first(unit); at < m_ends[unit]; at += m_together) {
      const auto number = static_cast<std::size_t>(std::min(m_together, m_ends[unit] - at));
      const std::span<double> part = std::span(times).first(number);
      read(unit, at, part);
      visit(std::span<const double>(part));
    }
  }

  /// The same in ascending order. \param in_order  whether they lie so in the file
  template <class Visit>
  void for_each_ascending(std::size_t unit, bool in_order, const Visit& visit) const {
    if (in_order) return for_each_part(unit, visit);
    require_countable(unit);
    std::vector<double> times(static_cast<std::size_t>(count(unit)));
    for (std::int64_t at = 0; at < count(unit); at += m_together) {
      const std::int64_t number = std::min(m_together, count(unit) - at);
      read(
          unit, first(unit) + at,
          std::span(times).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(number)));
    }
    std::sort(times.begin(), times.end());
    visit(std::span<const double>(times));
  }

 private:
  void require_countable(std::size_t unit) const;
  [[nodiscard]] std::int64_t first(std::size_t unit) const {
    return unit == 0 ? 0 : m_ends[unit - 1];
  }
  void read(std::size_t unit, std::int64_t first, std::span<double> times) const;

  const Table& m_table;
  std::string m_name;
  h5::Dataset m_dataset;
  std::vector<std::int64_t> m_ends;
  std::int64_t m_together;  ///< times that one call reads
};

}  // namespace synelix::nwb
