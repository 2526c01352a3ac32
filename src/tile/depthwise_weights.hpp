// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The tile of gradients by depthwise weights. Lanes are channels; the sums of some taps stay in
/// registers while positions go by. A position takes one load of its output gradient and one of
/// what each tap sees. A sum takes its positions in their order, one multiply_add each.

namespace synelix::tile {

/// A tap: what it sees, `first` values before the first position, and its sums.
template <class Scalar>
struct DepthwiseWeight {
  const Scalar* source;
  Scalar* sums;
};

/// Arguments of the tile. Strides count values.
template <class Scalar>
struct DepthwiseWeightsTile {
  const DepthwiseWeight<Scalar>* taps;
  std::int64_t first;             ///< to what the first position sees
  std::int64_t source_step;       ///< from one position to the next
  const Scalar* output_gradient;  ///< of the first position
  std::int64_t output_gradient_step;
  std::int64_t positions;
  int lanes;                            ///< that there are: neighboring packs, or a part of one
  const Scalar* ahead;                  ///< what the last tap will see next, and its output
  const Scalar* ahead_output_gradient;  ///< gradient: positions like these, not looked at
};

template <class Scalar, class Set, int taps, bool is_whole>
SYNELIX_INLINE void depthwise_weights_pack(const DepthwiseWeightsTile<Scalar>& tile,
                                           std::int64_t lane, int count) {
  using Pack = lanes::Pack<Scalar, Set>;
  const auto load = [count](const Scalar* from) {
    return is_whole ? lanes::load_unaligned<Scalar, Set>(from)
                    : lanes::load_part<Scalar, Set>(from, count);
  };
  Pack sums[taps];
  const Scalar* source[taps];
  SYNELIX_UNROLL(16)
  for (int k = 0; k < taps; ++k) {
    sums[k] = load(tile.taps[k].sums + lane);
    source[k] = tile.taps[k].source + lane;
  }
  const Scalar* output_gradient = tile.output_gradient + lane;
  const std::int64_t output_gradient_step = tile.output_gradient_step;
  const std::int64_t source_step = tile.source_step;
  std::int64_t at = tile.first;
  SYNELIX_UNROLL(1)
  for (std::int64_t p = tile.positions; p > 0; --p) {
    const Pack value = load(output_gradient);
    SYNELIX_UNROLL(16)
    for (int k = 0; k < taps; ++k) sums[k] = multiply_add(load(source[k] + at), value, sums[k]);
    at += source_step;
    output_gradient += output_gradient_step;
  }
  SYNELIX_UNROLL(16)
  for (int k = 0; k < taps; ++k) {
    if constexpr (is_whole) {
      lanes::store_unaligned(sums[k], tile.taps[k].sums + lane);
    } else {
      lanes::store_part(sums[k], tile.taps[k].sums + lane, 0, count);
    }
  }
}

/// The tile itself.
template <class Scalar, class Set, int taps>
SYNELIX_INLINE void depthwise_weights_tile(const DepthwiseWeightsTile<Scalar>& tile) {
  constexpr int whole = lanes::Pack<Scalar, Set>::lanes;
  int lane = 0;
  for (; lane + whole <= tile.lanes; lane += whole) {
    const Scalar* source = tile.ahead + lane;
    const Scalar* output_gradient = tile.ahead_output_gradient + lane;
    SYNELIX_UNROLL(1)
    for (std::int64_t p = tile.positions; p > 0; --p) {
      lanes::prefetch(source);
      lanes::prefetch(output_gradient);
      source += tile.source_step;
      output_gradient += tile.output_gradient_step;
    }
    depthwise_weights_pack<Scalar, Set, taps, true>(tile, lane, whole);
  }
  if (lane < tile.lanes) {
    depthwise_weights_pack<Scalar, Set, taps, false>(tile, lane, tile.lanes - lane);
  }
}

/// The slow twin.
template <class Scalar, class Set>
void depthwise_weights_reference(const DepthwiseWeightsTile<Scalar>& tile, int taps) {
  for (int k = 0; k < taps; ++k) {
    for (int l = 0; l < tile.lanes; ++l) {
      Scalar& sum = tile.taps[k].sums[l];
      for (std::int64_t p = 0; p < tile.positions; ++p) {
        sum = multiply_add(Set{}, tile.taps[k].source[tile.first + p * tile.source_step + l],
                           tile.output_gradient[p * tile.output_gradient_step + l], sum);
      }
    }
  }
}

}  // namespace synelix::tile
