// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Stored integers as a pack of floats, all exact: `load_stored<Set>(from)` reads as many values as
/// a pack has lanes, at any address. Written by the names of instructions, since GCC 14 takes a
/// conversion of whole vectors apart, value by value. Sets without such instructions have none.

namespace synelix::lanes {

#ifndef SYNELIX_DEVICE_COMPILER
/// The name, for sets that have none.
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

}  // namespace synelix::lanes
