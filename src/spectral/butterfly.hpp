// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/arithmetic.hpp"

/// \file
/// Discrete Fourier transforms of 4, 8 and 16 points in registers, without scaling:
/// result k = sum over q of point q times exp(+-2 pi i q k / points), the sign being the
/// direction's.
///
/// Products with i are free. Products with the eighth root are free, too: its factor is merged into
/// the following additions. Rotations by pi / 8 are computed as a (1 + i tan), and their cosine is
/// merged in the same way.

namespace synelix::spectral {

enum class Direction { forward, inverse };

/// A number known at compile time.
template <int number>
struct Number {
  static constexpr int value = number;
};

using lanes::Complex;

/// a + i b for the inverse, a - i b for the forward direction.
template <Direction direction, class Pack>
SYNELIX_INLINE Complex<Pack> turned_sum(const Complex<Pack>& a, const Complex<Pack>& b) {
  if constexpr (direction == Direction::inverse) return {a.re - b.im, a.im + b.re};
  return {a.re + b.im, a.im - b.re};
}
/// The other direction.
template <Direction direction, class Pack>
SYNELIX_INLINE Complex<Pack> turned_difference(const Complex<Pack>& a, const Complex<Pack>& b) {
  if constexpr (direction == Direction::inverse) return {a.re + b.im, a.im - b.re};
  return {a.re - b.im, a.im + b.re};
}
/// a + scale i b for the inverse, a - scale i b for the forward direction.
template <Direction direction, class Pack>
SYNELIX_INLINE Complex<Pack> turned_sum(const Complex<Pack>& a, const Pack& scale,
                                        const Complex<Pack>& b) {
  if constexpr (direction == Direction::inverse) return add_turned(a, scale, b);
  return subtract_turned(a, scale, b);
}
/// The other direction.
template <Direction direction, class Pack>
SYNELIX_INLINE Complex<Pack> turned_difference(const Complex<Pack>& a, const Pack& scale,
                                               const Complex<Pack>& b) {
  if constexpr (direction == Direction::inverse) return subtract_turned(a, scale, b);
  return add_turned(a, scale, b);
}
/// a (1 + i tangent) for the inverse, a (1 - i tangent) for the forward direction.
template <Direction direction, class Pack>
SYNELIX_INLINE Complex<Pack> turned(const Complex<Pack>& a, const Pack& tangent) {
  return turned_sum<direction>(a, tangent, a);
}
/// The same with a tangent of 1, and of -1.
template <Direction direction, class Pack>
SYNELIX_INLINE Complex<Pack> turned_eighth(const Complex<Pack>& a) {
  return turned_sum<direction>(a, a);
}
template <Direction direction, class Pack>
SYNELIX_INLINE Complex<Pack> turned_back_eighth(const Complex<Pack>& a) {
  return turned_difference<direction>(a, a);
}

/// Four points, in place.
template <Direction direction, class Pack>
SYNELIX_INLINE void transform4(Complex<Pack>& a, Complex<Pack>& b, Complex<Pack>& c,
                               Complex<Pack>& d) {
  const Complex<Pack> even_sum = a + c;
  const Complex<Pack> even_difference = a - c;
  const Complex<Pack> odd_sum = b + d;
  const Complex<Pack> odd_difference = b - d;
  a = even_sum + odd_sum;
  c = even_sum - odd_sum;
  b = turned_sum<direction>(even_difference, odd_difference);
  d = turned_difference<direction>(even_difference, odd_difference);
}

/// The cosine of pi / 4, and of pi / 8 and 3 pi / 8 with their tangents.
inline constexpr double cos_eighth = 0.70710678118654752440;
inline constexpr double cos_sixteenth = 0.92387953251128675613;
inline constexpr double sin_sixteenth = 0.38268343236508977173;
inline constexpr double tan_sixteenth = 0.41421356237309504880;
inline constexpr double tan_three_sixteenths = 2.41421356237309504880;

/// Four points. First, b is rotated by `turn` sixteenths of a circle, c by twice and d by three
/// times as much: a row of a transform of 16 points, and for turn 2 of 8 points.
template <Direction direction, int turn, class Scalar, class Pack>
SYNELIX_INLINE void turned_transform4(Complex<Pack>& a, Complex<Pack>& b, Complex<Pack>& c,
                                      Complex<Pack>& d) {
  if constexpr (turn == 0) {
    transform4<direction>(a, b, c, d);
    return;
  } else {
    // The common factor of the odd points, and of the even ones, is applied at the end.
    constexpr double odd_scale = turn == 1 ? cos_sixteenth : turn == 2 ? cos_eighth : sin_sixteenth;
    const Pack scale = Pack::broadcast(static_cast<Scalar>(odd_scale));
    Complex<Pack> even_sum, even_difference, odd_sum, odd_difference;
    if constexpr (turn == 2) {  // exp(3 i pi / 4) = -cos (1 - i)
      even_sum = turned_sum<direction>(a, c);
      even_difference = turned_difference<direction>(a, c);
      const Complex<Pack> first = turned_eighth<direction>(b);
      const Complex<Pack> third = turned_back_eighth<direction>(d);
      odd_sum = first - third;
      odd_difference = first + third;
    } else {
      const Pack even_scale = Pack::broadcast(static_cast<Scalar>(cos_eighth));
      const Pack small = Pack::broadcast(static_cast<Scalar>(tan_sixteenth));
      const Pack large = Pack::broadcast(static_cast<Scalar>(tan_three_sixteenths));
      if constexpr (turn == 1) {
        const Complex<Pack> second = turned_eighth<direction>(c);
        even_sum = add_scaled(a, even_scale, second);
        even_difference = subtract_scaled(a, even_scale, second);
        const Complex<Pack> first = turned<direction>(b, small);
        const Complex<Pack> third = turned<direction>(d, large);
        const Pack ratio = small;  // sine over cosine of a sixteenth
        odd_sum = add_scaled(first, ratio, third);
        odd_difference = subtract_scaled(first, ratio, third);
      } else {  // 9 sixteenths of a circle are minus one, 6 are -cos (1 - i)
        const Complex<Pack> second = turned_back_eighth<direction>(c);
        even_sum = subtract_scaled(a, even_scale, second);
        even_difference = add_scaled(a, even_scale, second);
        const Complex<Pack> first = turned<direction>(b, large);
        const Complex<Pack> third = turned<direction>(d, small);
        odd_sum = subtract_scaled(first, large, third);
        odd_difference = add_scaled(first, large, third);
      }
    }
    a = add_scaled(even_sum, scale, odd_sum);
    c = subtract_scaled(even_sum, scale, odd_sum);
    b = turned_sum<direction>(even_difference, scale, odd_difference);
    d = turned_difference<direction>(even_difference, scale, odd_difference);
  }
}

/// Sixteen, eight or four points: `load(q)` gives point q, `store(k, value)` takes result k.
template <int points, Direction direction, class Scalar, class Load, class Store>
SYNELIX_INLINE void transform(const Load& load, const Store& store) {
  using Point = decltype(load(0));
  static_assert(points == 4 || points == 8 || points == 16);
  if constexpr (points == 4) {
    Point values[4];
    SYNELIX_UNROLL(4)
    for (int q = 0; q < 4; ++q) values[q] = load(q);
    transform4<direction>(values[0], values[1], values[2], values[3]);
    SYNELIX_UNROLL(4)
    for (int k = 0; k < 4; ++k) store(k, values[k]);
  } else if constexpr (points == 8) {
    Point sums[4];
    Point differences[4];
    SYNELIX_UNROLL(16)
    for (int q = 0; q < 4; ++q) {
      const Point first = load(q);
      const Point second = load(q + 4);
      sums[q] = first + second;
      differences[q] = first - second;
    }
    transform4<direction>(sums[0], sums[1], sums[2], sums[3]);
    SYNELIX_UNROLL(16)
    for (int k = 0; k < 4; ++k) store(2 * k, sums[k]);
    turned_transform4<direction, 2, Scalar>(differences[0], differences[1], differences[2],
                                            differences[3]);
    SYNELIX_UNROLL(16)
    for (int k = 0; k < 4; ++k) store(2 * k + 1, differences[k]);
  } else {
    Point rows[4][4];  // result of the inner transforms, point of the outer ones
    SYNELIX_UNROLL(16)
    for (int q = 0; q < 4; ++q) {
      SYNELIX_UNROLL(16)
      for (int i = 0; i < 4; ++i) rows[i][q] = load(4 * i + q);
      transform4<direction>(rows[0][q], rows[1][q], rows[2][q], rows[3][q]);
    }
    const auto finish = [&](auto turn) __attribute__((always_inline)) {
      constexpr int k = decltype(turn)::value;
      Point(&row)[4] = rows[k];
      turned_transform4<direction, k, Scalar>(row[0], row[1], row[2], row[3]);
      SYNELIX_UNROLL(16)
      for (int i = 0; i < 4; ++i) store(k + 4 * i, row[i]);
    };
    finish(Number<0>{});
    finish(Number<1>{});
    finish(Number<2>{});
    finish(Number<3>{});
  }
}

}  // namespace synelix::spectral
