// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The event tile: adds the taps of one event to the rows that see it.
///
/// Nothing stays in registers from call to call; the rows stay in the first-level cache. One
/// multiply_add of count x tap for each value, so that a row's sum over its events, newest first,
/// has the bits of the direct tile, whose other terms add zero.

namespace synelix::tile {

/// sums[i] += count * taps[i] for n values, of any alignment.
template <class Scalar, class Set>
SYNELIX_INLINE void add_event(Scalar* sums, const Scalar* taps, Scalar count, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    sums[i] = multiply_add(Set{}, taps[i], count, sums[i]);
  }
}

}  // namespace synelix::tile
