// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// The report of `info`: plain values, and their two output formats, text and JSON.

namespace synelix::tool {

/// This build on this machine. Facts that need a running Kokkos are omitted if it cannot run.
struct BuildReport {
  std::string version;
  std::string revision;
  std::string build_type;
  std::string compiler;
  std::vector<std::string> components;
  std::string kokkos_version;
  std::vector<std::string> backends;
  std::string execution_space;
  std::string device_architecture;  ///< target architecture; empty: no device backend
  std::vector<DeviceDescription> devices;
  std::string no_kokkos;  ///< why Kokkos cannot run here; empty: it can
  int concurrency = 0;
  std::vector<std::string> instruction_sets;
  std::string instruction_set;
  std::string machine_file;  ///< with an entry for this machine; empty: none
  std::string hdf5_version;
};

/// Another file from which a dataset is read.
struct FileBehindReport {
  std::string path;
  std::string role;  ///< "source of in.h5:/x"
  std::int64_t bytes = 0;
};

/// A link to another file.
struct LinkReport {
  std::string path;
  std::string file;
  std::string object;
  std::string refusal;  ///< empty: its target can be read
};

struct DatasetReport {
  std::string path;
  std::string type;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> chunk;
  std::vector<std::string> filters;
  std::int64_t stored_bytes = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<FileBehindReport> files;
  std::string refusal;  ///< why its values cannot be read; empty: they can be read
};

/// A spike train of an NWB file.
struct UnitReport {
  std::int64_t id = 0;
  std::int64_t spikes = 0;
};

/// A signal of an NWB file.
struct SignalReport {
  std::string path;
  std::string kind;
  std::string type;
  std::vector<std::int64_t> extents;
  std::optional<double> rate_hz;
  double start_seconds = 0;
  bool is_fitted = false;  ///< whether the rate was fitted to timestamps
  std::vector<std::pair<std::int64_t, double>> segments;  ///< first sample and its time, if there
                                                          ///< are several
  std::string refusal;                                    ///< empty: it can be read
};

/// A table of intervals of an NWB file.
struct IntervalsReport {
  std::string path;
  std::vector<std::string> columns;
  std::int64_t rows = 0;
  std::int64_t unusable = 0;     ///< rows without an interval of time
  std::int64_t overlapping = 0;  ///< rows that begin in another one
  double start_seconds = 0;
  double stop_seconds = 0;
  std::string refusal;  ///< empty: it can be read
};

/// Units outside of /units, or times of events, of an NWB file.
struct TrainsReport {
  std::string path;
  bool is_units = false;
  std::int64_t rows = 0;
  std::vector<std::string> columns;
  std::string refusal;  ///< empty: it can be read
};

/// Rows of an unfinished output that only one process at a time writes.
struct ShareReport {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t rows_written = 0;
  std::string state;  ///< "whole", "being written", "failed", "stopped", "not begun"
  std::string host;   ///< the last writer; empty: none
  std::int64_t process = 0;
  std::int64_t seconds = 0;  ///< since 1970
  std::string failure;
};

/// The rows of a compressed output in a file.
struct PartFileReport {
  std::int64_t number = 0;
  std::int64_t of = 1;
  std::string dataset;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t of_rows = 0;
  bool is_finished = false;
};

struct FileReport {
  std::string file;
  std::int64_t bytes = 0;
  std::string nwb_version;  ///< empty: no NWB file
  std::vector<DatasetReport> datasets;
  std::vector<LinkReport> links;
  std::vector<UnitReport> units;
  std::int64_t further_units = 0;  ///< not in the list
  std::vector<std::string> unit_columns;
  std::vector<SignalReport> signals;
  std::vector<IntervalsReport> intervals;
  std::vector<TrainsReport> trains = {};
  std::vector<ShareReport> shares = {};  ///< of an output in parts that is not finished
  std::optional<PartFileReport> part_file = {};
};

std::string text_of(const BuildReport& build);
std::string text_of(const FileReport& file);
std::string json_of(const BuildReport& build);
std::string json_of(const FileReport& file);

}  // namespace synelix::tool
