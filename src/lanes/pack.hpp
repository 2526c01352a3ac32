// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/// \file
/// `Pack`: a few values that are computed together: a vector register on a host, a short array of
/// one thread on a device. A loop that is written on packs stays in registers on both.
///
/// Loads and stores are aligned to the pack. `multiply_add(a, b, c)` is a * b + c, rounded once on
/// every set that has the instruction and on devices, and twice on `Plain`.

namespace synelix::lanes {

template <class Scalar, class Set>
struct Pack;

/// A pack on a device: an array that lives in a thread's registers.
template <class Scalar>
struct Pack<Scalar, DeviceThread> {
  static constexpr int lanes = DeviceThread::bytes / static_cast<int>(sizeof(Scalar));

  Scalar values[lanes];

  static SYNELIX_INLINE Pack zero() { return broadcast(Scalar(0)); }
  static SYNELIX_INLINE Pack load(const Scalar* from) {
    Pack pack;
    for (int i = 0; i < lanes; ++i) pack.values[i] = from[i];
    return pack;
  }
  static SYNELIX_INLINE Pack broadcast(Scalar value) {
    Pack pack;
    for (int i = 0; i < lanes; ++i) pack.values[i] = value;
    return pack;
  }
  SYNELIX_INLINE void store(Scalar* to) const {
    for (int i = 0; i < lanes; ++i) to[i] = values[i];
  }
};

/// The scalar form of multiply_add, one for each set: what its packs do in each lane.
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

template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> multiply_add(Pack<Scalar, DeviceThread> a,
                                                       Pack<Scalar, DeviceThread> b,
                                                       Pack<Scalar, DeviceThread> c) {
  for (int i = 0; i < Pack<Scalar, DeviceThread>::lanes; ++i) {
    c.values[i] = multiply_add(DeviceThread{}, a.values[i], b.values[i], c.values[i]);
  }
  return c;
}

#ifndef SYNELIX_DEVICE_COMPILER  // which knows no vectors of the compiler

/// A pack on a host: a vector of the compiler (GCC and Clang alike).
template <class Scalar, class Set>
struct Pack {
  static constexpr int lanes = Set::bytes / static_cast<int>(sizeof(Scalar));
  using Register [[gnu::vector_size(Set::bytes), gnu::may_alias]] = Scalar;

  Register values;

  static SYNELIX_INLINE Pack zero() { return {Register{}}; }
  static SYNELIX_INLINE Pack load(const Scalar* from) {
    return {*reinterpret_cast<const Register*>(from)};
  }
  static SYNELIX_INLINE Pack broadcast(Scalar value);
  SYNELIX_INLINE void store(Scalar* to) const { *reinterpret_cast<Register*>(to) = values; }
};

template <>
SYNELIX_INLINE Pack<float, Plain> Pack<float, Plain>::broadcast(float value) {
  return {Register{value, value, value, value}};
}
template <>
SYNELIX_INLINE Pack<double, Plain> Pack<double, Plain>::broadcast(double value) {
  return {Register{value, value}};
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
SYNELIX_INLINE Pack<float, Avx512> multiply_add(Pack<float, Avx512> a, Pack<float, Avx512> b,
                                                Pack<float, Avx512> c) {
  return {_mm512_fmadd_ps(a.values, b.values, c.values)};
}
SYNELIX_INLINE Pack<double, Avx512> multiply_add(Pack<double, Avx512> a, Pack<double, Avx512> b,
                                                 Pack<double, Avx512> c) {
  return {_mm512_fmadd_pd(a.values, b.values, c.values)};
}
#endif

/// The constants of a zip: result lane i takes lane i / 2 (from `first` on) of a for even i, of b
/// for odd i.
template <int lanes, int first, class Register, int... i>
SYNELIX_INLINE Register zip_lanes(Register a, Register b) {
  if constexpr (sizeof...(i) == lanes) {
    return __builtin_shufflevector(a, b, (first + i / 2 + (i % 2) * lanes)...);
  } else {
    return zip_lanes<lanes, first, Register, i..., static_cast<int>(sizeof...(i))>(a, b);
  }
}

/// Replaces `count` packs (a power of two, at most the lanes) by their values interleaved:
/// afterwards the packs, read one after the other, hold lane 0 of each, then lane 1 of each, ...
template <int count, class Scalar, class Set>
SYNELIX_INLINE void interleave(Pack<Scalar, Set> (&packs)[count]) {
  using Register = typename Pack<Scalar, Set>::Register;
  constexpr int lanes = Pack<Scalar, Set>::lanes;
  // Perfect shuffles: each round zips pack i with pack i + count / 2, log2(count) times.
  SYNELIX_UNROLL(8)
  for (int round = 1; round < count; round *= 2) {
    Register zipped[count];
    SYNELIX_UNROLL(16)
    for (int i = 0; i < count / 2; ++i) {
      zipped[2 * i] = zip_lanes<lanes, 0>(packs[i].values, packs[i + count / 2].values);
      zipped[2 * i + 1] = zip_lanes<lanes, lanes / 2>(packs[i].values, packs[i + count / 2].values);
    }
    SYNELIX_UNROLL(16)
    for (int i = 0; i < count; ++i) packs[i].values = zipped[i];
  }
}

#endif  // SYNELIX_DEVICE_COMPILER

}  // namespace synelix::lanes
