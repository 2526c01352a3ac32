// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roofs.hpp"

#include "peak.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace synelix::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Median seconds of three runs of `body`, after one that warms up.
template <class Body>
double median_seconds(const Exec& exec, const Body& body) {
  std::array<double, 3> seconds{};
  body();
  for (double& time : seconds) {
    exec.fence("synelix::perf: before the clock");
    const auto start = std::chrono::steady_clock::now();
    body();
    exec.fence("synelix::perf: before the clock");
    time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

template <class Scalar>
double flops_of(const Exec& exec, const PeakLoop<Scalar>& loop) {
  constexpr std::int64_t steps = 1'000'000;
  const int threads = exec.concurrency();
  const Kokkos::View<Scalar*, Exec> sums("synelix::perf::sums", static_cast<std::size_t>(threads));
  const auto run = loop.run;
  const double seconds = median_seconds(exec, [&] {
    Kokkos::parallel_for("synelix::perf::multiply_adds", Kokkos::TeamPolicy<Exec>(exec, threads, 1),
                         [=](const Kokkos::TeamPolicy<Exec>::member_type& team) {
                           sums(static_cast<std::size_t>(team.league_rank())) = run(steps);
                         });
  });
  return 2.0 * steps * chains * loop.lanes * threads / seconds;
}

double store_rate(const Exec& exec) {
  constexpr std::size_t count = std::size_t{32} << 20;
  const Kokkos::View<float*, Exec> values("synelix::perf::stores", count);
  float value = 0;
  const double seconds = median_seconds(exec, [&] { Kokkos::deep_copy(exec, values, value += 1); });
  return static_cast<double>(count * sizeof(float)) / seconds;
}

}  // namespace

Roofs measure_roofs() {
  const Exec exec;
  Roofs result;
  result.set = tile::select_set(InstructionSet::automatic);
  switch (result.set) {
#ifdef SYNELIX_SET_AVX512
    case InstructionSet::avx512:
      result.flops_float = flops_of(exec, peak_float_avx512);
      result.flops_double = flops_of(exec, peak_double_avx512);
      break;
#endif
#ifdef SYNELIX_SET_AVX2
    case InstructionSet::avx2:
      result.flops_float = flops_of(exec, peak_float_avx2);
      result.flops_double = flops_of(exec, peak_double_avx2);
      break;
#endif
    default:
      result.flops_float = flops_of(exec, peak_float_plain);
      result.flops_double = flops_of(exec, peak_double_plain);
  }
  result.store_bytes = store_rate(exec);
  return result;
}

}  // namespace synelix::perf
