// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Finds samples that are not finite: times a tap of zero they are NaN, so that no tap may be left
/// out where there is one.

namespace synelix::tile {

/// Whether all of `count` packs are finite. Times zero, nothing but NaN and Inf is not zero.
template <class Scalar, class Set>
SYNELIX_INLINE bool is_finite(const Scalar* packs, std::int64_t count) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int chains = 4;  // as many as hide the latency of an addition
  Pack sums[chains];
  SYNELIX_UNROLL(4)
  for (int k = 0; k < chains; ++k) sums[k] = Pack::zero();
  std::int64_t i = 0;
  SYNELIX_UNROLL(1)
  for (; i + chains <= count; i += chains) {
    SYNELIX_UNROLL(4)
    for (int k = 0; k < chains; ++k) {
      sums[k] = multiply_add(Pack::load(packs + (i + k) * Pack::lanes), Pack::zero(), sums[k]);
    }
  }
  SYNELIX_UNROLL(1)
  for (; i < count; ++i) {
    sums[0] = multiply_add(Pack::load(packs + i * Pack::lanes), Pack::zero(), sums[0]);
  }
  alignas(64) Scalar values[chains * Pack::lanes];
  SYNELIX_UNROLL(4)
  for (int k = 0; k < chains; ++k) sums[k].store(values + k * Pack::lanes);
  for (const Scalar value : values) {
    if (value != Scalar(0)) return false;
  }
  return true;
}

}  // namespace synelix::tile
