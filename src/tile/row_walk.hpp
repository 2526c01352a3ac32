// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "tile/family.hpp"
#include "tile/row_loss.hpp"

/// \file
/// The losses of a block of rows, pack by pack. In registers: the sum of each lane, and the values
/// of one pack.

namespace synelix::tile {

/// w x; 0 if w is 0, for any x.
template <class Pack>
SYNELIX_INLINE Pack weighed(const Pack& w, const Pack& x) {
  return lanes::select_equal(w, Pack::zero(), Pack::zero(), w * x);
}

template <class Set>
SYNELIX_INLINE lanes::Pack<double, Set> load_rows(const double* from, int count) {
  return count == lanes::Pack<double, Set>::lanes ? lanes::load_unaligned<double, Set>(from)
                                                  : lanes::load_part<double, Set>(from, count);
}

/// Adds w l of `count` rows from `row` on, at most as many as a pack has lanes.
template <bool has_curvature, class Rows, class Set>
SYNELIX_INLINE void add_rows(const Rows& family, const RowLossTile& tile, std::int64_t row,
                             int count, lanes::Pack<double, Set>& sum) {
  using Pack = lanes::Pack<double, Set>;
  const Pack eta = load_rows<Set>(tile.predictor + row, count);
  const Pack y = load_rows<Set>(tile.target + row, count);
  const Pack w = load_rows<Set>(tile.weight + row, count);
  const RowLosses<Pack> rows = checked_rows(family, eta, y);
  sum = sum + weighed(w, rows.loss);
  lanes::store_part(weighed(w, rows.residual), tile.residual + row, 0, count);
  if constexpr (has_curvature) {
    lanes::store_part(weighed(w, rows.curvature), tile.curvature + row, 0, count);
  }
}

template <bool has_curvature, class Rows, class Set>
SYNELIX_INLINE double walk(const RowLossTile& tile) {
  using Pack = lanes::Pack<double, Set>;
  const Rows family(tile.dispersion);
  Pack sum = Pack::zero();
  std::int64_t row = 0;
  for (; row + Pack::lanes <= tile.rows; row += Pack::lanes) {
    add_rows<has_curvature, Rows, Set>(family, tile, row, Pack::lanes, sum);
  }
  const int left = static_cast<int>(tile.rows - row);
  if (left > 0) add_rows<has_curvature, Rows, Set>(family, tile, row, left, sum);
  return lanes::sum_of_lanes(sum);
}

template <class Rows, class Set>
double row_loss(const RowLossTile& tile) {
  return tile.curvature == nullptr ? walk<false, Rows, Set>(tile) : walk<true, Rows, Set>(tile);
}

// The loss of categorical targets: a pack has one row in each lane, and the classes are processed
// in turn. The exponentials of a row are stored in its residuals until their sum is known.

/// Values of a class of `count` rows; 0 in the other lanes.
template <class Set>
SYNELIX_INLINE lanes::Pack<double, Set> load_class(const double* from, std::int64_t classes,
                                                   int count) {
  using Pack = lanes::Pack<double, Set>;
  Pack pack = Pack::zero();
  SYNELIX_UNROLL(8)  // in registers: loading a pack that was stored value by value stalls
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
  SYNELIX_INLINE Pack sum() {
    const Pack zero = Pack::zero();
    Pack largest = predictor(0);
    for (std::int64_t k = 1; k < m_tile.classes; ++k) {
      largest = lanes::at_least(predictor(k), largest);
    }
    Pack own = zero;   // eta of the row's class, minus the largest
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
    const Pack likely = lanes::log1p(rest);  // for rows whose own class is the largest: no
                                             // cancellation
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
    sum = sum + SoftmaxRows<Set>(tile, row, Pack::lanes).sum();
  }
  const int left = static_cast<int>(tile.rows - row);
  if (left > 0) sum = sum + SoftmaxRows<Set>(tile, row, left).sum();
  return lanes::sum_of_lanes(sum);
}

}  // namespace synelix::tile
