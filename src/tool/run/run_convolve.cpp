// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/options/command_line.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/output.hpp"
#include "tool/run/run_list.hpp"
#include "tool/run/shared_facts.hpp"
#include "tool/text/report.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/basis.hpp>
#include <synelix/stream.hpp>
#include <synelix/types/hdf5.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace synelix::tool {
namespace {

const SeriesShape& shape_of(const Hdf5Source& source) { return source.shape(); }
const SeriesShape& shape_of(const SpikeTrains& trains) { return trains.events.shape(); }
SeriesDescription description_of(const Hdf5Source& source) { return source.description(); }
SeriesDescription description_of(const SpikeTrains& trains) { return trains.description; }
Hdf5Source& streamed(Hdf5Source& source) { return source; }
const Events& streamed(const SpikeTrains& trains) { return trains.events; }
std::optional<FitReport> fit_of(const SpikeTrains&) { return std::nullopt; }
std::optional<FitReport> fit_of(const Hdf5Source& source) {
  const auto& fit = source.timestamps_fit();
  if (!fit) return std::nullopt;
  return FitReport{.most_deviation = fit->most_deviation,
                   .segments = static_cast<std::int64_t>(fit->segments.size())};
}
std::optional<SpikesReport> spikes_of(const Hdf5Source&) { return std::nullopt; }
std::optional<SpikesReport> spikes_of(const SpikeTrains& trains) { return spikes_report(trains); }
std::optional<BinsReport> bins_of(const Hdf5Source&) { return std::nullopt; }
std::optional<BinsReport> bins_of(const SpikeTrains& trains) { return bins_report(trains); }
PartFacts facts_of(const SpikeTrains&, const SeriesDescription&) { return {}; }
PartFacts facts_of(const Hdf5Source& source, const SeriesDescription& description) {
  PartFacts facts;
  facts.files = description.fingerprint;
  if (source.timestamps_fit()) facts.fits = {{"input", *source.timestamps_fit()}};
  return facts;
}
std::int64_t held_bytes(const Hdf5Source&) { return 0; }
std::int64_t held_bytes(const SpikeTrains& trains) { return trains.events.bytes(); }
std::optional<Refusal> refused(const Hdf5Source&) { return std::nullopt; }
std::optional<Refusal> refused(const SpikeTrains& trains) { return trains.refused; }

PlanReport convolve_plan_report(const ConvolveRequest& request, const SeriesShape& shape,
                                const SeriesDescription& series, const Taps& taps,
                                const StreamPlan& plan, std::int64_t held,
                                const std::optional<SpikesReport>& spikes) {
  PlanReport report;
  report.input = request.input.text();
  report.output = request.output.text();
  report.samples = shape.samples;
  report.channels = shape.channels;
  report.stored_type = shape.has_events ? "events" : std::string(name_of(shape.type));
  if (shape.has_events) report.events = shape.events;
  report.spikes = spikes;
  report.rate_hz = series.rate_hz;
  report.epochs = static_cast<std::int64_t>(std::max<std::size_t>(shape.epochs.size(), 1));
  report.basis = taps.basis;
  report.window = taps.window;
  report_plan(plan, held, report);
  return report;
}

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

void print_run(const ConvolveRequest& request, LineState state, const PlanReport& plan,
               const RunReport& run) {
  if (request.messages.json) print_json(request.messages, state, json_of(plan, run));
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(plan, run));
}

/// Files besides the input that the run depends on.
std::vector<InputFile> files_held_beside(const ConvolveRequest& request) {
  std::vector<DatasetPath> datasets;
  if (request.bank.file) datasets.push_back(*request.bank.file);
  if (request.epochs) datasets.push_back(*request.epochs);
  if (request.intervals) {
    datasets.push_back(request.intervals->table);
    if (datasets.back().file.empty()) datasets.back().file = request.input.file;
  }
  return held_files(datasets, {request.config, request.machine});
}

