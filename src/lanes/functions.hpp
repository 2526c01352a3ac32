// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/compare.hpp"
#include "lanes/exponent.hpp"
#include "lanes/pack.hpp"

/// \file
/// Functions of packs of doubles: exp, log, log1p and the Mills ratio of the normal distribution.
///
/// Largest errors found, in units of the last place (tests/glm/test_lane_functions.cpp, against
/// long double): exp 1.06, log 0.97, log1p 1.48, on all sets. NaN gives NaN. Lanes are computed
/// separately: the same bits for the same value in any lane.
///
/// Polynomials: minimax by Remez' exchange in 60 digits, of the relative error of the function;
/// coefficients rounded to double. Reductions: Tang, "Table-driven implementation of the
/// exponential function" and "... of the logarithm function", ACM TOMS 15 and 16, 1989 and 1990,
/// without tables. The Mills ratio is expanded as Shepherd and Laframboise do, "Chebyshev
/// approximation of (1 + 2 x) exp(x^2) erfc x", Math. Comp. 36, 1981.

namespace synelix::lanes {

/// c[0] + x c[1] + x^2 c[2] + ..., in pairs (Estrin's scheme), whose dependency chain is shorter
/// than that of a sequential evaluation.
template <int count, class Pack>
SYNELIX_INLINE Pack sum_of_powers(const Pack& x, const Pack (&c)[count]) {
  if constexpr (count == 1) {
    return c[0];
  } else {
    Pack pairs[(count + 1) / 2];
    SYNELIX_UNROLL(16)
    for (int i = 0; i < count / 2; ++i) pairs[i] = multiply_add(x, c[2 * i + 1], c[2 * i]);
    if constexpr (count % 2 == 1) pairs[count / 2] = c[count - 1];
    return sum_of_powers(x * x, pairs);
  }
}
template <class Pack, class... Numbers>
SYNELIX_INLINE Pack polynomial(const Pack& x, Numbers... c) {
  const Pack coefficients[] = {Pack::broadcast(c)...};
  return sum_of_powers(x, coefficients);
}

// NOLINTBEGIN(modernize-use-std-numbers): exact bits, and headers of kernels take no <numbers>
inline constexpr double ln2_high = 0x1.62e42feep-1;  ///< its 32 bits times an exponent are exact
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;  ///< ln 2 - ln2_high
inline constexpr double per_ln2 = 0x1.71547652b82fep+0;   ///< 1 / ln 2
// NOLINTEND(modernize-use-std-numbers)
inline constexpr double infinity = __builtin_inf();

/// e^x: 0 below -745.2, infinity above 709.8.
///
/// x = n ln 2 + r with |r| <= ln(2) / 2, and e^r = 1 + r + r^2 q(r), q of degree 9: relative error
/// 2^-56.5.
template <class Pack>
SYNELIX_INLINE Pack exp(const Pack& x) {
  const Pack inside = at_most(at_least(x, Pack::broadcast(-746.0)), Pack::broadcast(710.0));
  const Pack n = nearest(inside * Pack::broadcast(per_ln2));
  Pack r = subtract_product(inside, n, Pack::broadcast(ln2_high));
  r = subtract_product(r, n, Pack::broadcast(ln2_low));
  const Pack q = polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554f9p-3, 0x1.55555555507f1p-5,
                            0x1.1111111127e85p-7, 0x1.6c16c1844afeep-10, 0x1.a01a0129b3a35p-13,
                            0x1.a01999adcf1f5p-16, 0x1.71df262e0a285p-19, 0x1.28adce715d597p-22,
                            0x1.ad7effbbd58f0p-26);
  return scale(Pack::broadcast(1.0) + multiply_add(r * r, q, r), n);
}

/// The difference f - ln(1 + f), which is s (f - R(s^2)) for s = f / (2 + f): ln(1 + f) = 2
/// artanh(s), a series in s. 1 + f in [sqrt(1/2), sqrt(2)]; R of degree 7 in s^2: relative error of
/// the sum 2^-59.
template <class Pack>
SYNELIX_INLINE Pack log_shortfall(const Pack& f, const Pack& s) {
  const Pack z = s * s;
  const Pack p = polynomial(z, 0x1.5555555555593p-1, 0x1.999999997fb31p-2, 0x1.2492494217a15p-2,
                            0x1.c71c51e7f7590p-3, 0x1.7466462c9394cp-3, 0x1.39a0f5012195fp-3,
                            0x1.2f0d8ea940b60p-3);
  return s * subtract_product(f, z, p);
}

