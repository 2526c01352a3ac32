// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/scheduler_part.hpp"
#include "tool/run/run_list.hpp"
#include "tool/text/report.hpp"

#include <synelix/types/hdf5.hpp>
#include <synelix/types/stream.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// \file
/// The common tasks of all runs that write features: sink, free disk space, existing files, budget
/// and progress.

namespace synelix::tool {

/// The destination and form of features.
struct OutputRequest {
  DatasetPath path;                 ///< empty file: none given
  std::vector<std::int64_t> chunk;  ///< rows, channels, bases; empty: chosen
  ChunkFilter filter;
  Existing existing = Existing::refuse;
  bool resume = false;
  std::optional<OutputPart> part = {};  ///< this run writes only this part of the rows
  std::string part_variables = {};      ///< of the scheduler, that give the part; empty: from the
                                        ///< command line
  OutputType type = OutputType::float32;
  bool dry_run = false;
};
/// \throws Error if the scheduler should give the part, but does not
OutputRequest output_of(const FeaturesOutput& request);

/// The name of FILE.part: beside FILE, or beside the target of FILE if it is a symbolic link.
std::string part_of(const std::string& output);

/// Whether the run writes a separate file for its part, which `join` reads.
inline bool has_part_file(const OutputRequest& output) {
  return output.part && output.filter.deflate > 0;
}
/// The name of the file that the run writes: FILE.part, or its part's file.
std::string part_of(const OutputRequest& output);
/// A command line without its --part: the output joined from part files has the history of a run in
/// one process.
std::string without_part(const std::string& command_line);

/// The library's filter of chunks.
Filter filter_of(const ChunkFilter& filter);
/// The sink of a run.
Hdf5Sink make_sink(const OutputRequest& output, Hdf5OutputOptions options);
/// The same sink for a plan: it is never opened, and existing files do not matter yet.
Hdf5Sink make_planned_sink(OutputRequest output);

/// Reports the part that the scheduler has given, if it was asked.
/// @{
void announce_part(const SchedulerPart& part, const Messages& messages);
void announce_part(const OutputRequest& output, const Messages& messages);
/// @}

/// Throws if an output would replace a file that is read.
/// @{
void require_other_file(const DatasetPath& output, const std::string& file,
                        const std::string& what);
void require_other_files(const DatasetPath& output, const std::vector<ReadFile>& files);
/// @}

/// The free disk space for an output of this size; nothing if there is no output.
/// \throws Error if it is too little
std::optional<std::int64_t> require_room(const OutputRequest& output, std::int64_t bytes);

/// The reason why the output cannot be written: an error, which a dry run only reports. `command`
/// is the command that will fail.
std::string standing_note(const OutputRequest& output, const std::string& command);

/// Adds the library's plan to a report: features, method, blocks, memory and prediction. Checks the
/// place of the output.
/// \param shape        of the features
/// \param held         bytes of spike trains in memory
/// \param input_bytes  that are read while the run computes
void add_plan(const StreamPlan& plan, const OutputRequest& output, const std::string& command,
              const std::vector<std::int64_t>& shape, std::int64_t held, std::int64_t input_bytes,
              bool is_calibrated, Json& report);

/// Prints a plan: for a dry run as the result, otherwise as the beginning of the run's messages.
void print_plan(const Messages& messages, bool is_dry_run, const Json& report,
                std::span<const ReportLine> lines);

/// Runs a stream and shows its progress; sets the functions for this in the options. If the stream
/// fails, its error reports what is left of the output. Queries the memory at each block.
StreamReport run_shown(const Messages& messages, const std::string& verb,
                       const OutputRequest& output, StreamOptions options, RunMemory& memory,
                       const std::function<StreamReport(const StreamOptions&)>& stream);

/// Adds the run to the report of its plan, and prints it.
LineState report_run(const Messages& messages, const OutputRequest& output,
                     const StreamReport& done, const Hdf5Sink& sink, const RunMemory& memory,
                     Json& report);

}  // namespace synelix::tool
