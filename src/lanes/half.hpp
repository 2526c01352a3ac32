// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"

/// \file
/// Packs of half a register.

namespace synelix::lanes {

/// The lower half of a pack, without cost; the pack itself if its set has no half.
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> lower_half(Pack<Scalar, Set> pack) {
  return pack;
}

#ifndef SYNELIX_DEVICE_COMPILER
#ifdef __AVX512F__

/// Half of a register of Avx512, with the same number of registers. A processor whose units are 32
/// bytes wide multiplies two of these in the time of a full register.
struct Avx512Half {
  static constexpr int bytes = 32;
  static constexpr int registers = 32;
};

template <>
SYNELIX_INLINE Pack<float, Avx512Half> Pack<float, Avx512Half>::broadcast(float value) {
  return {_mm256_set1_ps(value)};
}
template <>
SYNELIX_INLINE Pack<double, Avx512Half> Pack<double, Avx512Half>::broadcast(double value) {
  return {_mm256_set1_pd(value)};
}
SYNELIX_INLINE Pack<float, Avx512Half> multiply_add(Pack<float, Avx512Half> a,
                                                    Pack<float, Avx512Half> b,
                                                    Pack<float, Avx512Half> c) {
  return {_mm256_fmadd_ps(a.values, b.values, c.values)};
}
SYNELIX_INLINE Pack<double, Avx512Half> multiply_add(Pack<double, Avx512Half> a,
                                                     Pack<double, Avx512Half> b,
                                                     Pack<double, Avx512Half> c) {
  return {_mm256_fmadd_pd(a.values, b.values, c.values)};
}
template <>
SYNELIX_INLINE Pack<float, Avx512Half> load_part<float, Avx512Half>(const float* from, int count) {
  return {_mm256_maskz_loadu_ps(static_cast<__mmask8>((1U << count) - 1U), from)};
}
template <>
SYNELIX_INLINE Pack<double, Avx512Half> load_part<double, Avx512Half>(const double* from,
                                                                      int count) {
  return {_mm256_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from)};
}
SYNELIX_INLINE void store_part(const Pack<float, Avx512Half>& pack, float* to, int first,
                               int count) {
  _mm256_mask_storeu_ps(to, static_cast<__mmask8>(((1U << count) - 1U) << first), pack.values);
}
SYNELIX_INLINE void store_part(const Pack<double, Avx512Half>& pack, double* to, int first,
                               int count) {
  _mm256_mask_storeu_pd(to, static_cast<__mmask8>(((1U << count) - 1U) << first), pack.values);
}

SYNELIX_INLINE Pack<float, Avx512Half> lower_half(Pack<float, Avx512> pack) {
  return {_mm512_castps512_ps256(pack.values)};
}
SYNELIX_INLINE Pack<double, Avx512Half> lower_half(Pack<double, Avx512> pack) {
  return {_mm512_castpd512_pd256(pack.values)};
}

#endif
#endif  // SYNELIX_DEVICE_COMPILER

/// The set whose registers are half of a set's; the set itself if that gains nothing.
template <class Set>
struct HalfOf {
  using Type = Set;
};
template <class Set>
inline constexpr bool has_half = false;
#if !defined(SYNELIX_DEVICE_COMPILER) && defined(__AVX512F__)
template <>
struct HalfOf<Avx512> {
  using Type = Avx512Half;
};
template <>
inline constexpr bool has_half<Avx512> = true;
#endif

}  // namespace synelix::lanes
