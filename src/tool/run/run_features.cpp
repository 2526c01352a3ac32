// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/design/design_expression.hpp"
#include "tool/design/design_inputs.hpp"
#include "tool/design/design_report.hpp"
#include "tool/options/features_options.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/output.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/stream_features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

FeaturesOptions features_options(const FeaturesRequest& request) {
  const ConvolveOptions& from = request.options;
  FeaturesOptions options;
  options.border = from.border;
  options.method = from.method;
  options.batch.samples = from.batch.samples;
  options.every = from.every;
  options.machine = machine_of(request.machine);
  options.budget = from.budget;
  options.staging = from.staging;
  options.host_budget = from.host_budget;
  return options;
}

std::string path_of(const DesignInput& input) {
  if (const auto* array = std::get_if<ArrayInput>(&input.from)) return array->data.text();
  return std::get<SpikeInput>(input.from).file;
}

/// No file that is read may be the one that is replaced.
void require_other_files(const DesignFile& design, const FeaturesRequest& request) {
  if (request.standing != Standing::replace) return;
  require_other_file(request.output, design.file, "the design");
  require_other_file(request.output, request.config, "options");
  require_other_file(request.output, request.machine, "the machine");
  for (const DesignInput& input : design.inputs) {
    const auto* array = std::get_if<ArrayInput>(&input.from);
    require_other_file(request.output, array != nullptr ? array->data.file : path_of(input),
                       "the input '" + input.name + "'");
  }
  for (const DesignBasis& basis : design.bases) {
    if (basis.bank) require_other_file(request.output, basis.bank->file, "taps");
  }
  if (request.epochs) require_other_file(request.output, request.epochs->file, "epochs");
  if (request.intervals) {
    require_other_file(request.output, request.intervals->table.file, "intervals");
  }
}

/// Files beside the arrays that the run depends on.
std::vector<InputFile> files_held(const DesignFile& design, const FeaturesRequest& request) {
  std::vector<DatasetPath> datasets;
  for (const DesignInput& input : design.inputs) {
    const auto* spikes = std::get_if<SpikeInput>(&input.from);
    if (spikes != nullptr) datasets.push_back({.file = spikes->file, .dataset = "/units"});
  }
  for (const DesignBasis& basis : design.bases) {
    if (basis.bank) datasets.push_back(*basis.bank);
  }
  if (request.epochs) datasets.push_back(*request.epochs);
  if (request.intervals) {
    datasets.push_back(request.intervals->table);
    if (datasets.back().file.empty()) {
      const auto& first = design.inputs.front().from;
      const auto* array = std::get_if<ArrayInput>(&first);
      datasets.back().file = array != nullptr ? array->data.file : std::get<SpikeInput>(first).file;
    }
  }
  return held_files(datasets, {request.design, request.config, request.machine});
}

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

/// Refuses what would give NaN, or no row, from end to end.
void require_whole_window(const std::vector<Range>& whole, Range rows, Border border) {
  if (border == Border::zero) return;
  for (const Range& part : whole) {
    if (std::max(part.begin, rows.begin) < std::min(part.end, rows.end)) return;
  }
  throw Error("no row has a whole window of every term. Give --border zero to compute all rows.");
}

template <class Scalar>
void run_design(const FeaturesRequest& request, const DesignFile& design,
                const std::string& command_line, RunMemory& memory) {
  const Kokkos::DefaultExecutionSpace exec;
  const DesignInputs inputs(design, {request.epochs, request.intervals, request.options});
  const DesignExpression terms = expression_of(design, inputs.series().rate_hz, request.options);
  std::vector<StreamInput> streamed;
  std::vector<InputShape> shapes;
  for (const std::size_t input : terms.inputs) {
    streamed.push_back(inputs.stream_input(input));
    shapes.push_back(streamed.back().shape());
  }
  for (std::size_t i = 0; i < design.inputs.size(); ++i) {
    if (!inputs.is_used(i)) continue;
    if (const auto spikes = inputs.spikes_of(i)) {
      require_spikes("the input '" + design.inputs[i].name + "'", *spikes, request.strict);
    }
  }
  const std::int64_t held = inputs.held_bytes();
  const FeaturesOptions options = features_options(request);
  StreamOptions stream{.samples = samples_of(request.time, inputs.samples(), inputs.series()),
                       .cancel = &stop_requested(),
                       .series = inputs.series(),
                       .held_bytes = held};
  stream.series.name = request.design;
  // A file that was touched, or copied, says the same.
  stream.series.fingerprint = fingerprint_of_text("design", design.text);

  const std::vector<InputFile> held_beside = files_held(design, request);
  stream.series.files.insert(stream.series.files.end(), held_beside.begin(), held_beside.end());

  const OutputRequest output = output_of(request);
  const StreamPlan plan = plan_features_stream<Scalar>(exec, terms.expression, streamed,
                                                       make_planned_sink(output), options, stream);
  require_whole_window(valid_rows(terms.expression, shapes, options), plan.rows, options.border);
  DesignReport report{.design = request.design,
                      .inputs = input_reports(design, inputs, terms),
                      .windows = {},
                      .terms = term_reports(design, terms, plan.terms),
                      .columns = plan.features.bases,
                      .plan = {}};
  for (std::size_t i = 0; i < design.bases.size(); ++i) {
    if (terms.windows[i] > 0) report.windows.push_back({design.bases[i].name, terms.windows[i]});
  }
  report.plan.output = request.output.text();
  report.plan.rate_hz = inputs.series().rate_hz;
  report_plan(plan, held, report.plan);
  report.plan.output_note = standing_note(output, "features");
  require_room(output, report.plan);
  if (request.dry_run) {
    std::cout << (request.messages.json ? json_of(report) : terminal_text(text_of(report)));
    return;
  }
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(report));

  Hdf5OutputOptions writing = output_options(request.standing, command_line);
  writing.attributes.emplace_back("design", design.text);
  Hdf5Sink sink = make_sink(output, writing);
  const StreamReport done = run_shown(
      request.messages, "features", output, stream, memory, [&](const StreamOptions& shown) {
        return stream_features<Scalar>(exec, terms.expression, streamed, sink, options, shown);
      });
  const RunReport run = run_report(done, sink, memory);
  if (request.messages.json) std::cout << json_of(report, run);
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(report.plan, run));
}

}  // namespace

void run_features(const FeaturesRequest& request, const std::string& command_line) {
  RunMemory memory;
  const DesignFile design = read_design(request.design);
  FeaturesRequest wanted = request;
  apply_options(design, wanted);
  require_other_files(design, wanted);
  if (wanted.type == OutputType::float32) {
    run_design<float>(wanted, design, command_line, memory);
  } else {
    run_design<double>(wanted, design, command_line, memory);
  }
}

}  // namespace synelix::tool
