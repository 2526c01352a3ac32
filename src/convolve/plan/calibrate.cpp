// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/calibration.hpp"
#include "convolve/choice/choose.hpp"
#include "convolve/plan/calibrate_bytes.hpp"
#include "convolve/plan/prepared_convolution.hpp"
#include "launch/watched.hpp"
#include "machine/spaces.hpp"

#include <synelix/calibrate.hpp>
#include <synelix/convolve.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace synelix {
namespace {

constexpr int problem_count = 60;
constexpr double least_results = 2e5;
constexpr double most_results = 2e7;
constexpr double most_multiply_adds = 2e8;  // the slowest method takes some milliseconds
constexpr int repetitions = 3;

/// A problem to measure. Every third problem has events.
struct Trial {
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t window = 0;
  std::int64_t bases = 0;
  bool is_trimmed = false;  ///< each filter has a support of a third of the window
  double rate = 0.0;        ///< events in a sample; 0: none
};

/// Number `i` of a sequence of points that fill the unit cube evenly: multiples of powers of the
/// root of x^6 = x + 1, without their integer part (M. Roberts, The Unreasonable Effectiveness of
/// Quasirandom Sequences, 2018).
std::array<double, 5> point_of(int i) {
  constexpr double root = 1.1347241384015194;
  std::array<double, 5> point{};
  double step = 1.0;
  for (double& coordinate : point) {
    step /= root;
    coordinate = std::fmod(0.5 + step * i, 1.0);
  }
  return point;
}

/// The number at a relative position between least and most on a logarithmic scale.
double between(double least, double most, double place) {
  return least * std::pow(most / least, place);
}

Trial trial_of(int i) {
  const std::array<double, 5> at = point_of(i);
  Trial trial;
  trial.window = std::llround(between(1, 3000, at[0]));
  trial.bases = std::llround(between(1, 20, at[1]));
  trial.is_trimmed = i % 2 == 1;
  const double results =
      std::min(between(least_results, most_results, at[2]),
               std::max(least_results, most_multiply_adds / static_cast<double>(trial.window)));
  const double rows_least = 4.0 * static_cast<double>(trial.window);
  const double most_channels = results / static_cast<double>(trial.bases) / rows_least;
  trial.channels =
      std::llround(std::clamp(between(1, 200, at[3]), 1.0, std::max(1.0, most_channels)));
  trial.samples = std::max<std::int64_t>(
      4 * trial.window, std::llround(results / static_cast<double>(trial.channels * trial.bases)));
  if (i % 3 == 0) trial.rate = between(1e-3, 1e-1, at[4]);
  return trial;
}

Taps taps_of(const Trial& trial) {
  Taps taps;
  taps.window = trial.window;
  taps.bases = trial.bases;
  taps.requested_bases = trial.bases;
  taps.basis = "CustomTaps";
  taps.values.assign(static_cast<std::size_t>(trial.window * trial.bases), 0.0);
  const std::int64_t taken = trial.is_trimmed ? (trial.window + 2) / 3 : trial.window;
  for (std::int64_t b = 0; b < trial.bases; ++b) {
    const std::int64_t first =
        (trial.window - taken) * b / std::max<std::int64_t>(1, trial.bases - 1);
    for (std::int64_t w = first; w < first + taken; ++w) {
      taps.values[static_cast<std::size_t>(w * trial.bases + b)] =
          1.0 / static_cast<double>(1 + w + b);
    }
    taps.support.push_back({first, first + taken});
  }
  return taps;
}

/// Evenly spaced events, as far as a rate below 1 allows; each channel is a little later than the
/// one before.
Events events_of(const Trial& trial) {
  std::vector<Events::Train> trains(static_cast<std::size_t>(trial.channels));
  double at = 0.0;
  for (Events::Train& train : trains) {
    at = std::fmod(at, 1.0 / trial.rate);
    while (at < static_cast<double>(trial.samples)) {
      train.samples.push_back(static_cast<std::int64_t>(at));
      at += 1.0 / trial.rate;
    }
  }
  return Events(trial.samples, trains);
}

template <class ExecutionSpace>
class Calibration {
 public:
  Calibration(const ExecutionSpace& exec, const ConvolveOptions& options)
      : m_exec(exec),
        m_options(options),
        m_resources(plan::resources_of<float>(exec, options)),
        m_samples(Kokkos::view_alloc(exec, "synelix::calibrate::samples"),
                  static_cast<std::size_t>(most_results)),
        m_features(
            Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::calibrate::features"),
            static_cast<std::size_t>(1.01 * most_results)) {}

