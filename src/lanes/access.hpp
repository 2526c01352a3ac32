// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Memory access of packs beyond aligned loads and stores: at any address, partial, repeated, and
/// with permuted lanes.

namespace synelix::lanes {

/// Lane numbers, in the width of the scalar, so that a pack of them fills a register.
template <class Scalar>
struct LaneNumber {
  using type = std::int32_t;
};
template <>
struct LaneNumber<double> {
  using type = std::int64_t;
};
template <class Scalar>
using LaneNumberOf = typename LaneNumber<Scalar>::type;

template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> load_unaligned(const Scalar* from) {
  using Pack = Pack<Scalar, Set>;
  Pack pack;
  if constexpr (requires { typename Pack::Register; }) {
    __builtin_memcpy(&pack.values, from, sizeof(pack.values));
  } else {
    for (int i = 0; i < Pack::lanes; ++i) pack.values[i] = from[i];
  }
  return pack;
}

template <class Scalar, class Set>
SYNELIX_INLINE void store_unaligned(const Pack<Scalar, Set>& pack, Scalar* to) {
  if constexpr (requires { typename Pack<Scalar, Set>::Register; }) {
    __builtin_memcpy(to, &pack.values, sizeof(pack.values));
  } else {
    for (int i = 0; i < pack.lanes; ++i) to[i] = pack.values[i];
  }
}

/// The first `count` values; the other lanes are 0.
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> load_part(const Scalar* from, int count) {
  if (count == Pack<Scalar, Set>::lanes) return load_unaligned<Scalar, Set>(from);
  alignas(64) Scalar values[Pack<Scalar, Set>::lanes];
  SYNELIX_UNROLL(4)  // otherwise it is a call, which spills all registers
  for (int i = 0; i < Pack<Scalar, Set>::lanes; ++i) values[i] = i < count ? from[i] : Scalar(0);
  return Pack<Scalar, Set>::load(values);
}

/// Lane i from from[i] for i in [first, end); the other lanes are 0, and nothing is read for them.
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> load_lanes(const Scalar* from, int first, int end) {
  alignas(64) Scalar values[Pack<Scalar, Set>::lanes];
  SYNELIX_UNROLL(4)
  for (int i = 0; i < Pack<Scalar, Set>::lanes; ++i) {
    values[i] = first <= i && i < end ? from[i] : Scalar(0);
  }
  return Pack<Scalar, Set>::load(values);
}

/// Stores lanes [first, first + count), lane i to to[i].
template <class Scalar, class Set>
SYNELIX_INLINE void store_part(const Pack<Scalar, Set>& pack, Scalar* to, int first, int count) {
  if (count == pack.lanes) {
    store_unaligned(pack, to);
    return;
  }
  alignas(64) Scalar values[Pack<Scalar, Set>::lanes];
  pack.store(values);
  SYNELIX_UNROLL(4)
  for (int i = 0; i < pack.lanes; ++i) {
    if (first <= i && i < first + count) to[i] = values[i];
  }
}

/// Stores `parts` equal parts of the pack, part k to `to + k step`.
template <int parts, class Scalar, class Set>
SYNELIX_INLINE void store_apart(const Pack<Scalar, Set>& pack, Scalar* to, std::int64_t step) {
  constexpr int size = Pack<Scalar, Set>::lanes / parts;
  alignas(64) Scalar values[Pack<Scalar, Set>::lanes];
  pack.store(values);
  for (int k = 0; k < parts; ++k)
    __builtin_memcpy(to + k * step, values + k * size, size * sizeof(Scalar));
}

/// Lanes 0, 1, ..., added in this order.
template <class Scalar, class Set>
SYNELIX_INLINE Scalar sum_of_lanes(const Pack<Scalar, Set>& pack) {
  alignas(64) Scalar values[Pack<Scalar, Set>::lanes];
  pack.store(values);
  Scalar sum = values[0];
  for (int i = 1; i < pack.lanes; ++i) sum += values[i];
  return sum;
}

/// Prefetches a cache line that will be read soon; no effect on a device.
SYNELIX_INLINE void prefetch([[maybe_unused]] const void* line) {
#ifndef SYNELIX_DEVICE_COMPILER
  __builtin_prefetch(line, 0, 3);
#endif
}
/// The same into the second-level cache, for data that are read later.
SYNELIX_INLINE void prefetch_later([[maybe_unused]] const void* line) {
#ifndef SYNELIX_DEVICE_COMPILER
  __builtin_prefetch(line, 0, 2);
#endif
}

/// The first `period` values (a power of two, at most the lanes), repeated through the pack.
template <int period, class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> load_repeated(const Scalar* from) {
  using Pack = Pack<Scalar, Set>;
  static_assert(period >= 1 && Pack::lanes % period == 0);
  if constexpr (period == Pack::lanes) {
    return load_unaligned<Scalar, Set>(from);
  } else if constexpr (period == 1) {
    return Pack::broadcast(*from);
  } else {
    alignas(64) Scalar values[Pack::lanes];
    for (int i = 0; i < Pack::lanes; ++i) values[i] = from[i % period];
    return Pack::load(values);
  }
}

/// The lanes of a permutation: made once, used often.
template <class Scalar, class Set>
struct Permutation {
  const LaneNumberOf<Scalar>* lanes;

