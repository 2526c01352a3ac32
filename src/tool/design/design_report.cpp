// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/design/design_report.hpp"

#include "tool/options/values.hpp"
#include "tool/text/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace synelix::tool {
namespace {

std::string inputs_text(const DesignOutline& design) {
  std::string text;
  for (const InputReport& input : design.inputs) {
    text +=
        report_line("input", input.name + ": " + input.path + ", " + format_count(input.samples) +
                                 " x " + format_count(input.channels) + " " + input.stored_type +
                                 (input.is_read_twice ? ", read once before for its range" : "") +
                                 (input.spikes ? "; " + text_of(*input.spikes) : ""));
  }
  return text;
}

std::string terms_text(const DesignOutline& design) {
  std::string text;
  for (const TermReport& term : design.terms) {
    const std::int64_t columns = term.channels * term.bases;
    text += report_line("term", term.name + ": columns " + format_count(term.first_column) +
                                    " to " + format_count(term.first_column + columns) + " (" +
                                    format_count(term.channels) + " x " + format_count(term.bases) +
                                    ") of " + term.inputs);
  }
  return text;
}

std::string windows_text(const DesignOutline& design) {
  std::string text;
  for (const WindowReport& window : design.windows) {
    text += report_line("basis", window.basis + ": a window of " +
                                     window_text(window.samples, "sample", design.rate_hz));
  }
  return text;
}

std::string output_text(const DesignReport& design) {
  const PlanReport& plan = design.plan;
  std::string text = format_count(plan.rows) + " x " + format_count(design.columns) + " " +
                     plan.type + ", " + format_byte_count(plan.output_bytes);
  if (!plan.output.empty()) text += " to " + plan.output;
  if (!plan.output_note.empty()) text += " (" + plan.output_note + ")";
  if (plan.free_bytes) text += " (free there: " + format_byte_count(*plan.free_bytes) + ")";
  return report_line("features", text);
}

std::string work_text(const DesignReport& design) {
  const PlanReport& plan = design.plan;
  std::string text = report_line(
      "blocks", format_count(plan.blocks) + " of " + format_count(plan.block_rows) + " rows x " +
                    format_count(design.columns) + " columns (" + plan.instruction_set + ")");
  const std::array<std::pair<std::string_view, std::int64_t>, 6> parts{
      {{"spike trains", plan.held_bytes},
       {"inputs", plan.input_buffer_bytes},
       {"features", plan.output_buffer_bytes},
       {"workspace", plan.workspace_bytes},
       {"reading", plan.source_bytes},
       {"writing", plan.sink_bytes}}};
  std::string memory =
      format_byte_count(plan.total_bytes) + " of a budget of " + format_byte_count(plan.budget);
  std::string separator = ": ";
  for (const auto& [name, size] : parts) {
    if (size == 0) continue;
    memory += separator + std::string(name) + " " + format_byte_count(size);
    separator = ", ";
  }
  text += report_line("memory", memory);
  if (plan.staging) text += text_of(*plan.staging);
  return text + report_line("cost", format_bytes(plan.moved_bytes) + " moved, " +
                                        format_seconds(plan.predicted_seconds) +
                                        " of computing predicted");
}

Json outline_json(const DesignOutline& design) {
  Json json;
  json["design"] = design.design;
  json["inputs"] = Json::array();
  for (const InputReport& input : design.inputs) {
    json["inputs"].push_back({{"name", input.name},
                              {"path", input.path},
                              {"samples", input.samples},
                              {"channels", input.channels},
                              {"type", input.stored_type},
                              {"read_for_range", input.is_read_twice}});
    if (input.spikes) {
      json["inputs"].back()["spikes"] = parse_json(json_of(*input.spikes));
    }
  }
  if (design.rate_hz) json["rate_hz"] = *design.rate_hz;
  json["bases"] = Json::array();
  for (const WindowReport& window : design.windows) {
    json["bases"].push_back({{"name", window.basis}, {"window", window.samples}});
    if (design.rate_hz) {
      json["bases"].back()["window_seconds"] =
          static_cast<double>(window.samples) / *design.rate_hz;
    }
  }
  json["terms"] = Json::array();
  for (const TermReport& term : design.terms) {
    json["terms"].push_back({{"name", term.name},
                             {"inputs", term.inputs},
                             {"first_column", term.first_column},
                             {"columns", term.channels * term.bases},
                             {"channels", term.channels},
                             {"bases", term.bases}});
  }
  return json;
}

/// The plan's object, with inputs and terms instead of the input and the filters.
Json design_json(const DesignReport& design, Json plan) {
  Json json = outline_json(design.outline);
  plan["features"]["shape"] = {design.plan.rows, design.columns};
  for (const char* key : {"input", "filters", "method"}) plan.erase(key);
  json.update(plan);
  return json;
}

}  // namespace

std::string report_line(std::string_view name, const std::string& text) {
  std::string result(name);
  result.resize(std::max<std::size_t>(result.size() + 1, 10), ' ');
  return result + text + "\n";
}

std::string text_of(const DesignOutline& outline) {
  return report_line("design", outline.design) + inputs_text(outline) + windows_text(outline) +
         terms_text(outline);
}

std::string json_of(const DesignOutline& outline) { return in_one_line(outline_json(outline)); }

std::string text_of(const DesignReport& design) {
  return text_of(design.outline) + output_text(design) + work_text(design);
}

std::string json_of(const DesignReport& design) {
  return indented(design_json(design, parse_json(json_of(design.plan))));
}

std::string json_of(const DesignReport& design, const RunReport& run) {
  return indented(design_json(design, parse_json(json_of(design.plan, run))));
}

}  // namespace synelix::tool
