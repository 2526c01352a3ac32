// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Windows of events. `scatter_windows` adds one window to the rows of each event of a list, and
/// `gather_windows` adds the rows of each event to one window: its transpose.
///
/// One multiply_add for each value and event, events in their order. If a pack has the size of a
/// cache line, all loads and stores of rows are aligned, and the window is shifted in registers: a
/// store that crosses a line takes three times as long. Other sets load and store at any address.

namespace synelix::tile {

/// Arguments of both tiles. The window of an event covers the rows from `sample - origin` on, which
/// is at least 0.
template <class Scalar>
struct EventWindows {
  const std::int64_t* samples;
  const float* counts;  ///< null: all are 1
  std::int64_t events;
  std::int64_t origin;
  Scalar* rows;    ///< row 0, aligned to packs; a pack after the last window may be accessed
  Scalar* window;  ///< aligned to packs
  std::int64_t packs;
};

/// 0, 1, 2, ...: the base of permutations that shift.
template <class Scalar, class Set>
struct LaneNumbers {
  using Number = lanes::LaneNumberOf<Scalar>;
  static constexpr int count = 2 * lanes::Pack<Scalar, Set>::lanes;
  Number values[count];

  constexpr LaneNumbers() : values() {
    for (int i = 0; i < count; ++i) values[i] = static_cast<Number>(i);
  }
};
template <class Scalar, class Set>
inline constexpr LaneNumbers<Scalar, Set> lane_numbers{};

/// Whether an unaligned pack always crosses a cache line.
template <class Set>
inline constexpr bool shifts_in_registers = Set::bytes == 64;

template <class Scalar, class Set>
SYNELIX_INLINE lanes::Pack<Scalar, Set> count_of(const EventWindows<Scalar>& tile, std::int64_t e) {
  return lanes::Pack<Scalar, Set>::broadcast(
      tile.counts == nullptr ? Scalar(1) : static_cast<Scalar>(tile.counts[e]));
}

/// rows[sample - origin + k] += count * window[k], for each event.
template <class Scalar, class Set>
SYNELIX_INLINE void scatter_windows(const EventWindows<Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  for (std::int64_t e = 0; e < tile.events; ++e) {
    const std::int64_t row = tile.samples[e] - tile.origin;
    const Pack count = count_of<Scalar, Set>(tile, e);
    if constexpr (shifts_in_registers<Set>) {
      const std::int64_t shift = row & (lanes - 1);
      const lanes::Permutation<Scalar, Set> shifted(lane_numbers<Scalar, Set>.values + lanes -
                                                    shift);
      Scalar* to = tile.rows + (row - shift);
      Pack before = Pack::zero();
      for (std::int64_t v = 0; v < tile.packs; ++v, to += lanes) {
        const Pack here = Pack::load(tile.window + v * lanes);
        multiply_add(permute(before, here, shifted), count, Pack::load(to)).store(to);
        before = here;
      }
      multiply_add(permute(before, Pack::zero(), shifted), count, Pack::load(to)).store(to);
    } else {
      Scalar* to = tile.rows + row;
      for (std::int64_t v = 0; v < tile.packs; ++v, to += lanes) {
        multiply_add(Pack::load(tile.window + v * lanes), count, Pack::load_anywhere(to))
            .store_anywhere(to);
      }
    }
  }
}

/// `packs` packs of the window from pack `first` on, in registers.
template <int packs, class Scalar, class Set>
SYNELIX_APART void gather_packs(const EventWindows<Scalar>& tile, std::int64_t first) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int lanes = Pack::lanes;
  Scalar* const window = tile.window + first * lanes;
  const Scalar* const rows = tile.rows + first * lanes;
  Pack sums[packs];
  SYNELIX_UNROLL(16)
  for (int v = 0; v < packs; ++v) sums[v] = Pack::load(window + v * lanes);
  for (std::int64_t e = 0; e < tile.events; ++e) {
    const std::int64_t row = tile.samples[e] - tile.origin;
    const Pack count = count_of<Scalar, Set>(tile, e);
    if constexpr (shifts_in_registers<Set>) {
      const std::int64_t shift = row & (lanes - 1);
      const lanes::Permutation<Scalar, Set> shifted(lane_numbers<Scalar, Set>.values + shift);
      const Scalar* const from = rows + (row - shift);
      Pack here = Pack::load(from);
      SYNELIX_UNROLL(16)
      for (int v = 0; v < packs; ++v) {
        const Pack next = Pack::load(from + (v + 1) * lanes);
        sums[v] = multiply_add(permute(here, next, shifted), count, sums[v]);
        here = next;
      }
    } else {
      SYNELIX_UNROLL(16)
      for (int v = 0; v < packs; ++v) {
        sums[v] = multiply_add(Pack::load_anywhere(rows + row + v * lanes), count, sums[v]);
      }
    }
  }
  SYNELIX_UNROLL(16)
  for (int v = 0; v < packs; ++v) sums[v].store(window + v * lanes);
}

