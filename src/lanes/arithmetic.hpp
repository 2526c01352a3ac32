// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

/// \file
/// Arithmetic of packs beyond `multiply_add`, for butterflies. Every operation rounds each lane
/// separately; `subtract_product(c, a, b)` is c - a * b, with the same number of roundings as
/// `multiply_add`.

namespace synelix::lanes {

template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> operator+(Pack<Scalar, DeviceThread> a,
                                                    const Pack<Scalar, DeviceThread>& b) {
  for (int i = 0; i < a.lanes; ++i) a.values[i] += b.values[i];
  return a;
}
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> operator-(Pack<Scalar, DeviceThread> a,
                                                    const Pack<Scalar, DeviceThread>& b) {
  for (int i = 0; i < a.lanes; ++i) a.values[i] -= b.values[i];
  return a;
}
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> operator*(Pack<Scalar, DeviceThread> a,
                                                    const Pack<Scalar, DeviceThread>& b) {
  for (int i = 0; i < a.lanes; ++i) a.values[i] *= b.values[i];
  return a;
}
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> subtract_product(Pack<Scalar, DeviceThread> c,
                                                           const Pack<Scalar, DeviceThread>& a,
                                                           const Pack<Scalar, DeviceThread>& b) {
  for (int i = 0; i < a.lanes; ++i) {
    c.values[i] = multiply_add(DeviceThread{}, -a.values[i], b.values[i], c.values[i]);
  }
  return c;
}

#ifndef SYNELIX_DEVICE_COMPILER

template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> operator+(Pack<Scalar, Set> a, Pack<Scalar, Set> b) {
  return {a.values + b.values};
}
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> operator-(Pack<Scalar, Set> a, Pack<Scalar, Set> b) {
  return {a.values - b.values};
}
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> operator*(Pack<Scalar, Set> a, Pack<Scalar, Set> b) {
  return {a.values * b.values};
}
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, Plain> subtract_product(Pack<Scalar, Plain> c, Pack<Scalar, Plain> a,
                                                    Pack<Scalar, Plain> b) {
  return {c.values - a.values * b.values};
}
#if defined(__AVX2__) && defined(__FMA__)
SYNELIX_INLINE Pack<float, Avx2> subtract_product(Pack<float, Avx2> c, Pack<float, Avx2> a,
                                                  Pack<float, Avx2> b) {
  return {_mm256_fnmadd_ps(a.values, b.values, c.values)};
}
SYNELIX_INLINE Pack<double, Avx2> subtract_product(Pack<double, Avx2> c, Pack<double, Avx2> a,
                                                   Pack<double, Avx2> b) {
  return {_mm256_fnmadd_pd(a.values, b.values, c.values)};
}
#endif
#ifdef __AVX512F__
SYNELIX_INLINE Pack<float, Avx512> subtract_product(Pack<float, Avx512> c, Pack<float, Avx512> a,
                                                    Pack<float, Avx512> b) {
  return {_mm512_fnmadd_ps(a.values, b.values, c.values)};
}
SYNELIX_INLINE Pack<double, Avx512> subtract_product(Pack<double, Avx512> c, Pack<double, Avx512> a,
                                                     Pack<double, Avx512> b) {
  return {_mm512_fnmadd_pd(a.values, b.values, c.values)};
}
#endif

#ifdef __ARM_NEON
SYNELIX_INLINE Pack<float, Neon> subtract_product(Pack<float, Neon> c, Pack<float, Neon> a,
                                                  Pack<float, Neon> b) {
  return {vfmsq_f32(c.values, a.values, b.values)};
}
SYNELIX_INLINE Pack<double, Neon> subtract_product(Pack<double, Neon> c, Pack<double, Neon> a,
                                                   Pack<double, Neon> b) {
  return {vfmsq_f64(c.values, a.values, b.values)};
}
#endif
#if defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 256
SYNELIX_INLINE Pack<float, Sve256> subtract_product(Pack<float, Sve256> c, Pack<float, Sve256> a,
                                                    Pack<float, Sve256> b) {
  const auto difference =
      svmls_f32_x(svptrue_b32(), static_cast<SveFloats>(c.values), static_cast<SveFloats>(a.values),
                  static_cast<SveFloats>(b.values));
  return {static_cast<Pack<float, Sve256>::Register>(static_cast<SveFloats>(difference))};
}
SYNELIX_INLINE Pack<double, Sve256> subtract_product(Pack<double, Sve256> c, Pack<double, Sve256> a,
                                                     Pack<double, Sve256> b) {
  const auto difference =
      svmls_f64_x(svptrue_b64(), static_cast<SveDoubles>(c.values),
                  static_cast<SveDoubles>(a.values), static_cast<SveDoubles>(b.values));
  return {static_cast<Pack<double, Sve256>::Register>(static_cast<SveDoubles>(difference))};
}
#endif

#endif  // SYNELIX_DEVICE_COMPILER

/// Complex numbers, one in each lane.
template <class Pack>
struct Complex {
  Pack re;
  Pack im;
};

template <class Pack>
SYNELIX_INLINE Complex<Pack> operator+(const Complex<Pack>& a, const Complex<Pack>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class Pack>
SYNELIX_INLINE Complex<Pack> operator-(const Complex<Pack>& a, const Complex<Pack>& b) {
  return {a.re - b.re, a.im - b.im};
}
/// a (c + i s).
template <class Pack>
SYNELIX_INLINE Complex<Pack> multiply(const Complex<Pack>& a, const Pack& c, const Pack& s) {
  return {subtract_product(c * a.re, s, a.im), multiply_add(s, a.re, c * a.im)};
}
/// a (c - i s).
template <class Pack>
SYNELIX_INLINE Complex<Pack> multiply_conjugate(const Complex<Pack>& a, const Pack& c,
                                                const Pack& s) {
  return {multiply_add(s, a.im, c * a.re), subtract_product(c * a.im, s, a.re)};
}
/// a + scale b.
template <class Pack>
SYNELIX_INLINE Complex<Pack> add_scaled(const Complex<Pack>& a, const Pack& scale,
                                        const Complex<Pack>& b) {
  return {multiply_add(scale, b.re, a.re), multiply_add(scale, b.im, a.im)};
}
/// a - scale b.
template <class Pack>
SYNELIX_INLINE Complex<Pack> subtract_scaled(const Complex<Pack>& a, const Pack& scale,
                                             const Complex<Pack>& b) {
  return {subtract_product(a.re, scale, b.re), subtract_product(a.im, scale, b.im)};
}
/// a + i scale b.
template <class Pack>
SYNELIX_INLINE Complex<Pack> add_turned(const Complex<Pack>& a, const Pack& scale,
                                        const Complex<Pack>& b) {
  return {subtract_product(a.re, scale, b.im), multiply_add(scale, b.re, a.im)};
}
/// a - i scale b.
template <class Pack>
SYNELIX_INLINE Complex<Pack> subtract_turned(const Complex<Pack>& a, const Pack& scale,
                                             const Complex<Pack>& b) {
  return {multiply_add(scale, b.im, a.re), subtract_product(a.im, scale, b.re)};
}

}  // namespace synelix::lanes
