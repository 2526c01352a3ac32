// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/scheduler_part.hpp"
#include "tool/text/list_report.hpp"
#include "tool/text/report.hpp"

#include <synelix/types/hdf5.hpp>
#include <synelix/types/stream.hpp>

#include <cstdint>
#include <functional>
#include <optional>
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
OutputRequest output_of(const ConvolveRequest& request);
OutputRequest output_of(const FeaturesRequest& request);

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
/// The report of a run in parts; nothing for other runs.
std::optional<PartReport> part_report(const OutputRequest& output, const Hdf5Sink& sink);

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

/// Prints a report in JSON: unchanged, or as one line on the line of a list.
void print_json(const Messages& messages, LineState state, const std::string& report);

/// Throws if an output would replace a file that is read.
void require_other_file(const DatasetPath& output, const std::string& file,
                        const std::string& what);

/// Records the free disk space, and throws if there is too little.
void require_room(const OutputRequest& output, PlanReport& report);

/// The reason why the output cannot be written: an error, which a dry run only reports. `command`
/// is the command that will fail.
std::string standing_note(const OutputRequest& output, const std::string& command);

/// Copies the library's plan to the report.
void report_plan(const StreamPlan& plan, std::int64_t held, PlanReport& report);

/// Runs a stream and shows its progress; sets the functions for this in the options. If the stream
/// fails, its error reports what is left of the output. Queries the memory at each block.
StreamReport run_shown(const Messages& messages, const std::string& verb,
                       const OutputRequest& output, StreamOptions options, RunMemory& memory,
                       const std::function<StreamReport(const StreamOptions&)>& stream);

/// The resources used by a run, for its report.
RunReport run_report(const OutputRequest& output, const StreamReport& done, const Hdf5Sink& sink,
                     const RunMemory& memory);

}  // namespace synelix::tool
