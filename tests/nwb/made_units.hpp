// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/made_file.hpp"

#include <synelix/nwb.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Units of NWB files that tests make.

namespace made {

/// (sample, count) of the events of one channel.
inline std::vector<std::pair<std::int64_t, float>> train(const synelix::Units& units,
                                                         std::int64_t c) {
  std::vector<std::pair<std::int64_t, float>> result;
  const synelix::Events& events = units.events;
  for (std::int64_t i = events.begins()[c]; i < events.begins()[c + 1]; ++i) {
    result.emplace_back(events.sample_indices()[i],
                        events.counts() != nullptr ? events.counts()[i] : 1.0F);
  }
  return result;
}

/// A file with three units: 7 (four spikes), 3 (none), 12 (three).
struct UnitsFile {
  std::vector<double> times = {0.0005, 0.001, 0.0015, 0.0049, 0.0, 0.002, 0.0021};
  std::vector<std::int64_t> ids = {7, 3, 12};
  std::vector<std::uint8_t> ends = {4, 4, 7};

  void write(const File& made) const {
    made.dataset("/units/id", {ids.size()}, ids);
    made.dataset("/units/spike_times", {times.size()}, times);
    made.dataset("/units/spike_times_index", {ends.size()}, ends);
    made.strings("/units/quality", {"good", "noise", "good"});
    made.dataset("/units/depth", {3}, std::vector<double>{10.5, 20, 1e-3});
    made.dataset("/units/shank", {3}, std::vector<std::int32_t>{0, 1, 1});
    made.strings("/units/tags", {"a", "b", "c"});
    made.dataset("/units/tags_index", {3}, std::vector<std::uint16_t>{2, 2, 3});
  }
  void write(const std::string& name) const { write(File(name)); }
};

/// Units in bins of this many seconds.
inline synelix::Units read(const std::string& file, double bin,
                           const std::vector<synelix::Condition>& where = {},
                           const std::vector<std::int64_t>& ids = {}) {
  return synelix::read_units(file, {.bin_seconds = bin, .unit_ids = ids, .where = where});
}

}  // namespace made
