// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Windows of events. `scatter_windows` adds one window to the rows of each event of a list, and
/// `gather_windows` adds the rows of each event to one window: its transpose.
///
/// One multiply_add of each value and event, events in their order. Where a pack is as long as a
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
  Scalar* rows;    ///< row 0, aligned to packs; a pack behind the last window may be touched
  Scalar* window;  ///< aligned to packs
  std::int64_t packs;
};

/// 0, 1, 2, ...: what permutations that shift begin with.
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

/// Whether a pack that is not aligned always lies in two cache lines.
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

/// The slow twins, from the last value to the first.
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

}  // namespace synelix::tile
