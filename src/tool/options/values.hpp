// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/choice.hpp>
#include <synelix/devices.hpp>
#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Parsers of values on a command line. Each throws Error with the fault and the valid values; the
/// caller prepends the option's name.

namespace synelix::tool {

/// "FILE:/dataset", or a file alone.
struct DatasetPath {
  std::string file;
  std::string dataset;  ///< with its leading slash; empty: not given

  [[nodiscard]] std::string text() const { return dataset.empty() ? file : file + ":" + dataset; }
};

/// A duration: a plain number, whose unit depends on the option, or a number with a unit.
struct Duration {
  double value = 0;
  bool in_seconds = false;  ///< whether a unit was given, and `value` is in seconds
};

/// START:STOP in time; an absent side means the recording's own.
struct TimeRange {
  std::optional<Duration> start;
  std::optional<Duration> stop;
};

/// BEGIN:END of indices; an absent side means the first or the last.
struct IndexRange {
  std::int64_t begin = 0;
  std::optional<std::int64_t> end;
};

/// The filters of a chunk.
struct ChunkFilter {
  bool shuffle = false;
  int deflate = 0;  ///< level 1 to 9; 0: no filter
};

/// COLUMN=VALUE of a table of units or intervals.
struct ColumnValue {
  std::string column;
  std::string value;
};

/// The value of --part.
struct PartWish {
  std::optional<OutputPart> part;  ///< absent: the scheduler determines it
};

/// "in.h5:/group/counts". The dataset begins at the last ":/".
DatasetPath parse_dataset_path(const std::string& text);
/// The same for a file that is written, which cannot be an NWB file.
DatasetPath parse_output_path(const std::string& text);
/// "/processing/ecephys/probe0,/processing/ecephys/probe1": paths of tables, each starting with a
/// slash.
std::vector<std::string> parse_tables(const std::string& text);
/// "trials", "/path" or "in.nwb:/path": a table of intervals; without a file if none is named.
DatasetPath parse_interval_table(const std::string& text);
/// "512MiB", "1.5GiB", "64MB", "100000": bytes, at least 1. K, M, G, T alone are powers of 1024.
std::int64_t parse_bytes(const std::string& text);
/// "10ms", "1s", "2.5min", "100": units h, min, s, ms, us, ns.
Duration parse_duration(const std::string& text);
/// "10ms": the width of a bin in seconds. A number without a unit is rejected, since 10 may mean
/// samples, seconds or milliseconds.
/// Or a rate: "30Hz" is 1/30 s.
double parse_bin(const std::string& text);
/// "1.5e9s": a time in seconds, with its unit.
double parse_time(const std::string& text);
/// "10s:20s", "1000:", ":5min".
TimeRange parse_time_range(const std::string& text);
/// "0:64", "8:", ":16", and "5" for a single index.
IndexRange parse_index_range(const std::string& text);
/// "0" to "6": a dimension of an array.
std::int64_t parse_axis(const std::string& text);
/// "2000,5,2": samples, channels, bases; a blank entry is chosen by the library.
Batch parse_batch(const std::string& text);
/// "1024x64x8": rows, channels, bases of a chunk.
std::vector<std::int64_t> parse_chunk(const std::string& text);
/// "none", "deflate:4", "shuffle,deflate:1".
ChunkFilter parse_filter(const std::string& text);
/// "location=thalamus".
ColumnValue parse_condition(const std::string& text);
/// "1", "local-rank": a device of this machine.
DeviceWish parse_device(const std::string& text);
/// "avx2": an instruction set of the build. Whether the processor has it is checked later.
InstructionSet parse_instruction_set(const std::string& text);
/// "0/4" to "3/4", or "auto": a part of a run.
PartWish parse_part(const std::string& text);
/// "8": threads of the host.
int parse_threads(const std::string& text);
/// An integer.
std::int64_t parse_integer(const std::string& text);
/// A finite number.
double parse_number(const std::string& text);
/// Numbers separated by commas.
std::vector<double> parse_numbers(const std::string& text);
/// Integers separated by commas.
std::vector<std::int64_t> parse_integers(const std::string& text);

/// "0.001": the shortest text that reads back as the number.
std::string format_number(double number);
/// "16.0 GiB": bytes for people.
std::string format_bytes(double bytes);
std::string format_byte_count(std::int64_t bytes);
/// "10 ms", "1 h 2 min": seconds for people.
std::string format_seconds(double seconds);
/// A number with thousands separated, "1,000,000".
std::string format_count(std::int64_t count);

}  // namespace synelix::tool
