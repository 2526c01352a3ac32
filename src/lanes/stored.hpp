// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Converts stored integers exactly to a pack of floats: `load_stored<Set>(from)` reads as many
/// values as a pack has lanes, at any address. It uses intrinsics, since GCC 14 splits a conversion
/// of full vectors into single values. Sets without such instructions have none.

namespace synelix::lanes {

#ifndef SYNELIX_DEVICE_COMPILER
/// The name for sets without such a function.
template <class Set>
Pack<float, Set> load_stored(const void*) = delete;
#endif

#if defined(__AVX2__) && defined(__FMA__)
template <class Set>
  requires(Set::bytes == Avx2::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int8_t* from) {
  return {_mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))))};
}
template <class Set>
  requires(Set::bytes == Avx2::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint8_t* from) {
  return {_mm256_cvtepi32_ps(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))))};
}
template <class Set>
  requires(Set::bytes == Avx2::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int16_t* from) {
  return {_mm256_cvtepi32_ps(
      _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))))};
}
template <class Set>
  requires(Set::bytes == Avx2::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint16_t* from) {
  return {_mm256_cvtepi32_ps(
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))))};
}
#endif

#ifdef __AVX512F__
template <class Set>
  requires(Set::bytes == Avx512::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int8_t* from) {
  return {_mm512_cvtepi32_ps(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))))};
}
template <class Set>
  requires(Set::bytes == Avx512::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint8_t* from) {
  return {_mm512_cvtepi32_ps(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))))};
}
template <class Set>
  requires(Set::bytes == Avx512::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int16_t* from) {
  return {_mm512_cvtepi32_ps(
      _mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))))};
}
template <class Set>
  requires(Set::bytes == Avx512::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint16_t* from) {
  return {_mm512_cvtepi32_ps(
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))))};
}
#endif

#ifdef __ARM_NEON
template <class Set>
  requires(Set::is_fused && Set::bytes == Neon::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int16_t* from) {
  return {vcvtq_f32_s32(vmovl_s16(vld1_s16(from)))};
}
template <class Set>
  requires(Set::is_fused && Set::bytes == Neon::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint16_t* from) {
  return {vcvtq_f32_u32(vmovl_u16(vld1_u16(from)))};
}
template <class Set>
  requires(Set::is_fused && Set::bytes == Neon::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int8_t* from) {
  std::int32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  const int8x8_t bytes = vreinterpret_s8_s32(vdup_n_s32(four));
  return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(bytes))))};
}
template <class Set>
  requires(Set::is_fused && Set::bytes == Neon::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint8_t* from) {
  std::uint32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  const uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(four));
  return {vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))))};
}
#endif

#if defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 256
template <class Set>
  requires(Set::bytes == Sve256::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int8_t* from) {
  const auto all = svptrue_b32();
  const SveFloats values = svcvt_f32_s32_x(all, svld1sb_s32(all, from));
  return {static_cast<typename Pack<float, Set>::Register>(values)};
}
template <class Set>
  requires(Set::bytes == Sve256::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint8_t* from) {
  const auto all = svptrue_b32();
  const SveFloats values = svcvt_f32_u32_x(all, svld1ub_u32(all, from));
  return {static_cast<typename Pack<float, Set>::Register>(values)};
}
template <class Set>
  requires(Set::bytes == Sve256::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::int16_t* from) {
  const auto all = svptrue_b32();
  const SveFloats values = svcvt_f32_s32_x(all, svld1sh_s32(all, from));
  return {static_cast<typename Pack<float, Set>::Register>(values)};
}
template <class Set>
  requires(Set::bytes == Sve256::bytes)
SYNELIX_INLINE Pack<float, Set> load_stored(const std::uint16_t* from) {
  const auto all = svptrue_b32();
  const SveFloats values = svcvt_f32_u32_x(all, svld1uh_u32(all, from));
  return {static_cast<typename Pack<float, Set>::Register>(values)};
}
#endif

}  // namespace synelix::lanes
