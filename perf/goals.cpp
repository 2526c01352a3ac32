// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The required speed of a device (cases.json, device_goals and device_through): a requested method
// on arrays in the device's memory, with each run timed to its fence; and a result that may exceed
// the device's memory, from and to the host's memory. `of_goal` is at least 1 if the median run
// meets the goal.

#include "cases.hpp"
#include "dense_problem.hpp"
#include "roofs/roofs.hpp"

#include <synelix/synelix.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace synelix::perf {
namespace {

/// On a host the same with few samples, to test that it runs, not its speed.
Case shortened(Case problem) {
  if constexpr (!on_device) {
    problem.samples = std::max(problem.samples / 1000, 4 * problem.window);
  }
  return problem;
}

template <class Body>
double seconds_of(const Exec& exec, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  exec.fence("synelix::perf: one run");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Body>
double median_of(benchmark::State& state, const Exec& exec, const Body& body) {
  std::vector<double> seconds;
  for (auto _ : state) {
    seconds.push_back(seconds_of(exec, body));
    state.SetIterationTime(seconds.back());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// A random bank: none of its taps can be skipped.
void goal(benchmark::State& state, const Goal& wanted) {
  const std::optional<Method> method = method_of(wanted.method);
  if (!method) return state.SkipWithError("there is no such method");
  const DenseProblem<float, float> arrays(shortened(wanted.problem), Bank::random);
  const StridedSeries series = arrays.series();
  const ConvolvePlan<float, Exec> plan(arrays.exec, series, arrays.bank, {.method = *method});
  const auto run = [&] { plan.run(arrays.exec, series, arrays.features()); };
  seconds_of(arrays.exec, run);
  if (!arrays.is_right()) return state.SkipWithError("wrong features");
  const Roofs before = measure_roofs();
  const double seconds = median_of(state, arrays.exec, run);
  const Roofs after = measure_roofs();
  const double flops = arrays.dense_flops() / seconds;
  state.counters["median_ms"] = 1e3 * seconds;
  state.counters["tflops_all_taps"] = 1e-12 * flops;
  state.counters["of_flops_roof_all_taps"] = 2 * flops / (before.flops_float + after.flops_float);
  state.counters["times_memory_limit"] =
      seconds * (before.stream_bytes + after.stream_bytes) / (2 * arrays.bytes_moved());
  if (wanted.milliseconds > 0) state.counters["of_goal"] = wanted.milliseconds / (1e3 * seconds);
  if (wanted.teraflops > 0) state.counters["of_goal"] = 1e-12 * flops / wanted.teraflops;
  state.SetLabel(std::string(name_of(plan.choice().method)) + (on_device ? "" : ", shortened"));
}

/// Bytes a second from Exec's memory to the host memory with the fastest copies.
double bus_rate(const Exec& exec) {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const Kokkos::View<char*, Exec::memory_space> from("synelix::perf::from", bytes);
  const Kokkos::View<char*, Kokkos::SharedHostPinnedSpace> to("synelix::perf::to", bytes);
  const auto copy = [&] {
    for (int i = 0; i < 8; ++i) Kokkos::deep_copy(exec, to, from);
  };
  seconds_of(exec, copy);
  return 8 * static_cast<double>(bytes) / seconds_of(exec, copy);
}

/// From samples to features in pageable, touched memory of the host, by one call of `convolve`.
template <bool takes_them>
void through(benchmark::State& state, const ThroughCase& wanted, Order order) {
  if constexpr (!takes_them) {
    state.SkipWithMessage("convolve takes no arrays of the host on a device yet");
  } else {
    using Samples = Kokkos::View<const float**, Kokkos::LayoutStride, Kokkos::HostSpace,
                                 Kokkos::MemoryUnmanaged>;
    using Features =
        Kokkos::View<float***, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    const Exec exec;
    const Case problem = shortened(wanted.problem);
    const SamplePlaces samples{problem.samples, problem.channels, Order::basis_fastest};
    const FeaturePlaces places{problem.samples, problem.channels, problem.bases, order};
    const LargeArray<float> x(static_cast<std::size_t>(samples.count()));
    const LargeArray<float> y(static_cast<std::size_t>(places.count()));
    Noise noise;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = noise.sample();
    const auto extent = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    const Samples input(x.data(),
                        Kokkos::LayoutStride(extent(problem.samples), extent(samples(1, 0)),
                                             extent(problem.channels), extent(samples(0, 1))));
    const Features features(y.data(),
                            Kokkos::LayoutStride(extent(problem.samples), extent(places(1, 0, 0)),
                                                 extent(problem.channels), extent(places(0, 1, 0)),
                                                 extent(problem.bases), extent(places(0, 0, 1))));
    const FilterBank<float, Exec> bank(exec, taps_of(Bank::random, problem.bases, problem.window));
    const auto run = [&] {
      convolve(exec, Series<Samples>(input), bank, features, {.budget = wanted.budget_bytes});
    };
    const double before = bus_rate(exec);
    const double seconds = median_of(state, exec, run);
    const double rate = (before + bus_rate(exec)) / 2;
    const auto sample = [&](std::int64_t t, std::int64_t c) {
      return x[static_cast<std::size_t>(samples(t, c))];
    };
    if (!is_right(sample, y.data(), places, bank.taps(), 1)) {
      return state.SkipWithError("wrong features");
    }
    const auto bytes = static_cast<double>(y.size() * sizeof(float));
    state.counters["median_ms"] = 1e3 * seconds;
    state.counters["to_host_gbytes"] = 1e-9 * bytes / seconds;
    state.counters["of_bus"] = bytes / seconds / rate;
    state.counters["of_goal"] = bytes / seconds / rate / wanted.of_bus;
  }
}

void add(const std::string& name, int times, const auto& body) {
  const auto guarded = [body](benchmark::State& state) {
    try {
      body(state);
    } catch (const Error& error) {
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(("goals/" + name).c_str(), guarded)
      ->Iterations(on_device ? times : 1)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

}  // namespace

void register_goals(const Cases& cases) {
  for (const Goal& wanted : cases.goals) {
    add(wanted.problem.name, 50, [wanted](benchmark::State& state) { goal(state, wanted); });
  }
  for (const Order order : {Order::basis_fastest, Order::sample_fastest}) {
    add(cases.through.problem.name +
            (order == Order::basis_fastest ? "/basis_fastest" : "/sample_fastest"),
        3, [=, wanted = cases.through](benchmark::State& state) {
          through<takes_host_arguments>(state, wanted, order);
        });
  }
}

}  // namespace synelix::perf
