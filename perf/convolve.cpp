// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `convolve` over the cases of perf/NOTES.md, from memory to memory with a plan that is made once:
// seconds, operations and stored bytes a second, and their share of the roofs of that moment.

#include "noise.hpp"
#include "roofs.hpp"

#include <synelix/synelix.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace synelix::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

struct Case {
  const char* name;
  std::int64_t samples;
  std::int64_t channels;
  std::int64_t bases;
  std::int64_t window;
};

constexpr Case dense_cases[] = {
    {"seed", 10'000, 10, 8, 100},           {"medium", 1'000'000, 20, 8, 100},
    {"long", 200'000, 10, 10, 1000},        {"wide", 100'000, 512, 8, 50},
    {"small_window", 1'000'000, 50, 4, 10}, {"one_channel", 2'000'000, 1, 8, 100},
};

/// Compares a few hundred rows of features with plain sums in double.
template <class Samples, class Features, class Bank>
bool is_right(const Samples& x, const Features& y, const Bank& bank) {
  const std::int64_t window = bank.window();
  const auto samples = static_cast<std::int64_t>(y.extent(0));
  const double allowed = sizeof(typename Features::value_type) == 4 ? 1e-4 : 1e-11;
  for (std::int64_t i = 0; i < 300; ++i) {
    const std::int64_t t = window + i * (samples - window - 1) / 300;
    const auto c = i % static_cast<std::int64_t>(y.extent(1));
    for (std::int64_t b = 0; b < bank.bases(); ++b) {
      double sum = 0;
      double size = 0;
      for (std::int64_t w = 0; w < window; ++w) {
        const double term = bank.taps()(w, b) * static_cast<double>(x(t - 1 - w, c));
        sum += term;
        size += std::abs(term);
      }
      if (!(std::abs(sum - y(t, c, b)) <= allowed * (size + 1e-6))) return false;
    }
  }
  return true;
}

/// Runs a plan again and again between two measurements of the roofs, and reports its rates and
/// their shares of the mean of both.
template <class Run>
void measure(benchmark::State& state, const Choice& choice, double bytes_stored, bool is_double,
             const Run& run) {
  const Roofs before = measure_roofs();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) run();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
      static_cast<double>(state.iterations());
  const Roofs after = measure_roofs();
  const double flops_roof =
      is_double ? before.flops_double + after.flops_double : before.flops_float + after.flops_float;
  const double store_roof = before.store_bytes + after.store_bytes;
  state.counters["gflops"] = choice.flops / seconds * 1e-9;
  state.counters["stored_gbytes"] = bytes_stored / seconds * 1e-9;
  state.counters["of_flops_roof"] = choice.flops / seconds / (flops_roof / 2);
  state.counters["of_store_roof"] = bytes_stored / seconds / (store_roof / 2);
  state.SetLabel(std::string(name_of(choice.method)) + " " + name_of(choice.instruction_set));
}

template <class Scalar, class Layout>
void dense(benchmark::State& state, const Case& problem) {
  const Exec exec;
  const Kokkos::View<Scalar**, Kokkos::LayoutRight, Exec> x(
      "samples", static_cast<std::size_t>(problem.samples),
      static_cast<std::size_t>(problem.channels));
  Noise noise;
  for (std::int64_t t = 0; t < problem.samples; ++t) {
    for (std::int64_t c = 0; c < problem.channels; ++c)
      x(t, c) = static_cast<Scalar>(noise.sample());
  }
  const FilterBank<Scalar, Exec> bank(exec, RaisedCosineLog{.bases = problem.bases},
                                      {.window = problem.window});
  const Series series(x);
  const ConvolvePlan<Scalar, Exec> plan(exec, series, bank);
  const Kokkos::View<Scalar***, Layout, Exec> y("features", x.extent(0), x.extent(1),
                                                static_cast<std::size_t>(problem.bases));
  plan.run(exec, series, y);
  exec.fence("synelix::perf: the first run");
  if (!is_right(x, y, bank)) return state.SkipWithError("wrong features");
  measure(state, plan.choice(), static_cast<double>(y.size() * sizeof(Scalar)), sizeof(Scalar) == 8,
          [&] {
            plan.run(exec, series, y);
            exec.fence("synelix::perf: one run");
          });
}

