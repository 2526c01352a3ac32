// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/row_walk.hpp"

/// \file
/// The loss of categorical targets: a pack holds as many rows as it has lanes, and the classes are
/// taken in turn. The exponentials of a row lie in its residuals until their sum is known.

namespace synelix::tile {

/// Values of a class of `count` rows; 0 in the other lanes.
template <class Set>
SYNELIX_INLINE lanes::Pack<double, Set> load_class(const double* from, std::int64_t classes,
                                                   int count) {
  using Pack = lanes::Pack<double, Set>;
  Pack pack = Pack::zero();
  SYNELIX_UNROLL(8)  // in registers: a pack that is stored value by value waits until it is loaded
  for (int i = 0; i < Pack::lanes; ++i) {
    if (i < count) pack.values[i] = from[i * classes];
  }
  return pack;
}

template <class Set>
SYNELIX_INLINE void store_class(const lanes::Pack<double, Set>& pack, double* to,
                                std::int64_t classes, int count) {
  alignas(64) double values[lanes::Pack<double, Set>::lanes];
  pack.store(values);
  SYNELIX_UNROLL(8)
  for (int i = 0; i < lanes::Pack<double, Set>::lanes; ++i) {
    if (i < count) to[i * classes] = values[i];
  }
}

/// The rows of a pack: `count` from `row` on.
template <class Set>
class SoftmaxRows {
 public:
  using Pack = lanes::Pack<double, Set>;

  SYNELIX_INLINE SoftmaxRows(const SoftmaxTile& tile, std::int64_t row, int count)
      : m_tile(tile),
        m_first(row * tile.classes),
        m_count(count),
        m_y(load_rows<Set>(tile.target + row, count)),
        m_w(load_rows<Set>(tile.weight + row, count)) {}

  /// Writes residuals and probabilities. Returns w l.
  SYNELIX_INLINE Pack run() {
    const Pack zero = Pack::zero();
    Pack largest = predictor(0);
    for (std::int64_t k = 1; k < m_tile.classes; ++k) {
      largest = lanes::at_least(predictor(k), largest);
    }
    Pack own = zero;   // eta of the class that is, below the largest
    Pack rest = zero;  // the sum of the other classes
    Pack sum = zero;
    for (std::int64_t k = 0; k < m_tile.classes; ++k) {
      const Pack below = predictor(k) - largest;
      const Pack e = lanes::exp(below);
      own = lanes::select_equal(m_y, number(k), below, own);
      rest = rest + lanes::select_equal(m_y, number(k), zero, e);
      sum = sum + e;
      store_class<Set>(e, m_tile.residual + m_first + k, m_tile.classes, m_count);
    }
    const Pack inverse = Pack::broadcast(1.0) / sum;
    for (std::int64_t k = 0; k < m_tile.classes; ++k) finish(k, rest * inverse, inverse);
    const Pack likely = lanes::log1p(rest);  // its own class is the largest: no cancellation
    return weighed(m_w, lanes::select_equal(own, zero, likely, lanes::log(sum) - own));
  }

 private:
  static SYNELIX_INLINE Pack number(std::int64_t k) {
    return Pack::broadcast(static_cast<double>(k));
  }
  SYNELIX_INLINE Pack predictor(std::int64_t k) const {
    const Pack eta = load_class<Set>(m_tile.predictor + m_first + k, m_tile.classes, m_count);
    return within_bounds(eta);
  }
  SYNELIX_INLINE void finish(std::int64_t k, const Pack& miss, const Pack& inverse) const {
    double* const to = m_tile.residual + m_first + k;
    const Pack p = load_class<Set>(to, m_tile.classes, m_count) * inverse;
    const Pack residual = lanes::select_equal(m_y, number(k), -miss, p);
    store_class<Set>(weighed(m_w, residual), to, m_tile.classes, m_count);
    if (m_tile.probability == nullptr) return;
    store_class<Set>(lanes::select_equal(m_w, Pack::zero(), Pack::zero(), p),
                     m_tile.probability + m_first + k, m_tile.classes, m_count);
  }

  const SoftmaxTile& m_tile;
  std::int64_t m_first;
  int m_count;
  Pack m_y;
  Pack m_w;
};

/// The tile itself.
template <class Set>
SYNELIX_INLINE double softmax_tile(const SoftmaxTile& tile) {
  using Pack = lanes::Pack<double, Set>;
  Pack sum = Pack::zero();
  std::int64_t row = 0;
  for (; row + Pack::lanes <= tile.rows; row += Pack::lanes) {
    sum = sum + SoftmaxRows<Set>(tile, row, Pack::lanes).run();
  }
  const int left = static_cast<int>(tile.rows - row);
  if (left > 0) sum = sum + SoftmaxRows<Set>(tile, row, left).run();
  return lanes::sum_of_lanes(sum);
}

}  // namespace synelix::tile
