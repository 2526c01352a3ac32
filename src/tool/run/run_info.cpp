// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/text/info_text.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/devices.hpp>
#include <synelix/machine_file.hpp>
#include <synelix/types/join_parts.hpp>
#include <synelix/version.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

namespace synelix::tool {
namespace {

/// Whether the user's file has an entry for this machine.
bool is_calibrated() { return machine_of("").nanoseconds.has_value(); }

BuildReport describe_build(const std::string& no_kokkos) {
  const BuildDescription build = build_description();
  BuildReport report{.version = build.version,
                     .revision = build.revision,
                     .build_type = build.build_type,
                     .compiler = build.compiler,
                     .components = build.components,
                     .kokkos_version = build.kokkos_version,
                     .backends = build.backends,
                     .execution_space = execution_space_name(),
                     .device_architecture = device_architecture(),
                     .devices = devices(),
                     .no_kokkos = no_kokkos,
                     .concurrency = 0,
                     .instruction_sets = build.instruction_sets,
                     .instruction_set = "",
                     .machine_file = "",
                     .hdf5_version = hdf5_version()};
  if (no_kokkos.empty()) {
    report.concurrency = execution_threads();
    report.instruction_set = name_of(instruction_set_in_use());
    if (is_calibrated()) report.machine_file = default_machine_file();
  }
  return report;
}

/// Ids and numbers of spikes of an NWB file's units, up to a readable number; nothing if it has
/// none.
void add_units(const FileDescription& file, FileReport& report) {
  constexpr std::size_t most_units = 10'000;
  const auto is_there = [&](const char* path) {
    return std::any_of(file.datasets.begin(), file.datasets.end(),
                       [&](const auto& dataset) { return dataset.path == path; });
  };
  if (!is_there("/units/id") || !is_there("/units/spike_times_index")) return;
  const Matrix ids = read_matrix(file_path({.file = file.file, .dataset = "/units/id"}));
  const Matrix ends =
      read_matrix(file_path({.file = file.file, .dataset = "/units/spike_times_index"}));
  const std::size_t units = std::min(ids.values.size(), ends.values.size());
  double before = 0;
  for (std::size_t i = 0; i < std::min(units, most_units); ++i) {
    report.units.push_back({.id = static_cast<std::int64_t>(ids.values[i]),
                            .spikes = static_cast<std::int64_t>(ends.values[i] - before)});
    before = ends.values[i];
  }
  report.further_units = static_cast<std::int64_t>(units - report.units.size());
}

/// The objects of an NWB file that can be named on the command line.
void add_nwb(const NwbDescription& nwb, FileReport& report) {
  report.unit_columns = nwb.unit_columns;
  for (const SignalDescription& signal : nwb.signals) {
    SignalReport& entry = report.signals.emplace_back();
    entry = {.path = signal.path,
             .kind = signal.kind,
             .type = signal.type,
             .extents = signal.extents,
             .rate_hz = signal.times.rate_hz,
             .start_seconds = signal.times.start_seconds,
             .is_fitted = signal.fit.has_value(),
             .segments = {},
             .refusal = signal.refusal};
    for (const TimeSegment& segment : signal.times.segments) {
      entry.segments.emplace_back(segment.first_sample, segment.start_seconds);
    }
  }
  for (const TrainsDescription& trains : nwb.trains) {
    report.trains.push_back(
        {trains.path, trains.is_units, trains.rows, trains.columns, trains.refusal});
  }
  for (const IntervalsDescription& table : nwb.intervals) {
    IntervalsReport& entry = report.intervals.emplace_back();
    entry.path = table.path;
    entry.columns = table.columns;
    entry.rows = table.rows;
    entry.unusable = table.unusable;
    entry.overlapping = table.overlapping;
    entry.refusal = table.refusal;
    if (table.intervals.empty()) continue;
    entry.start_seconds = table.intervals.front().start_seconds;
    entry.stop_seconds = table.intervals.back().stop_seconds;
  }
}

std::vector<FileBehindReport> files_of(const DatasetDescription& dataset) {
  std::vector<FileBehindReport> files;
  files.reserve(dataset.files.size());
  for (const InputFile& file : dataset.files) files.push_back({file.path, file.role, file.bytes});
  return files;
}

FileReport file_report(const FileDescription& file) {
  FileReport report{.file = file.file,
                    .bytes = file.bytes,
                    .nwb_version = file.nwb_version,
                    .datasets = {},
                    .links = {},
                    .units = {},
                    .further_units = 0,
                    .unit_columns = {},
                    .signals = {},
                    .intervals = {}};
  try {
    add_units(file, report);
  } catch (const Error& error) {  // the rest can still be reported
    warn(error.what());
  }
  for (const DatasetDescription& dataset : file.datasets) {
    // the schema that every NWB file carries
    if (!file.nwb_version.empty() && dataset.path.starts_with("/specifications/")) continue;
    report.datasets.push_back({.path = dataset.path,
                               .type = dataset.type,
                               .extents = dataset.extents,
                               .chunk = dataset.chunk,
                               .filters = dataset.filters,
                               .stored_bytes = dataset.stored_bytes,
                               .attributes = dataset.attributes,
                               .files = files_of(dataset),
                               .refusal = dataset.refusal});
  }
  for (const LinkDescription& link : file.links) {
    report.links.push_back({link.path, link.file, link.object, link.refusal});
  }
  return report;
}

/// The state of the shares of an output in parts; nothing for a finished one.
std::vector<ShareReport> shares_of(const std::string& file) {
  std::vector<ShareReport> shares;
  std::optional<PartsDescription> parts;
  try {
    parts = describe_parts(file);
  } catch (const Error& error) {  // the rest can still be reported
    warn(error.what());
  }
  if (!parts) return shares;
  bool is_finished = true;
  for (const ShareDescription& share : parts->shares) {
    const std::string state = share.is_whole           ? "whole"
                              : share.is_being_written ? "being written"
                              : !share.failure.empty() ? "failed"
                              : share.host.empty()     ? "not begun"
                                                       : "stopped";
    is_finished = is_finished && share.is_whole;
    shares.push_back({.first_row = share.rows.begin,
                      .rows = share.rows.size(),
                      .rows_written = share.rows_written,
                      .state = state,
                      .host = share.host,
                      .process = share.process,
                      .seconds = share.seconds,
                      .failure = share.is_being_written ? "" : share.failure});
  }
  if (is_finished) shares.clear();
  return shares;
}

/// The part of a compressed output that a file has.
std::optional<PartFileReport> part_file_of(const std::string& file) {
  try {
    const auto found = describe_part_file(file);
    if (!found) return std::nullopt;
    return PartFileReport{.number = found->part.number,
                          .of = found->part.of,
                          .dataset = found->dataset,
                          .first_row = found->rows.begin,
                          .rows = found->rows.size(),
                          .of_rows = found->of_rows,
                          .is_finished = found->is_finished};
  } catch (const Error&) {  // the checkpoint of another kind of file, which describes nothing
    return std::nullopt;
  }
}

/// The report with each text of the file on one line, so that no text looks like another line.
FileReport on_lines(FileReport report) {
  const auto line = [](std::string& text) { text = terminal_text(text, Lines::escaped); };
  line(report.file);
  line(report.nwb_version);
  for (DatasetReport& dataset : report.datasets) {
    line(dataset.path);
    line(dataset.type);
    for (std::string& filter : dataset.filters) line(filter);
    for (auto& [name, value] : dataset.attributes) {
      line(name);
      line(value);
    }
    for (FileBehindReport& behind : dataset.files) {
      line(behind.path);
      line(behind.role);
    }
    line(dataset.refusal);
  }
  for (LinkReport& link : report.links) {
    line(link.path);
    line(link.file);
    line(link.object);
    line(link.refusal);
  }
  if (report.part_file) line(report.part_file->dataset);
  for (ShareReport& share : report.shares) {
    line(share.host);
    line(share.failure);
  }
  for (std::string& column : report.unit_columns) line(column);
  for (SignalReport& signal : report.signals) {
    line(signal.path);
    line(signal.kind);
    line(signal.type);
    line(signal.refusal);
  }
  for (TrainsReport& trains : report.trains) {
    line(trains.path);
    line(trains.refusal);
    for (std::string& column : trains.columns) line(column);
  }
  for (IntervalsReport& intervals : report.intervals) {
    line(intervals.path);
    line(intervals.refusal);
    for (std::string& column : intervals.columns) line(column);
  }
  return report;
}

template <class Report>
void print(const Report& report, const Messages& messages) {
  std::cout << (messages.json ? json_of(report) : terminal_text(text_of(report)));
}

}  // namespace

void run_info(const InfoRequest& request, const std::string& no_kokkos) {
  if (request.input.file.empty()) {
    print(describe_build(no_kokkos), request.messages);
  } else {
    FileReport report = file_report(describe_file(file_path(request.input)));
    report.shares = shares_of(request.input.file);
    report.part_file = part_file_of(request.input.file);
    const bool is_whole_nwb = !report.nwb_version.empty() && request.input.dataset.empty();
    if (is_whole_nwb) add_nwb(describe_nwb(request.input.file, links_followed()), report);
    if (!request.messages.json) report = on_lines(std::move(report));
    print(report, request.messages);
  }
}

}  // namespace synelix::tool
