// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/design/design_inputs.hpp"
#include "tool/design/design_report.hpp"
#include "tool/options/command_line.hpp"
#include "tool/options/option_groups.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/output.hpp"
#include "tool/run/part_facts.hpp"
#include "tool/run/run_list.hpp"

#include <synelix/stream_features.hpp>

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

FeaturesOptions features_options(const FeaturesRequest& request,
                                 const std::optional<PartFacts>& facts) {
  const ConvolveOptions& from = request.options;
  FeaturesOptions options;
  options.border = from.border;
  options.method = from.method;
  options.batch.samples = from.batch.samples;
  options.every = from.every;
  options.machine = machine_for(facts, request.machine, request.instruction_set);
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
                        const OutputRequest& output, const std::string& command_line,
                        RunMemory& memory) {
  const Kokkos::DefaultExecutionSpace exec;
  const bool needs_facts = output.part || !request.facts.empty() || !request.save.empty();
  const Fingerprint follows_from = needs_facts ? facts_follow_from(request, design) : Fingerprint();
  std::optional<PartFacts> facts = facts_for(request.facts, output, follows_from);
  const DesignInputs inputs(design, {request.epochs,
                                     request.intervals,
                                     request.options,
                                     {},
                                     facts ? std::exchange(facts->fits, {}) : InputFits(),
                                     request.from_seconds});
  require_files(facts, inputs.files(design));
  const DesignExpression terms = expression_of(design, inputs.series().rate_hz, request.options);
  std::vector<StreamInput> streamed;
  std::vector<InputShape> shapes;
  for (const std::size_t input : terms.inputs) {
    streamed.push_back(inputs.stream_input(input));
    shapes.push_back(streamed.back().shape());
  }
  for (std::size_t i = 0; i < design.inputs.size(); ++i) {
    if (!inputs.is_used(i)) continue;
    require_spikes("the input '" + design.inputs[i].name + "'", inputs.trains(i), request.strict);
  }
  const std::int64_t held = inputs.held_bytes();
  const FeaturesOptions options = features_options(request, facts);
  StreamOptions stream{.samples = samples_of(request.time, inputs.samples(), inputs.series()),
                       .cancel = &stop_requested(),
                       .series = inputs.series(),
                       .held_bytes = held};
  stream.series.name = request.design;
  // A file that was touched, or copied, has the same text.
  stream.series.fingerprint = fingerprint_of_text("design", design.text);

  const std::vector<InputFile> held_beside = files_held(design, request);
  stream.series.files.insert(stream.series.files.end(), held_beside.begin(), held_beside.end());

  const StreamPlan plan = planned_beside(inputs.refused(), [&] {
    return plan_features_stream<Scalar>(exec, terms.expression, streamed, make_planned_sink(output),
                                        options, stream);
  });
  require_row_of_whole_windows(valid_rows(terms.expression, shapes, options), plan.rows,
                               options.border);
  Json report = outline_of(request.design, design, inputs, terms, plan.terms);
  add_plan(plan, output, "features", {plan.features.rows, plan.features.bases}, held, 0,
           options.machine.nanoseconds.has_value(), report);
  report.erase("method");  // each basis has its own
  print_plan(request.messages, request.dry_run, report, features_lines);
  if (!request.save.empty()) {
    save_facts(request.save,
               {.files = inputs.files(design),
                .fits = inputs.fits(design),
                .statistics = find_statistics(exec, terms.expression, streamed, plan, stream)},
               follows_from, options.machine);
  }
  if (request.dry_run) return LineState::planned;

  Hdf5OutputOptions writing = output_options(request.existing, command_line);
  writing.attributes.emplace_back("design", design.text);
  Hdf5Sink sink = make_sink(output, writing);
  const StreamReport done = run_shown(
      request.messages, "features", output, stream, memory, [&](const StreamOptions& shown) {
        return stream_features<Scalar>(exec, terms.expression, streamed, sink, options, shown,
                                       facts ? facts->statistics : std::vector<InputStatistics>());
      });
  return report_run(request.messages, output, done, sink, memory, report);
}

/// Runs one design.
LineState compute_design(const FeaturesRequest& request, const std::string& command_line) {
  RunMemory memory;
  const DesignFile design = read_design(request.design);
  FeaturesRequest wanted = request;
  apply_options(design, wanted);
  if (wanted.existing == Existing::replace) {
    require_other_files(design, wanted, wanted.output);
    require_other_file(wanted.output, wanted.facts, "facts");
  }
  const OutputRequest output = output_of(wanted);
  announce_part(output, wanted.messages);
  return wanted.type == OutputType::float32
             ? stream_design<float>(wanted, design, output, command_line, memory)
             : stream_design<double>(wanted, design, output, command_line, memory);
}

}  // namespace

int run_features(const FeaturesRequest& request, const std::string& command_line) {
  if (!request.list) {
    compute_design(request, command_line);
    return exit_success;
  }
  FeaturesRequest wanted = request;
  wanted.list.reset();
  wanted.part.reset();  // of the lines
  return run_list(request, request.messages, command_line,
                  [&](const ListLine& line, const std::string& history) {
                    wanted.design = line.input.file;
                    wanted.output = line.output;
                    wanted.messages.line = line;
                    return compute_design(wanted, history);
                  });
}

}  // namespace synelix::tool
