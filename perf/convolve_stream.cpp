// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The latency of a block: the waiting time of a closed loop from the push to the features, for
// blocks of 1 to 1000 samples. Median and 99th percentile over single pushes, and the share of the
// multiply-add roof that the median reaches.

#include "exec_array.hpp"
#include "noise.hpp"
#include "roofs/roofs.hpp"

#include <synelix/synelix.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace synelix::perf {
namespace {

constexpr std::int64_t bases = 8;
constexpr std::int64_t window = 100;

/// Samples (values), channel fastest: a block of a closed loop comes sample by sample.
ExecArray<float> noise_of(std::int64_t values) {
  Noise noise;
  ExecArray<float> x(static_cast<std::size_t>(values));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = noise.sample();
  x.to_exec();
  return x;
}

/// Whether blocks give the same features as the entire series.
bool is_right(const Exec& exec, const FilterBank<float, Exec>& bank, const Choice& choice,
              std::int64_t samples, std::int64_t channels) {
  const std::int64_t blocks = 3 + 200 / samples;
  const ExecArray<float> x = noise_of(blocks * samples * channels);
  const ExecArray<float> whole(x.size() * bases);
  const StridedSeries series(Strided(x.data(), {blocks * samples, channels}));
  const ConvolvePlan<float, Exec> plan(exec, series, bank);
  plan.run(exec, series, StridedOutput(whole.data(), {blocks * samples, channels, bases}));
  exec.fence("synelix::perf: the whole series");
  whole.to_host();
  const SeriesShape longest{.samples = samples, .channels = channels, .epochs = {}};
  ConvolveStream stream(exec, longest, bank, choice);
  const ExecArray<float> part(static_cast<std::size_t>(samples * channels * bases));
  for (std::int64_t i = 0; i < blocks; ++i) {
    stream.push(exec, Strided(x.data() + i * samples * channels, {samples, channels}),
                StridedOutput(part.data(), {samples, channels, bases}));
    exec.fence("synelix::perf: one block");
    part.to_host();
    const std::size_t first = static_cast<std::size_t>(i) * part.size();
    if (std::memcmp(part.host(), whole.host() + first, part.size() * sizeof(float)) != 0) {
      return false;
    }
  }
  return true;
}

void push(benchmark::State& state) {
  const std::int64_t samples = state.range(0);
  const std::int64_t channels = state.range(1);
  const Exec exec;
  const FilterBank<float, Exec> bank(exec, RaisedCosineLog{.bases = bases}, {.window = window});
  const SeriesShape hour{.samples = 3'600'000, .channels = channels, .epochs = {}};
  const Choice choice = choose_stream(exec, hour, bank);
  if (!is_right(exec, bank, choice, samples, channels)) {
    return state.SkipWithError("wrong features");
  }
  const SeriesShape longest{.samples = samples, .channels = channels, .epochs = {}};
  ConvolveStream stream(exec, longest, bank, choice);
  const ExecArray<float> x = noise_of(samples * channels);
  const ExecArray<float> y(static_cast<std::size_t>(samples * channels * bases));
  const Strided block(x.data(), {samples, channels});
  const StridedOutput features(y.data(), {samples, channels, bases});
  std::vector<double> seconds;
  seconds.reserve(1'000'000);
  const Roofs before = measure_roofs();
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    stream.push(exec, block, features);
    exec.fence("synelix::perf: one block");
    const double taken =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(taken);
    seconds.push_back(taken);
  }
  const Roofs after = measure_roofs();
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const double flops = 2.0 * static_cast<double>(samples * channels * bases * window);
  state.counters["median_us"] = 1e6 * median;
  state.counters["p99_us"] = 1e6 * seconds[seconds.size() * 99 / 100];
  state.counters["of_flops_roof"] = flops / median / ((before.flops_float + after.flops_float) / 2);
  state.SetLabel(std::string(name_of(choice.method)) + " " + name_of(choice.instruction_set));
}

[[maybe_unused]] const bool registered = [] {
  benchmark::RegisterBenchmark("convolve_stream/push", push)
      ->ArgNames({"samples", "channels"})
      ->ArgsProduct({{1, 10, 30, 100, 1000}, {32, 384}})
      ->Unit(benchmark::kMicrosecond)
      ->UseManualTime();
  return true;
}();

}  // namespace
}  // namespace synelix::perf
