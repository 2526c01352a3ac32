// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/report.hpp"

#include "tool/text/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace synelix::tool {
namespace {

Json input_of(const PlanReport& plan) {
  Json input = {{"path", plan.input},
                {"samples", plan.samples},
                {"channels", plan.channels},
                {"type", plan.stored_type},
                {"epochs", plan.epochs}};
  if (plan.events) input["events"] = *plan.events;
  if (plan.spikes) input["spikes"] = parse_json(json_of(*plan.spikes));
  if (plan.bins) input["bins"] = parse_json(json_of(*plan.bins));
  if (plan.rate_hz) input["rate_hz"] = *plan.rate_hz;
  if (plan.fit) {
    input["timestamps"] = {{"most_deviation_samples", plan.fit->most_deviation},
                           {"segments", plan.fit->segments}};
  }
  return input;
}

Json predicted_of(const PlanReport& plan) {
  Json predicted = {{"flops", plan.flops},
                    {"bytes", plan.moved_bytes},
                    {"seconds", plan.predicted_seconds},
                    {"seconds_read", predicted_reading(plan)},
                    {"seconds_write", predicted_writing(plan)},
                    {"seconds_of_run", predicted_run(plan)},
                    {"is_calibrated", plan.is_calibrated},
                    {"assumed_bytes_per_second", assumed_disk_bytes_per_second}};
  for (const auto& [method, seconds] : plan.candidates) {
    predicted["seconds_by_method"][method] = seconds;
  }
  return predicted;
}

Json plan_json(const PlanReport& plan) {
  Json json;
  json["input"] = input_of(plan);
  json["filters"] = {{"basis", plan.basis}, {"bases", plan.bases}, {"window", plan.window}};
  if (plan.rate_hz) {
    json["filters"]["window_seconds"] = static_cast<double>(plan.window) / *plan.rate_hz;
  }
  json["features"] = {{"path", plan.output},
                      {"shape", {plan.rows, plan.channels, plan.bases}},
                      {"type", plan.type},
                      {"bytes", plan.output_bytes},
                      {"chunk", plan.chunk}};
  if (!plan.output_note.empty()) json["features"]["note"] = plan.output_note;
  if (plan.free_bytes) json["features"]["free_bytes"] = *plan.free_bytes;
  json["method"] = plan.method;
  json["instruction_set"] = plan.instruction_set;
  json["threads"] = plan.threads;
  if (plan.fft_length > 0) json["fft"] = {{"length", plan.fft_length}, {"parts", plan.fft_parts}};
  json["batch"] = {{"rows", plan.block_rows},
                   {"channels", plan.block_channels},
                   {"bases", plan.block_bases},
                   {"samples", plan.block_samples}};
  json["blocks"] = plan.blocks;
  json["memory"] = {{"spike_trains_bytes", plan.held_bytes},
                    {"input_bytes", plan.input_buffer_bytes},
                    {"features_bytes", plan.output_buffer_bytes},
                    {"workspace_bytes", plan.workspace_bytes},
                    {"reading_bytes", plan.source_bytes},
                    {"writing_bytes", plan.sink_bytes},
                    {"total_bytes", plan.total_bytes},
                    {"budget_bytes", plan.budget}};
  json["predicted"] = predicted_of(plan);
  if (plan.staging) {
    json["staging"] = {{"reason", plan.staging->reason},
                       {"is_staged", plan.staging->is_staged},
                       {"slots", plan.staging->slots},
                       {"rows", plan.staging->rows},
                       {"channels", plan.staging->channels},
                       {"device_bytes", plan.staging->device_bytes},
                       {"device_budget", plan.staging->device_budget},
                       {"host_bytes", plan.staging->host_bytes}};
  }
  return json;
}

/// Whether the output is complete. Part files have to be joined first.
bool is_whole(const PartReport& part) {
  return part.file.empty() ? part.unfinished_rows == 0 : part.is_joined;
}

}  // namespace

std::string json_of(const SpikesReport& spikes) {
  const Json json = {{"all", spikes.all},
                     {"counted", spikes.all - spikes.dropped()},
                     {"before", spikes.before},
                     {"between", spikes.between},
                     {"behind", spikes.behind}};
  return in_one_line(json);
}