  explicit SYNELIX_INLINE Permutation(const LaneNumberOf<Scalar>* from) : lanes(from) {}
};

/// Lane i of the result is lane `permutation[i]` of the pack.
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> permute(const Pack<Scalar, Set>& pack,
                                         const Permutation<Scalar, Set>& permutation) {
  using Pack = Pack<Scalar, Set>;
  alignas(64) Scalar values[Pack::lanes];
  alignas(64) Scalar permuted[Pack::lanes];
  pack.store(values);
  for (int i = 0; i < Pack::lanes; ++i) permuted[i] = values[permutation.lanes[i]];
  return Pack::load(permuted);
}

/// The same for two packs: lane numbers from `lanes` on refer to b.
template <class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> permute(const Pack<Scalar, Set>& a, const Pack<Scalar, Set>& b,
                                         const Permutation<Scalar, Set>& permutation) {
  using Pack = Pack<Scalar, Set>;
  alignas(64) Scalar values[2 * Pack::lanes];
  alignas(64) Scalar permuted[Pack::lanes];
  a.store(values);
  b.store(values + Pack::lanes);
  for (int i = 0; i < Pack::lanes; ++i) permuted[i] = values[permutation.lanes[i]];
  return Pack::load(permuted);
}

/// Stores past the caches, to an address that is aligned to the pack. Use it only for full cache
/// lines.
template <class Scalar, class Set>
SYNELIX_INLINE void store_past_caches(const Pack<Scalar, Set>& pack, Scalar* to) {
  pack.store(to);
}
/// Ends a run of such stores: they are in memory before later stores.
template <class Set>
SYNELIX_INLINE void end_stores_past_caches() {}

#ifndef SYNELIX_DEVICE_COMPILER
#if defined(__AVX2__) && defined(__FMA__)

template <>
struct Permutation<float, Avx2> {
  __m256i lanes;
  explicit SYNELIX_INLINE Permutation(const std::int32_t* from)
      : lanes(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))) {}
};
/// Each double is moved as two halves.
template <>
struct Permutation<double, Avx2> {
  __m256i lanes;
  explicit SYNELIX_INLINE Permutation(const std::int64_t* from) {
    const __m256i low =
        _mm256_slli_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), 1);
    const __m256i high = _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32);
    lanes = _mm256_or_si256(low, high);
  }
};
SYNELIX_INLINE Pack<float, Avx2> permute(const Pack<float, Avx2>& pack,
                                         const Permutation<float, Avx2>& permutation) {
  return {_mm256_permutevar8x32_ps(pack.values, permutation.lanes)};
}
SYNELIX_INLINE Pack<double, Avx2> permute(const Pack<double, Avx2>& pack,
                                          const Permutation<double, Avx2>& permutation) {
  return {
      _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(pack.values), permutation.lanes))};
}
template <>
SYNELIX_INLINE Pack<float, Avx2> load_repeated<4, float, Avx2>(const float* from) {
  return {_mm256_broadcast_ps(reinterpret_cast<const __m128*>(from))};
}
template <>
SYNELIX_INLINE Pack<float, Avx2> load_repeated<2, float, Avx2>(const float* from) {
  return {_mm256_castpd_ps(_mm256_broadcast_sd(reinterpret_cast<const double*>(from)))};
}
template <>
SYNELIX_INLINE Pack<double, Avx2> load_repeated<2, double, Avx2>(const double* from) {
  return {_mm256_broadcast_pd(reinterpret_cast<const __m128d*>(from))};
}
SYNELIX_INLINE __m256 select_lanes(__m256 a, __m256 b, __m256i lanes) {  // bit 3 of a lane number:
                                                                         // selects b
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, lanes), _mm256_permutevar8x32_ps(b, lanes),
                          _mm256_castsi256_ps(_mm256_slli_epi32(lanes, 28)));
}
SYNELIX_INLINE Pack<float, Avx2> permute(const Pack<float, Avx2>& a, const Pack<float, Avx2>& b,
                                         const Permutation<float, Avx2>& permutation) {
  return {select_lanes(a.values, b.values, permutation.lanes)};
}
SYNELIX_INLINE Pack<double, Avx2> permute(const Pack<double, Avx2>& a, const Pack<double, Avx2>& b,
                                          const Permutation<double, Avx2>& permutation) {
  return {_mm256_castps_pd(
      select_lanes(_mm256_castpd_ps(a.values), _mm256_castpd_ps(b.values), permutation.lanes))};
}
/// All bits of the first `count` lanes.
SYNELIX_INLINE __m256i first_lanes(const Pack<float, Avx2>&, int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
SYNELIX_INLINE __m256i first_lanes(const Pack<double, Avx2>&, int count) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
template <>
SYNELIX_INLINE Pack<float, Avx2> load_part<float, Avx2>(const float* from, int count) {
  return {_mm256_maskload_ps(from, first_lanes(Pack<float, Avx2>{}, count))};
}
template <>
SYNELIX_INLINE Pack<double, Avx2> load_part<double, Avx2>(const double* from, int count) {
  return {_mm256_maskload_pd(from, first_lanes(Pack<double, Avx2>{}, count))};
}
template <>
SYNELIX_INLINE Pack<float, Avx2> load_lanes<float, Avx2>(const float* from, int first, int end) {
  const Pack<float, Avx2> which{};
  return {_mm256_maskload_ps(
      from, _mm256_andnot_si256(first_lanes(which, first), first_lanes(which, end)))};
}
template <>
SYNELIX_INLINE Pack<double, Avx2> load_lanes<double, Avx2>(const double* from, int first, int end) {
  const Pack<double, Avx2> which{};
  return {_mm256_maskload_pd(
      from, _mm256_andnot_si256(first_lanes(which, first), first_lanes(which, end)))};
}
SYNELIX_INLINE void store_part(const Pack<float, Avx2>& pack, float* to, int first, int count) {
  if (count == pack.lanes) return store_unaligned(pack, to);
  _mm256_maskstore_ps(
      to, _mm256_andnot_si256(first_lanes(pack, first), first_lanes(pack, first + count)),
      pack.values);
}
SYNELIX_INLINE void store_part(const Pack<double, Avx2>& pack, double* to, int first, int count) {
  if (count == pack.lanes) return store_unaligned(pack, to);
  _mm256_maskstore_pd(
      to, _mm256_andnot_si256(first_lanes(pack, first), first_lanes(pack, first + count)),
      pack.values);
}
SYNELIX_INLINE void store_past_caches(const Pack<float, Avx2>& pack, float* to) {
  _mm256_stream_ps(to, pack.values);
}
SYNELIX_INLINE void store_past_caches(const Pack<double, Avx2>& pack, double* to) {
  _mm256_stream_pd(to, pack.values);
}
template <>
SYNELIX_INLINE void end_stores_past_caches<Avx2>() {
  _mm_sfence();
}

#endif
#ifdef __AVX512F__

template <>
struct Permutation<float, Avx512> {
  __m512i lanes;
  explicit SYNELIX_INLINE Permutation(const std::int32_t* from) : lanes(_mm512_loadu_si512(from)) {}
};
template <>
struct Permutation<double, Avx512> {
  __m512i lanes;
  explicit SYNELIX_INLINE Permutation(const std::int64_t* from) : lanes(_mm512_loadu_si512(from)) {}
};
SYNELIX_INLINE Pack<float, Avx512> permute(const Pack<float, Avx512>& pack,
                                           const Permutation<float, Avx512>& permutation) {
  return {_mm512_permutexvar_ps(permutation.lanes, pack.values)};
}
SYNELIX_INLINE Pack<double, Avx512> permute(const Pack<double, Avx512>& pack,
                                            const Permutation<double, Avx512>& permutation) {
  return {_mm512_permutexvar_pd(permutation.lanes, pack.values)};
}
SYNELIX_INLINE Pack<float, Avx512> permute(const Pack<float, Avx512>& a,
                                           const Pack<float, Avx512>& b,
                                           const Permutation<float, Avx512>& permutation) {
  return {_mm512_permutex2var_ps(a.values, permutation.lanes, b.values)};
}
SYNELIX_INLINE Pack<double, Avx512> permute(const Pack<double, Avx512>& a,
                                            const Pack<double, Avx512>& b,
                                            const Permutation<double, Avx512>& permutation) {
  return {_mm512_permutex2var_pd(a.values, permutation.lanes, b.values)};
}
template <>
SYNELIX_INLINE Pack<float, Avx512> load_part<float, Avx512>(const float* from, int count) {
  return {_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1U), from)};
}
template <>
SYNELIX_INLINE Pack<double, Avx512> load_part<double, Avx512>(const double* from, int count) {
  return {_mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from)};
}
template <>
SYNELIX_INLINE Pack<float, Avx512> load_lanes<float, Avx512>(const float* from, int first,
                                                             int end) {
  return {_mm512_maskz_loadu_ps(static_cast<__mmask16>(((1U << end) - 1U) & ~((1U << first) - 1U)),
                                from)};
}
template <>
SYNELIX_INLINE Pack<double, Avx512> load_lanes<double, Avx512>(const double* from, int first,
                                                               int end) {
  return {_mm512_maskz_loadu_pd(static_cast<__mmask8>(((1U << end) - 1U) & ~((1U << first) - 1U)),
                                from)};
}
SYNELIX_INLINE void store_part(const Pack<float, Avx512>& pack, float* to, int first, int count) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>(((1U << count) - 1U) << first), pack.values);
}
template <>
SYNELIX_INLINE void store_apart<4, float, Avx512>(const Pack<float, Avx512>& pack, float* to,
                                                  std::int64_t step) {
  _mm_storeu_ps(to, _mm512_castps512_ps128(pack.values));
  _mm_storeu_ps(to + step, _mm512_extractf32x4_ps(pack.values, 1));
  _mm_storeu_ps(to + 2 * step, _mm512_extractf32x4_ps(pack.values, 2));
  _mm_storeu_ps(to + 3 * step, _mm512_extractf32x4_ps(pack.values, 3));
}
template <>
SYNELIX_INLINE void store_apart<2, float, Avx512>(const Pack<float, Avx512>& pack, float* to,
                                                  std::int64_t step) {
  _mm256_storeu_ps(to, _mm512_castps512_ps256(pack.values));
  _mm256_storeu_ps(to + step, _mm512_extractf32x8_ps(pack.values, 1));
}
template <>
SYNELIX_INLINE void store_apart<4, double, Avx512>(const Pack<double, Avx512>& pack, double* to,
                                                   std::int64_t step) {
  _mm_storeu_pd(to, _mm512_castpd512_pd128(pack.values));
  _mm_storeu_pd(to + step, _mm512_extractf64x2_pd(pack.values, 1));
  _mm_storeu_pd(to + 2 * step, _mm512_extractf64x2_pd(pack.values, 2));
  _mm_storeu_pd(to + 3 * step, _mm512_extractf64x2_pd(pack.values, 3));
}
template <>
SYNELIX_INLINE void store_apart<2, double, Avx512>(const Pack<double, Avx512>& pack, double* to,
                                                   std::int64_t step) {
  _mm256_storeu_pd(to, _mm512_castpd512_pd256(pack.values));
  _mm256_storeu_pd(to + step, _mm512_extractf64x4_pd(pack.values, 1));
}
SYNELIX_INLINE void store_part(const Pack<double, Avx512>& pack, double* to, int first, int count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(((1U << count) - 1U) << first), pack.values);
}
template <>
SYNELIX_INLINE Pack<float, Avx512> load_repeated<8, float, Avx512>(const float* from) {
  return {_mm512_broadcast_f32x8(_mm256_loadu_ps(from))};
}
template <>
SYNELIX_INLINE Pack<float, Avx512> load_repeated<4, float, Avx512>(const float* from) {
  return {_mm512_broadcast_f32x4(_mm_loadu_ps(from))};
}
template <>
SYNELIX_INLINE Pack<double, Avx512> load_repeated<4, double, Avx512>(const double* from) {
  return {_mm512_broadcast_f64x4(_mm256_loadu_pd(from))};
}
template <>
SYNELIX_INLINE Pack<double, Avx512> load_repeated<2, double, Avx512>(const double* from) {
  return {_mm512_broadcast_f64x2(_mm_loadu_pd(from))};
}
SYNELIX_INLINE void store_past_caches(const Pack<float, Avx512>& pack, float* to) {
  _mm512_stream_ps(to, pack.values);
}
SYNELIX_INLINE void store_past_caches(const Pack<double, Avx512>& pack, double* to) {
  _mm512_stream_pd(to, pack.values);
}
template <>
SYNELIX_INLINE void end_stores_past_caches<Avx512>() {
  _mm_sfence();
}

#endif
#endif  // SYNELIX_DEVICE_COMPILER

}  // namespace synelix::lanes