void events(benchmark::State& state, double rate_hz, Method method) {
  constexpr std::int64_t samples = 1'000'000;
  constexpr std::int64_t channels = 20;
  const Exec exec;
  std::vector<Events::Train> trains(channels);
  Noise noise;
  for (Events::Train& train : trains) {
    for (std::int64_t t = 0; t < samples; ++t) {
      if (noise.uniform() < rate_hz * 1e-3) train.samples.push_back(t);
    }
  }
  const Events list(samples, trains);
  const FilterBank<float, Exec> bank(exec, RaisedCosineLog{.bases = 8}, {.window = 100});
  const ConvolvePlan<float, Exec> plan(exec, list, bank, {.method = method});
  const Kokkos::View<float***, Kokkos::LayoutRight, Exec> y("features", samples, channels, 8);
  plan.run(exec, list, y);
  exec.fence("synelix::perf: the first run");
  const Kokkos::View<float**, Kokkos::LayoutRight, Exec> x("counts", samples, channels);
  for (std::size_t c = 0; c < trains.size(); ++c) {
    for (const std::int64_t t : trains[c].samples) x(static_cast<std::size_t>(t), c) = 1;
  }
  if (!is_right(x, y, bank)) return state.SkipWithError("wrong features");
  measure(state, plan.choice(), static_cast<double>(y.size() * sizeof(float)), false, [&] {
    plan.run(exec, list, y);
    exec.fence("synelix::perf: one run");
  });
}

/// The arrays of a small call: 10 channels, 8 bases, window 100.
struct SmallCall {
  explicit SmallCall(std::int64_t samples)
      : x("samples", static_cast<std::size_t>(samples), 10),
        bank(exec, RaisedCosineLog{.bases = 8}, {.window = 100}),
        y("features", static_cast<std::size_t>(samples), 10, 8) {
    Noise noise;
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = noise.sample();
  }

  /// Whether y holds the features: those of rows with a whole window, NaN before them.
  [[nodiscard]] bool is_done() const {
    const auto samples = static_cast<std::int64_t>(x.extent(0));
    return std::isnan(y(0, 0, 0)) && (samples <= bank.window() + 1 || is_right(x, y, bank));
  }

  Exec exec;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> x;
  FilterBank<float, Exec> bank;
  Kokkos::View<float***, Kokkos::LayoutRight, Exec> y;
};

/// What a call costs that makes its plan anew, against one that has it.
void one_shot(benchmark::State& state) {
  const SmallCall call(state.range(0));
  for (auto _ : state) convolve(call.exec, call.x, call.bank, call.y);
  if (!call.is_done()) state.SkipWithError("wrong features");
}

void planned(benchmark::State& state) {
  const SmallCall call(state.range(0));
  const Series series(call.x);
  const ConvolvePlan<float, Exec> plan(call.exec, series, call.bank);
  for (auto _ : state) {
    plan.run(call.exec, series, call.y);
    call.exec.fence("synelix::perf: one run");
  }
  if (!call.is_done()) state.SkipWithError("wrong features");
}

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const std::string& name, auto body) {
    benchmark::RegisterBenchmark(("convolve/" + name).c_str(), body)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  for (const Case& problem : dense_cases) {
    const std::string name = problem.name;
    add("dense/float/" + name,
        [&problem](benchmark::State& state) { dense<float, Kokkos::LayoutRight>(state, problem); });
    add("dense/double/" + name, [&problem](benchmark::State& state) {
      dense<double, Kokkos::LayoutRight>(state, problem);
    });
  }
  add("dense/float/medium_sample_fastest",
      [](benchmark::State& state) { dense<float, Kokkos::LayoutLeft>(state, dense_cases[1]); });
  for (const int rate_hz : {1, 5, 20, 50}) {
    const std::string name = std::to_string(rate_hz) + "Hz";
    add("events/" + name,
        [rate_hz](benchmark::State& state) { events(state, rate_hz, Method::events); });
  }
  add("events/20Hz_forced_direct",
      [](benchmark::State& state) { events(state, 20, Method::direct); });
  for (auto* body : {&one_shot, &planned}) {
    benchmark::RegisterBenchmark(
        body == &one_shot ? "convolve/call/one_shot" : "convolve/call/planned", *body)
        ->Arg(1)
        ->Arg(10)
        ->Arg(100)
        ->Arg(1000)
        ->Arg(10'000)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
  return true;
}();

}  // namespace
}  // namespace synelix::perf
