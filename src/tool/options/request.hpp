// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/values.hpp"

#include <synelix/basis.hpp>
#include <synelix/choice.hpp>
#include <synelix/devices.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// \file
/// What the user asked for: one structure for each command, filled by the command line and read
/// by the command.

namespace synelix::tool {

/// How a run shows that it goes on.
enum class ProgressStyle : std::uint8_t { automatic, bar, lines, json, none };

/// What happens to a file that stands where the output goes: hdf5.hpp's Existing, without Kokkos.
enum class Standing : std::uint8_t { refuse, replace, append };

/// The type that features are computed in and written as.
enum class OutputType : std::uint8_t { float32, float64 };

/// What is printed.
struct Messages {
  bool json = false;   ///< the result as JSON on stdout
  bool quiet = false;  ///< nothing but errors on stderr
  ProgressStyle progress = ProgressStyle::automatic;
};

/// How far the files that are read are trusted. Only the command line can say it: a design or a
/// file of options may come from elsewhere too.
struct Trust {
  bool follow_links = false;   ///< to files outside of the folder of the one that was named
  bool allow_plugins = false;  ///< filters that HDF5 loads from folders
};

/// Where the filters come from: a basis and a window, or a file.
struct BankSource {
  std::optional<Basis> basis;
  std::optional<Duration> window;
  std::optional<DatasetPath> file;
};

/// Which spike trains of an NWB file are read, and how they are binned.
struct UnitsSource {
  double bin_seconds = 0;
  std::vector<std::int64_t> ids;
  std::vector<ColumnValue> where;
  bool only_observed = false;  ///< rows of times when all of them were observed
};

/// Which intervals of time are read.
struct IntervalsSource {
  DatasetPath table;  ///< without a file: of the input, of a design the first one
  std::vector<ColumnValue> where;
};

/// `synelix convolve`, and `synelix plan`, which stops before the run.
struct ConvolveRequest {
  DatasetPath input;
  DatasetPath output;                ///< empty file: none given (plan)
  std::optional<UnitsSource> units;  ///< absent: the input is an array
  BankSource bank;
  ConvolveOptions options;
  std::string machine;  ///< a file of `calibrate`, or "default"; empty: the user's own
  DeviceWish device;
  OutputType type = OutputType::float32;
  std::optional<DatasetPath> epochs;
  std::optional<IntervalsSource> intervals;
  std::optional<IndexRange> channels;
  std::optional<TimeRange> time;
  std::optional<double> scale;
  std::optional<double> offset;
  std::vector<std::int64_t> chunk;
  ChunkFilter filter;
  Standing standing = Standing::refuse;
  bool resume = false;   ///< goes on where the run before has stopped
  bool dry_run = false;  ///< `plan`
  Trust trust;
  std::string config;   ///< the file of --config; empty: none
  bool strict = false;  ///< dropped spikes are an error
  Messages messages;
};

/// `synelix features`.
struct FeaturesRequest {
  std::string design;  ///< its file
  DatasetPath output;  ///< empty file: none given (dry run)
  ConvolveOptions options;
  std::string machine;  ///< as of `convolve`
  DeviceWish device;
  OutputType type = OutputType::float32;
  std::optional<TimeRange> time;
  std::optional<DatasetPath> epochs;
  std::optional<IntervalsSource> intervals;
  std::vector<ColumnValue> where;   ///< on the columns of the table of intervals
  std::vector<std::int64_t> chunk;  ///< rows, columns; empty: chosen
  ChunkFilter filter;
  std::vector<std::string> given;  ///< names of the options of the command line: the design's yield
  Standing standing = Standing::refuse;
  bool resume = false;
  bool dry_run = false;
  Trust trust;
  std::string config;  ///< the file of --config; empty: none
  bool strict = false;
  Messages messages;
};

/// `synelix basis`.
struct BasisRequest {
  BankSource bank;
  DatasetPath output;  ///< empty file: CSV or JSON on stdout
  Standing standing = Standing::refuse;
  std::string config;  ///< the file of --config; empty: none
  Messages messages;
};

/// `synelix simulate`.
struct SimulateRequest {
  DatasetPath output;
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t seed = 0;
  double rate_hz = 5;
  double bin_seconds = 1e-3;
  Standing standing = Standing::refuse;
  std::string config;  ///< the file of --config; empty: none
  Messages messages;
};

/// `synelix calibrate`.
struct CalibrateRequest {
  std::string output;  ///< empty: the user's machine.json
  DeviceWish device;
  Messages messages;
};

/// `synelix info`.
struct InfoRequest {
  DatasetPath input;  ///< empty file: about this build
  Trust trust;
  Messages messages;
};

using Request = std::variant<ConvolveRequest, FeaturesRequest, BasisRequest, SimulateRequest,
                             CalibrateRequest, InfoRequest>;

}  // namespace synelix::tool
