// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"
#include "lanes/single.hpp"

#include <cstdint>

/// \file
/// Doubles as a fraction and a power of two. Integers are stored as doubles: a double between 2^52
/// and 2^53 has an integer in its last bits, so that addition rounds and converts.

namespace synelix::lanes {

/// A positive normal number as fraction 2^exponent, with the fraction in [sqrt(1/2), sqrt(2)).
template <class Pack>
struct Parts {
  Pack fraction;
  Pack exponent;
};

namespace bits {
inline constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcd;  ///< of the double sqrt(1/2)
inline constexpr std::uint64_t one = 0x3ff0000000000000;        ///< of 1.0
inline constexpr std::uint64_t exponent = 0xfff0000000000000;   ///< bits of the exponent
inline constexpr std::uint64_t two_52 = 0x4330000000000000;     ///< of 2^52
inline constexpr int fraction_bits = 52;
}  // namespace bits

inline constexpr double to_whole = 0x1.8p52;  ///< adding and subtracting it rounds
inline constexpr double exponent_bias = 1023;

/// 2^n for integer n in [-1022, 1023].
SYNELIX_INLINE double power_of_two(double n) {
  const double shifted = n + (to_whole + exponent_bias);
  std::uint64_t word;
  __builtin_memcpy(&word, &shifted, sizeof word);
  word <<= bits::fraction_bits;
  __builtin_memcpy(&n, &word, sizeof word);
  return n;
}
SYNELIX_INLINE Pack<double, DeviceThread> power_of_two(Pack<double, DeviceThread> n) {
  for (int i = 0; i < n.lanes; ++i) n.values[i] = power_of_two(n.values[i]);
  return n;
}

SYNELIX_INLINE Parts<double> split(double x) {
  std::uint64_t word;
  __builtin_memcpy(&word, &x, sizeof word);
  const std::uint64_t raised = word + (bits::one - bits::sqrt_half);
  const std::uint64_t whole = (raised >> bits::fraction_bits) | bits::two_52;
  const std::uint64_t fraction = word - (raised & bits::exponent) + bits::one;
  double number;
  __builtin_memcpy(&number, &whole, sizeof number);
  __builtin_memcpy(&x, &fraction, sizeof fraction);
  return {x, number - (0x1p52 + exponent_bias)};
}
SYNELIX_INLINE Parts<Pack<double, DeviceThread>> split(const Pack<double, DeviceThread>& x) {
  Parts<Pack<double, DeviceThread>> parts;
  for (int i = 0; i < x.lanes; ++i) {
    const Parts<double> of_lane = split(x.values[i]);
    parts.fraction.values[i] = of_lane.fraction;
    parts.exponent.values[i] = of_lane.exponent;
  }
  return parts;
}

SYNELIX_INLINE Single<double> power_of_two(const Single<double>& n) {
  return {power_of_two(n.value)};
}
SYNELIX_INLINE Parts<Single<double>> split(const Single<double>& x) {
  const Parts<double> parts = split(x.value);
  return {{parts.fraction}, {parts.exponent}};
}

#ifndef SYNELIX_DEVICE_COMPILER

/// The bits of a pack of doubles.
template <class Set>
struct Words {
  using Register [[gnu::vector_size(Set::bytes), gnu::may_alias]] = std::uint64_t;
};

template <class Set>
SYNELIX_INLINE Pack<double, Set> power_of_two(Pack<double, Set> n) {
  using Words = typename Words<Set>::Register;
  using Register = typename Pack<double, Set>::Register;
  n = n + Pack<double, Set>::broadcast(to_whole + exponent_bias);
  return {reinterpret_cast<Register>(reinterpret_cast<Words>(n.values) << bits::fraction_bits)};
}

template <class Set>
SYNELIX_INLINE Parts<Pack<double, Set>> split(const Pack<double, Set>& x) {
  using Words = typename Words<Set>::Register;
  using Pack = Pack<double, Set>;
  using Register = typename Pack::Register;
  const auto word = reinterpret_cast<Words>(x.values);
  const Words raised = word + (bits::one - bits::sqrt_half);
  const Words whole = (raised >> bits::fraction_bits) | bits::two_52;
  const Words fraction = word - (raised & bits::exponent) + bits::one;
  return {{reinterpret_cast<Register>(fraction)},
          Pack{reinterpret_cast<Register>(whole)} - Pack::broadcast(0x1p52 + exponent_bias)};
}

#endif  // SYNELIX_DEVICE_COMPILER

/// The nearest integer, for |x| below 2^51.
template <class Pack>
SYNELIX_INLINE Pack nearest(const Pack& x) {
  const Pack shift = Pack::broadcast(to_whole);
  return (x + shift) - shift;
}

/// x 2^n for integer n in [-2044, 2046] and x near 1: rounded once, also to subnormal numbers.
template <class Pack>
SYNELIX_INLINE Pack scale(const Pack& x, const Pack& n) {
  const Pack half = nearest(n * Pack::broadcast(0.5));
  return x * power_of_two(half) * power_of_two(n - half);
}

#if !defined(SYNELIX_DEVICE_COMPILER) && defined(__AVX512F__)
SYNELIX_INLINE Pack<double, Avx512> scale(const Pack<double, Avx512>& x,
                                          const Pack<double, Avx512>& n) {
  // With a mask, because GCC 12 warns of an undefined operand in the form without one.
  return {_mm512_maskz_scalef_pd(0xff, x.values, n.values)};
}
#endif

}  // namespace synelix::lanes
