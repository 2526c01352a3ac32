// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/inputs.hpp"
#include "tool/progress.hpp"
#include "tool/report.hpp"
#include "tool/resources.hpp"
#include "tool/signals.hpp"

#include <synelix/filter_bank.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/stream.hpp>

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
std::int64_t held_bytes(const Hdf5Source&) { return 0; }
std::int64_t held_bytes(const SpikeTrains& trains) { return trains.events.bytes(); }

/// The budget of the command is for spike trains too; the library's is for what it holds itself.
ConvolveOptions options_for(const ConvolveRequest& request, std::int64_t held) {
  ConvolveOptions options = request.options;
  const std::int64_t budget = options.budget.value_or(default_budget());
  if (held >= budget) {
    throw Error(
        "--budget", format_bytes(static_cast<double>(budget)),
        "more than the " + format_bytes(static_cast<double>(held)) + " that the spike trains take");
  }
  options.budget = budget - held;
  return options;
}

/// The sink of a run.
Hdf5Sink make_sink(const ConvolveRequest& request, const std::string& command_line) {
  Hdf5SinkOptions options;
  options.output = output_options(request.standing, command_line);
  if (request.filter.deflate > 0) {
    options.output.filter = {
        .compression = request.filter.shuffle ? Compression::shuffle_deflate : Compression::deflate,
        .level = request.filter.deflate};
  }
  if (!request.chunk.empty()) {
    options.chunk = BlockShape{request.chunk[0], request.chunk[1], request.chunk[2]};
  }
  return Hdf5Sink(file_path(request.output), options);
}

/// The same sink for a plan: never opened, and what stands there is not in its way yet.
Hdf5Sink make_planned_sink(ConvolveRequest request) {
  request.standing = Standing::replace;
  if (request.output.file.empty()) request.output = {.file = "features.h5", .dataset = "/features"};
  return make_sink(request, {});
}

PlanReport report_of(const ConvolveRequest& request, const SeriesShape& shape,
                     const SeriesDescription& series, const Taps& taps, const StreamPlan& plan,
                     std::int64_t held) {
  PlanReport report;
  report.input = request.input.text();
  report.output = request.output.text();
  report.samples = shape.samples;
  report.channels = shape.channels;
  report.stored_type = shape.has_events ? "events" : std::string(name_of(shape.type));
  if (shape.has_events) report.events = shape.events;
  report.rate_hz = series.rate_hz;
  report.epochs = static_cast<std::int64_t>(std::max<std::size_t>(shape.epochs.size(), 1));
  report.basis = taps.basis;
  report.window = taps.window;
  report.rows = plan.features.rows;
  report.bases = plan.features.bases;
  report.type = std::string(name_of(plan.features.type));
  report.output_bytes = plan.features.bytes();
  report.method = name_of(plan.choice.method);
  report.instruction_set = name_of(plan.choice.instruction_set);
  report.block_rows = plan.block.rows;
  report.block_channels = plan.block.channels;
  report.block_bases = plan.block.bases;
  report.block_samples = plan.block_samples;
  report.blocks = plan.blocks;
  report.chunk = {plan.chunk.rows, plan.chunk.channels, plan.chunk.bases};
  report.held_bytes = held;
  report.input_buffer_bytes = plan.input_bytes;
  report.output_buffer_bytes = plan.output_bytes;
  report.workspace_bytes = plan.workspace_bytes;
  report.source_bytes = plan.source_bytes;
  report.sink_bytes = plan.sink_bytes;
  report.total_bytes = plan.total_bytes + held;
  report.budget = plan.budget + held;
  report.flops = plan.choice.flops;
  report.moved_bytes = plan.choice.bytes;
  report.predicted_seconds = plan.choice.seconds;
  return report;
}

/// Notes the room on the disk, and refuses where there is too little.
void require_room(const ConvolveRequest& request, PlanReport& report) {
  if (request.output.file.empty()) return;
  report.free_bytes = free_bytes_beside(request.output.file);
  std::int64_t needed = report.output_bytes;
  if (request.standing == Standing::append) needed += bytes_of_file(request.output.file);
  const bool is_compressed = request.filter.deflate > 0;  // then nobody knows before
  if (needed > *report.free_bytes && !is_compressed) {
    throw Error("output " + request.output.file + ": found " +
                format_bytes(static_cast<double>(*report.free_bytes)) +
                " free on its disk; allowed: at least " +
                format_bytes(static_cast<double>(needed)) + ", which the output takes");
  }
}