/// e ln 2 + ln(1 + f).
template <class Pack>
SYNELIX_INLINE Pack add_exponent(const Pack& e, const Pack& f, const Pack& shortfall) {
  const Pack tail = f - subtract_product(shortfall, e, Pack::broadcast(ln2_low));
  return multiply_add(e, Pack::broadcast(ln2_high), tail);
}

/// The result, or the limits of the logarithm: -infinity at 0, NaN below, infinity at infinity.
template <class Pack>
SYNELIX_INLINE Pack log_of_limits(const Pack& x, const Pack& result) {
  const Pack outside = select_equal(x, Pack::zero(), Pack::broadcast(-infinity),
                                    Pack::broadcast(canonical_nan<double>));
  const Pack at_most_infinite = select_less(x, Pack::broadcast(infinity), result, x);
  return select_less(Pack::zero(), x, at_most_infinite, outside);
}

/// ln x; -infinity at 0, NaN below.
template <class Pack>
SYNELIX_INLINE Pack log(const Pack& x) {
  const Pack least_normal = Pack::broadcast(0x1p-1022);
  const Parts<Pack> parts = split(select_less(x, least_normal, x * Pack::broadcast(0x1p54), x));
  const Pack e = parts.exponent - select_less(x, least_normal, Pack::broadcast(54.0), Pack::zero());
  const Pack f = parts.fraction - Pack::broadcast(1.0);
  const Pack s = f / (f + Pack::broadcast(2.0));
  return log_of_limits(x, add_exponent(e, f, log_shortfall(f, s)));
}

/// ln(1 + x); -infinity at -1, NaN below. The rounding error of 1 + x is added to the fraction.
template <class Pack>
SYNELIX_INLINE Pack log1p(const Pack& x) {
  const Pack one = Pack::broadcast(1.0);
  const Pack sum = one + x;
  const Pack kept = sum - one;
  const Pack lost = (one - (sum - kept)) + (x - kept);
  const Parts<Pack> parts = split(sum);
  const Pack unscale = power_of_two(-at_most(parts.exponent, Pack::broadcast(1000.0)));
  const Pack f = multiply_add(lost, unscale, parts.fraction - one);
  const Pack s = f / (f + Pack::broadcast(2.0));
  return log_of_limits(sum, add_exponent(parts.exponent, f, log_shortfall(f, s)));
}

/// The Mills ratio of the standard normal distribution, (1 - Phi(a)) / phi(a), for a >= 0.
///
/// (1 + a) times it is a polynomial of degree 23 in (a - 5) / (a + 5): relative error 2^-54.4.
template <class Pack>
SYNELIX_INLINE Pack mills_ratio(const Pack& a) {
  const Pack five = Pack::broadcast(5.0);
  const Pack w = polynomial(
      (a - five) / (a + five), 0x1.28273b50efa76p+0, -0x1.d5fd8ffd0f1aep-3, 0x1.3e97eaf5f2f3ep-4,
      0x1.9ac85788f6473p-6, -0x1.0f103e712e36ap-4, 0x1.f7d96e0d7bbc1p-5, -0x1.37838b3a38b59p-5,
      0x1.0bd973adc05e3p-6, -0x1.1355f48a7ae71p-8, 0x1.47ab58a772f9fp-16, 0x1.df3ec970cb2bfp-12,
      -0x1.19cd95d021adap-13, -0x1.a02bec7b0b04cp-16, 0x1.7cffd45bca01ap-16, -0x1.7aff10d928533p-23,
      -0x1.b7cd9f373e937p-19, 0x1.58612e7ec992cp-22, 0x1.07d4f24179fd0p-21, -0x1.1b990bab47312p-24,
      -0x1.4b76f290c1b73p-24, 0x1.3a7b0e24c98b3p-27, 0x1.754dea34c7a44p-27, -0x1.8afd3e7ff53e3p-31,
      -0x1.fd82a7d24d6f4p-31);
  return w / (a + Pack::broadcast(1.0));
}

}  // namespace synelix::lanes
