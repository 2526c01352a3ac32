// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstdint>

/// \file
/// The memory roofs: one thread's share of an array is read, written, or written past the cache.
/// Compiled once for each instruction set, like the multiply-add roof. Arrays are aligned to a
/// cache line and are a multiple of blocks.

namespace synelix::perf {

/// Floats in one iteration of a loop: 4 cache lines.
inline constexpr std::int64_t block_floats = 64;

/// The sum of `count` floats, in enough chains to hide the latency of the additions.
template <class Set>
float read_all(const float* values, std::int64_t count) {
  using Pack = lanes::Pack<float, Set>;
  constexpr int packs = block_floats / Pack::lanes;
  constexpr int sums = packs < 8 ? packs : 8;
  Pack sum[sums];
  for (Pack& one : sum) one = Pack::zero();
  const Pack factor = Pack::broadcast(1.0F);
  for (std::int64_t i = 0; i < count; i += block_floats) {
#pragma GCC unroll 16
    for (int k = 0; k < packs; ++k) {
      sum[k % sums] = multiply_add(Pack::load(values + i + k * Pack::lanes), factor, sum[k % sums]);
    }
  }
  float total = 0;
  for (const Pack& one : sum) total += one.values[0];
  return total;
}

/// Writes one value everywhere, with regular stores.
template <class Set>
void store_all(float* values, std::int64_t count, float value) {
  using Pack = lanes::Pack<float, Set>;
  const Pack pack = Pack::broadcast(value);
  for (std::int64_t i = 0; i < count; i += Pack::lanes) pack.store(values + i);
}

/// Stores one pack past the cache if the set has such a store.
template <class Set>
void stream_pack(float* to, const lanes::Pack<float, Set>& pack) {
#if defined(__x86_64__)
#ifdef __AVX512F__
  if constexpr (sizeof(pack) == 64) return _mm512_stream_ps(to, pack.values);
#endif
#ifdef __AVX__
  if constexpr (sizeof(pack) == 32) return _mm256_stream_ps(to, pack.values);
#endif
  if constexpr (sizeof(pack) == 16) return _mm_stream_ps(to, pack.values);
#endif
  pack.store(to);
}

/// Writes one value everywhere, past the cache.
template <class Set>
void stream_all(float* values, std::int64_t count, float value) {
  using Pack = lanes::Pack<float, Set>;
  const Pack pack = Pack::broadcast(value);
  for (std::int64_t i = 0; i < count; i += Pack::lanes) stream_pack<Set>(values + i, pack);
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// The loops of one set.
struct MemoryLoops {
  float (*read)(const float*, std::int64_t);
  void (*store)(float*, std::int64_t, float);
  void (*stream)(float*, std::int64_t, float);
};

}  // namespace synelix::perf
