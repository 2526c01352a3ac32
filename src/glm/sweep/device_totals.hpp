// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace synelix::sweep {

/// Totals of a block in double that each thread keeps: the first ones in scratch, (total, thread),
/// the others in registers.
template <int count, int in_scratch, int threads>
struct DeviceTotals {
  static_assert(in_scratch <= count);
  static constexpr std::int64_t scratch_values = std::int64_t{in_scratch} * threads;

  double in_registers[index::larger(1, count - in_scratch)];

  /// `scratch` is that of the team. `at` is a compile-time constant in unrolled loops.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION double get(const double* scratch, int thread, int at) const {
    if (at < in_scratch) return scratch[at * threads + thread];
    return in_registers[at - in_scratch];
  }
  KOKKOS_INLINE_FUNCTION void set(double* scratch, int thread, int at, double value) {
    if (at < in_scratch) {
      scratch[at * threads + thread] = value;
    } else {
      in_registers[at - in_scratch] = value;
    }
  }
  KOKKOS_INLINE_FUNCTION void add(double* scratch, int thread, int at, double value) {
    set(scratch, thread, at, get(scratch, thread, at) + value);
  }
};

/// The number of totals that fit in the scratch of a team in addition to `beside` bytes.
constexpr int totals_in_scratch(int totals, int threads, std::int64_t beside) {
  const std::int64_t room = usual_scratch_bytes(threads) - beside - 64;
  return static_cast<int>(
      index::larger(0, index::smaller(totals, room / (std::int64_t{threads} * 8))));
}

}  // namespace synelix::sweep
