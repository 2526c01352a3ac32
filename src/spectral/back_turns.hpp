// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/butterfly.hpp"
#include "spectral/point.hpp"
#include "spectral/stages.hpp"

#include <cstdint>

/// \file
/// An inverse butterfly whose points are multiplied by twiddle factors first: result k = sum over q
/// of point q times v^q times exp(2 pi i q k / points). So the results are the values of a
/// polynomial at all roots of v^points, and halves of the points give the values at half as many
/// roots: each step is a +- w b, with w a power of v.
///
/// w b is cos (1 + i tan) b, so a step of two points takes six multiply-adds. This includes all
/// twiddle factors: 192 multiply-adds for 16 points, whereas separate multiplications take more
/// than 250 instructions. A multiplication by i is free.

namespace synelix::spectral {

/// The twiddle factors of a column: for each step those of the even parts; the odd ones have
/// another factor i. Each is loaded when it is needed: all together would take as many registers as
/// half of the points.
template <int points, class Scalar>
class BackTurns {
 public:
  /// `skipped` factors of the table are for other uses.
  SYNELIX_INLINE BackTurns(const StoredPoint<Scalar>* factors, std::int32_t columns,
                           std::int32_t column, int skipped = 0)
      : m_factors(factors + 2 * column), m_step(2 * columns), m_skipped(skipped) {}

  /// Cosine and tangent of factor f.
  [[nodiscard]] SYNELIX_INLINE Point<Scalar> operator()(int f) const {
    const int place = f + m_skipped;
    Point<Scalar> first;
    Point<Scalar> second;
    load_pair(m_factors + place / 2 * m_step, first, second);
    return place % 2 == 0 ? first : second;
  }

 private:
  const StoredPoint<Scalar>* m_factors;
  std::int32_t m_step;
  int m_skipped;
};

/// The twiddle factors of the last inverse pass. All of its points are also multiplied by `common`,
/// without its cosine, which is applied to the results.
template <class Scalar>
struct LastTurns {
  BackTurns<16, Scalar> own;
  Point<Scalar> common;

  SYNELIX_INLINE LastTurns(const StoredPoint<Scalar>* factors, std::int32_t columns,
                           std::int32_t column)
      : own(factors, columns, column, 1), common(own(-1)) {}
};

/// One step: each part of 2 `half` points becomes two parts, in place.
template <int points, int half, class Scalar>
SYNELIX_INLINE void step_back(Point<Scalar> (&values)[points],
                              const BackTurns<points, Scalar>& turns) {
  constexpr auto inverse = Direction::inverse;
  constexpr int parts = points / (2 * half);
  SYNELIX_UNROLL(16)
  for (int part = 0; part < parts; ++part) {
    const Point<Scalar> turn = turns(parts / 2 + part / 2);
    SYNELIX_UNROLL(16)
    for (int r = 0; r < half; ++r) {
      Point<Scalar>& first = values[2 * half * part + r];
      Point<Scalar>& second = values[2 * half * part + half + r];
      const Point<Scalar> a = first;
      const Point<Scalar> b = turned<inverse>(second, turn.im);
      if (part % 2 == 0) {
        first = add_scaled(a, turn.re, b);
        second = subtract_scaled(a, turn.re, b);
      } else {
        first = turned_sum<inverse>(a, turn.re, b);
        second = turned_difference<inverse>(a, turn.re, b);
      }
    }
  }
}

/// 8 or 16 points: `load(q)` gives point q, `store(k, value)` takes result k.
template <int points, class Scalar, class Load, class Store>
SYNELIX_INLINE void transform_back(const BackTurns<points, Scalar>& turns, const Load& load,
                                   const Store& store) {
  static_assert(points == 8 || points == 16);
  Point<Scalar> values[points];
  SYNELIX_UNROLL(16)
  for (int q = 0; q < points; ++q) values[q] = load(q);
  if constexpr (points == 16) step_back<points, 8>(values, turns);
  step_back<points, 4>(values, turns);
  step_back<points, 2>(values, turns);
  step_back<points, 1>(values, turns);
  SYNELIX_UNROLL(16)
  for (int i = 0; i < points; ++i) store(back_result(points, i), values[i]);
}

}  // namespace synelix::spectral
