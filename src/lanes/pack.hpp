// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif
#ifdef __ARM_NEON
#include <arm_neon.h>
#endif
#ifdef __ARM_FEATURE_SVE
#include <arm_sve.h>
#endif

/// \file
/// `Pack`: a few values that are computed together: a vector register on a host, a short array of
/// one thread on a device. A loop on packs stays in registers on both.
///
/// Loads and stores are aligned to the pack, unless their name says otherwise. `multiply_add(a, b,
/// c)` is a * b + c, rounded once on every set that has the instruction and on devices, and twice
/// on `Plain`. `canonical` replaces every NaN by the canonical one, and -0 by 0. `stream` stores
/// past the caches.

namespace synelix::lanes {

template <class Scalar, class Set>
struct Pack;

/// The canonical NaN of features.
template <class Scalar>
inline constexpr Scalar canonical_nan = static_cast<Scalar>(__builtin_nanf(""));

/// A pack on a device: an array in a thread's registers, which is loaded and stored in one access.
template <class Scalar>
struct alignas(DeviceThread::bytes) [[gnu::may_alias]] Pack<Scalar, DeviceThread> {
  static constexpr int lanes = DeviceThread::bytes / static_cast<int>(sizeof(Scalar));

  Scalar values[lanes];

  static SYNELIX_INLINE Pack zero() { return broadcast(Scalar(0)); }
  static SYNELIX_INLINE Pack load(const Scalar* from) {
    return *reinterpret_cast<const Pack*>(from);
  }
  static SYNELIX_INLINE Pack broadcast(Scalar value) {
    Pack pack;
    for (int i = 0; i < lanes; ++i) pack.values[i] = value;
    return pack;
  }
  SYNELIX_INLINE void store(Scalar* to) const { *reinterpret_cast<Pack*>(to) = *this; }
  [[nodiscard]] SYNELIX_INLINE Pack canonical() const {
    Pack pack;
    for (int i = 0; i < lanes; ++i) {
      pack.values[i] = values[i] == values[i] ? values[i] + Scalar(0) : canonical_nan<Scalar>;
    }
    return pack;
  }
};

/// The scalar form of multiply_add, one for each set, with the result of its packs in each lane.
SYNELIX_INLINE float multiply_add(DeviceThread, float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SYNELIX_INLINE double multiply_add(DeviceThread, double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
template <class Scalar>
SYNELIX_INLINE Scalar multiply_add(Plain, Scalar a, Scalar b, Scalar c) {
  return a * b + c;
}
#ifdef __FMA__
SYNELIX_INLINE float multiply_add(Avx2, float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SYNELIX_INLINE double multiply_add(Avx2, double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#endif
#ifdef __AVX512F__
SYNELIX_INLINE float multiply_add(Avx512, float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SYNELIX_INLINE double multiply_add(Avx512, double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#endif

#ifdef __ARM_NEON
SYNELIX_INLINE float multiply_add(Neon, float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SYNELIX_INLINE double multiply_add(Neon, double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#endif
#ifdef __ARM_FEATURE_SVE
SYNELIX_INLINE float multiply_add(Sve256, float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
SYNELIX_INLINE double multiply_add(Sve256, double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#endif

/// The scalar form of canonical, the same for each set.
template <class Set, class Scalar>
SYNELIX_INLINE Scalar canonical(Set, Scalar value) {
  return value == value ? value + Scalar(0) : canonical_nan<Scalar>;
}

template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> multiply_add(Pack<Scalar, DeviceThread> a,
                                                       Pack<Scalar, DeviceThread> b,
                                                       Pack<Scalar, DeviceThread> c) {
  for (int i = 0; i < Pack<Scalar, DeviceThread>::lanes; ++i) {
    c.values[i] = multiply_add(DeviceThread{}, a.values[i], b.values[i], c.values[i]);
  }
  return c;
}

#ifndef SYNELIX_DEVICE_COMPILER  // which does not support vector types

/// A pack on a host: a vector type of the compiler (both GCC and Clang).
template <class Scalar, class Set>
struct Pack {
  static constexpr int lanes = Set::bytes / static_cast<int>(sizeof(Scalar));
  using Register [[gnu::vector_size(Set::bytes), gnu::may_alias]] = Scalar;
  using Unaligned [[gnu::vector_size(Set::bytes), gnu::aligned(sizeof(Scalar)), gnu::may_alias]] =
      Scalar;

  Register values;

  static SYNELIX_INLINE Pack zero() { return {Register{}}; }
  static SYNELIX_INLINE Pack load(const Scalar* from) {
    return {*reinterpret_cast<const Register*>(from)};
  }
  static SYNELIX_INLINE Pack load_anywhere(const Scalar* from) {
    return {*reinterpret_cast<const Unaligned*>(from)};
  }
  static SYNELIX_INLINE Pack broadcast(Scalar value);
  SYNELIX_INLINE void store(Scalar* to) const { *reinterpret_cast<Register*>(to) = values; }
  SYNELIX_INLINE void store_anywhere(Scalar* to) const {
    *reinterpret_cast<Unaligned*>(to) = values;
  }
  SYNELIX_INLINE void stream(Scalar* to) const;
  /// Whether all lanes are +0.
  [[nodiscard]] SYNELIX_INLINE bool is_zero() const {
    unsigned long long words[Set::bytes / sizeof(unsigned long long)];
    __builtin_memcpy(words, &values, sizeof words);
    unsigned long long all = 0;
    for (const unsigned long long word : words) all |= word;
    return all == 0;
  }
  [[nodiscard]] SYNELIX_INLINE Pack canonical() const {
    const Register sum = values + Register{};  // -0 becomes 0
    return {sum == sum ? sum : broadcast(canonical_nan<Scalar>).values};
  }
};

template <>
SYNELIX_INLINE Pack<float, Plain> Pack<float, Plain>::broadcast(float value) {
  return {Register{value, value, value, value}};
}
template <>
SYNELIX_INLINE Pack<double, Plain> Pack<double, Plain>::broadcast(double value) {
  return {Register{value, value}};
}
template <>
SYNELIX_INLINE void Pack<float, Plain>::stream(float* to) const {
#ifdef __SSE2__
  _mm_stream_ps(to, values);
#else
  store(to);
#endif
}
template <>
SYNELIX_INLINE void Pack<double, Plain>::stream(double* to) const {
#ifdef __SSE2__
  _mm_stream_pd(to, values);
#else
  store(to);
#endif
}
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, Plain> multiply_add(Pack<Scalar, Plain> a, Pack<Scalar, Plain> b,
                                                Pack<Scalar, Plain> c) {
  return {a.values * b.values + c.values};
}

#if defined(__AVX2__) && defined(__FMA__)
template <>
SYNELIX_INLINE Pack<float, Avx2> Pack<float, Avx2>::broadcast(float value) {
  return {_mm256_set1_ps(value)};
}
template <>
SYNELIX_INLINE Pack<double, Avx2> Pack<double, Avx2>::broadcast(double value) {
  return {_mm256_set1_pd(value)};
}
template <>
SYNELIX_INLINE void Pack<float, Avx2>::stream(float* to) const {
  _mm256_stream_ps(to, values);
}
template <>
SYNELIX_INLINE void Pack<double, Avx2>::stream(double* to) const {
  _mm256_stream_pd(to, values);
}
SYNELIX_INLINE Pack<float, Avx2> multiply_add(Pack<float, Avx2> a, Pack<float, Avx2> b,
                                              Pack<float, Avx2> c) {
  return {_mm256_fmadd_ps(a.values, b.values, c.values)};
}
SYNELIX_INLINE Pack<double, Avx2> multiply_add(Pack<double, Avx2> a, Pack<double, Avx2> b,
                                               Pack<double, Avx2> c) {
  return {_mm256_fmadd_pd(a.values, b.values, c.values)};
}
#endif

#ifdef __AVX512F__
template <>
SYNELIX_INLINE Pack<float, Avx512> Pack<float, Avx512>::broadcast(float value) {
  return {_mm512_set1_ps(value)};
}
template <>
SYNELIX_INLINE Pack<double, Avx512> Pack<double, Avx512>::broadcast(double value) {
  return {_mm512_set1_pd(value)};
}
template <>
SYNELIX_INLINE void Pack<float, Avx512>::stream(float* to) const {
  _mm512_stream_ps(to, values);
}
template <>
SYNELIX_INLINE void Pack<double, Avx512>::stream(double* to) const {
  _mm512_stream_pd(to, values);
}
// One instruction, which selects by the class of a value (quiet and signaling NaN, zero, then all
// others), four bits each: the first operand (0), +0 (8) or the value itself (1).
template <>
SYNELIX_INLINE Pack<float, Avx512> Pack<float, Avx512>::canonical() const {
  return {_mm512_fixupimm_ps(_mm512_set1_ps(canonical_nan<float>), values,
                             _mm512_set1_epi32(0x11111800), 0)};
}
template <>
SYNELIX_INLINE Pack<double, Avx512> Pack<double, Avx512>::canonical() const {
  return {_mm512_fixupimm_pd(_mm512_set1_pd(canonical_nan<double>), values,
                             _mm512_set1_epi64(0x11111800), 0)};
}
SYNELIX_INLINE Pack<float, Avx512> multiply_add(Pack<float, Avx512> a, Pack<float, Avx512> b,
                                                Pack<float, Avx512> c) {
  return {_mm512_fmadd_ps(a.values, b.values, c.values)};
}
SYNELIX_INLINE Pack<double, Avx512> multiply_add(Pack<double, Avx512> a, Pack<double, Avx512> b,
                                                 Pack<double, Avx512> c) {
  return {_mm512_fmadd_pd(a.values, b.values, c.values)};
}
#endif

#ifdef __ARM_NEON
template <>
SYNELIX_INLINE Pack<float, Neon> Pack<float, Neon>::broadcast(float value) {
  return {Register{value, value, value, value}};
}
template <>
SYNELIX_INLINE Pack<double, Neon> Pack<double, Neon>::broadcast(double value) {
  return {Register{value, value}};
}
template <>
SYNELIX_INLINE void Pack<float, Neon>::stream(float* to) const {
  store(to);
}
template <>
SYNELIX_INLINE void Pack<double, Neon>::stream(double* to) const {
  store(to);
}
SYNELIX_INLINE Pack<float, Neon> multiply_add(Pack<float, Neon> a, Pack<float, Neon> b,
                                              Pack<float, Neon> c) {
  return {vfmaq_f32(c.values, a.values, b.values)};
}
SYNELIX_INLINE Pack<double, Neon> multiply_add(Pack<double, Neon> a, Pack<double, Neon> b,
                                               Pack<double, Neon> c) {
  return {vfmaq_f64(c.values, a.values, b.values)};
}
#endif

#if defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 256
/// SVE registers with a length known at compile time, which can be converted to vectors of 32
/// bytes.
using SveFloats [[gnu::arm_sve_vector_bits(256)]] = svfloat32_t;
using SveDoubles [[gnu::arm_sve_vector_bits(256)]] = svfloat64_t;

template <>
SYNELIX_INLINE Pack<float, Sve256> Pack<float, Sve256>::broadcast(float value) {
  return {static_cast<Register>(static_cast<SveFloats>(svdup_n_f32(value)))};
}
template <>
SYNELIX_INLINE Pack<double, Sve256> Pack<double, Sve256>::broadcast(double value) {
  return {static_cast<Register>(static_cast<SveDoubles>(svdup_n_f64(value)))};
}
template <>
SYNELIX_INLINE void Pack<float, Sve256>::stream(float* to) const {
  svstnt1_f32(svptrue_b32(), to, static_cast<SveFloats>(values));
}
template <>
SYNELIX_INLINE void Pack<double, Sve256>::stream(double* to) const {
  svstnt1_f64(svptrue_b64(), to, static_cast<SveDoubles>(values));
}
SYNELIX_INLINE Pack<float, Sve256> multiply_add(Pack<float, Sve256> a, Pack<float, Sve256> b,
                                                Pack<float, Sve256> c) {
  const auto sum = svmla_f32_x(svptrue_b32(), static_cast<SveFloats>(c.values),
                               static_cast<SveFloats>(a.values), static_cast<SveFloats>(b.values));
  return {static_cast<Pack<float, Sve256>::Register>(static_cast<SveFloats>(sum))};
}
SYNELIX_INLINE Pack<double, Sve256> multiply_add(Pack<double, Sve256> a, Pack<double, Sve256> b,
                                                 Pack<double, Sve256> c) {
  const auto sum =
      svmla_f64_x(svptrue_b64(), static_cast<SveDoubles>(c.values),
                  static_cast<SveDoubles>(a.values), static_cast<SveDoubles>(b.values));
  return {static_cast<Pack<double, Sve256>::Register>(static_cast<SveDoubles>(sum))};
}
#endif

/// Makes streamed stores visible before later stores.
SYNELIX_INLINE void fence_streams() {
#ifdef __SSE2__
  _mm_sfence();
#elif defined(__ARM_NEON)
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

#endif  // SYNELIX_DEVICE_COMPILER

}  // namespace synelix::lanes
