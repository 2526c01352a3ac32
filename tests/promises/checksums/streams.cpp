// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "design_case.hpp"

#include <synelix/stream.hpp>
#include <synelix/stream_features.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <deque>
#include <vector>

// Streams of blocks from memory to memory: convolutions and designs.

namespace checksums {
namespace {

using namespace synelix;

template <class Scalar>
void convolve_stream(const Runner& runner, Method method, Draws& draws, Checksum& checksum) {
  const SeriesCase test({.samples = 600}, draws);
  const std::int64_t window = draws.between(1, 40);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.method = method;
  options.batch.samples = window + draws.between(0, 100);
  options.budget = mebibytes(32);
  const StridedSeries series = test.series();
  const std::int64_t rows = feature_rows(series.shape(), window, options);
  if (rows == 0) return;
  MemorySource source(series);
  auto features = draw_output<Scalar>({rows, test.channels(), bank.bases()}, draws);
  MemorySink sink(features.output());
  stream_convolve(runner.exec, source, bank, sink, options);
  checksum.add(features);
}

template <class Scalar>
void convolve_event_stream(const Runner& runner, Draws& draws, Checksum& checksum) {
  const std::int64_t samples = draws.between(50, 600);
  const std::int64_t channels = draws.between(1, 12);
  const Epochs epochs = draw_epochs(samples, draws);
  const Events events = draw_events(samples, channels, epochs, draws);
  const std::int64_t window = draws.between(1, 40);
  const auto bank = draw_bank<Scalar>(runner.exec, window, draws);
  ConvolveOptions options = draw_options(runner, window, draws);
  options.method = Method::events;
  options.batch.samples = window + draws.between(0, 100);
  options.budget = mebibytes(32);
  const std::int64_t rows = feature_rows(events.shape(), window, options);
  if (rows == 0) return;
  auto features = draw_output<Scalar>({rows, channels, bank.bases()}, draws);
  MemorySink sink(features.output());
  stream_convolve(runner.exec, events, bank, sink, options);
  checksum.add(features);
}

template <class Scalar>
void stream_design(const Runner& runner, Draws& draws, Checksum& checksum) {
  const DesignWish wish{
      .families = {Family::taps, Family::splines}, .terms = 3, .factors = 2, .sources = true};
  const DesignCase test(wish, draws);
  FeaturesOptions options = draw_features_options(runner, wish, draws);
  options.batch.samples = draws.between(60, 120);
  options.budget = mebibytes(64);
  std::deque<MemorySource> sources;
  std::vector<StreamInput> inputs;
  std::vector<InputShape> shapes;
  for (const DesignInput& part : test.parts()) {
    if (part.events) {
      inputs.emplace_back(*part.events);
    } else {
      inputs.emplace_back(sources.emplace_back(*part.series));
    }
    shapes.push_back(inputs.back().shape());
  }
  const FeaturesChoice choice =
      choose_features<Scalar>(runner.exec, test.expression(), shapes, options);
  if (choice.rows == 0 || choice.columns == 0) return;
  auto features = draw_output<Scalar>({choice.rows, 1, choice.columns}, draws);
  MemorySink sink(features.output());
  stream_features<Scalar>(runner.exec, test.expression(), inputs, sink, options);
  checksum.add(features);
}

template <class Scalar>
void run_streams_of_type(Runner& runner) {
  const auto run = [&](const char* kind, int cases, Numbers numbers, const auto& compute) {
    runner.run(of_type<Scalar>(kind), cases, numbers,
               [&](Draws& draws, Checksum& checksum) { compute(runner, draws, checksum); });
  };
  const auto convolve_by = [](Method method) {
    return [=](const Runner& here, Draws& draws, Checksum& checksum) {
      convolve_stream<Scalar>(here, method, draws, checksum);
    };
  };
  run("streams.convolve", 50, Numbers::arithmetic, convolve_by(Method::direct));
  run("streams.convolve_fft", 25, Numbers::libm, convolve_by(Method::fft));
  run("streams.convolve_events", 30, Numbers::arithmetic, convolve_event_stream<Scalar>);
  run("streams.features", 40, Numbers::arithmetic, stream_design<Scalar>);
}

}  // namespace

void run_streams(Runner& runner) {
  run_streams_of_type<float>(runner);
  run_streams_of_type<double>(runner);
}

}  // namespace checksums
