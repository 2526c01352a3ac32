// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/design/design_expression.hpp"
#include "tool/design/design_inputs.hpp"
#include "tool/design/design_report.hpp"
#include "tool/options/command_line.hpp"
#include "tool/options/features_options.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/design_files.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/output.hpp"
#include "tool/run/run_list.hpp"
#include "tool/run/shared_facts.hpp"
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

FeaturesOptions features_options(const FeaturesRequest& request, const SharedFacts& shared) {
  const ConvolveOptions& from = request.options;
  FeaturesOptions options;
  options.border = from.border;
  options.method = from.method;
  options.batch.samples = from.batch.samples;
  options.every = from.every;
  options.machine = shared.machine(request.machine, request.instruction_set);
  options.budget = from.budget;
  options.staging = from.staging;
  options.host_budget = from.host_budget;
  return options;
}

/// Throws if all rows would be NaN, or if there would be no row.
void require_row_of_whole_windows(const std::vector<Range>& whole, Range rows, Border border) {
  if (border == Border::zero) return;
  for (const Range& part : whole) {
    if (std::max(part.begin, rows.begin) < std::min(part.end, rows.end)) return;
  }
  throw Error("no row has a whole window of every term. Give --border zero to compute all rows.");
}

template <class Scalar>
LineState stream_design(const FeaturesRequest& request, const DesignFile& design,
                        SharedFacts& shared, const std::string& command_line, RunMemory& memory) {
  const Kokkos::DefaultExecutionSpace exec;
  const DesignInputs inputs(design, {request.epochs,
                                     request.intervals,
                                     request.options,
                                     {},
                                     shared.take_fits(),
                                     request.from_seconds});
  shared.require_files(inputs.files(design));
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
  const FeaturesOptions options = features_options(request, shared);
  StreamOptions stream{.samples = samples_of(request.time, inputs.samples(), inputs.series()),
                       .cancel = &stop_requested(),
                       .series = inputs.series(),
                       .held_bytes = held};
  stream.series.name = request.design;
  // A file that was touched, or copied, has the same text.
  stream.series.fingerprint = fingerprint_of_text("design", design.text);

  const std::vector<InputFile> held_beside = files_held(design, request);
  stream.series.files.insert(stream.series.files.end(), held_beside.begin(), held_beside.end());

  const OutputRequest& output = shared.output();
  const StreamPlan plan = planned_beside(inputs.refused(), [&] {
    return plan_features_stream<Scalar>(exec, terms.expression, streamed, make_planned_sink(output),
                                        options, stream);
  });
  require_row_of_whole_windows(valid_rows(terms.expression, shapes, options), plan.rows,
                               options.border);
  DesignReport report{.outline = outline_of(request.design, design, inputs, terms, plan.terms),
                      .columns = plan.features.bases,
                      .plan = {}};
  report.plan.output = request.output.text();
  report.plan.rate_hz = inputs.series().rate_hz;
  report_plan(plan, held, report.plan);
  if (output.part && !has_part_file(output)) report.plan.chunk.clear();  // contiguous
  report.plan.output_note = standing_note(output, "features");
  require_room(output, report.plan);
  if (request.dry_run) {
    if (request.messages.json) {
      print_json(request.messages, LineState::planned, json_of(report));
    } else {
      std::cout << terminal_text(text_of(report));
    }
    return LineState::planned;
  }
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(report));

  Hdf5OutputOptions writing = output_options(request.existing, command_line);
  writing.attributes.emplace_back("design", design.text);
  Hdf5Sink sink = make_sink(output, writing);
  std::vector<InputStatistics> statistics;  // empty: computed when they are needed
  if (shared.known() != nullptr) {
    statistics = shared.known()->statistics;
  } else if (shared.is_finder()) {
    statistics = find_statistics(exec, terms.expression, streamed, plan, stream);
    shared.keep(
        {.files = inputs.files(design), .fits = inputs.fits(design), .statistics = statistics},
        options.machine);
  }
  const StreamReport done = run_shown(
      request.messages, "features", output, stream, memory, [&](const StreamOptions& shown) {
        return stream_features<Scalar>(exec, terms.expression, streamed, sink, options, shown,
                                       statistics);
      });
  shared.leave();
  const RunReport run = run_report(output, done, sink, memory);
  const LineState state = run.was_finished ? LineState::already_whole : LineState::done;
  if (request.messages.json) print_json(request.messages, state, json_of(report, run));
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(report.plan, run));
  return state;
}

/// Runs one design.
LineState compute(const FeaturesRequest& request, const std::string& command_line) {
  RunMemory memory;
  const DesignFile design = read_design(request.design);
  FeaturesRequest wanted = request;
  apply_options(design, wanted);
  if (wanted.existing == Existing::replace) require_other_files(design, wanted, wanted.output);
  const OutputRequest output = output_of(wanted);
  announce_part(output, wanted.messages);
  SharedFacts shared(output, output.part ? facts_follow_from(wanted, design) : Fingerprint(),
                     wanted.messages);
  return wanted.type == OutputType::float32
             ? stream_design<float>(wanted, design, shared, command_line, memory)
             : stream_design<double>(wanted, design, shared, command_line, memory);
}

}  // namespace

int run_features(const FeaturesRequest& request, const std::string& command_line) {
  if (!request.list) {
    compute(request, command_line);
    return exit_success;
  }
  FeaturesRequest wanted = request;
  wanted.list.reset();
  wanted.part.reset();  // of the lines
  const ListRun how{.part = request.part, .dry_run = request.dry_run, .messages = request.messages};
  return run_list(*request.list, how, [&](const ListLine& line) {
    wanted.design = line.input.file;
    wanted.output = line.output;
    wanted.messages.line = line;
    return compute(wanted, history_of(command_line, line));
  });
}

}  // namespace synelix::tool
