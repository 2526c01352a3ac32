// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `convolve` over the cases of perf/cases.json, from memory to memory with a plan that is made
// once: seconds, operations and stored bytes a second, and their share of the roofs measured at
// that time. Also the cost of a small call, with and without a plan.

#include "cases.hpp"
#include "dense_problem.hpp"
#include "noise.hpp"
#include "roofs/roofs.hpp"

#include <synelix/synelix.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace synelix::perf {
namespace {

/// The work of a benchmark in one run.
struct Work {
  double dense_flops;
  double trimmed_flops;
  double bytes_stored;
  double bytes_moved;
};

/// Runs a plan repeatedly between two measurements of the roofs, and reports its rates and their
/// shares of the mean of both. The memory limit is the time of all bytes at the rate of
/// non-temporal stores.
template <class Run>
void measure(benchmark::State& state, const Choice& choice, const Work& work, bool is_double,
             const Run& run) {
  const Roofs before = measure_roofs();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) run();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
      static_cast<double>(state.iterations());
  const Roofs after = measure_roofs();
  const double flops_roof = is_double ? (before.flops_double + after.flops_double) / 2
                                      : (before.flops_float + after.flops_float) / 2;
  const double stream_roof = (before.stream_bytes + after.stream_bytes) / 2;
  state.counters["stored_gbytes"] = work.bytes_stored / seconds * 1e-9;
  state.counters["of_flops_roof_all_taps"] = work.dense_flops / seconds / flops_roof;
  state.counters["of_flops_roof_in_support"] = work.trimmed_flops / seconds / flops_roof;
  state.counters["of_stream_roof"] = work.bytes_stored / seconds / stream_roof;
  state.counters["times_memory_limit"] = seconds / (work.bytes_moved / stream_roof);
  state.SetLabel(std::string(name_of(choice.method)) + " " + name_of(choice.instruction_set));
}

template <class Scalar, class Stored>
void dense(benchmark::State& state, const Case& problem, Bank kind, Order order = natural_order) {
  const DenseProblem<Scalar, Stored> arrays(problem, kind, order);
  const StridedSeries series = arrays.series();
  const ConvolvePlan<Scalar, Exec> plan(arrays.exec, series, arrays.bank);
  const auto run = [&] {
    plan.run(arrays.exec, series, arrays.features());
    arrays.exec.fence("synelix::perf: one run");
  };
  run();
  if (!arrays.is_right()) return state.SkipWithError("wrong features");
  measure(
      state, plan.choice(),
      {arrays.dense_flops(), arrays.trimmed_flops(), arrays.bytes_stored(), arrays.bytes_moved()},
      sizeof(Scalar) == 8, run);
}

void events(benchmark::State& state, const EventCases& shape, std::int64_t window,
            std::int64_t rate_hz, Method method) {
  const Exec exec;
  std::vector<Events::Train> trains(static_cast<std::size_t>(shape.channels));
  Noise noise;
  for (Events::Train& train : trains) {
    for (std::int64_t t = 0; t < shape.samples; ++t) {
      if (noise.uniform() < static_cast<double>(rate_hz) * shape.bin_seconds) {
        train.samples.push_back(t);
      }
    }
  }
  const Events list(shape.samples, trains);
  const FilterBank<float, Exec> bank(exec, taps_of(Bank::cosines, shape.bases, window));
  const ConvolvePlan<float, Exec> plan(exec, list, bank, {.method = method});
  const FeaturePlaces places{shape.samples, shape.channels, shape.bases};
  const ExecArray<float> y(static_cast<std::size_t>(places.count()));
  const StridedOutput features = places.output(y.data());
  const auto run = [&] {
    plan.run(exec, list, features);
    exec.fence("synelix::perf: one run");
  };
  run();
  std::vector<char> counts(static_cast<std::size_t>(shape.samples * shape.channels));
  for (std::size_t c = 0; c < trains.size(); ++c) {
    for (const std::int64_t t : trains[c].samples) {
      counts[static_cast<std::size_t>(t) * trains.size() + c] = 1;
    }
  }
  const auto sample = [&](std::int64_t t, std::int64_t c) {
    return static_cast<int>(counts[static_cast<std::size_t>(t * shape.channels + c)]);
  };
  y.to_host();
  if (!is_right(sample, y.host(), places, bank.taps(), 1)) {
    return state.SkipWithError("wrong features");
  }
  const auto count = static_cast<double>(list.shape().events);
  const auto bytes = static_cast<double>(y.size() * sizeof(float));
  measure(state, plan.choice(),
          {2 * count * static_cast<double>(window * shape.bases),
           2 * count * static_cast<double>(taps_in_support(bank.taps())), bytes,
           bytes + count * sizeof(std::int64_t)},
          false, run);
}

