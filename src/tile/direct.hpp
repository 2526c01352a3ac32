// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// The direct tile: a few packs of neighbouring outputs x a few bases.
///
/// In registers: packs x bases accumulators, the packs' samples, one tap. In memory: packed samples
/// (aligned, one row of lanes after the other) and taps; both are read once for each tap. Per tap:
/// `packs` aligned loads, `bases` broadcasts, packs x bases fused multiply-adds.
///
/// Every accumulator starts at +0 and adds its taps in the order w = 0, 1, ..., W - 1, newest
/// sample first, with one multiply_add each, whatever the shape of the tile.

namespace synelix::tile {

/// Arguments of a direct tile.
template <class Scalar>
struct DirectTile {
  static constexpr int most_packs = tune::most_packs;

  const Scalar* samples[most_packs];  ///< of tap 0, for each pack; aligned to the pack
  std::int64_t tap_step;              ///< values from the samples of tap w + 1 to those of tap w
  const Scalar* taps;                 ///< taps(w, b) at taps[w * taps_step + b]
  std::int64_t taps_step;
  std::int64_t window;
  Scalar* results;  ///< (pack, lane, b), b fastest, without gaps; aligned to 64 bytes
};

constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

/// Writes accumulators as (lane, b), b fastest.
template <int bases, class Scalar, class Set>
SYNELIX_INLINE void store_interleaved(lanes::Pack<Scalar, Set> (&packs)[bases], Scalar* results) {
  using Pack = lanes::Pack<Scalar, Set>;
  if constexpr (bases == 1) {
    packs[0].store(results);
  } else if constexpr (is_power_of_two(bases) && bases <= 8 &&
                       requires { typename Pack::Register; }) {
    interleave(packs);
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b) packs[b].store(results + b * Pack::lanes);
  } else {
    alignas(64) Scalar rows[bases * Pack::lanes];
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b) packs[b].store(rows + b * Pack::lanes);
    for (int lane = 0; lane < Pack::lanes; ++lane) {
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; ++b) results[lane * bases + b] = rows[b * Pack::lanes + lane];
    }
  }
}

/// The tile itself.
template <class Scalar, class Set, int packs, int bases>
SYNELIX_INLINE void direct_tile(const DirectTile<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack sums[packs][bases];
  SYNELIX_UNROLL(16)
  for (int p = 0; p < packs; ++p) {
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b) sums[p][b] = Pack::zero();
  }
  const Scalar* samples[packs];
  SYNELIX_UNROLL(16)
  for (int p = 0; p < packs; ++p) samples[p] = arguments.samples[p];
  const Scalar* taps = arguments.taps;
  const std::int64_t tap_step = arguments.tap_step;
  const std::int64_t taps_step = arguments.taps_step;
  SYNELIX_UNROLL(1)
  for (std::int64_t w = arguments.window; w > 0; --w) {
    Pack x[packs];
    SYNELIX_UNROLL(16)
    for (int p = 0; p < packs; ++p) {
      x[p] = Pack::load(samples[p]);
      samples[p] -= tap_step;
    }
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b) {
      const Pack tap = Pack::broadcast(taps[b]);
      SYNELIX_UNROLL(16)
      for (int p = 0; p < packs; ++p) sums[p][b] = multiply_add(x[p], tap, sums[p][b]);
    }
    taps += taps_step;
  }
  SYNELIX_UNROLL(16)
  for (int p = 0; p < packs; ++p) {
    store_interleaved<bases>(sums[p], arguments.results + p * bases * Pack::lanes);
  }
}

/// The slow twin: the same sums in the same order, one output at a time, for any shape.
template <class Scalar, class Set>
void direct_tile_reference(const DirectTile<Scalar>& arguments, int packs, int bases, int lanes) {
  for (int p = 0; p < packs; ++p) {
    for (int lane = 0; lane < lanes; ++lane) {
      for (int b = 0; b < bases; ++b) {
        Scalar sum = 0;
        for (std::int64_t w = 0; w < arguments.window; ++w) {
          sum = multiply_add(Set{}, arguments.samples[p][lane - w * arguments.tap_step],
                             arguments.taps[w * arguments.taps_step + b], sum);
        }
        arguments.results[(p * lanes + lane) * bases + b] = sum;
      }
    }
  }
}

}  // namespace synelix::tile
