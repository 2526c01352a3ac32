// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/text/report.hpp"

#include <synelix/devices.hpp>
#include <synelix/machine_file.hpp>
#include <synelix/types/join_parts.hpp>
#include <synelix/version.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// Whether the user's file has an entry for this machine.
bool is_calibrated() { return machine_of("").nanoseconds.has_value(); }

Json build_tree(const std::string& no_kokkos) {
  const BuildDescription build = build_description();
  Json found = Json::array();
  for (const DeviceDescription& device : devices()) {
    found.push_back({{"number", device.number},
                     {"name", device.name},
                     {"architecture", device.architecture},
                     {"memory_bytes", device.memory_bytes}});
  }
  Json tree = {{"version", build.version},       {"revision", build.revision},
               {"build_type", build.build_type}, {"compiler", build.compiler},
               {"components", build.components}, {"kokkos_version", build.kokkos_version},
               {"backends", build.backends},     {"execution_space", execution_space_name()},
               {"devices", std::move(found)}};
  if (no_kokkos.empty()) {
    tree["concurrency"] = execution_threads();
  } else {
    tree["no_kokkos"] = no_kokkos;
  }
  tree["instruction_sets"] = build.instruction_sets;
  if (no_kokkos.empty()) {
    tree["instruction_set"] = name_of(instruction_set_in_use());
    tree["machine_file"] = is_calibrated() ? default_machine_file() : "";
  }
  tree["hdf5_version"] = hdf5_version();
  if (const std::string architecture = device_architecture(); !architecture.empty()) {
    tree["device_architecture"] = architecture;
  }
  return tree;
}

/// Adds a key with a text, if there is one.
void add_text(Json& tree, const char* key, const std::string& text) {
  if (!text.empty()) tree[key] = text;
}

/// Ids and numbers of spikes of an NWB file's units, up to a readable number; nothing if it has
/// none.
void add_units(const FileDescription& file, Json& tree) {
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
    tree["units"].push_back({{"id", static_cast<std::int64_t>(ids.values[i])},
                             {"spikes", static_cast<std::int64_t>(ends.values[i] - before)}});
    before = ends.values[i];
  }
  if (units > most_units) tree["further_units"] = units - most_units;
}

Json dataset_tree(const DatasetDescription& dataset) {
  Json tree = {{"path", dataset.path},        {"shape", dataset.extents},
               {"type", dataset.type},        {"chunk", dataset.chunk},
               {"filters", dataset.filters},  {"stored_bytes", dataset.stored_bytes},
               {"attributes", Json::object()}};
  for (const auto& [name, value] : dataset.attributes) tree["attributes"][name] = value;
  if (tree["attributes"].contains("MATLAB_class") && dataset.extents.size() > 1) {
    tree["matlab_shape"] =
        std::vector<std::int64_t>(dataset.extents.rbegin(), dataset.extents.rend());
  }
  for (const InputFile& behind : dataset.files) {
    tree["files"].push_back(
        {{"path", behind.path}, {"role", behind.role}, {"bytes", behind.bytes}});
  }
  add_text(tree, "refusal", dataset.refusal);
  return tree;
}

Json signal_tree(const SignalDescription& signal) {
  Json tree = {{"path", signal.path},
               {"kind", signal.kind},
               {"type", signal.type},
               {"shape", signal.extents}};
  if (signal.times.rate_hz) {
    tree["rate_hz"] = *signal.times.rate_hz;
    tree["start_seconds"] = signal.times.start_seconds;
    tree["is_fitted"] = signal.fit.has_value();
  }
  for (const TimeSegment& segment : signal.times.segments) {
    tree["segments"].push_back(
        {{"first_sample", segment.first_sample}, {"start_seconds", segment.start_seconds}});
  }
  add_text(tree, "refusal", signal.refusal);
  return tree;
}

Json intervals_tree(const IntervalsDescription& table) {
  constexpr std::string_view usual = "/intervals/";
  const bool is_usual = table.path.starts_with(usual);
  Json tree = {{"path", table.path},
               {"name", table.path.substr(is_usual ? usual.size() : 0)},
               {"rows", table.rows},
               {"columns", table.columns}};
  if (!table.refusal.empty()) {
    tree["refusal"] = table.refusal;
    return tree;
  }
  const bool is_empty = table.intervals.empty();
  tree["start_seconds"] = is_empty ? 0.0 : table.intervals.front().start_seconds;
  tree["stop_seconds"] = is_empty ? 0.0 : table.intervals.back().stop_seconds;
  tree["unusable"] = table.unusable;        // rows without an interval of time
  tree["overlapping"] = table.overlapping;  // rows that begin in another one
  return tree;
}

