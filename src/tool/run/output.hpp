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
/// What every run that writes features does beside computing them: its sink, the free disk space,
/// what stands in its way, its budget and its progress.

namespace synelix::tool {

/// Where features go, and how.
struct OutputRequest {
  DatasetPath path;                 ///< empty file: none given
  std::vector<std::int64_t> chunk;  ///< rows, channels, bases; empty: chosen
  ChunkFilter filter;
  Existing existing = Existing::refuse;
  bool resume = false;
  std::optional<OutputPart> part = {};  ///< this run writes only this part of the rows
  std::string part_variables = {};      ///< of the scheduler, that say so; empty: the command line
  OutputType type = OutputType::float32;
  bool dry_run = false;
};
/// \throws Error where the scheduler is to say which part this is, and does not
OutputRequest output_of(const ConvolveRequest& request);
OutputRequest output_of(const FeaturesRequest& request);

/// The name of FILE.part: beside FILE, or beside what FILE is a symbolic link to.
std::string part_of(const std::string& output);

/// Whether the run writes a file of its part alone, which `join` takes.
inline bool has_part_file(const OutputRequest& output) {
  return output.part && output.filter.deflate > 0;
}
/// The name of what the run writes: FILE.part, or that of its part's file.
std::string part_of(const OutputRequest& output);
/// A command line without its --part: the output that is made of part files has the history of a
/// run in one process.
std::string without_part(const std::string& command_line);
/// What a run in parts has written; nothing of another.
std::optional<PartReport> part_report(const OutputRequest& output, const Hdf5Sink& sink);

/// The library's filter of chunks.
Filter filter_of(const ChunkFilter& filter);
/// The sink of a run.
Hdf5Sink make_sink(const OutputRequest& output, Hdf5OutputOptions options);
/// The same sink for a plan: never opened, and what stands there is not in its way yet.
Hdf5Sink make_planned_sink(OutputRequest output);

/// Says which part the scheduler has given, where it was asked.
/// @{
void announce_part(const SchedulerPart& part, const Messages& messages);
void announce_part(const OutputRequest& output, const Messages& messages);
/// @}

/// Prints a report in JSON: as it is, or as one line about the line of a list.
void print_json(const Messages& messages, LineState state, const std::string& report);

/// Refuses an output that would replace a file that is read.
void require_other_file(const DatasetPath& output, const std::string& file,
                        const std::string& what);

/// Notes the free disk space, and refuses where there is too little.
void require_room(const OutputRequest& output, PlanReport& report);

/// What stands in the way of the output: an error, which a dry run only notes. `command` is who
/// will refuse.
std::string standing_note(const OutputRequest& output, const std::string& command);

/// What the library plans, as the report has it.
void report_plan(const StreamPlan& plan, std::int64_t held, PlanReport& report);

/// Runs a stream with its progress shown: it takes the options with what shows it. Where the stream
/// does not end, its error says what it leaves of the output. Looks at the memory with each block.
StreamReport run_shown(const Messages& messages, const std::string& verb,
                       const OutputRequest& output, StreamOptions options, RunMemory& memory,
                       const std::function<StreamReport(const StreamOptions&)>& stream);

/// What a run took, for its report.
RunReport run_report(const OutputRequest& output, const StreamReport& done, const Hdf5Sink& sink,
                     const RunMemory& memory);

}  // namespace synelix::tool
