// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run_output.hpp"

#include "tool/inputs.hpp"
#include "tool/progress.hpp"
#include "tool/resources.hpp"

#include <utility>

namespace synelix::tool {

OutputRequest output_of(const ConvolveRequest& request) {
  return {.path = request.output,
          .chunk = request.chunk,
          .filter = request.filter,
          .standing = request.standing,
          .dry_run = request.dry_run};
}

OutputRequest output_of(const FeaturesRequest& request) {
  OutputRequest output{.path = request.output,
                       .chunk = {},
                       .filter = request.filter,
                       .standing = request.standing,
                       .dry_run = request.dry_run};
  if (!request.chunk.empty()) output.chunk = {request.chunk[0], 1, request.chunk[1]};
  return output;
}

Hdf5Sink make_sink(const OutputRequest& output, Hdf5OutputOptions options) {
  Hdf5SinkOptions sink;
  sink.output = std::move(options);
  if (output.filter.deflate > 0) {
    sink.output.filter = {
        .compression = output.filter.shuffle ? Compression::shuffle_deflate : Compression::deflate,
        .level = output.filter.deflate};
  }
  if (!output.chunk.empty()) {
    sink.chunk = BlockShape{output.chunk[0], output.chunk[1], output.chunk[2]};
  }
  return Hdf5Sink(file_path(output.path), sink);
}

Hdf5Sink make_planned_sink(OutputRequest output) {
  if (output.path.file.empty()) output.path = {.file = "features.h5", .dataset = "/features"};
  return make_sink(output, output_options(Standing::replace, {}));
}

void require_room(const OutputRequest& output, PlanReport& report) {
  if (output.path.file.empty()) return;
  report.free_bytes = free_bytes_beside(output.path.file);
  std::int64_t needed = report.output_bytes;
  if (output.standing == Standing::append) needed += bytes_of_file(output.path.file);
  const bool is_compressed = output.filter.deflate > 0;  // then nobody knows before
  if (needed > *report.free_bytes && !is_compressed) {
    throw Error("output " + output.path.file + ": found " +
                format_bytes(static_cast<double>(*report.free_bytes)) +
                " free on its disk; allowed: at least " +
                format_bytes(static_cast<double>(needed)) + ", which the output takes");
  }
}

std::string standing_note(const OutputRequest& output, const std::string& command) {
  if (output.path.file.empty()) return {};
  try {
    require_free_place(output.path, output.standing);
  } catch (const Error&) {
    if (!output.dry_run) throw;
    return output.standing == Standing::append ? "the dataset exists: " + command + " will refuse"
                                               : "exists: " + command + " will refuse without -O";
  }
  return {};
}

std::int64_t budget_beside(std::optional<std::int64_t> budget, std::int64_t held) {
  const std::int64_t all = budget.value_or(default_budget());
  if (held >= all) {
    throw Error(
        "--budget", format_bytes(static_cast<double>(all)),
        "more than the " + format_bytes(static_cast<double>(held)) + " that the spike trains take");
  }
  return all - held;
}

void report_plan(const StreamPlan& plan, std::int64_t held, PlanReport& report) {
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
}

StreamReport run_shown(const Messages& messages, const std::string& verb, StreamOptions options,
                       const std::function<StreamReport(const StreamOptions&)>& stream) {
  ProgressDisplay display(messages.quiet ? ProgressStyle::none : messages.progress, verb);
  options.progress = [&display](const StreamProgress& progress) {
    display.show({.block = progress.blocks_written,
                  .blocks = progress.blocks,
                  .bytes = progress.bytes_written,
                  .fraction = progress.values == 0 ? 1.0
                                                   : static_cast<double>(progress.values_written) /
                                                         static_cast<double>(progress.values),
                  .seconds = progress.seconds});
  };
  return stream(options);
}

RunReport run_report(const StreamReport& done, std::int64_t program_bytes) {
  return {.seconds = done.seconds,
          .seconds_read = done.seconds_read,
          .seconds_compute = done.seconds_compute,
          .seconds_write = done.seconds_write,
          .bytes_read = done.bytes_read,
          .bytes_written = done.bytes_written,
          .peak_bytes = peak_resident_bytes(),
          .program_bytes = program_bytes};
}

}  // namespace synelix::tool
