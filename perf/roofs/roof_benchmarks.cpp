// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The roofs of the default execution space as Kokkos kernels, and the matrix product of the
// vendor's library. They are measured at the start of a run on a device, and tested on a host.

#include "exec_array.hpp"
#include "roofs/device_roofs.hpp"
#include "roofs/roofs.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#ifdef SYNELIX_HAVE_KERNELS
#include <KokkosBlas3_gemm.hpp>
#endif

#include <chrono>
#include <cmath>
#include <exception>
#include <string>

namespace synelix::perf {
namespace {

void roof(benchmark::State& state, Roof which) {
  double rate = 0;
  try {
    for (auto _ : state) rate = measure_device_roof(which, on_device ? 0.3 : 0.02);
  } catch (const std::exception& error) {
    return state.SkipWithError(error.what());
  }
  if (!(rate > 0)) return state.SkipWithError("no rate");
  const bool is_flops = which == Roof::multiply_adds_float || which == Roof::multiply_adds_double;
  state.counters[is_flops ? "gflops" : "gbytes"] = 1e-9 * rate * (which == Roof::stream ? 2 : 1);
}

#ifdef SYNELIX_HAVE_KERNELS
template <class Scalar>
void gemm(benchmark::State& state) {
  using Matrix = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Exec::memory_space>;
  constexpr int n = on_device ? 8192 : 256;
  const Exec exec;
  const Matrix a("synelix::perf::a", n, n);
  const Matrix b("synelix::perf::b", n, n);
  const Matrix c("synelix::perf::c", n, n);
  Kokkos::deep_copy(exec, a, Scalar(0.5));
  Kokkos::deep_copy(exec, b, Scalar(2));
  const auto run = [&] {
    KokkosBlas::gemm(exec, "N", "N", Scalar(1), a, b, Scalar(0), c);
    exec.fence("synelix::perf: a matrix product");
  };
  run();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) run();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
      static_cast<double>(state.iterations());
  Scalar last = 0;
  Kokkos::deep_copy(last, Kokkos::subview(c, n - 1, n - 1));
  if (last != Scalar(n)) return state.SkipWithError("a wrong product");
  state.counters["gflops"] = 2e-9 * n * n * n / seconds;
}
#else
template <class Scalar>
void gemm(benchmark::State& state) {
  state.SkipWithMessage("this build has no Kokkos Kernels (SYNELIX_ENABLE_KERNELS)");
}
#endif

[[maybe_unused]] const bool registered = [] {
  for (const auto& [which, name] : all_roofs) {
    benchmark::RegisterBenchmark(
        ("roofs/" + std::string(which == Roof::stream ? "copy" : name)).c_str(),
        [which](benchmark::State& state) { roof(state, which); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("roofs/gemm/float", gemm<float>)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("roofs/gemm/double", gemm<double>)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace synelix::perf
