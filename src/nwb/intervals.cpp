// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables of intervals, and the times when units were observed.
#include "files/hdf5/h5_attributes.hpp"
#include "nwb/table.hpp"
#include "vocabulary/number_text.hpp"
#include "vocabulary/times.hpp"

#include <synelix/error.hpp>

#include <numeric>

namespace synelix {

std::vector<Interval> read_intervals(const FilePath& path, const std::vector<Condition>& where) {
  const h5::Call call;
  const nwb::Table table = nwb::open_intervals(path);
  const std::vector<double> starts = nwb::read_numbers(table, "start_time");
  const std::vector<double> stops = nwb::read_numbers(table, "stop_time");
  std::vector<std::size_t> kept(table.ids.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  nwb::keep_where(table, where, kept);
  std::vector<Interval> intervals;
  std::vector<std::int64_t> rows;
  for (const std::size_t i : kept) {
    intervals.push_back({starts[i], stops[i]});
    rows.push_back(static_cast<std::int64_t>(i));
  }
  const std::string name = to_string(path);
  intervals = ordered_intervals(name, intervals, rows);
  if (intervals.empty()) {
    throw FileError(name, "all of its intervals are of no length",
                    "Give at least one of some length");
  }
  return intervals;
}

namespace nwb {

std::vector<Interval> observed_together(const Table& table, const std::vector<std::size_t>& units) {
  constexpr std::int64_t most_numbers = std::int64_t{1} << 26;
  const std::string name = column_text(table, "obs_intervals");
  const std::vector<std::int64_t> ends = read_ends(table, "obs_intervals");
  const h5::Dataset dataset = open_column(table, "obs_intervals");
  const h5::Type type = h5::type_of(dataset);
  const std::vector<std::int64_t> extents = h5::extents_of(dataset);
  if (H5Tget_class(type.id()) != H5T_FLOAT || extents.size() != 2 || extents[1] != 2) {
    throw FileError(name,
                    "it holds " + h5::type_text(type.id()) + " of extents " + extents_text(extents),
                    "Valid are floating-point seconds of extents (n, 2)");
  }
  std::vector<double> times(static_cast<std::size_t>(h5::count_of(dataset, most_numbers)));
  if (!times.empty()) {
    h5::check(H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()),
              name);
  }
  std::vector<Interval> together;
  for (std::size_t n = 0; n < units.size(); ++n) {
    const std::size_t unit = units[n];
    std::vector<Interval> own;
    for (std::int64_t i = unit == 0 ? 0 : ends[unit - 1]; i < ends[unit]; ++i) {
      const auto at = static_cast<std::size_t>(2 * i);
      const Interval interval{times[at], times[at + 1]};
      // each alone: those of one unit may overlap
      for (const Interval& one : ordered_intervals(
               name + ", unit " + std::to_string(table.ids[unit]) + ", row", {interval}, {i})) {
        own.push_back(one);
      }
    }
    own = united(std::move(own));
    together = n == 0 ? own : intersection(together, own);
  }
  return together;
}

}  // namespace nwb
}  // namespace synelix
