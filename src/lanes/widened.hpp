// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Neighboring values of memory as a pack of the working type: floats are converted to doubles
/// exactly. It uses intrinsics if a set has them, like the conversion of stored integers.

namespace synelix::lanes {

#ifndef SYNELIX_DEVICE_COMPILER

/// The first `count` values; the other lanes are 0.
template <class Scalar, class Set, class Value>
SYNELIX_INLINE Pack<Scalar, Set> load_part_as(const Value* from, std::int64_t count) {
  alignas(64) Scalar values[Pack<Scalar, Set>::lanes];
  SYNELIX_UNROLL(4)
  for (int i = 0; i < Pack<Scalar, Set>::lanes; ++i) {
    values[i] = i < count ? static_cast<Scalar>(from[i]) : Scalar(0);
  }
  return Pack<Scalar, Set>::load(values);
}

/// As many values as a pack has lanes, at any address.
template <class Scalar, class Set, class Value>
SYNELIX_INLINE Pack<Scalar, Set> load_as(const Value* from) {
  if constexpr (sizeof(Value) == sizeof(Scalar)) {
    return load_unaligned<Scalar, Set>(from);
  } else {
#ifdef __AVX512F__
    if constexpr (Set::bytes == Avx512::bytes) {
      return {_mm512_cvtps_pd(_mm256_loadu_ps(from))};
    } else
#endif
#if defined(__AVX2__) && defined(__FMA__)
        if constexpr (Set::bytes == Avx2::bytes) {
      return {_mm256_cvtps_pd(_mm_loadu_ps(from))};
    } else
#endif
    {
      return load_part_as<Scalar, Set>(from, Pack<Scalar, Set>::lanes);
    }
  }
}

#endif  // SYNELIX_DEVICE_COMPILER

}  // namespace synelix::lanes
