// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"
#include "roofs/memory_loops.hpp"

#include <cstdint>

/// \file
/// The multiply-add roof: independent chains on registers, with the packs that the tiles use.
/// Compiled once for each instruction set, like the tiles.

namespace synelix::perf {

/// More chains than latency x throughput of the tested processors, and fewer than their registers.
inline constexpr int chains = 12;

/// `steps` rounds of one multiply-add for each chain; the sum keeps them from being removed.
template <class Scalar, class Set>
Scalar multiply_adds(std::int64_t steps) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack sums[chains];
  for (Pack& sum : sums) sum = Pack::zero();
  const Pack factor = Pack::broadcast(Scalar(0.999));
  const Pack addend = Pack::broadcast(Scalar(0.001));
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 16
    for (int k = 0; k < chains; ++k) sums[k] = multiply_add(sums[k], factor, addend);
  }
  Scalar total = 0;
  for (const Pack& sum : sums) total += sum.values[0];
  return total;
}

/// The chains of one set: values in flight, and the loop.
template <class Scalar>
struct PeakLoop {
  int lanes;
  Scalar (*run)(std::int64_t);
};

/// The loops of one set.
struct Loops {
  PeakLoop<float> peak_float;
  PeakLoop<double> peak_double;
  MemoryLoops memory;
};

/// Defined in peak.cpp.in, compiled for each set of the build.
template <class Set>
const Loops& loops_for();

}  // namespace synelix::perf
