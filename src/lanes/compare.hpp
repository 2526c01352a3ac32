// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"
#include "lanes/single.hpp"

/// \file
/// Selection lane by lane. A comparison with NaN is false, so a select returns its last argument
/// for NaN, and `at_least` and `at_most` return a NaN of their first argument.

namespace synelix::lanes {

/// a < b ? x : y.
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> select_less(const Pack<Scalar, DeviceThread>& a,
                                                      const Pack<Scalar, DeviceThread>& b,
                                                      const Pack<Scalar, DeviceThread>& x,
                                                      Pack<Scalar, DeviceThread> y) {
  for (int i = 0; i < y.lanes; ++i) {
    if (a.values[i] < b.values[i]) y.values[i] = x.values[i];
  }
  return y;
}
/// a == b ? x : y.
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> select_equal(const Pack<Scalar, DeviceThread>& a,
                                                       const Pack<Scalar, DeviceThread>& b,
                                                       const Pack<Scalar, DeviceThread>& x,
                                                       Pack<Scalar, DeviceThread> y) {
  for (int i = 0; i < y.lanes; ++i) {
    if (a.values[i] == b.values[i]) y.values[i] = x.values[i];
  }
  return y;
}
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> operator/(Pack<Scalar, DeviceThread> a,
                                                    const Pack<Scalar, DeviceThread>& b) {
  for (int i = 0; i < a.lanes; ++i) a.values[i] /= b.values[i];
  return a;
}
template <class Scalar>
SYNELIX_INLINE Pack<Scalar, DeviceThread> operator-(Pack<Scalar, DeviceThread> a) {
  for (int i = 0; i < a.lanes; ++i) a.values[i] = -a.values[i];
  return a;
}
/// Whether a lane is not 0. NaN is not 0.
template <class Scalar>
SYNELIX_INLINE bool has_nonzero(const Pack<Scalar, DeviceThread>& pack) {
  bool found = false;
  for (int i = 0; i < pack.lanes; ++i) found = found || !(pack.values[i] == Scalar(0));
  return found;
}

template <class Scalar>
SYNELIX_INLINE Single<Scalar> select_less(const Single<Scalar>& a, const Single<Scalar>& b,
                                          const Single<Scalar>& x, const Single<Scalar>& y) {
  return {a.value < b.value ? x.value : y.value};
}
template <class Scalar>
SYNELIX_INLINE Single<Scalar> select_equal(const Single<Scalar>& a, const Single<Scalar>& b,
                                           const Single<Scalar>& x, const Single<Scalar>& y) {
  return {a.value == b.value ? x.value : y.value};
}
template <class Scalar>
SYNELIX_INLINE Single<Scalar> operator/(const Single<Scalar>& a, const Single<Scalar>& b) {
  return {a.value / b.value};
}
template <class Scalar>
SYNELIX_INLINE Single<Scalar> operator-(const Single<Scalar>& a) {
  return {-a.value};
}
template <class Scalar>
SYNELIX_INLINE bool has_nonzero(const Single<Scalar>& pack) {
  return !(pack.value == Scalar(0));
}

#ifndef SYNELIX_DEVICE_COMPILER

template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> select_less(const Pack<Scalar, Set>& a, const Pack<Scalar, Set>& b,
                                             const Pack<Scalar, Set>& x, Pack<Scalar, Set> y) {
  return {a.values < b.values ? x.values : y.values};
}
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> select_equal(const Pack<Scalar, Set>& a,
                                              const Pack<Scalar, Set>& b,
                                              const Pack<Scalar, Set>& x, Pack<Scalar, Set> y) {
  return {a.values == b.values ? x.values : y.values};
}
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> operator/(Pack<Scalar, Set> a, const Pack<Scalar, Set>& b) {
  return {a.values / b.values};
}
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> operator-(Pack<Scalar, Set> a) {
  return {-a.values};
}
/// Treats -0 as nonzero, which may cost a caller time, but gives no wrong value.
template <class Scalar, class Set>
SYNELIX_INLINE bool has_nonzero(const Pack<Scalar, Set>& pack) {
  return !pack.is_zero();
}

#if defined(__AVX2__) && defined(__FMA__)
SYNELIX_INLINE bool has_nonzero(const Pack<double, Avx2>& pack) {
  return _mm256_movemask_pd(_mm256_cmp_pd(pack.values, _mm256_setzero_pd(), _CMP_NEQ_UQ)) != 0;
}
#endif
#ifdef __AVX512F__
SYNELIX_INLINE bool has_nonzero(const Pack<double, Avx512>& pack) {
  return _mm512_cmp_pd_mask(pack.values, _mm512_setzero_pd(), _CMP_NEQ_UQ) != 0;
}
#endif

#endif  // SYNELIX_DEVICE_COMPILER

/// The larger of a and the bound.
template <class Pack>
SYNELIX_INLINE Pack at_least(const Pack& a, const Pack& bound) {
  return select_less(a, bound, bound, a);
}
/// The smaller of a and the bound.
template <class Pack>
SYNELIX_INLINE Pack at_most(const Pack& a, const Pack& bound) {
  return select_less(bound, a, bound, a);
}
template <class Pack>
SYNELIX_INLINE Pack absolute(const Pack& a) {
  return select_less(a, Pack::zero(), -a, a);
}

}  // namespace synelix::lanes