/// The last packs of a window: at most `most`.
template <int most, class Scalar, class Set>
SYNELIX_INLINE void gather_last_packs(const EventWindows<Scalar>& tile, std::int64_t first) {
  if constexpr (most > 0) {
    if (tile.packs - first == most) return gather_packs<most, Scalar, Set>(tile, first);
    gather_last_packs<most - 1, Scalar, Set>(tile, first);
  }
}

/// window[k] += count * rows[sample - origin + k], for each event.
template <class Scalar, class Set>
SYNELIX_INLINE void gather_windows(const EventWindows<Scalar>& tile) {
  constexpr int most = Set::registers / 2;  // the others hold counts, rows and permutations
  std::int64_t first = 0;
  for (; tile.packs - first > most; first += most) gather_packs<most, Scalar, Set>(tile, first);
  gather_last_packs<most, Scalar, Set>(tile, first);
}

/// The slow references, from the last value to the first.
template <class Scalar, class Set>
void scatter_reference(const EventWindows<Scalar>& tile, int lanes) {
  for (std::int64_t e = 0; e < tile.events; ++e) {
    const Scalar count = tile.counts == nullptr ? Scalar(1) : static_cast<Scalar>(tile.counts[e]);
    for (std::int64_t k = tile.packs * lanes; k-- > 0;) {
      Scalar& sum = tile.rows[tile.samples[e] - tile.origin + k];
      sum = multiply_add(Set{}, tile.window[k], count, sum);
    }
  }
}
template <class Scalar, class Set>
void gather_reference(const EventWindows<Scalar>& tile, int lanes) {
  for (std::int64_t k = tile.packs * lanes; k-- > 0;) {
    for (std::int64_t e = 0; e < tile.events; ++e) {
      const Scalar count = tile.counts == nullptr ? Scalar(1) : static_cast<Scalar>(tile.counts[e]);
      tile.window[k] =
          multiply_add(Set{}, tile.rows[tile.samples[e] - tile.origin + k], count, tile.window[k]);
    }
  }
}

// Pairs of events of two channels whose windows overlap. X' D X of the columns of two channels is
//
//     sum over lags l, rows k of  later_taps(k, b)  sums(l, k)  earlier_taps(k + l, b')
//
// where sums(l, k) adds count * count * weight(row of the later event + k) over the pairs of lag
// l. `add_pairs` makes the sums, `multiply_lags` does the rest.

/// An event of one of several channels.
struct PairEvent {
  std::int32_t row;      ///< first row of its window
  std::int32_t channel;  ///< from 0 on
  float count;
};

/// The pairs to add.
enum class PairKinds : unsigned char {
  all,         ///< all, to `sums`
  one_weight,  ///< those with a single weight in their overlap, to `lag_sums`
  others       ///< all others, to `sums`
};

/// Arguments of `add_pairs`: some channels with some others. The events of each side are one list,
/// sorted by row, then by channel, so that each iteration of the outer loop has several pairs. The
/// pair of channels (i, j) has number i * earlier_channels + j.
template <class Scalar>
struct EventPairs {
  const PairEvent* later;
  std::int64_t laters;
  std::int64_t later_window;
  const PairEvent* earlier;
  std::int64_t earliers;
  std::int64_t earlier_window;
  std::int64_t earlier_channels;
  std::int64_t first_lag;  ///< lags [first_lag, last_lag) are added
  std::int64_t last_lag;   ///< at most earlier_window
  /// The number of the first later channel in the numbering of the earlier ones, whether it is one
  /// of them or not. For lag 0, pairs with an earlier channel of a lower number than the later one
  /// are skipped, and the pair of an event with itself counts half.
  std::int64_t own;
  PairKinds kinds;
  const Scalar* weights;         ///< of row 0; a pack after the last window is read
  const std::int32_t* run_ends;  ///< for each row, the next row with another weight
  Scalar* lag_sums;              ///< of each pair of channels and lag
  std::int64_t lag_sums_step;    ///< from pair to pair
  Scalar* sums;                  ///< of each pair and lag; values after an overlap are overwritten
  std::int64_t sums_step;        ///< from lag to lag: a multiple of packs
  std::int64_t pair_step;        ///< from pair to pair
  unsigned char* is_touched;     ///< set to 1 for pairs whose `sums` were added to
};