/// The objects of an NWB file that can be named on the command line.
void add_nwb(const NwbDescription& nwb, Json& tree) {
  if (!nwb.unit_columns.empty()) tree["unit_columns"] = nwb.unit_columns;
  for (const SignalDescription& signal : nwb.signals) {
    tree["signals"].push_back(signal_tree(signal));
  }
  for (const IntervalsDescription& table : nwb.intervals) {
    tree["intervals"].push_back(intervals_tree(table));
  }
  for (const TrainsDescription& trains : nwb.trains) {
    Json entry = {{"path", trains.path}, {"rows", trains.rows}};
    if (trains.is_units) entry["columns"] = trains.columns;
    add_text(entry, "refusal", trains.refusal);
    tree[trains.is_units ? "unit_tables" : "events"].push_back(std::move(entry));
  }
}

/// Adds the state of the shares of an output in parts, unless it is finished.
void add_shares(const std::string& file, Json& tree) {
  std::optional<PartsDescription> parts;
  try {
    parts = describe_parts(file);
  } catch (const Error& error) {  // the rest can still be reported
    warn(error.what());
  }
  if (!parts) return;
  const bool is_finished = std::all_of(parts->shares.begin(), parts->shares.end(),
                                       [](const auto& share) { return share.is_whole; });
  if (is_finished) return;
  for (const ShareDescription& share : parts->shares) {
    const char* const state = share.is_whole           ? "whole"
                              : share.is_being_written ? "being written"
                              : !share.failure.empty() ? "failed"
                              : share.host.empty()     ? "not begun"
                                                       : "stopped";
    tree["shares"].push_back({{"first_row", share.rows.begin},
                              {"rows", share.rows.size()},
                              {"rows_written", share.rows_written},
                              {"state", state},
                              {"host", share.host},
                              {"process", share.process},
                              {"seconds", share.seconds},
                              {"failure", share.is_being_written ? "" : share.failure}});
  }
}

/// Adds the part of a compressed output that a file has.
void add_part_file(const std::string& file, Json& tree) {
  try {
    const auto found = describe_part_file(file);
    if (!found) return;
    tree["part"] = {{"number", found->part.number},     {"of", found->part.of},
                    {"dataset", found->dataset},        {"first_row", found->rows.begin},
                    {"rows", found->rows.size()},       {"of_rows", found->of_rows},
                    {"is_finished", found->is_finished}};
    if (found->rows.size() > 0) tree["part"]["last_row"] = found->rows.end - 1;
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the checkpoint of another kind of file
  }
}

/// A file. Attributes are the texts that the library makes of them.
Json file_tree(const InfoRequest& request) {
  const FileDescription file = describe_file(file_path(request.input));
  Json tree = {{"file", file.file}, {"bytes", file.bytes}};
  add_text(tree, "nwb_version", file.nwb_version);
  tree["datasets"] = Json::array();
  for (const DatasetDescription& dataset : file.datasets) {
    // the schema that every NWB file carries
    if (!file.nwb_version.empty() && dataset.path.starts_with("/specifications/")) continue;
    tree["datasets"].push_back(dataset_tree(dataset));
  }
  for (const LinkDescription& link : file.links) {
    tree["links"].push_back({{"path", link.path}, {"file", link.file}, {"object", link.object}});
    add_text(tree["links"].back(), "refusal", link.refusal);
  }
  try {
    add_units(file, tree);
  } catch (const Error& error) {  // the rest can still be reported
    warn(error.what());
  }
  const bool is_whole_nwb = !file.nwb_version.empty() && request.input.dataset.empty();
  if (is_whole_nwb) add_nwb(describe_nwb(request.input.file, links_followed()), tree);
  add_shares(request.input.file, tree);
  add_part_file(request.input.file, tree);
  return tree;
}

}  // namespace

void run_info(const InfoRequest& request, const std::string& no_kokkos) {
  const bool is_json = request.messages.json;
  if (request.input.file.empty()) {
    const Json build = build_tree(no_kokkos);
    std::cout << (is_json ? indented(build) : build_text(build));
    return;
  }
  Json file = file_tree(request);
  if (!is_json) {
    std::cout << file_text(file);
    return;
  }
  for (Json& dataset : file["datasets"]) {
    for (Json& value : dataset["attributes"]) value = number_or_text(value.get<std::string>());
  }
  std::cout << indented(file);
}

}  // namespace synelix::tool
