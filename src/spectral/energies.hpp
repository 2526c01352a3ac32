// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/arithmetic.hpp"
#include "lanes/compare.hpp"
#include "lanes/pack.hpp"
#include "spectral/arguments.hpp"

#include <cstdint>

/// \file
/// The energy of samples that are transformed: squares, summed lane by lane. There is one load and
/// one multiply_add for each sample, in four chains that hide the latency. Memory is aligned to the
/// pack.

namespace synelix::spectral {

/// The smallest sums of neighboring segments.
template <class Scalar, class Set>
SYNELIX_INLINE void find_least(const Energies<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  const auto sum_from = [&](std::int64_t segment) __attribute__((always_inline)) {
    const Scalar* const sums = arguments.sums + segment * Pack::lanes;
    Pack sum = Pack::load(sums);
    SYNELIX_UNROLL(1)
    for (std::int64_t k = 1; k < arguments.together; ++k)
      sum = sum + Pack::load(sums + k * Pack::lanes);
    return sum;
  };
  Pack least = Pack::zero();
  if (arguments.together > 0 && arguments.begin + arguments.together <= arguments.end) {
    least = sum_from(arguments.begin);
    SYNELIX_UNROLL(1)
    for (std::int64_t s = arguments.begin + 1; s + arguments.together <= arguments.end; ++s) {
      least = lanes::at_most(sum_from(s), least);
    }
  }
  least.store(arguments.least);
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_energies(const Energies<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int chains = 4;
  Scalar* to = arguments.sums;
  SYNELIX_UNROLL(1)
  for (std::int64_t begin = 0; begin < arguments.rows; begin += arguments.segment) {
    const Scalar* row = arguments.samples + begin * Pack::lanes;
    const std::int64_t behind = begin + arguments.summed;
    std::int64_t rows = (behind < arguments.rows ? behind : arguments.rows) - begin;
    Pack sums[chains];
    SYNELIX_UNROLL(4)
    for (int k = 0; k < chains; ++k) sums[k] = Pack::zero();
    SYNELIX_UNROLL(1)
    for (; rows >= chains; rows -= chains, row += chains * Pack::lanes) {
      SYNELIX_UNROLL(4)
      for (int k = 0; k < chains; ++k) {
        const Pack x = Pack::load(row + k * Pack::lanes);
        sums[k] = multiply_add(x, x, sums[k]);
      }
    }
    SYNELIX_UNROLL(1)
    for (; rows > 0; --rows, row += Pack::lanes) {
      const Pack x = Pack::load(row);
      sums[0] = multiply_add(x, x, sums[0]);
    }
    Pack sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (arguments.is_added) sum = sum + Pack::load(to);
    sum.store(to);
    to += Pack::lanes;
  }
  if (arguments.least != nullptr) find_least<Scalar, Set>(arguments);
}

template <class Scalar, class Set>
SYNELIX_INLINE void run_smallest_square(const SmallestSquare<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  const Pack none = Pack::broadcast(arguments.none);
  Pack smallest = none;
  SYNELIX_UNROLL(1)
  for (std::int64_t r = 0; r < arguments.rows; ++r) {
    const Pack x = Pack::load(arguments.samples + r * Pack::lanes);
    const Pack square = x * x;
    smallest = lanes::at_most(select_equal(square, Pack::zero(), none, square), smallest);
  }
  smallest.store(arguments.smallest);
}

}  // namespace synelix::spectral
