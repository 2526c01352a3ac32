// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The depthwise tile: sums of windows, with one weight for each value. Lanes are channels, each
/// with its own weights, or positions, which share one weight for each tap. A sum takes its taps in
/// their order, one multiply_add each.

namespace synelix::tile {

/// The offsets of a tap's sample and weight from the first ones.
struct DepthwiseTap {
  std::int64_t source;
  std::int64_t weight;
  bool is_outside = false;  ///< whether its samples are zeros, in all rows
};

/// Arguments of a depthwise tile. Strides count values.
template <class Scalar>
struct DepthwiseTile {
  const Scalar* source;     ///< row 0, lane 0; lanes are contiguous
  std::int64_t source_row;  ///< from one row to the next
  const Scalar* weights;    ///< lane 0; one for all lanes if they share it
  const DepthwiseTap* taps;
  std::int64_t tap_count;
  const Scalar* from;     ///< start values of sums: row 0, lane 0; one value if lanes share it
  std::int64_t from_row;  ///< from one row to the next
  Scalar* to;
  std::int64_t to_row;       ///< from one row to the next
  int lanes;                 ///< number of lanes, at least 1: neighboring packs, or a part of one
  bool ends;                 ///< whether sums end here and are stored in the result
  std::int64_t weight_step;  ///< for a sliding tile: from one tap of a run to the next
  const Scalar* ahead;       ///< rows like `source` to prefetch; ignored if lanes share
};

/// One pack of lanes, with first lane `lane`: a full one, or the first `count` lanes of one.
template <class Scalar, class Set, int rows, bool shares, bool is_whole>
SYNELIX_INLINE void depthwise_pack(const DepthwiseTile<Scalar>& tile, std::int64_t lane,
                                   int count) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr std::int64_t group = 4;  // rows addressed from one base: 0, 1, 2 and 3 steps from it
  constexpr std::int64_t groups = (rows + group - 1) / group;
  const auto load = [count](const Scalar* from) {
    return is_whole ? lanes::load_unaligned<Scalar, Set>(from)
                    : lanes::load_part<Scalar, Set>(from, count);
  };
  const std::int64_t source_row = tile.source_row;
  const std::int64_t from_row = tile.from_row;
  Pack sums[rows];
  SYNELIX_UNROLL(8)
  for (int r = 0; r < rows; ++r) {
    sums[r] = shares ? Pack::broadcast(*tile.from) : load(tile.from + r * from_row + lane);
  }
  const DepthwiseTap* tap = tile.taps;
  const Scalar* const all_weights = tile.weights + (shares ? 0 : lane);
  const Scalar* const window = tile.source + lane;
  const DepthwiseTap* const end = tap + tile.tap_count;
  const auto load_weight = [&](const DepthwiseTap& of) {
    const Scalar* const weights = all_weights + of.weight;
    return shares ? Pack::broadcast(*weights) : load(weights);
  };
  while (tap != end) {
    SYNELIX_UNROLL(1)
    for (; tap != end && !tap->is_outside; ++tap) {
      const Pack weight = load_weight(*tap);
      const Scalar* source[groups];
      SYNELIX_UNROLL(2)
      for (std::int64_t g = 0; g < groups; ++g) {
        source[g] = window + tap->source + g * group * source_row;
      }
      SYNELIX_UNROLL(8)
      for (int r = 0; r < rows; ++r) {
        sums[r] = multiply_add(load(source[r / group] + (r % group) * source_row), weight, sums[r]);
      }
    }
    // Products with zeros are the same in all rows. They are exact, so a separate sum of them
    // rounds like a multiply_add.
    SYNELIX_UNROLL(1)
    for (; tap != end && tap->is_outside; ++tap) {
      const Pack product = Pack::broadcast(Scalar(0)) * load_weight(*tap);
      SYNELIX_UNROLL(8)
      for (int r = 0; r < rows; ++r) sums[r] = sums[r] + product;
    }
  }
  Scalar* to = tile.to + lane;
  const std::int64_t to_row = tile.to_row;
  const bool ends = tile.ends;
  SYNELIX_UNROLL(8)
  for (int r = 0; r < rows; ++r) {
    const Pack sum = ends ? sums[r].canonical() : sums[r];
    if constexpr (is_whole) {
      lanes::store_unaligned(sum, to);
    } else {
      lanes::store_part(sum, to, 0, count);
    }
    to += to_row;
  }
}

/// The tile itself. `shares`: whether lanes share a tap's weight and the start value.
template <class Scalar, class Set, int rows, bool shares>
SYNELIX_INLINE void depthwise_tile(const DepthwiseTile<Scalar>& tile) {
  constexpr int whole = lanes::Pack<Scalar, Set>::lanes;
  int lane = 0;
  for (; lane + whole <= tile.lanes; lane += whole) {
    if constexpr (!shares) {
      const Scalar* ahead = tile.ahead + lane;
      SYNELIX_UNROLL(8)
      for (int r = 0; r < rows; ++r, ahead += tile.source_row) lanes::prefetch(ahead);
    }
    depthwise_pack<Scalar, Set, rows, shares, true>(tile, lane, whole);
  }
  if (lane < tile.lanes) {
    depthwise_pack<Scalar, Set, rows, shares, false>(tile, lane, tile.lanes - lane);
  }
}

/// The slow reference.
template <class Scalar, class Set>
void depthwise_reference(const DepthwiseTile<Scalar>& tile, int rows, bool shares) {
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < tile.lanes; ++i) {
      Scalar sum = shares ? *tile.from : tile.from[r * tile.from_row + i];
      for (std::int64_t k = 0; k < tile.tap_count; ++k) {
        const DepthwiseTap& tap = tile.taps[k];
        const Scalar value =
            tap.is_outside ? Scalar(0) : tile.source[tap.source + r * tile.source_row + i];
        sum = multiply_add(Set{}, value, tile.weights[tap.weight + (shares ? 0 : i)], sum);
      }
      tile.to[r * tile.to_row + i] = tile.ends ? lanes::canonical(Set{}, sum) : sum;
    }
  }
}

// The tile of gradients by depthwise weights. Lanes are channels; the sums of some taps stay in
// registers for all positions. A position needs one load of its output gradient and one load for
// each tap. A sum takes its positions in their order, one multiply_add each.

/// A tap: its samples, `first` values before the first position, and its sums.
template <class Scalar>
struct DepthwiseWeight {
  const Scalar* source;
  Scalar* sums;
};

/// Arguments of the tile. Strides count values.
template <class Scalar>
struct DepthwiseWeightsTile {
  const DepthwiseWeight<Scalar>* taps;
  std::int64_t first;             ///< offset of the sample for the first position
  std::int64_t source_step;       ///< from one position to the next
  const Scalar* output_gradient;  ///< of the first position
  std::int64_t output_gradient_step;
  std::int64_t positions;
  int lanes;                            ///< number of lanes: neighboring packs, or a part of one
  const Scalar* ahead;                  ///< next samples of the last tap to prefetch, and
  const Scalar* ahead_output_gradient;  ///< their output gradient; not read otherwise
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

/// The slow reference.
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
