// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost of epochs: the same 10,000,000 samples as one epoch and as 10, 100, ..., 1,000,000, by a
// plan and by one call, of equal length, and of random lengths after one that is a tenth of all.
// The two runs of each pair, one epoch and many, are consecutive; `times_one` is the median of
// their ratios.

#include "exec_array.hpp"
#include "noise.hpp"

#include <synelix/synelix.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace synelix::perf {
namespace {

constexpr std::int64_t samples = 10'000'000;
constexpr std::int64_t bases = 8;

enum class Input { dense, events };
enum class Call { planned, one_shot };
enum class Lengths { even, uneven };

struct Case {
  Input input;
  Call call;
  Border border;
  std::int64_t window;
  Lengths lengths = Lengths::even;
};

Epochs epochs_of(std::int64_t count, Lengths lengths) {
  std::vector<Epoch> epochs;
  epochs.reserve(static_cast<std::size_t>(count));
  if (lengths == Lengths::uneven && count > 1) {
    Noise noise;
    std::vector<std::int64_t> borders{0, samples / 10, samples};
    while (static_cast<std::int64_t>(borders.size()) <= count) {
      borders.push_back(samples / 10 + noise.below(samples * 9 / 10));
    }
    std::sort(borders.begin(), borders.end());
    for (std::size_t i = 1; i < borders.size(); ++i) epochs.push_back({borders[i - 1], borders[i]});
    return epochs;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    epochs.push_back({samples / count * i, i + 1 < count ? samples / count * (i + 1) : samples});
  }
  return epochs;
}

/// Samples, events and features, made once for all benchmarks.
struct Memory {
  ExecArray<float> x;  // one channel: both orders are the same
  ExecArray<float> y;
  FeaturePlaces places{samples, 1, bases};
  std::vector<Events::Train> trains{1};

  Memory() : x(samples), y(samples * bases) {
    Noise noise;
    for (std::int64_t t = 0; t < samples; ++t) {
      x[static_cast<std::size_t>(t)] = noise.sample();
      if (noise.below(50) == 0) trains[0].samples.push_back(t);
    }
    x.to_exec();
  }
};

Memory& memory() {
  static Memory made;
  return made;
}

template <class Body>
double seconds_of(const Exec& exec, const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  exec.fence("synelix::perf: one run");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Whether the rows of an epoch in the middle are those of only its samples.
template <class Bank>
bool is_right(const Exec& exec, const Bank& bank, const Case& problem, std::int64_t count) {
  const Memory& all = memory();
  const Epoch epoch = epochs_of(count, problem.lengths)[static_cast<std::size_t>(count / 2)];
  const auto length = std::min<std::int64_t>(epoch.size(), 5000);
  const ExecArray<float> part(static_cast<std::size_t>(length));
  if (problem.input == Input::dense) {
    std::copy_n(all.x.host() + epoch.begin, length, part.host());
  } else {
    for (const std::int64_t t : all.trains[0].samples) {
      const std::int64_t place = t - epoch.begin;
      if (place >= 0 && place < length) part[static_cast<std::size_t>(place)] = 1.0F;
    }
  }
  part.to_exec();
  const FeaturePlaces places{length, 1, bases};
  const ExecArray<float> alone(static_cast<std::size_t>(places.count()));
  const StridedSeries series(Strided(part.data(), {length, 1}));
  const ConvolvePlan<float, Exec> plan(exec, series, bank, {.border = problem.border});
  plan.run(exec, series, places.output(alone.data()));
  exec.fence("synelix::perf: an epoch alone");
  alone.to_host();
  all.y.to_host();
  for (std::int64_t t = 0; t < length; ++t) {
    for (std::int64_t b = 0; b < bases; ++b) {
      const float found = all.y.host()[all.places(epoch.begin + t, 0, b)];
      if (std::bit_cast<std::uint32_t>(alone.host()[places(t, 0, b)]) !=
          std::bit_cast<std::uint32_t>(found)) {
        return false;
      }
    }
  }
  return true;
}

template <class Series>
void measure(benchmark::State& state, const Case& problem, std::int64_t count, const Series& one,
             const Series& many) {
  const Exec exec;
  const FilterBank<float, Exec> bank(exec, RaisedCosineLog{.bases = bases},
                                     {.window = problem.window});
  const ConvolveOptions options{.border = problem.border};
  const ConvolvePlan plan_of_one(exec, one, bank, options);
  const ConvolvePlan plan_of_many(exec, many, bank, options);
  const StridedOutput y = memory().places.output(memory().y.data());
  const auto run = [&](const Series& series, const auto& plan) {
    return seconds_of(exec, [&] {
      if (problem.call == Call::planned) {
        plan.run(exec, series, y);
      } else if constexpr (takes_host_arguments || !std::is_same_v<Series, Events>) {
        convolve(exec, series, bank, y, options);
      } else {
        throw Error("the device", "it takes no events here", "Give arrays");
      }
    });
  };
  run(one, plan_of_one);
  run(many, plan_of_many);
  if (!is_right(exec, bank, problem, count)) return state.SkipWithError("wrong features");
  std::vector<double> ratios;
  for (auto _ : state) {
    const double alone = run(one, plan_of_one);
    const double seconds = run(many, plan_of_many);
    state.SetIterationTime(seconds);
    ratios.push_back(seconds / alone);
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["times_one"] = ratios[ratios.size() / 2];
  state.SetLabel(name_of(plan_of_many.choice().method));
}

void epochs(benchmark::State& state, const Case& problem) {
  const std::int64_t count = state.range(0);
  if (problem.input == Input::events) {
    measure(state, problem, count, Events(samples, memory().trains),
            Events(samples, memory().trains, epochs_of(count, problem.lengths)));
  } else {
    const Strided x(memory().x.data(), {samples, 1});
    measure(state, problem, count, StridedSeries(x),
            StridedSeries(x, {.sample_axis = 0, .epochs = epochs_of(count, problem.lengths)}));
  }
}

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const std::string& name, const Case& problem) {
    benchmark::RegisterBenchmark(("epochs/" + name).c_str(),
                                 [problem](benchmark::State& state) {
                                   try {
                                     epochs(state, problem);
                                   } catch (const Error& error) {
                                     state.SkipWithError(error.what());
                                   }
                                 })
        ->RangeMultiplier(10)
        ->Range(1, 1'000'000)
        ->Iterations(5)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
  };
  for (const Input input : {Input::dense, Input::events}) {
    const std::string kind = input == Input::dense ? "dense" : "events";
    add(kind + "/planned/zero/window_100/uneven",
        {input, Call::planned, Border::zero, 100, Lengths::uneven});
    for (const Call call : {Call::planned, Call::one_shot}) {
      for (const Border border : {Border::nan, Border::zero}) {
        for (const std::int64_t window : {10, 100}) {
          add(kind + (call == Call::planned ? "/planned" : "/one_shot") +
                  (border == Border::nan ? "/nan" : "/zero") + "/window_" + std::to_string(window),
              {input, call, border, window});
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace synelix::perf
