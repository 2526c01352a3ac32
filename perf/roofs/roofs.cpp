// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roofs/roofs.hpp"

#include "exec_array.hpp"
#include "lanes/set_of.hpp"
#include "large_pages.hpp"
#include "roofs/device_roofs.hpp"
#include "roofs/peak.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <vector>

namespace synelix::perf {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Member = Kokkos::TeamPolicy<Host>::member_type;

/// Every thread repeats its part of the work until the time is over, without waiting for others.
/// Returns the amount of work a second of all threads.
template <class Body>
double rate_of(double seconds, double work, const Body& body) {
  using Clock = std::chrono::steady_clock;
  const Host exec;
  const int threads = exec.concurrency();
  std::vector<double> rates(static_cast<std::size_t>(threads));
  double* const kept = rates.data();
  Kokkos::parallel_for("synelix::perf::roof", Kokkos::TeamPolicy<Host>(exec, threads, 1),
                       [=](const Member& team) {
                         body(team.league_rank(), threads);  // warm
                         int passes = 0;
                         double spent = 0;
                         const Clock::time_point start = Clock::now();
                         do {
                           body(team.league_rank(), threads);
                           ++passes;
                           spent = std::chrono::duration<double>(Clock::now() - start).count();
                         } while (spent < seconds);
                         kept[team.league_rank()] = work / threads * passes / spent;
                       });
  exec.fence("synelix::perf: a roof");
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

template <class Scalar>
double flops_of(const PeakLoop<Scalar>& loop, double seconds) {
  constexpr std::int64_t steps = 200'000;
  const int threads = Host().concurrency();
  // A cache line for each thread's sum.
  static std::vector<Scalar> sums;
  sums.assign(static_cast<std::size_t>(threads) * 16, Scalar(0));
  Scalar* const kept = sums.data();
  const auto run = loop.run;
  return rate_of(seconds, 2.0 * steps * chains * loop.lanes * threads,
                 [=](int thread, int) { kept[std::ptrdiff_t{16} * thread] = run(steps); });
}

double bytes_of(Roof roof, const MemoryLoops& loops, double seconds) {
  constexpr std::int64_t count = std::int64_t{64} << 20;
  static const LargeArray<float> memory(static_cast<std::size_t>(count));
  static std::vector<float> sums;
  sums.assign(static_cast<std::size_t>(Host().concurrency()) * 16, 0.0F);
  float* const values = memory.data();
  float* const kept = sums.data();
  return rate_of(seconds, static_cast<double>(count) * sizeof(float), [=](int thread, int threads) {
    const std::int64_t blocks = count / block_floats;
    const std::int64_t begin = blocks * thread / threads * block_floats;
    const std::int64_t size = blocks * (thread + 1) / threads * block_floats - begin;
    if (roof == Roof::read) {
      kept[std::ptrdiff_t{16} * thread] = loops.read(values + begin, size);
    } else if (roof == Roof::store) {
      loops.store(values + begin, size, 1.0F);
    } else {
      loops.stream(values + begin, size, 1.0F);
    }
  });
}

}  // namespace

double measure_roof(Roof roof, double seconds) {
  if constexpr (on_device) return measure_device_roof(roof, seconds);
  const Loops& loops = *lanes::built_table<Loops>(
      tile::select_set(InstructionSet::automatic),
      [](auto tag) -> const auto& { return loops_for<decltype(tag)>(); });
  switch (roof) {
    case Roof::multiply_adds_float:
      return flops_of(loops.peak_float, seconds);
    case Roof::multiply_adds_double:
      return flops_of(loops.peak_double, seconds);
    default:
      return bytes_of(roof, loops.memory, seconds);
  }
}

Roofs measure_roofs() {
  constexpr double seconds = 0.03;
  Roofs result;
  result.set = tile::select_set(InstructionSet::automatic);
  result.flops_float = measure_roof(Roof::multiply_adds_float, seconds);
  result.flops_double = measure_roof(Roof::multiply_adds_double, seconds);
  result.read_bytes = measure_roof(Roof::read, seconds);
  result.store_bytes = measure_roof(Roof::store, seconds);
  result.stream_bytes = measure_roof(Roof::stream, seconds);
  return result;
}

std::string configuration() {
  std::ostringstream text;
  Exec().print_configuration(text, true);
  return text.str();
}

}  // namespace synelix::perf
