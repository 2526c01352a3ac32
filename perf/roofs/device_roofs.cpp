// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roofs/device_roofs.hpp"

#include "exec_array.hpp"

#include <Kokkos_Core.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace synelix::perf {
namespace {

// Sixteen bytes are one access of a device's thread.
struct alignas(16) Quad {
  float values[4];
};
using Quads = Kokkos::View<Quad*, Exec::memory_space>;
using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

constexpr std::int64_t quads = (std::int64_t{1} << (on_device ? 30 : 26)) / sizeof(Quad);
constexpr float written = 3.0F;

/// Independent chains of multiply-adds in the registers of each thread: enough to hide their
/// latency with few threads, and few enough that many threads fit.
template <class Scalar>
struct MultiplyAdds {
  static constexpr int chains = 16;
  static constexpr int rounds = on_device ? 2048 : 64;
  Kokkos::View<Scalar*, Exec::memory_space> kept;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Scalar sums[chains];
    for (int k = 0; k < chains; ++k) sums[k] = static_cast<Scalar>(k);
    // Known only at run time, so that no chain can be computed beforehand.
    const Scalar factor = kept(i);
    for (int round = 0; round < rounds; ++round) {
      for (int k = 0; k < chains; ++k) sums[k] = Kokkos::fma(sums[k], factor, Scalar(0.001));
    }
    Scalar total = 0;
    for (int k = 0; k < chains; ++k) total += sums[k];
    if (total < Scalar(-1)) kept(i) = total;  // never true: keeps the chains from being removed
  }
  static double flops(std::int64_t threads) {
    return 2.0 * chains * rounds * static_cast<double>(threads);
  }
};

struct Read {
  Quads from;
  KOKKOS_FUNCTION void operator()(std::int64_t i, float& sum) const {
    const Quad quad = from(i);
    sum += (quad.values[0] + quad.values[1]) + (quad.values[2] + quad.values[3]);
  }
};
struct Store {
  Quads to;
  float value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = Quad{{value, value, value, value}};
  }
};
struct Copy {
  Quads from;
  Quads to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i); }
};

/// Launches repeatedly between two fences, at least once and for about `seconds`: the number of
/// launches doubles until then, and the last series is used.
template <class Launch>
double seconds_of(const Exec& exec, double seconds, const Launch& launch) {
  using Clock = std::chrono::steady_clock;
  launch();
  exec.fence("synelix::perf: a roof, warm");
  for (int times = 1;; times *= 2) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) launch();
    exec.fence("synelix::perf: a roof");
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    if (spent >= seconds / 2) return spent / times;
  }
}

template <class Scalar>
double flops_of(const Exec& exec, double seconds) {
  using Kernel = MultiplyAdds<Scalar>;
  const std::int64_t threads = on_device ? std::int64_t{1} << 21 : 64L * exec.concurrency();
  const Kokkos::View<Scalar*, Exec::memory_space> kept("synelix::perf::kept",
                                                       static_cast<std::size_t>(threads));
  Kokkos::deep_copy(exec, kept, Scalar(0.999));
  const Kernel kernel{kept};
  const double once = seconds_of(exec, seconds, [&] {
    Kokkos::parallel_for("synelix::perf::multiply_adds", Policy(exec, 0, threads), kernel);
  });
  return Kernel::flops(threads) / once;
}

/// The last value of an array, on the host.
float last_of(const Exec& exec, const Quads& array) {
  Quad last{};
  const Kokkos::View<Quad, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> here(&last);
  Kokkos::deep_copy(exec, here, Kokkos::subview(array, quads - 1));
  exec.fence("synelix::perf: a value of a roof");
  return last.values[3];
}

double bytes_of(const Exec& exec, Roof roof, double seconds) {
  const Quads from(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::perf::from"),
                   quads);
  const Quads to(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::perf::to"), quads);
  const Policy all(exec, 0, quads);
  Kokkos::parallel_for("synelix::perf::fill", all, Store{from, written});
  Kokkos::parallel_for("synelix::perf::fill", all, Store{to, 0.0F});
  const Kokkos::View<float, Exec::memory_space> sum("synelix::perf::sum");
  const auto bytes = static_cast<double>(quads * static_cast<std::int64_t>(sizeof(Quad)));
  double once = 0;
  if (roof == Roof::read) {
    // The sum stays in the device's memory, so that no launch waits for the host.
    once = seconds_of(exec, seconds, [&] {
      Kokkos::parallel_reduce("synelix::perf::read", all, Read{from}, sum);
    });
    float found = 0;
    Kokkos::deep_copy(found, sum);
    const double wanted = 4.0 * written * static_cast<double>(quads);
    if (!(std::abs(found - wanted) < 0.01 * wanted)) {
      throw std::runtime_error("the roof of reads read something else");
    }
    return bytes / once;
  }
  if (roof == Roof::store) {
    once = seconds_of(exec, seconds, [&] {
      Kokkos::parallel_for("synelix::perf::store", all, Store{to, written});
    });
  } else {
    once = 0.5 * seconds_of(exec, seconds, [&] {
             Kokkos::parallel_for("synelix::perf::copy", all, Copy{from, to});
           });
  }
  if (last_of(exec, to) != written) throw std::runtime_error("a memory roof wrote something else");
  return bytes / once;
}

}  // namespace

double measure_device_roof(Roof roof, double seconds) {
  const Exec exec;
  switch (roof) {
    case Roof::multiply_adds_float:
      return flops_of<float>(exec, seconds);
    case Roof::multiply_adds_double:
      return flops_of<double>(exec, seconds);
    default:
      return bytes_of(exec, roof, seconds);
  }
}

}  // namespace synelix::perf