  void measure(const Trial& trial) {
    const FilterBank<float, ExecutionSpace> bank(m_exec, taps_of(trial));
    if (plan::is_host_space<ExecutionSpace> && trial.rate > 0.0) {
      const Events events = events_of(trial);
      for (const Method method : {Method::direct, Method::events, Method::fft}) {
        measure(events, bank, method);
      }
    } else {
      const Strided samples(m_samples.data(), {trial.samples, trial.channels});
      for (const Method method : {Method::direct, Method::fft}) {
        measure(StridedSeries(samples), bank, method);
      }
    }
  }

  [[nodiscard]] Steps found() const {
    return chooser::fit_steps(m_runs, tune::steps_of(m_resources.register_bytes));
  }
  [[nodiscard]] WorkBytes bytes(plan::Watched& watched) const {
    return plan::BytesCalibration<ExecutionSpace>(m_exec, m_options, m_samples, m_features, watched)
        .find();
  }

 private:
  template <class Input>
  void measure(const Input& input, const FilterBank<float, ExecutionSpace>& bank, Method method) {
    ConvolveOptions options = m_options;
    options.method = method;
    const SeriesShape& shape = input.shape();
    const plan::RowTable rows = plan::make_rows(shape, bank.window(), options);
    const ConvolvePlan<float, ExecutionSpace> plan(m_exec, shape, bank, options);
    const StridedOutput features(m_features.data(), {rows.rows, shape.channels, bank.bases()});
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i <= repetitions; ++i) {
      const auto start = std::chrono::steady_clock::now();
      plan.run(m_exec, input, features);
      m_exec.fence("synelix::calibrate: one run");
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      if (i > 0) least = std::min(least, taken.count());
    }
    const chooser::ProblemSize size = plan::problem_size<float>(shape, rows, bank.taps());
    const Choice& choice = plan.choice();
    const double items = chooser::strips_of(size, choice.strip_rows) /
                         static_cast<double>(choice.strips) * static_cast<double>(shape.channels) /
                         static_cast<double>(choice.batch_channels);
    // With fewer items than this, too many teams are idle.
    if (items < 3.0 * static_cast<double>(choice.teams)) return;
    m_runs.push_back({chooser::count_steps(size, m_resources, choice),
                      least * static_cast<double>(choice.teams)});
  }

  ExecutionSpace m_exec;
  ConvolveOptions m_options;
  chooser::Resources m_resources;
  Kokkos::View<float*, ExecutionSpace> m_samples;
  Kokkos::View<float*, ExecutionSpace> m_features;
  std::vector<chooser::Measurement> m_runs;
};

}  // namespace

Taps plan::bytes_taps(const BytesProblem& problem) {
  return taps_of({.samples = problem.samples,
                  .channels = problem.channels,
                  .window = problem.window,
                  .bases = problem.bases,
                  .is_trimmed = true});
}

template <class ExecutionSpace>
Machine calibrate(const ExecutionSpace& exec, InstructionSet set, const Watch& watch) {
  require_running("synelix::calibrate");
  ConvolveOptions options;
  options.shift = Shift::off;
  options.machine.instruction_set = set;
  options.budget = mebibytes(512);
  const Kokkos::Profiling::ScopedRegion region("synelix::calibrate");
  Calibration<ExecutionSpace> calibration(exec, options);
  plan::Watched watched("calibrate", watch, problem_count + plan::bytes_problems);
  watched.look();
  for (int i = 0; i < problem_count; ++i) {
    watched.ask();
    calibration.measure(trial_of(i));
    watched.count(1);
  }
  Machine machine;
  machine.instruction_set = plan::resources_of<float>(exec, options).instruction_set;
  machine.nanoseconds = calibration.found();
  machine.bytes = calibration.bytes(watched);
  watched.tell();
  return machine;
}

#define SYNELIX_INSTANTIATE(SPACE) \
  template Machine calibrate<SPACE>(const SPACE&, InstructionSet, const Watch&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
