// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/series.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Spike trains of an NWB file as `Events`.
///
/// Bin k is edge_k <= t < edge_{k+1} with edge_k = start + k * bin, rounded to 1e-9 s. A bin is
/// kept where its centre is at or before the end; spikes outside [start, end] do not count. Start
/// is 0; the end is the latest of the last spike of any unit, the stop of the file's epochs
/// (/intervals/epochs) and of obs_intervals. That is what pynapple's count(bin, ep) gives.
/// Needs the target Synelix::hdf5.

namespace synelix {

/// Units whose column has this value. Text, integers, floating-point numbers and booleans (true,
/// false) are compared as what the column holds; in a column with several entries for a unit, one
/// of them is enough.
struct Condition {
  std::string column;
  std::string value;
};

/// Which units are read, and how they are binned.
struct UnitsOptions {
  double bin_seconds = 0;                   ///< at least 1e-9
  std::vector<std::int64_t> unit_ids = {};  ///< in this order; empty: all, in the file's order
  std::vector<Condition> where = {};        ///< all of them have to hold
};

/// Spike trains as events, one channel for each unit.
struct Units {
  Events events;
  std::vector<std::int64_t> ids;  ///< of each channel, as in the column `id`
  double bin_seconds = 0;
  double start_seconds = 0;
  double end_seconds = 0;
  std::int64_t spikes = 0;  ///< that were counted

  /// Number of bins.
  [[nodiscard]] std::int64_t rows() const { return events.shape().samples; }
};

/// Reads the units of a file, the spikes of one unit at a time. Spike times that are not in order
/// are sorted; a spike at a negative time does not count.
/// \throws Error where the file is no NWB file with units, a unit or a column is not there, nothing
///         fulfils the conditions (the column's values are named), the index leaves the spike times
///         or goes down, or a spike time is not finite
Units read_units(const std::string& file, const UnitsOptions& options);

}  // namespace synelix
