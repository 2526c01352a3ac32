// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Pairs of events of two channels whose windows overlap. X' D X of the columns of two channels is
///
///     sum over lags l, rows k of  later_taps(k, b)  sums(l, k)  earlier_taps(k + l, b')
///
/// where sums(l, k) adds count * count * weight(row of the later event + k) over the pairs of lag
/// l. `add_pairs` makes the sums, `multiply_lags` does the rest.

namespace synelix::tile {

/// Arguments of `add_pairs`. The window of an event begins at row `sample - origin` of its list.
template <class Scalar>
struct EventPairs {
  const std::int64_t* later;
  const float* later_counts;  ///< null: all are 1
  std::int64_t laters;
  std::int64_t later_origin;
  std::int64_t later_window;
  const std::int64_t* earlier;
  const float* earlier_counts;
  std::int64_t earliers;
  std::int64_t earlier_origin;
  std::int64_t earlier_window;
  std::int64_t first_lag;  ///< lags [first_lag, last_lag) are taken
  std::int64_t last_lag;   ///< at most earlier_window
  bool is_one_list;        ///< both lists are one: an event with itself counts half
  const Scalar* weights;   ///< of row 0; a pack behind the last window is read
  /// Of each row, the first row behind it that has another weight. Null: unknown.
  const std::int32_t* run_ends;
  Scalar* lag_sums;  ///< of each lag, pairs whose overlap has one weight; where run_ends is there
  Scalar* sums;      ///< of each lag all other pairs, aligned; values behind an overlap are spoilt
  std::int64_t sums_step;
};

/// sums[k] += factor * weights[k], k < values, by whole packs.
template <class Scalar, class Set>
SYNELIX_INLINE void add_scaled(Scalar* sums, const Scalar* weights, Scalar factor,
                               std::int64_t values) {
  using Pack = lanes::Pack<Scalar, Set>;
  const Pack factors = Pack::broadcast(factor);
  for (std::int64_t k = 0; k < values; k += Pack::lanes) {
    multiply_add(Pack::load_anywhere(weights + k), factors, Pack::load(sums + k)).store(sums + k);
  }
}

/// The tile itself: later events in their order, for each of them earlier events in their order.
/// Returns how many pairs went to `sums`.
template <class Scalar, class Set>
SYNELIX_INLINE std::int64_t add_pairs(const EventPairs<Scalar>& tile) {
  std::int64_t added = 0;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < tile.laters; ++i) {
    const std::int64_t row = tile.later[i] - tile.later_origin;
    const std::int64_t nearest = row + tile.earlier_origin;  // sample of lag 0
    while (first < tile.earliers && nearest - tile.earlier[first] >= tile.last_lag) ++first;
    const Scalar count =
        tile.later_counts == nullptr ? Scalar(1) : static_cast<Scalar>(tile.later_counts[i]);
    for (std::int64_t j = first; j < tile.earliers; ++j) {
      const std::int64_t lag = nearest - tile.earlier[j];
      if (lag < tile.first_lag) break;
      const std::int64_t left = tile.earlier_window - lag;
      const std::int64_t values = left < tile.later_window ? left : tile.later_window;
      const Scalar other =
          tile.earlier_counts == nullptr ? Scalar(1) : static_cast<Scalar>(tile.earlier_counts[j]);
      const Scalar half = tile.is_one_list && lag == 0 ? Scalar(0.5) : Scalar(1);
      const Scalar factor = half * (count * other);
      const std::int64_t place = lag - tile.first_lag;
      if (tile.run_ends != nullptr && row + values <= tile.run_ends[row]) {
        tile.lag_sums[place] = multiply_add(Set{}, factor, tile.weights[row], tile.lag_sums[place]);
      } else {
        add_scaled<Scalar, Set>(tile.sums + place * tile.sums_step, tile.weights + row, factor,
                                values);
        ++added;
      }
    }
  }
  return added;
}

/// Arguments of `multiply_lags`.
template <class Scalar>
struct LagProducts {
  const Scalar* sums;
  std::int64_t sums_step;
  std::int64_t first_lag;
  std::int64_t last_lag;
  const Scalar* later_taps;  ///< (later_window, later_bases), rows of later_step values
  std::int64_t later_step;
  std::int64_t later_window;
  std::int64_t later_bases;
  const Scalar* earlier_taps;  ///< (earlier_window, earlier_packs), aligned, rows of whole packs
  std::int64_t earlier_window;
  std::int64_t earlier_packs;
  Scalar* result;  ///< (later_bases, earlier_packs), aligned, rows of whole packs; is added to
};

/// The tile itself. Lags go to four sums in turn, so that four additions are under way.
template <class Scalar, class Set>
SYNELIX_INLINE void multiply_lags(const LagProducts<Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  const std::int64_t step = tile.earlier_packs * lanes;
  for (std::int64_t p = 0; p < tile.earlier_packs; ++p) {
    for (std::int64_t k = 0; k < tile.later_window; ++k) {
      const std::int64_t left = tile.earlier_window - k;
      const std::int64_t lags = (left < tile.last_lag ? left : tile.last_lag) - tile.first_lag;
      if (lags <= 0) break;
      const Scalar* sums = tile.sums + k;
      const Scalar* taps = tile.earlier_taps + (k + tile.first_lag) * step + p * lanes;
      Pack parts[4] = {Pack::zero(), Pack::zero(), Pack::zero(), Pack::zero()};
      std::int64_t l = 0;
      for (; l + 4 <= lags; l += 4) {
        SYNELIX_UNROLL(4)
        for (int i = 0; i < 4; ++i) {
          parts[i] = multiply_add(Pack::broadcast(*sums), Pack::load(taps), parts[i]);
          sums += tile.sums_step;
          taps += step;
        }
      }
      for (; l < lags; ++l) {
        parts[0] = multiply_add(Pack::broadcast(*sums), Pack::load(taps), parts[0]);
        sums += tile.sums_step;
        taps += step;
      }
      const Pack sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
      for (std::int64_t b = 0; b < tile.later_bases; ++b) {
        Scalar* const to = tile.result + b * step + p * lanes;
        multiply_add(Pack::broadcast(tile.later_taps[k * tile.later_step + b]), sum, Pack::load(to))
            .store(to);
      }
    }
  }
}

}  // namespace synelix::tile