/// Refuses what would give NaN, or no row, from end to end.
void require_whole_window(const SeriesShape& shape, std::int64_t window,
                          const ConvolveOptions& options) {
  if (options.border == Border::zero || !valid_rows(shape, window, options).empty()) return;
  std::int64_t longest = shape.epochs.empty() ? shape.samples : 0;
  for (const Epoch& epoch : shape.epochs) longest = std::max(longest, epoch.size());
  throw Error("no row has a whole window: " + std::to_string(longest) +
              (shape.epochs.empty() ? " samples" : " samples in the longest epoch") + ", window " +
              std::to_string(window) +
              "; the first dimension of a dataset is time; --border zero computes all rows");
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
              " samples; --border zero computes all rows");
}

/// What stands in the way of the output: an error, which `plan` only notes.
std::string standing_note(const ConvolveRequest& request) {
  if (request.output.file.empty()) return {};
  try {
    require_free_place(request.output, request.standing);
  } catch (const Error&) {
    if (!request.dry_run) throw;
    return request.standing == Standing::append ? "the dataset exists: convolve will refuse"
                                                : "exists: convolve will refuse without -O";
  }
  return {};
}

void print_run(const ConvolveRequest& request, const PlanReport& plan, const RunReport& run) {
  if (request.messages.json) std::cout << json_of(plan, run);
  if (!request.messages.quiet) std::cerr << text_of(plan, run);
}

/// One run, whose scalar type and kind of input are known.
template <class Scalar, class AnyInput>
void convolve_input(const ConvolveRequest& request, AnyInput& input,
                    const std::string& command_line, std::int64_t program_bytes) {
  const Kokkos::DefaultExecutionSpace exec;
  const SeriesDescription series = description_of(input);
  const FilterBank<Scalar> bank(exec, taps_of(request.bank, series.rate_hz));
  require_whole_window(shape_of(input), bank.window(), request.options);
  const Hdf5Sink planned_sink = make_planned_sink(request);
  const std::int64_t held = held_bytes(input);
  const ConvolveOptions options = options_for(request, held);
  StreamOptions stream{.samples = samples_of(request.time, shape_of(input).samples, series),
                       .cancel = &stop_requested(),
                       .series = series};

  const StreamPlan plan = plan_stream(exec, streamed(input), bank, planned_sink, options, stream);
  if (request.time) {
    require_whole_window_in(plan.rows, shape_of(input), bank.window(), request.options);
  }
  PlanReport report = report_of(request, shape_of(input), series, bank.taps(), plan, held);
  report.fit = fit_of(input);
  report.output_note = standing_note(request);
  require_room(request, report);
  if (request.dry_run) {
    std::cout << (request.messages.json ? json_of(report) : text_of(report));
    return;
  }
  if (!request.messages.quiet) std::cerr << text_of(report);

  Hdf5Sink sink = make_sink(request, command_line);
  StreamReport done;
  {
    ProgressDisplay display(
        request.messages.quiet ? ProgressStyle::none : request.messages.progress, "convolve");
    stream.progress = [&display](const StreamProgress& progress) {
      display.show({.block = progress.blocks_written,
                    .blocks = progress.blocks,
                    .bytes = progress.bytes_written,
                    .fraction = progress.values == 0
                                    ? 1.0
                                    : static_cast<double>(progress.values_written) /
                                          static_cast<double>(progress.values),
                    .seconds = progress.seconds});
    };
    done = stream_convolve(exec, streamed(input), bank, sink, options, stream);
  }
  print_run(request, report,
            {.seconds = done.seconds,
             .seconds_read = done.seconds_read,
             .seconds_compute = done.seconds_compute,
             .seconds_write = done.seconds_write,
             .bytes_read = done.bytes_read,
             .bytes_written = done.bytes_written,
             .peak_bytes = peak_resident_bytes(),
             .program_bytes = program_bytes});
}

}  // namespace

void run_convolve(const ConvolveRequest& request, const std::string& command_line) {
  const std::int64_t program_bytes = resident_bytes();
  if (request.standing == Standing::replace &&
      is_same_file(request.input.file, request.output.file)) {
    throw Error("output " + request.output.file +
                ": found the file of the recording, which -O "
                "would replace; allowed: another file, or --append");
  }
  Input input = open_input(request);
  std::visit(
      [&](auto& opened) {
        if (request.type == OutputType::float32) {
          convolve_input<float>(request, opened, command_line, program_bytes);
        } else {
          convolve_input<double>(request, opened, command_line, program_bytes);
        }
      },
      input);
}

}  // namespace synelix::tool