std::string json_of(const BinsReport& bins) {
  Json json = {{"count", bins.count},
               {"intervals", bins.intervals},
               {"bin_seconds", bins.bin_seconds},
               {"start_seconds", bins.start_seconds},
               {"end_seconds", bins.end_seconds}};
  if (bins.first_spike_seconds) {
    json["first_spike_seconds"] = *bins.first_spike_seconds;
    json["first_spike_offset_seconds"] = *bins.first_spike_seconds - bins.start_seconds;
  }
  return in_one_line(json);
}

std::string json_of(const PlanReport& plan) { return indented(plan_json(plan)); }

std::string json_of(const PlanReport& plan, const RunReport& run) {
  const double seconds = std::max(run.seconds, 1e-9);
  Json json = plan_json(plan);
  json["run"] = {{"seconds", run.seconds},
                 {"seconds_read", run.seconds_read},
                 {"seconds_compute", run.seconds_compute},
                 {"seconds_write", run.seconds_write},
                 {"bytes_read", run.bytes_read},
                 {"bytes_written", run.bytes_written},
                 {"blocks", run.blocks},
                 {"blocks_before", run.blocks_before},
                 {"was_finished", run.was_finished},
                 {"rows_per_second", rows_written(plan, run) / seconds},
                 {"bytes_per_second", static_cast<double>(run.bytes_written) / seconds},
                 {"peak_bytes", run.peak_bytes},
                 {"program_bytes", run.program_bytes},
                 {"mapped_bytes", run.mapped_bytes}};
  if (run.part) {
    json["run"]["part"] = {{"number", run.part->number},
                           {"of", run.part->of},
                           {"variables", run.part->variables},
                           {"is_whole", is_whole(*run.part)},
                           {"rows_missing", run.part->rows_missing},
                           {"unfinished_rows", run.part->unfinished_rows},
                           {"failures", run.part->failures}};
    if (!run.part->file.empty()) {
      json["run"]["part"]["file"] = run.part->file;
      json["run"]["part"]["parts_missing"] = run.part->parts_missing;
    }
  }
  return indented(json);
}

std::string json_of(const CountsReport& counts) {
  const Json json = {{"input", counts.input},
                     {"path", counts.output},
                     {"shape", {counts.rows, counts.units}},
                     {"type", counts.type},
                     {"bins", parse_json(json_of(counts.bins))},
                     {"spikes", parse_json(json_of(counts.spikes))},
                     {"spikes_written", counts.written},
                     {"largest_count", counts.largest},
                     {"seconds", counts.seconds},
                     {"program_bytes", counts.program_bytes},
                     {"peak_bytes", counts.peak_bytes}};
  return indented(json);
}

std::string json_of(const SimulationReport& simulation) {
  const Json json = {{"path", simulation.path},
                     {"shape", {simulation.samples, simulation.channels}},
                     {"type", "uint8"},
                     {"seed", simulation.seed},
                     {"bin_seconds", simulation.bin_seconds},
                     {"spikes", simulation.spikes},
                     {"mean_rate_hz", simulation.mean_rate_hz()},
                     {"seconds", simulation.seconds}};
  return indented(json);
}

std::string json_of(const JoinedReport& joined) {
  const Json json = {{"path", joined.output},     {"shape", joined.shape},
                     {"type", joined.type},       {"parts", joined.parts},
                     {"chunks", joined.chunks},   {"bytes", joined.bytes},
                     {"removed", joined.removed}, {"was_finished", joined.was_finished},
                     {"seconds", joined.seconds}};
  return indented(json);
}

std::string json_of(const Taps& taps) {
  Json json;
  json["basis"] = taps.basis;
  json["window"] = taps.window;
  json["bases"] = taps.bases;
  json["requested_bases"] = taps.requested_bases;
  for (const auto& [name, value] : taps.parameters) {
    std::visit([&, key = &name](const auto& any) { json["parameters"][*key] = any; }, value);
  }
  for (const Support& support : taps.support) {
    json["support"].push_back({support.first, support.last});
  }
  for (std::int64_t w = 0; w < taps.window; ++w) {
    Json row;
    for (std::int64_t b = 0; b < taps.bases; ++b) row.push_back(taps(w, b));
    json["taps"].push_back(row);
  }
  return in_one_line(json) + "\n";
}

}  // namespace synelix::tool