/// The arrays of a small call.
struct SmallCall {
  SmallCall(const SmallCalls& shape, std::int64_t samples)
      : problem({"small", samples, shape.channels, shape.bases, shape.window}, Bank::cosines) {}

  /// Whether the features are correct: those of rows with a complete window, and NaN before them.
  [[nodiscard]] bool is_done() const { return problem.is_right() && std::isnan(problem.y[0]); }

  DenseProblem<float, float> problem;
};

/// The cost of a call that makes its plan, compared with one that has a plan.
void one_shot(benchmark::State& state, const SmallCall& call) {
  const StridedSeries series = call.problem.series();
  for (auto _ : state) {
    convolve(call.problem.exec, series, call.problem.bank, call.problem.features());
  }
  if (!call.is_done()) state.SkipWithError("wrong features");
}

void planned(benchmark::State& state, const SmallCall& call) {
  const StridedSeries series = call.problem.series();
  const ConvolvePlan<float, Exec> plan(call.problem.exec, series, call.problem.bank);
  for (auto _ : state) {
    plan.run(call.problem.exec, series, call.problem.features());
    call.problem.exec.fence("synelix::perf: one run");
  }
  if (!call.is_done()) state.SkipWithError("wrong features");
}

void add(const std::string& name, const auto& body,
         benchmark::TimeUnit unit = benchmark::kMillisecond) {
  // An error of the library, for example for events on a device, ends only that benchmark.
  const auto guarded = [body](benchmark::State& state) {
    try {
      body(state);
    } catch (const Error& error) {
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(("convolve/" + name).c_str(), guarded)->Unit(unit)->UseRealTime();
}

template <class Scalar, class Stored>
void add_dense(const std::string& name, const Case& problem, Bank kind) {
  add(problem.name + "/" + name,
      [=](benchmark::State& state) { dense<Scalar, Stored>(state, problem, kind); });
}

}  // namespace

void register_convolve(const Cases& cases) {
  for (const Case& problem : cases.dense) {
    add_dense<float, float>("cosines/float", problem, Bank::cosines);
    add_dense<float, float>("random/float", problem, Bank::random);
    if (!problem.has_double) continue;
    add_dense<double, double>("cosines/double", problem, Bank::cosines);
    add_dense<double, double>("random/double", problem, Bank::random);
    add_dense<float, std::int8_t>("cosines/float_of_int8", problem, Bank::cosines);
    add_dense<float, std::int16_t>("cosines/float_of_int16", problem, Bank::cosines);
    if (problem.name == "medium") {
      add(on_device ? "medium/basis_fastest" : "medium/sample_fastest",
          [=](benchmark::State& state) {
            dense<float, float>(state, problem, Bank::cosines, other_order);
          });
    }
  }
  const EventCases& trains = cases.events;
  for (const std::int64_t window : trains.windows) {
    for (const std::int64_t rate_hz : trains.rates_hz) {
      const std::string name = "events/" + std::to_string(window) + "/" + std::to_string(rate_hz);
      add(name + "Hz",
          [=](benchmark::State& state) { events(state, trains, window, rate_hz, Method::events); });
      add(name + "Hz_forced_direct",
          [=](benchmark::State& state) { events(state, trains, window, rate_hz, Method::direct); });
    }
  }
  for (const std::int64_t samples : cases.small_calls.samples) {
    const auto call = [=, shape = cases.small_calls] { return SmallCall(shape, samples); };
    const std::string name = std::to_string(samples);
    add(
        "call/one_shot/" + name, [=](benchmark::State& state) { one_shot(state, call()); },
        benchmark::kMicrosecond);
    add(
        "call/planned/" + name, [=](benchmark::State& state) { planned(state, call()); },
        benchmark::kMicrosecond);
  }
}

}  // namespace synelix::perf