/// One run with known scalar type and kind of input.
template <class Scalar, class AnyInput>
LineState convolve_input(const ConvolveRequest& request, const Setup& setup, AnyInput& input,
                         SharedFacts& shared, const std::string& command_line, RunMemory& memory) {
  const Kokkos::DefaultExecutionSpace exec;
  if (const auto spikes = spikes_of(input)) {
    require_spikes(request.input.text(), *spikes, request.strict);
  }
  const SeriesDescription series = description_of(input);
  const FilterBank<Scalar> bank(exec,
                                setup.taps ? *setup.taps : taps_of(request.bank, series.rate_hz));
  require_whole_window(shape_of(input), bank.window(), request.options);
  const OutputRequest& output = shared.output();
  const Hdf5Sink planned_sink = make_planned_sink(output);
  const std::int64_t held = held_bytes(input);
  ConvolveOptions options = request.options;
  if (!shape_of(input).has_events) shared.require_files(series.fingerprint);
  options.machine =
      setup.machine ? *setup.machine : shared.machine(request.machine, request.instruction_set);
  StreamOptions stream{.samples = samples_of(request.time, shape_of(input).samples, series),
                       .cancel = &stop_requested(),
                       .series = series,
                       .held_bytes = held};
  const std::vector<InputFile> other_files = files_held_beside(request);
  stream.series.files.insert(stream.series.files.end(), other_files.begin(), other_files.end());

  const StreamPlan plan = planned_beside(refused(input), [&] {
    return plan_stream(exec, streamed(input), bank, planned_sink, options, stream);
  });
  if (request.time) {
    require_whole_window_in(plan.rows, shape_of(input), bank.window(), request.options);
  }
  PlanReport report = convolve_plan_report(request, shape_of(input), series, bank.taps(), plan,
                                           held, spikes_of(input));
  report.fit = fit_of(input);
  report.bins = bins_of(input);
  report.is_calibrated = options.machine.nanoseconds.has_value();
  report.is_compressed = output.filter.deflate > 0;
  const SeriesShape& shape = shape_of(input);  // events were already read
  const std::int64_t samples = stream.samples ? stream.samples->size() : shape.samples;
  if (!shape.has_events) report.input_bytes = samples * shape.channels * size_of(shape.type);
  if (output.part && !has_part_file(output)) report.chunk.clear();  // contiguous
  report.output_note = standing_note(output, "convolve");
  require_room(output, report);
  if (request.dry_run) {
    if (request.messages.json) {
      print_json(request.messages, LineState::planned, json_of(report));
    } else {
      std::cout << terminal_text(text_of(report));
    }
    return LineState::planned;
  }
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(report));

  Hdf5Sink sink = make_sink(output, output_options(request.existing, command_line));
  if (shared.is_finder()) shared.keep(facts_of(input, series), options.machine);
  const StreamReport done = run_shown(
      request.messages, "convolve", output, stream, memory, [&](const StreamOptions& shown) {
        return stream_convolve(exec, streamed(input), bank, sink, options, shown);
      });
  shared.leave();
  const LineState state = sink.was_finished() ? LineState::already_whole : LineState::done;
  print_run(request, state, report, run_report(output, done, sink, memory));
  return state;
}

/// Throws if a file that is read would be replaced.
void require_files_of_convolve_apart(const ConvolveRequest& request) {
  if (request.existing != Existing::replace) return;
  require_other_file(request.output, request.input.file, "the recording");
  require_other_file(request.output, request.config, "options");
  require_other_file(request.output, request.machine, "the machine");
  if (request.bank.file) require_other_file(request.output, request.bank.file->file, "taps");
  if (request.epochs) require_other_file(request.output, request.epochs->file, "epochs");
  if (request.intervals) {
    require_other_file(request.output, request.intervals->table.file, "intervals");
  }
}

LineState convolve(const ConvolveRequest& request, const Setup& setup,
                   const std::string& command_line) {
  RunMemory memory;
  require_files_of_convolve_apart(request);
  const OutputRequest output = output_of(request);
  announce_part(output, request.messages);
  SharedFacts shared(output, output.part ? facts_follow_from(request) : Fingerprint(),
                     request.messages);
  Input input = open_input(request, known_fit(shared.take_fits(), "input"));
  return std::visit(
      [&](auto& opened) {
        return request.type == OutputType::float32
                   ? convolve_input<float>(request, setup, opened, shared, command_line, memory)
                   : convolve_input<double>(request, setup, opened, shared, command_line, memory);
      },
      input);
}

}  // namespace

int run_convolve(const ConvolveRequest& request, const std::string& command_line) {
  if (!request.list) {
    convolve(request, {}, command_line);
    return exit_success;
  }
  const Setup setup = setup_of(request);
  ConvolveRequest wanted = request;
  wanted.list.reset();
  wanted.part.reset();  // of the lines
  const ListRun how{.part = request.part, .dry_run = request.dry_run, .messages = request.messages};
  return run_list(*request.list, how, [&](const ListLine& line) {
    wanted.input = line.input;
    wanted.output = line.output;
    wanted.messages.line = line;
    return convolve(wanted, setup, history_of(command_line, line));
  });
}

}  // namespace synelix::tool
