// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/single.hpp"
#include "spectral/butterfly.hpp"
#include "spectral/stages.hpp"

#include <cstdint>

/// \file
/// One butterfly of one pass on one block, as a thread does it: 8 or 16 points in registers, read
/// from scratch and written back to their places. The points of several blocks of a team lie one
/// behind the other, and so do the butterflies of a pass.

namespace synelix::spectral {

template <class Scalar>
using Point = Complex<lanes::Single<Scalar>>;

template <class Scalar>
SYNELIX_INLINE Point<Scalar> load(const StoredPoint<Scalar>& from) {
  return {{from.re}, {from.im}};
}
template <class Scalar>
SYNELIX_INLINE StoredPoint<Scalar> stored(const Point<Scalar>& value) {
  return {value.re.value, value.im.value};
}

/// Where the points of a butterfly lie: point q at `first` + (q / 2) pair + (q % 2) odd.
struct Places {
  std::int32_t column;
  std::int32_t first;
  std::int32_t pair;
  std::int32_t odd;

  [[nodiscard]] SYNELIX_INLINE std::int32_t operator()(int q) const {
    return first + q / 2 * pair + q % 2 * odd;
  }
};

/// Butterfly number `item` of a pass whose points lie `columns` apart, a power of two: 1, 8 or
/// whole sixteens.
template <int radix>
SYNELIX_INLINE Places places_of(std::int32_t columns, std::int32_t item) {
  const std::int32_t column = item & (columns - 1);
  return {column, slot_of((item - column) * radix + column), slot_of(2 * columns),
          slot_of(columns)};
}
/// The same for the points that lie side by side, of the pass without turns.
template <int radix>
SYNELIX_INLINE Places leaf_of(std::int32_t item) {
  return {0, slot_of(item * radix), 2, 1};
}

/// The turns of one column, in registers.
template <int radix, class Scalar>
struct Turns {
  Point<Scalar> low[4];
  Point<Scalar> high[3];

  SYNELIX_INLINE Turns(const StoredPoint<Scalar>* factors, std::int32_t columns,
                       std::int32_t column, bool has_first) {
    SYNELIX_UNROLL(4)
    for (int f = 0; f < 4; ++f) {
      if (f > 0 || has_first) low[f] = load(factors[f * columns + column]);
    }
    SYNELIX_UNROLL(4)
    for (int f = 0; f + 1 < radix / 4; ++f) high[f] = load(factors[(4 + f) * columns + column]);
  }

  [[nodiscard]] SYNELIX_INLINE Point<Scalar> operator()(int k) const {
    return k < 4 ? low[k] : multiply(low[k % 4], high[k / 4 - 1].re, high[k / 4 - 1].im);
  }
  /// Where result 0 is not turned.
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

/// u^(q n / 16), by which points q of the first pass are multiplied.
template <class Scalar>
SYNELIX_INLINE Point<Scalar> weight_of(int q) {
  return {{static_cast<Scalar>(cosine_of_64th(q))}, {static_cast<Scalar>(cosine_of_64th(16 - q))}};
}

/// The first pass forward: its points are samples.
template <class Scalar>
SYNELIX_INLINE void first_stage(StoredPoint<Scalar>* points, const Places& places,
                                const Turns<16, Scalar>& turns) {
  transform<16, Direction::forward, Scalar>(
      [&](int q) __attribute__((always_inline)) {
        const Point<Scalar> point = load(points[places(q)]);
        return q == 0 ? point : times(point, weight_of<Scalar>(q));
      },
      [&](int k, const Point<Scalar>& value)
          __attribute__((always_inline)) { points[places(k)] = stored(times(value, turns(k))); });
}

/// A pass in the middle.
template <int radix, Direction direction, class Scalar>
SYNELIX_INLINE void middle_stage(StoredPoint<Scalar>* points, const Places& places,
                                 const Turns<radix, Scalar>& turns) {
  transform<radix, direction, Scalar>(
      [&](int q) __attribute__((always_inline)) {
        const Point<Scalar> point = load(points[places(q)]);
        if (direction == Direction::forward || q == 0) return point;
        return times_back(point, turns.of_middle(q));
      },
      [&](int k, const Point<Scalar>& value) __attribute__((always_inline)) {
        const bool is_turned = direction == Direction::forward && k != 0;
        points[places(k)] = stored(is_turned ? times(value, turns.of_middle(k)) : value);
      });
}

/// The last pass forward: `take(k, value)` gets the spectrum.
template <int radix, class Scalar, class Take>
SYNELIX_INLINE void leaf_stage(const StoredPoint<Scalar>* points, const Places& places,
                               const Take& take) {
  transform<radix, Direction::forward, Scalar>(
      [&](int q) __attribute__((always_inline)) { return load(points[places(q)]); }, take);
}

/// The first pass backwards: `product(q)` gives its points.
template <int radix, class Scalar, class Product>
SYNELIX_INLINE void product_stage(StoredPoint<Scalar>* points, const Places& places,
                                  const Product& product) {
  transform<radix, Direction::inverse, Scalar>(
      product, [&](int k, const Point<Scalar>& value)
                   __attribute__((always_inline)) { points[places(k)] = stored(value); });
}

/// The last pass backwards: `take(k, value)` gets rows column + k columns and, n further, the
/// imaginary parts.
template <class Scalar, class Take>
SYNELIX_INLINE void last_stage(const StoredPoint<Scalar>* points, const Places& places,
                               const Turns<16, Scalar>& turns, const Take& take) {
  transform<16, Direction::inverse, Scalar>(
      [&](int q)
          __attribute__((always_inline)) { return times_back(load(points[places(q)]), turns(q)); },
      [&](int k, const Point<Scalar>& value) __attribute__((always_inline)) {
        take(k, k == 0 ? value : times_back(value, weight_of<Scalar>(k)));
      });
}

}  // namespace synelix::spectral
