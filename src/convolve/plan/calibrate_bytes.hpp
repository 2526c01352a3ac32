// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/calibration.hpp"
#include "convolve/plan/prepared_convolution.hpp"
#include "launch/watched.hpp"

#include <synelix/convolve.hpp>

#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

/// \file
/// Measures sizes of work items in bytes against the default size. Both run the same problems in
/// turn, so a change of the machine's speed affects both.

namespace synelix::plan {

/// A problem whose speed depends on the size of work items.
struct BytesProblem {
  Method method = Method::direct;
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::int64_t window = 0;
};

/// A bank of raised cosines; each support is a third of the window.
Taps bytes_taps(const BytesProblem& problem);

/// Problems whose work items are limited by bytes of packed samples: rows of a few channels, of
/// many channels, long windows, and short windows of one and of a few channels.
inline constexpr BytesProblem direct_problems[] = {{Method::direct, 25'000, 20, 8, 100},
                                                   {Method::direct, 1'000, 512, 8, 50},
                                                   {Method::direct, 20'000, 16, 5, 1000},
                                                   {Method::direct, 2'000'000, 1, 1, 17},
                                                   {Method::direct, 400'000, 3, 2, 18}};
inline constexpr BytesProblem fft_problems[] = {{Method::fft, 25'000, 20, 8, 100},
                                                {Method::fft, 2'000, 512, 4, 50},
                                                {Method::fft, 60'000, 16, 5, 1000}};
/// Sizes to try, relative to the default: coarse steps, because speed changes slowly with size.
inline constexpr double tried_parts[] = {0.0625, 0.25, 0.5, 2.0, 4.0, 16.0};
inline constexpr int rounds_of_bytes = 7;

/// Problems of `BytesCalibration`.
inline constexpr auto bytes_problems =
    static_cast<std::int64_t>(std::size(direct_problems) + std::size(fft_problems));

template <class ExecutionSpace>
class BytesCalibration {
 public:
  using Array = Kokkos::View<float*, ExecutionSpace>;

  BytesCalibration(const ExecutionSpace& exec, const ConvolveOptions& options, const Array& samples,
                   const Array& features, Watched& watched)
      : m_exec(exec),
        m_options(options),
        m_samples(samples),
        m_features(features),
        m_watched(watched) {}

  [[nodiscard]] WorkBytes find() const {
    WorkBytes found;
    found.direct_block = best(&WorkBytes::direct_block, tune::direct_block_bytes, direct_problems);
    found.fft_block = best(&WorkBytes::fft_block, tune::fft_block_bytes, fft_problems);
    return found;
  }

 private:
  /// Times of the same problem with each of some sizes, measured in turn: (size, round).
  [[nodiscard]] chooser::RunTimes times_of(const BytesProblem& problem,
                                           const std::vector<WorkBytes>& sizes) const {
    const FilterBank<float, ExecutionSpace> bank(m_exec, bytes_taps(problem));
    const Strided samples(m_samples.data(), {problem.samples, problem.channels});
    const StridedSeries input(samples);
    const StridedOutput features(m_features.data(),
                                 {problem.samples, problem.channels, problem.bases});
    std::vector<ConvolvePlan<float, ExecutionSpace>> plans;
    for (const WorkBytes& bytes : sizes) {
      ConvolveOptions options = m_options;
      options.method = problem.method;
      options.machine.bytes = bytes;
      plans.emplace_back(m_exec, input.shape(), bank, options);
    }
    chooser::RunTimes times(sizes.size());
    for (int round = 0; round <= rounds_of_bytes; ++round) {
      for (std::size_t i = 0; i < plans.size(); ++i) {
        m_watched.ask();
        const auto start = std::chrono::steady_clock::now();
        plans[i].run(m_exec, input, features);
        m_exec.fence("synelix::calibrate: one run");
        const std::chrono::duration<double, std::nano> taken =
            std::chrono::steady_clock::now() - start;
        if (round > 0) times[i].push_back(taken.count());  // the first round warms the caches
      }
    }
    m_watched.count(1);
    return times;
  }

  template <std::size_t count>
  [[nodiscard]] std::int64_t best(std::int64_t WorkBytes::* size, std::int64_t table,
                                  const BytesProblem (&problems)[count]) const {
    std::vector<WorkBytes> sizes(1);  // the default
    for (const double part : tried_parts) {
      WorkBytes bytes;
      bytes.*size = static_cast<std::int64_t>(part * static_cast<double>(table));
      sizes.push_back(bytes);
    }
    std::vector<chooser::RunTimes> times;
    for (const BytesProblem& problem : problems) times.push_back(times_of(problem, sizes));
    return sizes[chooser::best_of(times)].*size;
  }

  ExecutionSpace m_exec;
  ConvolveOptions m_options;
  Array m_samples;
  Array m_features;
  Watched& m_watched;
};

}  // namespace synelix::plan
