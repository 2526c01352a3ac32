// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/back_turns.hpp"
#include "spectral/butterfly.hpp"
#include "spectral/stages.hpp"

#include <cstdint>

/// \file
/// One butterfly of one pass on one block, for one thread: 8 or 16 points in registers, read from
/// scratch and written back to their places. The points of several blocks of a team are
/// consecutive, and so are the butterflies of a pass.

namespace synelix::spectral {

/// The places of a butterfly's points: point q is at `first` + (q / 2) pair + (q % 2) odd.
struct Places {
  std::int32_t column;
  std::int32_t first;
  std::int32_t pair;
  std::int32_t odd;

  [[nodiscard]] SYNELIX_INLINE std::int32_t operator()(int q) const {
    return first + q / 2 * pair + q % 2 * odd;
  }
};

/// Butterfly number `item` of a pass whose points are `columns` apart, a power of two: 1, 8 or a
/// multiple of 16.
template <int radix>
SYNELIX_INLINE Places places_of(std::int32_t columns, std::int32_t item) {
  const std::int32_t column = item & (columns - 1);
  return {column, slot_of((item - column) * radix + column), slot_of(2 * columns),
          slot_of(columns)};
}
/// The twiddle factors of one column, in registers.
template <int radix, class Scalar>
struct Turns {
  Point<Scalar> low[4];
  Point<Scalar> high[3];

  SYNELIX_INLINE Turns(const StoredPoint<Scalar>* factors, std::int32_t columns,
                       std::int32_t column) {
    const StoredPoint<Scalar>* from = factors + 2 * column;
    const std::int32_t step = 2 * columns;
    Point<Scalar> none;
    load_pair(from, low[0], low[1]);
    load_pair(from + step, low[2], low[3]);
    if constexpr (radix == 16) {
      load_pair(from + 2 * std::int64_t{step}, high[0], high[1]);
      load_pair(from + 3 * std::int64_t{step}, high[2], none);
    } else {
      load_pair(from + 2 * std::int64_t{step}, high[0], none);
    }
  }