/// sums[k] += factor * weights[k], k < values, by full packs.
template <class Scalar, class Set>
SYNELIX_INLINE void add_scaled(Scalar* sums, const Scalar* weights, Scalar factor,
                               std::int64_t values) {
  using Pack = lanes::Pack<Scalar, Set>;
  const Pack factors = Pack::broadcast(factor);
  for (std::int64_t k = 0; k < values; k += Pack::lanes) {
    multiply_add(Pack::load_anywhere(weights + k), factors, Pack::load(sums + k)).store(sums + k);
  }
}

/// The pairs of one later event with earlier ones from `first` on.
template <class Scalar, class Set, PairKinds kinds>
SYNELIX_INLINE void add_pairs_of(const EventPairs<Scalar>& tile, const PairEvent& event,
                                 std::int64_t first) {
  const std::int64_t row = event.row;
  const std::int64_t run_end = kinds == PairKinds::all ? row : tile.run_ends[row];
  const std::int64_t own = tile.own + event.channel;
  const std::int64_t pairs = event.channel * tile.earlier_channels;
  for (std::int64_t j = first; j < tile.earliers; ++j) {
    const PairEvent& other = tile.earlier[j];
    const std::int64_t lag = row - other.row;
    if (lag < tile.first_lag) break;
    Scalar factor = static_cast<Scalar>(event.count) * static_cast<Scalar>(other.count);
    if (lag == 0 && other.channel <= own) {
      if (other.channel < own) continue;
      factor *= Scalar(0.5);
    }
    const std::int64_t left = tile.earlier_window - lag;
    const std::int64_t values = left < tile.later_window ? left : tile.later_window;
    const std::int64_t pair = pairs + other.channel;
    const bool has_one_weight = kinds != PairKinds::all && row + values <= run_end;
    if constexpr (kinds == PairKinds::one_weight) {
      Scalar& sum = tile.lag_sums[pair * tile.lag_sums_step + lag];
      sum = multiply_add(Set{}, has_one_weight ? factor : Scalar(0), tile.weights[row], sum);
    } else if (!has_one_weight) {
      add_scaled<Scalar, Set>(
          tile.sums + pair * tile.pair_step + (lag - tile.first_lag) * tile.sums_step,
          tile.weights + row, factor, values);
      tile.is_touched[pair] = 1;
    }
  }
}

/// The tile itself: later events in their order, for each of them earlier events in their order.
template <class Scalar, class Set, PairKinds kinds>
SYNELIX_INLINE void add_pairs_of_kinds(const EventPairs<Scalar>& tile) {
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < tile.laters; ++i) {
    const PairEvent& event = tile.later[i];
    while (first < tile.earliers && event.row - tile.earlier[first].row >= tile.last_lag) ++first;
    add_pairs_of<Scalar, Set, kinds>(tile, event, first);
  }
}
template <class Scalar, class Set>
SYNELIX_INLINE void add_pairs(const EventPairs<Scalar>& tile) {
  switch (tile.kinds) {
    case PairKinds::all:
      return add_pairs_of_kinds<Scalar, Set, PairKinds::all>(tile);
    case PairKinds::one_weight:
      return add_pairs_of_kinds<Scalar, Set, PairKinds::one_weight>(tile);
    case PairKinds::others:
      return add_pairs_of_kinds<Scalar, Set, PairKinds::others>(tile);
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
  const Scalar* earlier_taps;  ///< (earlier_window, earlier_packs), aligned, rows of full packs
  std::int64_t earlier_window;
  std::int64_t earlier_packs;
  Scalar* result;  ///< (later_bases, earlier_packs), aligned, rows of full packs; is added to
};

/// The tile itself. Lags go to four sums in turn, so that four additions run at once.
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

// `EventTable`: the tiles of products with lists of events, of one instruction set. It is a
// separate table, because only the fits of such designs use it.

/// The tiles of one instruction set and scalar type.
template <class Scalar>
struct EventTable {
  using Windows = void (*)(const EventWindows<Scalar>&);
  using Pairs = void (*)(const EventPairs<Scalar>&);
  using Lags = void (*)(const LagProducts<Scalar>&);

  int lanes;  ///< values of a pack
  Windows scatter_windows;
  Windows gather_windows;
  Pairs add_pairs;
  Lags multiply_lags;
};

/// The table of a set, a constant. Defined in tile/fill.hpp, compiled for each set of the
/// build.
template <class Scalar, class Set>
const EventTable<Scalar>& event_table_for();

}  // namespace synelix::tile
