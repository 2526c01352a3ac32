// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/hdf5.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// \file
/// Small runs that write a file, and its required contents.

namespace crash {

/// The input of the convolution.
enum class Input : std::uint8_t { dense, events, design };

/// A run that writes out.h5:/g/f.
struct Scenario {
  std::string name;
  Input input = Input::dense;
  synelix::Filter filter = {};
  synelix::Existing existing = synelix::Existing::refuse;
  synelix::BlockShape chunk = {64, 3, 4};
  synelix::Batch batch = {.samples = 72};
  std::int64_t stop_at = 0;  ///< blocks after which the run is stopped as by a signal; 0: never
  /// The parts in which rows are written, in turn; one more if they are resumed. 0: a run without
  /// parts.
  std::int64_t parts = 0;
};

const std::vector<Scenario>& scenarios();

/// The result of a run.
struct Done {
  bool is_at_end = false;          ///< not stopped
  bool was_finished = false;       ///< out.h5 was there
  std::int64_t blocks_before = 0;  ///< that the run found in out.h5.part
  std::int64_t blocks = 0;         ///< that it computed
};

/// Runs a scenario. \throws synelix::Error
Done run(const Scenario& scenario, const std::string& folder, synelix::Start start);

/// Makes the out.h5 that exists before a run appends to it or replaces it.
void make_standing_file(const std::string& file);

/// All datasets of a file: types and extents as text, and bytes. Empty if it is not an HDF5 file.
std::map<std::string, std::string> datasets_of(const std::string& file);

}  // namespace crash
