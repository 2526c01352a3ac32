// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nwb/spike_times.hpp"
#include "nwb/train_tables.hpp"

#include <cstdint>
#include <vector>

/// \file
/// `Survey`: where a recording of units begins and ends.

namespace synelix::nwb {

/// What all spikes together say.
struct Survey {
  double end = 0;  ///< of the recording: by any unit, whether it is asked for or not
  /// Of the recording: its first observation, else its first spike. 0 where it has neither.
  double start = 0;
  bool is_observed = false;         ///< whether `start` is that of an observation
  std::vector<std::uint8_t> order;  ///< of each unit: whether its spikes lie in order
};

/// Reads the spike times of all units once. \throws Error where one is no time
Survey survey_of(const TrainTables& tables, const SpikeTimes& spikes);

}  // namespace synelix::nwb
