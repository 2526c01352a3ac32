// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loops over the lanes of a warp, which compilers turn into vectors.
#pragma once

#include "warp.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

// Two rows are the same or disjoint, so that lanes do not depend on each other.
#if defined(__clang__)
#define EMULATOR_EACH_LANE _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"  // some loops stay loops
#else
#define EMULATOR_EACH_LANE _Pragma("GCC ivdep")
#endif

namespace emulator {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// The layout of a value of type T in a lane.
template <class T>
using Lane = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
T value_of(Lane<T> lane) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(lane);
  else
    return static_cast<T>(lane);
}

/// Values shorter than their lane are extended by their sign.
template <class T>
Lane<T> lane_of(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<Lane<T>>(value);
  else
    return static_cast<Lane<T>>(static_cast<std::make_signed_t<Lane<T>>>(value));
}
template <>
inline u32 lane_of<u8>(u8 value) {
  return value;
}
template <>
inline u32 lane_of<u16>(u16 value) {
  return value;
}

template <class T>
const Lane<T>* source(const Warp& warp, u32 offset) {
  return row<const Lane<T>>(warp.rows, offset);
}

/// result[lane] = compute(lane), of type T. Lanes without a thread are computed, too, because only
/// full vectors are fast. The computation has to be defined for any bits.
template <class T, class Compute>
void fill(Warp& warp, u32 offset, u32 lanes, Compute compute) {
  auto* to = row<Lane<T>>(warp.rows, offset);
  if ((lanes | warp.unused) == all_lanes) {
    EMULATOR_EACH_LANE
    for (int lane = 0; lane < lanes_of_warp; ++lane) to[lane] = lane_of<T>(compute(lane));
    return;
  }
  if (std::has_single_bit(lanes)) {  // EMULATE_APART
    const int lane = std::countr_zero(lanes);
    to[lane] = lane_of<T>(compute(lane));
    return;
  }
  EMULATOR_EACH_LANE
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    const Lane<T> made = lane_of<T>(compute(lane));
    to[lane] = (lanes >> lane & 1) != 0 ? made : to[lane];
  }
}

/// The same for computations that no vector has: only of those lanes.
template <class T, class Compute>
void fill_each(Warp& warp, u32 offset, u32 lanes, Compute compute) {
  auto* to = row<Lane<T>>(warp.rows, offset);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    to[lane] = lane_of<T>(compute(lane));
  }
}

inline u32 mask_at(const Warp& warp, u32 offset) { return *row<const u32>(warp.rows, offset); }

/// Sets the bits of those lanes.
inline void set_mask(Warp& warp, u32 offset, u32 lanes, u32 bits) {
  u32& mask = *row<u32>(warp.rows, offset);
  mask = (mask & ~lanes) | (bits & lanes);
}

template <template <class> class Operation, class T>
void run_unary(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  fill<T>(warp, i.to[0], lanes, [a](int k) { return Operation<T>::of(value_of<T>(a[k])); });
}

template <template <class> class Operation, class T>
void run_binary(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  fill<T>(warp, i.to[0], lanes,
          [a, b](int k) { return Operation<T>::of(value_of<T>(a[k]), value_of<T>(b[k])); });
}

template <template <class> class Operation, class T>
void run_unary_each(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  fill_each<T>(warp, i.to[0], lanes, [a](int k) { return Operation<T>::of(value_of<T>(a[k])); });
}

template <template <class> class Operation, class T>
void run_binary_each(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  fill_each<T>(warp, i.to[0], lanes,
               [a, b](int k) { return Operation<T>::of(value_of<T>(a[k]), value_of<T>(b[k])); });
}

}  // namespace emulator
