// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/neurons.hpp"
#include "tool/run/output.hpp"
#include "tool/text/progress.hpp"
#include "tool/text/report.hpp"
#include "tool/text/terminal_text.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>

namespace synelix::tool {
namespace {

constexpr std::int64_t bytes_at_a_time = std::int64_t{4} << 20;

/// What became of a simulation.
struct Simulated {
  std::int64_t spikes = 0;
  double seconds = 0;
};

void require_room(const SimulateRequest& request, std::int64_t bytes) {
  const std::int64_t free = free_bytes_beside(request.output.file);
  if (request.standing == Standing::append) bytes += bytes_of_file(request.output.file);
  if (bytes > free) {
    throw Error("output " + request.output.file,
                "its disk has " + format_bytes(static_cast<double>(free)) +
                    " free, but the recording takes " + format_bytes(static_cast<double>(bytes)),
                "Free disk space, or give a name on another one");
  }
}

Simulated write_recording(const SimulateRequest& request, Neurons& neurons,
                          Hdf5SeriesWriter& writer, ProgressDisplay& display) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t rows_at_a_time =
      std::clamp<std::int64_t>(bytes_at_a_time / request.channels, 1, request.samples);
  std::vector<std::uint8_t> counts(static_cast<std::size_t>(rows_at_a_time * request.channels));
  Simulated done;
  Advance advance{.blocks = (request.samples + rows_at_a_time - 1) / rows_at_a_time};
  for (std::int64_t t = 0; t < request.samples; t += rows_at_a_time) {
    if (stop_requested()) throw Cancelled("nothing was left behind");
    const Range rows{.begin = t, .end = std::min(t + rows_at_a_time, request.samples)};
    neurons.fill(rows.size(), counts.data());
    writer.write(rows, counts.data());
    for (std::int64_t i = 0; i < rows.size() * request.channels; ++i) {
      done.spikes += counts[static_cast<std::size_t>(i)];
    }
    ++advance.block;
    advance.bytes += rows.size() * request.channels;
    advance.fraction = static_cast<double>(rows.end) / static_cast<double>(request.samples);
    done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    advance.seconds = done.seconds;
    display.show(advance);
  }
  writer.finish();
  return done;
}

SimulationReport report_of(const SimulateRequest& request, const Simulated& done) {
  return {.path = request.output.text(),
          .samples = request.samples,
          .channels = request.channels,
          .seed = request.seed,
          .bin_seconds = request.bin_seconds,
          .spikes = done.spikes,
          .seconds = done.seconds};
}

}  // namespace

void run_simulate(const SimulateRequest& request, const std::string& command_line) {
  constexpr std::int64_t most_channels = std::int64_t{1} << 24;  // each has a state in memory
  if (request.channels > most_channels) {
    throw Error("--channels", std::to_string(request.channels) + " channels are too many",
                "Give at most " + std::to_string(most_channels));
  }
  if (request.samples > std::numeric_limits<std::int64_t>::max() / 16 / request.channels) {
    throw Error("--samples times --channels",
                std::to_string(request.samples) + " times " + std::to_string(request.channels) +
                    " makes too many counts",
                "Give less than 2^59 counts");
  }
  Neurons neurons(request.channels, static_cast<std::uint64_t>(request.seed), request.rate_hz,
                  request.bin_seconds);
  require_free_place(request.output, request.standing);
  if (request.standing == Standing::replace) {
    require_other_file(request.output, request.config, "options");
  }
  require_room(request, request.samples * request.channels);
  Hdf5OutputOptions options = output_options(request.standing, command_line);
  options.attributes = {{"seed", request.seed},
                        {"units", std::string("counts per bin")},
                        {"bin_seconds", request.bin_seconds},
                        {"source", std::string("synelix simulate: coupled Poisson neurons")}};
  SeriesShape shape;
  shape.samples = request.samples;
  shape.channels = request.channels;
  shape.type = StoredType::uint8;
  Hdf5SeriesWriter writer(file_path(request.output), shape, 1 / request.bin_seconds, options);
  note_part(part_of(request.output.file), Rest::removed);
  Simulated done;
  {
    ProgressDisplay display(
        request.messages.quiet ? ProgressStyle::none : request.messages.progress, "simulate");
    done = write_recording(request, neurons, writer, display);
  }
  const SimulationReport report = report_of(request, done);
  if (request.messages.json) std::cout << json_of(report);
  if (!request.messages.quiet) std::cerr << terminal_text(text_of(report));
}

}  // namespace synelix::tool
