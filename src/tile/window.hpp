// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The window tile: some groups of neighboring rows of one channel x some bases, for a device.
///
/// In registers: an accumulator for each row and basis, and two packs of samples of each group, so
/// that the samples of the next taps are loaded before the previous ones are used up. From tap to
/// tap the window moves by one sample, which needs no load. In scratch: contiguous samples, and
/// taps with contiguous bases, both read a pack at a time; all threads of a team read the same
/// taps.
///
/// Every accumulator adds its taps in the order w = 0, 1, ..., newest sample first, with one
/// multiply_add each: the bits of the direct tile.

namespace synelix::tile {

/// Arguments of a window tile.
template <class Scalar>
struct WindowTile {
  const Scalar* samples;    ///< of row 0 of group 0 and tap 0, aligned to the pack
  std::int64_t group_step;  ///< values from a group's samples to the next group's, a multiple of
                            ///< packs
  const Scalar* taps;       ///< (tap, basis), aligned to the pack
  int window;               ///< taps to add, at least 1
};

/// Loads full packs of taps.
template <int count, class Pack, class Scalar>
SYNELIX_INLINE void load_taps(Scalar* to, const Scalar* taps) {
  SYNELIX_UNROLL(16)
  for (int i = 0; i < count; i += Pack::lanes) {
    const Pack some = Pack::load(taps + i);
    for (int k = 0; k < Pack::lanes; ++k) to[i + k] = some.values[k];
  }
}

/// Adds one tap: `newer` has the samples of the rows at tap 0 of a step, `older` those of the
/// previous pack.
template <int tap, int groups, int bases, class Pack, class Scalar>
SYNELIX_INLINE void add_window_tap(Pack (&sums)[groups][bases], const Pack (&newer)[groups],
                                   const Pack (&older)[groups], const Scalar* of_basis) {
  SYNELIX_UNROLL(16)
  for (int g = 0; g < groups; ++g) {
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b) {
      SYNELIX_UNROLL(16)
      for (int i = 0; i < Pack::lanes; ++i) {
        const Scalar sample = i >= tap ? newer[g].values[i >= tap ? i - tap : 0]
                                       : older[g].values[i >= tap ? 0 : Pack::lanes + i - tap];
        sums[g][b].values[i] =
            lanes::multiply_add(lanes::DeviceThread{}, sample, of_basis[b], sums[g][b].values[i]);
      }
    }
  }
}

/// The first `left` taps of a step. `some`: a pack of taps, if a tile has fewer bases.
template <int tap, int groups, int bases, class Pack, class Scalar>
SYNELIX_INLINE void add_window_taps(Pack (&sums)[groups][bases], const Pack (&newer)[groups],
                                    const Pack (&older)[groups], const Scalar* taps, int left,
                                    Scalar* some) {
  if constexpr (tap < Pack::lanes) {
    if (tap >= left) return;
    if constexpr (bases >= Pack::lanes) {
      Scalar of_tap[bases];
      load_taps<bases, Pack>(of_tap, taps + tap * bases);
      add_window_tap<tap>(sums, newer, older, of_tap);
    } else {
      constexpr int place = tap * bases % Pack::lanes;
      if constexpr (place == 0) load_taps<Pack::lanes, Pack>(some, taps + tap * bases);
      add_window_tap<tap>(sums, newer, older, some + place);
    }
    add_window_taps<tap + 1>(sums, newer, older, taps, left, some);
  }
}

/// Sets sums to those of the taps [begin, lanes) of a step.
template <int begin, int groups, int bases, class Pack, class Scalar>
SYNELIX_INLINE void begin_window_step(Pack (&sums)[groups][bases], const Pack (&newer)[groups],
                                      const Pack (&older)[groups], const Scalar* taps) {
  SYNELIX_UNROLL(16)
  for (int g = 0; g < groups; ++g) {
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b) sums[g][b] = Pack::zero();
  }
  Scalar some[Pack::lanes];
  constexpr int place = begin * bases % Pack::lanes;
  if constexpr (place > 0) load_taps<Pack::lanes, Pack>(some, taps + begin * bases - place);
  add_window_taps<begin>(sums, newer, older, taps, Pack::lanes, some);
}

