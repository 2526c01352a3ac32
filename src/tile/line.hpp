// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"
#include "tile/output.hpp"

#include <cstdint>

/// \file
/// The line tile: contiguous samples of all channels are one line of (sample, channel), and so are
/// their results. A pack is a run of that line; the samples of its values for one tap earlier are
/// `tap_step` values before. All bases of a group are computed together, so that they share loads.
///
/// In registers: an accumulator for each basis of a few neighboring packs, and the samples of those
/// packs. In memory: samples of any alignment, contiguous taps. For hosts.
///
/// Nothing is packed before, and results need not go through memory to be interleaved, which pays
/// off for few taps. Sums have the bits of the direct tile: taps in the order w = 0, 1, ..., W - 1,
/// one multiply_add each. Results are canonical.

namespace synelix::tile {

/// Arguments of a line tile.
template <class Scalar>
struct LineTile {
  const Scalar* samples;   ///< sample of value 0 and tap 0
  std::int64_t tap_step;   ///< values between the samples of neighboring taps: the number of
                           ///< channels
  const Scalar* taps;      ///< of the first basis
  std::int64_t taps_step;  ///< values from tap to tap: bases
  std::int64_t window;
  std::int64_t packs;
  Scalar* results;            ///< (pack, basis, lane), aligned; null: stored from registers
  std::int64_t results_step;  ///< values from pack to pack
  Scalar* to;                 ///< (pack, lane, basis), contiguous, if stored from registers
  Stores stores;
};

/// The number of neighboring packs whose accumulators, `bases` each, and samples fit in the
/// registers.
constexpr int line_packs(int registers, int bases) {
  const int packs = (registers - 2) / (bases + 1);
  return packs > 8 ? 8 : packs < 1 ? 1 : packs;
}

/// Results of one pack, contiguous, lane by lane.
template <int bases, class Scalar, class Set>
SYNELIX_INLINE void store_interleaved(lanes::Pack<Scalar, Set> (&sums)[bases], Scalar* to,
                                      Stores stores) {
  using Pack = lanes::Pack<Scalar, Set>;
  SYNELIX_UNROLL(8)
  for (int b = 0; b < bases; ++b) sums[b] = sums[b].canonical();
  interleave(sums);
  if (stores == Stores::streamed) {
    SYNELIX_UNROLL(8)
    for (int b = 0; b < bases; ++b) sums[b].stream(to + b * Pack::lanes);
  } else {
    SYNELIX_UNROLL(8)
    for (int b = 0; b < bases; ++b) sums[b].store_anywhere(to + b * Pack::lanes);
  }
}

/// `packs` neighboring packs.
template <int packs, int bases, class Scalar, class Set>
SYNELIX_INLINE void line_block(const LineTile<Scalar>& tile, std::int64_t first) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack sums[packs][bases];
  SYNELIX_UNROLL(8)
  for (int p = 0; p < packs; ++p) {
    SYNELIX_UNROLL(8)
    for (int b = 0; b < bases; ++b) sums[p][b] = Pack::zero();
  }
  const Scalar* samples = tile.samples + first * Pack::lanes;
  const Scalar* taps = tile.taps;
  SYNELIX_UNROLL(1)
  for (std::int64_t w = 0; w < tile.window; ++w) {
    Pack x[packs];
    SYNELIX_UNROLL(8)
    for (int p = 0; p < packs; ++p) x[p] = Pack::load_anywhere(samples + p * Pack::lanes);
    SYNELIX_UNROLL(8)
    for (int b = 0; b < bases; ++b) {
      const Pack tap = Pack::broadcast(taps[b]);
      SYNELIX_UNROLL(8)
      for (int p = 0; p < packs; ++p) sums[p][b] = multiply_add(x[p], tap, sums[p][b]);
    }
    samples -= tile.tap_step;
    taps += tile.taps_step;
  }
  if (tile.results == nullptr) {
    Scalar* to = tile.to + first * bases * Pack::lanes;
    SYNELIX_UNROLL(8)
    for (int p = 0; p < packs; ++p) {
      store_interleaved(sums[p], to, tile.stores);
      to += bases * Pack::lanes;
    }
    return;
  }
  Scalar* results = tile.results + first * tile.results_step;
  SYNELIX_UNROLL(8)
  for (int p = 0; p < packs; ++p) {
    SYNELIX_UNROLL(8)
    for (int b = 0; b < bases; ++b) sums[p][b].canonical().store(results + b * Pack::lanes);
    results += tile.results_step;
  }
}

/// The same with `packs` known only at run time.
template <int most, int bases, class Scalar, class Set>
SYNELIX_INLINE void line_group(const LineTile<Scalar>& tile, std::int64_t first,
                               std::int64_t packs) {
  if (most == 1 || packs == most) return line_block<most, bases, Scalar, Set>(tile, first);
  if constexpr (most > 1) line_group<most - 1, bases, Scalar, Set>(tile, first, packs);
}

/// The tile itself, in groups with about the same number of packs.
template <class Scalar, class Set, int bases>
SYNELIX_INLINE void line_tile(const LineTile<Scalar>& tile) {
  constexpr int most = line_packs(Set::registers, bases);
  const std::int64_t groups = (tile.packs + most - 1) / most;
  std::int64_t first = 0;
  SYNELIX_UNROLL(1)
  for (std::int64_t g = 1; g <= groups; ++g) {
    const std::int64_t next = tile.packs * g / groups;
    line_group<most, bases, Scalar, Set>(tile, first, next - first);
    first = next;
  }
}

/// The slow reference.
template <class Scalar, class Set>
void line_tile_reference(const LineTile<Scalar>& tile, int bases, int lanes) {
  for (std::int64_t i = 0; i < tile.packs * lanes; ++i) {
    for (int b = 0; b < bases; ++b) {
      Scalar sum = 0;
      for (std::int64_t w = 0; w < tile.window; ++w) {
        sum = multiply_add(Set{}, tile.samples[i - w * tile.tap_step],
                           tile.taps[w * tile.taps_step + b], sum);
      }
      Scalar* const to = tile.results == nullptr
                             ? tile.to + i * bases + b
                             : tile.results + i / lanes * tile.results_step + b * lanes + i % lanes;
      *to = lanes::canonical(Set{}, sum);
    }
  }
}

}  // namespace synelix::tile
