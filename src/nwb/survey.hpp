// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nwb/spike_times.hpp"
#include "nwb/train_tables.hpp"

#include <cstdint>
#include <vector>

/// \file
/// `Survey`: the beginning and end of a recording of units.

namespace synelix::nwb {

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