  [[nodiscard]] SYNELIX_INLINE Point<Scalar> operator()(int k) const {
    return k < 4 ? low[k] : multiply(low[k % 4], high[k / 4 - 1].re, high[k / 4 - 1].im);
  }
  /// For columns whose result 0 has no factor.
  [[nodiscard]] SYNELIX_INLINE Point<Scalar> of_middle(int k) const {
    return k % 4 == 0 ? high[k / 4 - 1] : (*this)(k);
  }
};

template <class Scalar>
SYNELIX_INLINE Point<Scalar> times(const Point<Scalar>& value, const Point<Scalar>& turn) {
  return multiply(value, turn.re, turn.im);
}
template <class Scalar>
SYNELIX_INLINE Point<Scalar> times_back(const Point<Scalar>& value, const Point<Scalar>& turn) {
  return multiply_conjugate(value, turn.re, turn.im);
}

/// Cosine of q / 64 of a circle, q = 0, ..., 16.
constexpr double cosine_of_64th(int q) {
  constexpr double cosines[17] = {
      1.0,
      0.99518472667219688624,
      0.98078528040323044913,
      0.95694033573220886494,
      0.92387953251128675613,
      0.88192126434835502971,
      0.83146961230254523708,
      0.77301045336273696081,
      0.70710678118654752440,
      0.63439328416364549822,
      0.55557023301960222474,
      0.47139673682599764856,
      0.38268343236508977173,
      0.29028467725446236764,
      0.19509032201612826785,
      0.09801714032956060199,
      0.0,
  };
  return cosines[q];
}

/// u^(q n / 16), the factor of points q of the first pass.
template <class Scalar>
SYNELIX_INLINE Point<Scalar> weight_of(int q) {
  return {{static_cast<Scalar>(cosine_of_64th(q))}, {static_cast<Scalar>(cosine_of_64th(16 - q))}};
}

/// The first forward pass: its points are samples, given by `sample(q)`.
template <class Scalar, class Sample>
SYNELIX_INLINE void first_stage(const Sample& sample, StoredPoint<Scalar>* points,
                                const Places& places, const Turns<16, Scalar>& turns) {
  transform<16, Direction::forward, Scalar>(
      [&](int q) __attribute__((always_inline)) {
        const Point<Scalar> point = sample(q);
        return q == 0 ? point : times(point, weight_of<Scalar>(q));
      },
      [&](int k, const Point<Scalar>& value)
          __attribute__((always_inline)) { points[places(k)] = stored(times(value, turns(k))); });
}

/// A middle forward pass.
template <int radix, class Scalar>
SYNELIX_INLINE void middle_stage(StoredPoint<Scalar>* points, const Places& places,
                                 const Turns<radix, Scalar>& turns) {
  transform<radix, Direction::forward, Scalar>(
      [&](int q) __attribute__((always_inline)) { return load(points[places(q)]); },
      [&](int k, const Point<Scalar>& value) __attribute__((always_inline)) {
        points[places(k)] = stored(k == 0 ? value : times(value, turns.of_middle(k)));
      });
}
/// A middle inverse pass.
template <int radix, class Scalar>
SYNELIX_INLINE void middle_stage_back(StoredPoint<Scalar>* points, const Places& places,
                                      const BackTurns<radix, Scalar>& turns) {
  transform_back<radix, Scalar>(
      turns, [&](int q) __attribute__((always_inline)) { return load(points[places(q)]); },
      [&](int k, const Point<Scalar>& value)
          __attribute__((always_inline)) { points[places(k)] = stored(value); });
}

/// The last forward pass, of the butterfly whose points start at `points`: `take(k, first, second)`
/// gets results k and k + 1 of the spectrum, k even.
template <int radix, class Scalar, class Take>
SYNELIX_INLINE void leaf_stage(const StoredPoint<Scalar>* points, const Take& take) {
  Point<Scalar> values[radix];
  SYNELIX_UNROLL(16)
  for (int q = 0; q < radix; q += 2) load_pair(points + q, values[q], values[q + 1]);
  Point<Scalar> results[radix];
  transform<radix, Direction::forward, Scalar>(
      [&](int q) __attribute__((always_inline)) { return values[q]; },
      [&](int k, const Point<Scalar>& value)
          __attribute__((always_inline)) { results[k] = value; });
  SYNELIX_UNROLL(16)
  for (int k = 0; k < radix; k += 2) take(k, results[k], results[k + 1]);
}

/// The first inverse pass, of the butterfly whose points start at `points`: `product(q, first,
/// second)` gives points q and q + 1, q even.
template <int radix, class Scalar, class Product>
SYNELIX_INLINE void product_stage(StoredPoint<Scalar>* points, const Product& product) {
  Point<Scalar> values[radix];
  SYNELIX_UNROLL(16)
  for (int q = 0; q < radix; q += 2) product(q, values[q], values[q + 1]);
  Point<Scalar> results[radix];
  transform<radix, Direction::inverse, Scalar>(
      [&](int q) __attribute__((always_inline)) { return values[q]; },
      [&](int k, const Point<Scalar>& value)
          __attribute__((always_inline)) { results[k] = value; });
  SYNELIX_UNROLL(16)
  for (int k = 0; k < radix; k += 2) store_pair(points + k, results[k], results[k + 1]);
}

/// The last inverse pass: `take(k, value)` gets rows column + k columns and, n further, the
/// imaginary parts. Values come in the order of back_result, with that of 15 last. Zero is added to
/// each product: without it, clang for AMD devices needs 20 registers more.
template <class Scalar, class Take>
SYNELIX_INLINE void last_stage(const StoredPoint<Scalar>* points, const Places& places,
                               const LastTurns<Scalar>& turns, const Take& take) {
  using Pack = lanes::Single<Scalar>;
  const Point<Scalar>& common = turns.common;
  const Pack zero{Scalar(0)};
  const auto scaled = [&](int q) __attribute__((always_inline)) {  // also the sines of 16 - q
    return Pack{static_cast<Scalar>(cosine_of_64th(q))} * common.re;
  };
  transform_back<16, Scalar>(
      turns.own,
      [&](int q) __attribute__((always_inline)) {
        const Point<Scalar> point = load(points[places(q)]);
        return q < 8 ? turned<Direction::inverse>(point, common.im) : point;
      },
      [&](int k, const Point<Scalar>& value) __attribute__((always_inline)) {
        const Pack cosine = k == 0 ? common.re : scaled(k);
        Point<Scalar> back{multiply_add(cosine, value.re, zero),
                           multiply_add(cosine, value.im, zero)};
        if (k > 0) back = subtract_turned(back, scaled(16 - k), value);
        take(k, back);
      });
}

}  // namespace synelix::spectral
