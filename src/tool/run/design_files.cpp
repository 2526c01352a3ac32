// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/design_files.hpp"

#include "tool/run/output.hpp"

#include <utility>
#include <variant>

namespace synelix::tool {
namespace {

std::vector<InputReport> input_reports(const DesignFile& design, const DesignInputs& inputs,
                                       const DesignExpression& terms) {
  const std::vector<InputUse> uses = input_uses(terms.expression);
  std::vector<InputReport> reports;
  for (std::size_t i = 0; i < design.inputs.size(); ++i) {
    if (!inputs.is_used(i)) continue;
    const SeriesShape& shape = inputs.shape_of(i);
    InputReport report{
        .name = design.inputs[i].name,
        .path = path_of(design.inputs[i]),
        .stored_type = shape.has_events ? "events" : std::string(name_of(shape.type)),
        .samples = shape.samples,
        .channels = shape.channels,
        .spikes = inputs.spikes_of(i)};
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const bool needs = terms.inputs[k] == i && uses[k].needs_ranges && !shape.has_events;
      report.is_read_twice = report.is_read_twice || needs;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

std::vector<TermReport> term_reports(const DesignFile& design, const DesignExpression& from,
                                     const std::vector<Term>& terms) {
  std::vector<TermReport> reports;
  for (const Term& term : terms) {
    TermReport report{.name = term.label,
                      .inputs = {},
                      .first_column = term.columns.begin,
                      .channels = term.channels,
                      .bases = term.bases};
    for (std::int64_t k = term.inputs.begin; k < term.inputs.end; ++k) {
      const std::size_t input = from.inputs[static_cast<std::size_t>(k)];
      report.inputs += (report.inputs.empty() ? "" : ", ") + design.inputs[input].name;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace

std::string path_of(const DesignInput& input) {
  if (const auto* array = std::get_if<ArrayInput>(&input.from)) return array->data.text();
  const auto& spikes = std::get<SpikeInput>(input.from);
  std::string text = spikes.file;
  for (const std::string& table : spikes.tables) {
    text += (&table == &spikes.tables.front() ? ":" : ",") + table;
  }
  return text;
}

const std::string& file_of(const DesignInput& input) {
  const auto* array = std::get_if<ArrayInput>(&input.from);
  return array != nullptr ? array->data.file : std::get<SpikeInput>(input.from).file;
}

void require_other_files(const DesignFile& design, const DesignRequest& request,
                         const DatasetPath& output) {
  require_other_file(output, design.file, "the design");
  require_other_file(output, request.config, "options");
  require_other_file(output, request.machine, "the machine");
  for (const DesignInput& input : design.inputs) {
    require_other_file(output, file_of(input), "the input '" + input.name + "'");
  }
  for (const DesignBasis& basis : design.bases) {
    if (basis.bank) require_other_file(output, basis.bank->file, "taps");
  }
  if (request.epochs) require_other_file(output, request.epochs->file, "epochs");
  if (request.intervals) {
    require_other_file(output, request.intervals->table.file, "intervals");
  }
}

std::vector<InputFile> files_held(const DesignFile& design, const DesignRequest& request) {
  std::vector<DatasetPath> datasets;
  for (const DesignInput& input : design.inputs) {
    const auto* spikes = std::get_if<SpikeInput>(&input.from);
    if (spikes == nullptr) continue;
    if (spikes->tables.empty()) datasets.push_back({.file = spikes->file, .dataset = "/units"});
    for (const std::string& table : spikes->tables) {
      datasets.push_back({.file = spikes->file, .dataset = table});
    }
  }
  for (const DesignBasis& basis : design.bases) {
    if (basis.bank) datasets.push_back(*basis.bank);
  }
  if (request.epochs) datasets.push_back(*request.epochs);
  if (request.intervals) {
    datasets.push_back(request.intervals->table);
    if (datasets.back().file.empty()) {
      datasets.back().file = file_of(design.inputs.front());
    }
  }
  return held_files(datasets, {request.design, request.config, request.machine});
}

DesignOutline outline_of(const std::string& name, const DesignFile& design,
                         const DesignInputs& inputs, const DesignExpression& from,
                         const std::vector<Term>& terms) {
  DesignOutline outline{.design = name,
                        .inputs = input_reports(design, inputs, from),
                        .windows = {},
                        .terms = term_reports(design, from, terms),
                        .rate_hz = inputs.series().rate_hz};
  for (std::size_t i = 0; i < design.bases.size(); ++i) {
    if (from.windows[i] > 0) outline.windows.push_back({design.bases[i].name, from.windows[i]});
  }
  return outline;
}

}  // namespace synelix::tool
