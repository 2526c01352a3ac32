// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/options/command_line.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/output.hpp"
#include "tool/run/part_facts.hpp"
#include "tool/run/run_list.hpp"
#include "tool/text/stream_report.hpp"

#include <synelix/basis.hpp>
#include <synelix/stream.hpp>
#include <synelix/types/hdf5.hpp>

#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// Throws if all rows would be NaN, or if there would be no row.
void require_whole_window(const SeriesShape& shape, std::int64_t window,
                          const ConvolveOptions& options) {
  if (options.border == Border::zero || !valid_rows(shape, window, options).empty()) return;
  std::int64_t longest = shape.epochs.empty() ? shape.samples : 0;
  for (const Epoch& epoch : shape.epochs) longest = std::max(longest, epoch.size());
  throw Error(
      "no row has a whole window: " + std::to_string(longest) +
      (shape.epochs.empty() ? " samples" : " samples in the longest epoch") + ", window " +
      std::to_string(window) +
      (longest < window ? "" : ", which ends a sample before its row unless --no-shift is given") +
      (options.every > 1 ? ", rows at every " + std::to_string(options.every) + "th sample" : "") +
      ". The first dimension of a dataset is time. Give --border zero to compute all rows.");
}

/// The same for the rows that --time selects.
void require_whole_window_in(Range rows, const SeriesShape& shape, std::int64_t window,
                             const ConvolveOptions& options) {
  if (options.border == Border::zero) return;
  const std::vector<Range> whole = valid_rows(shape, window, options);
  if (std::any_of(whole.begin(), whole.end(), [&](Range part) {
        return std::max(part.begin, rows.begin) < std::min(part.end, rows.end);
      })) {
    return;
  }
  throw Error("no row that --time selects has a whole window of " + std::to_string(window) +
              " samples. Give --border zero to compute all rows.");
}

/// Data that do not depend on the recording, read once for all lines of a list. Absent members are
/// read by each run.
struct Setup {
  std::optional<Machine> machine;
  std::optional<Taps> taps;
};

/// Throws Error before any line runs.
Setup setup_of(const ConvolveRequest& request) {
  Setup setup{.machine = machine_of(request.machine, request.instruction_set), .taps = {}};
  const auto& window = request.bank.window;
  if (!window || !window->in_seconds) setup.taps = taps_of(request.bank, std::nullopt);
  return setup;
}

/// Files besides the input that the run depends on.
std::vector<InputFile> files_held_beside(const ConvolveRequest& request) {
  std::vector<ReadFile> files = files_of_options(request);
  if (request.intervals && request.intervals->table.file.empty()) {
    files.push_back({{request.input.file, request.intervals->table.dataset}, "intervals", {}});
  }
  return held_files(files);
}

/// The facts of this run, for its parts.
PartFacts facts_of(const Recording& input) {
  PartFacts facts;
  if (input.trains() != nullptr) return facts;
  facts.files = input.series().fingerprint;
  if (input.fit() != nullptr) facts.fits = {{"input", *input.fit()}};
  return facts;
}

/// One run with a known scalar type.
template <class Scalar>
LineState convolve_recording(const ConvolveRequest& request, const Setup& setup,
                             const OutputRequest& output, const std::string& command_line,
                             RunMemory& memory) {
  const Kokkos::DefaultExecutionSpace exec;
  const bool needs_facts = output.part || !request.facts.empty() || !request.save.empty();
  const Fingerprint follows_from = needs_facts ? facts_follow_from(request) : Fingerprint();
  std::optional<PartFacts> facts = facts_for(request.facts, output, follows_from);
  // The fit may have many segments, which the source holds, too.
  const InputFits fits = facts ? std::exchange(facts->fits, {}) : InputFits();
  const Recording input = open_recording(request, known_fit(fits, "input"));
  require_spikes(request.input.text(), input.trains(), request.strict);
  const SeriesDescription series = input.series();
  const SeriesShape& shape = input.shape();
  const FilterBank<Scalar> bank(exec,
                                setup.taps ? *setup.taps : taps_of(request.bank, series.rate_hz));
  require_whole_window(shape, bank.window(), request.options);
  const Hdf5Sink planned_sink = make_planned_sink(output);
  const std::int64_t held = input.held_bytes();
  ConvolveOptions options = request.options;
  if (!shape.has_events) require_files(facts, series.fingerprint);
  options.machine =
      setup.machine ? *setup.machine : machine_for(facts, request.machine, request.instruction_set);
  StreamOptions stream{.samples = samples_of(request.time, shape.samples, series),
                       .cancel = &stop_requested(),
                       .series = series,
                       .held_bytes = held};
  const std::vector<InputFile> other_files = files_held_beside(request);
  stream.series.files.insert(stream.series.files.end(), other_files.begin(), other_files.end());

  const StreamPlan plan = planned_beside(input.refused(), [&] {
    return input.streamed(
        [&](auto& from) { return plan_stream(exec, from, bank, planned_sink, options, stream); });
  });
  if (request.time) require_whole_window_in(plan.rows, shape, bank.window(), request.options);
  Json report = {
      {"input", recording_tree(request.input.text(), input)},
      {"filters",
       {{"basis", bank.taps().basis}, {"bases", plan.features.bases}, {"window", bank.window()}}}};
  if (series.rate_hz) {
    report["filters"]["window_seconds"] = static_cast<double>(bank.window()) / *series.rate_hz;
  }
  const std::int64_t samples = stream.samples ? stream.samples->size() : shape.samples;
  const std::int64_t input_bytes =  // events were already read
      shape.has_events ? 0 : samples * shape.channels * size_of(shape.type);
  add_plan(plan, output, "convolve", {plan.features.rows, shape.channels, plan.features.bases},
           held, input_bytes, options.machine.nanoseconds.has_value(), report);
  print_plan(request.messages, request.dry_run, report, plan_lines);
  if (!request.save.empty()) {
    save_facts(request.save, facts_of(input), follows_from, options.machine);
  }
  if (request.dry_run) return LineState::planned;

  Hdf5Sink sink = make_sink(output, output_options(request.existing, command_line));
  const StreamReport done = run_shown(
      request.messages, "convolve", output, stream, memory, [&](const StreamOptions& shown) {
        return input.streamed(
            [&](auto& from) { return stream_convolve(exec, from, bank, sink, options, shown); });
      });
  return report_run(request.messages, output, done, sink, memory, report);
}

LineState convolve_one(const ConvolveRequest& request, const Setup& setup,
                       const std::string& command_line) {
  RunMemory memory;
  if (request.existing == Existing::replace) {
    require_other_file(request.output, request.input.file, "the recording");
    require_other_files(request.output, files_of_options(request));
    require_other_file(request.output, request.facts, "facts");
  }
  const OutputRequest output = output_of(request);
  announce_part(output, request.messages);
  return request.type == OutputType::float32
             ? convolve_recording<float>(request, setup, output, command_line, memory)
             : convolve_recording<double>(request, setup, output, command_line, memory);
}

}  // namespace

int run_convolve(const ConvolveRequest& request, const std::string& command_line) {
  if (!request.list) {
    convolve_one(request, {}, command_line);
    return exit_success;
  }
  const Setup setup = setup_of(request);
  ConvolveRequest wanted = request;
  wanted.list.reset();
  wanted.part.reset();  // of the lines
  return run_list(request, request.messages, command_line,
                  [&](const ListLine& line, const std::string& history) {
                    wanted.input = line.input;
                    wanted.output = line.output;
                    wanted.messages.line = line;
                    return convolve_one(wanted, setup, history);
                  });
}

}  // namespace synelix::tool