/// Sets the sums of a tile of few bases to those of its first pack of taps, of which the first
/// `skipped` are 0. Returns what is left of the tile. Sums that begin as zeros in registers would
/// take one instruction more each.
template <int groups, int bases, class Scalar>
SYNELIX_INLINE WindowTile<Scalar> begin_window_tile(
    lanes::Pack<Scalar, lanes::DeviceThread> (&sums)[groups][bases],
    const WindowTile<Scalar>& arguments, int skipped) {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  Pack newer[groups];
  Pack older[groups];
  SYNELIX_UNROLL(16)
  for (int g = 0; g < groups; ++g) {
    const Scalar* of_group = arguments.samples + g * arguments.group_step;
    newer[g] = Pack::load(of_group);
    older[g] = Pack::load(of_group - Pack::lanes);
  }
  if (skipped == 0) {
    begin_window_step<0>(sums, newer, older, arguments.taps);
  } else if (Pack::lanes == 2 || skipped == 1) {
    begin_window_step<1>(sums, newer, older, arguments.taps);
  } else if constexpr (Pack::lanes == 4) {
    if (skipped == 2) {
      begin_window_step<2>(sums, newer, older, arguments.taps);
    } else {
      begin_window_step<3>(sums, newer, older, arguments.taps);
    }
  }
  WindowTile<Scalar> left = arguments;
  left.samples -= Pack::lanes;
  left.taps += Pack::lanes * bases;
  left.window -= Pack::lanes;
  return left;
}

/// All taps of a tile. Samples up to a pack before those of the last tap, and taps up to the end of
/// its step, are read, but not used.
template <int groups, int bases, class Scalar>
SYNELIX_INLINE void window_tile(lanes::Pack<Scalar, lanes::DeviceThread> (&sums)[groups][bases],
                                const WindowTile<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  const Scalar* samples = arguments.samples;
  const Scalar* taps = arguments.taps;
  Pack newer[groups];
  Pack older[groups];
  Scalar some[Pack::lanes];
  SYNELIX_UNROLL(16)
  for (int g = 0; g < groups; ++g) newer[g] = Pack::load(samples + g * arguments.group_step);
  const auto load_older = [&]() __attribute__((always_inline)) {
    samples -= Pack::lanes;
    SYNELIX_UNROLL(16)
    for (int g = 0; g < groups; ++g) older[g] = Pack::load(samples + g * arguments.group_step);
  };
  const auto go_on = [&]() __attribute__((always_inline)) {
    taps += Pack::lanes * bases;
    SYNELIX_UNROLL(16)
    for (int g = 0; g < groups; ++g) newer[g] = older[g];
  };
  const auto add_step = [&]() __attribute__((always_inline)) {
    load_older();
    add_window_taps<0>(sums, newer, older, taps, Pack::lanes, some);
  };
  int left = arguments.window;
  if constexpr (bases < Pack::lanes || (groups > 2 && sizeof(Scalar) > 4)) {
    for (; left >= 2 * Pack::lanes; left -= 2 * Pack::lanes) {
      add_step(), go_on();
      add_step(), go_on();
    }
    if (left >= Pack::lanes) {
      add_step();
      left -= Pack::lanes;
      if constexpr (bases < Pack::lanes) {
        if (left == 0) return;  // avoids moving the samples of many groups unnecessarily
      }
      go_on();
    }
  } else {
    // The same as a loop. Each of the two forms makes some shape spill: this one four groups of
    // double on sm_90, the other one four and eight bases of float on gfx90a.
    SYNELIX_UNROLL(2)
    for (; left >= Pack::lanes; left -= Pack::lanes) add_step(), go_on();
  }
  if (left > 0) {
    load_older();
    add_window_taps<0>(sums, newer, older, taps, left, some);
  }
}

}  // namespace synelix::tile
