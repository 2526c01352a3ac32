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

/// An event of one of several channels.
struct PairEvent {
  std::int32_t row;      ///< where its window begins
  std::int32_t channel;  ///< from 0 on
  float count;
};

/// Arguments of `add_pairs`: one channel with several others, whose events are in one list, sorted
/// by row, then by channel. So a turn of the outer loop meets some pairs, not one now and then.
template <class Scalar>
struct EventPairs {
  const std::int64_t* later;  ///< the window of a later event begins at row `sample - origin`
  const float* later_counts;  ///< null: all are 1
  std::int64_t laters;
  std::int64_t later_origin;
  std::int64_t later_window;
  const PairEvent* earlier;
  std::int64_t earliers;
  std::int64_t earlier_window;
  std::int64_t first_lag;  ///< lags [first_lag, last_lag) are taken
  std::int64_t last_lag;   ///< at most earlier_window
  /// The later channel's number among the others, whether it is one of them or not. Of lag 0, pairs
  /// with channels before it are left out, and a pair of an event with itself counts half.
  std::int64_t own;
  const Scalar* weights;  ///< of row 0; a pack behind the last window is read
  /// Of each row, the first row behind it that has another weight. Null: unknown.
  const std::int32_t* run_ends;
  Scalar* lag_sums;  ///< of each channel and lag: pairs whose overlap has one weight, with run_ends
  std::int64_t lag_sums_step;
  Scalar* sums;  ///< of each channel and lag all other pairs; values behind an overlap are spoilt
  std::int64_t sums_step;     ///< from lag to lag: whole packs
  std::int64_t channel_step;  ///< from channel to channel
  unsigned char* is_touched;  ///< set to 1 for channels whose `sums` were added to
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
template <class Scalar, class Set>
SYNELIX_INLINE void add_pairs(const EventPairs<Scalar>& tile) {
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < tile.laters; ++i) {
    const std::int64_t row = tile.later[i] - tile.later_origin;
    while (first < tile.earliers && row - tile.earlier[first].row >= tile.last_lag) ++first;
    const Scalar own_count =
        tile.later_counts == nullptr ? Scalar(1) : static_cast<Scalar>(tile.later_counts[i]);
    const std::int64_t run_end = tile.run_ends == nullptr ? row : tile.run_ends[row];
    for (std::int64_t j = first; j < tile.earliers; ++j) {
      const PairEvent& other = tile.earlier[j];
      const std::int64_t lag = row - other.row;
      if (lag < tile.first_lag) break;
      Scalar factor = own_count * static_cast<Scalar>(other.count);
      if (lag == 0 && other.channel <= tile.own) {
        if (other.channel < tile.own) continue;
        factor *= Scalar(0.5);
      }
      const std::int64_t left = tile.earlier_window - lag;
      const std::int64_t values = left < tile.later_window ? left : tile.later_window;
      const std::int64_t place = lag - tile.first_lag;
      if (row + values <= run_end) {
        Scalar& sum = tile.lag_sums[other.channel * tile.lag_sums_step + lag];
        sum = multiply_add(Set{}, factor, tile.weights[row], sum);
      } else {
        add_scaled<Scalar, Set>(
            tile.sums + other.channel * tile.channel_step + place * tile.sums_step,
            tile.weights + row, factor, values);
        tile.is_touched[other.channel] = 1;
      }
    }
  }
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
