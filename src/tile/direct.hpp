// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// The direct tile: neighboring rows of one pack of lanes x one basis.
///
/// In registers: one accumulator for each row, a few taps, the samples of one row. In memory:
/// packed samples (aligned; the samples for one tap earlier are one pack before) and the basis'
/// taps. If rows are neighboring samples, a block of 4 taps loads rows + 3 packs and 4 taps for 4 x
/// rows fused multiply-adds; if they are apart, a pack for each of them.
///
/// Every accumulator starts at +0 and adds its taps in the order w = 0, 1, ..., W - 1, newest
/// sample first, with one multiply_add each, for any shape of the tile. Results are canonical.

namespace synelix::tile {

/// Arguments of a direct tile.
template <class Scalar>
struct DirectTile {
  const Scalar* samples;      ///< of row 0 and tap 0, aligned to the pack
  std::int64_t row_step;      ///< values from a row's samples to those of the next one
  const Scalar* taps;         ///< contiguous
  std::int64_t window;        ///< their number
  Scalar* results;            ///< of row 0, aligned to the pack
  std::int64_t results_step;  ///< values from a row's results to those of the next one
};

/// Adds `depth` taps to rows of neighboring samples. The newest row comes first, so each row takes
/// its taps in order.
template <int depth, int rows, class Scalar, class Set>
SYNELIX_INLINE void add_taps(lanes::Pack<Scalar, Set> (&sums)[rows], const Scalar* samples,
                             const Scalar* taps) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack tap[depth];
  SYNELIX_UNROLL(4)
  for (int w = 0; w < depth; ++w) tap[w] = Pack::broadcast(taps[w]);
  SYNELIX_UNROLL(32)
  for (int i = rows - 1; i > -depth; --i) {
    const Pack x = Pack::load(samples + i * Pack::lanes);
    SYNELIX_UNROLL(4)
    for (int w = 0; w < depth; ++w) {
      if (i + w >= 0 && i + w < rows) sums[i + w] = multiply_add(x, tap[w], sums[i + w]);
    }
  }
}

/// Taps of a block of the window.
inline constexpr int tap_depth = 4;

/// All taps of rows of neighboring samples; calls `behind_block()` after each block of them.
template <int rows, class Scalar, class Set, class BehindBlock>
SYNELIX_INLINE void add_window(lanes::Pack<Scalar, Set> (&sums)[rows], const Scalar* samples,
                               const Scalar* taps, std::int64_t window,
                               const BehindBlock& behind_block) {
  SYNELIX_UNROLL(1)
  for (; window >= tap_depth; window -= tap_depth) {
    add_taps<tap_depth>(sums, samples, taps);
    samples -= tap_depth * lanes::Pack<Scalar, Set>::lanes;
    taps += tap_depth;
    behind_block();
  }
  if (window == 3) {
    add_taps<3>(sums, samples, taps);
  } else if (window == 2) {
    add_taps<2>(sums, samples, taps);
  } else if (window == 1) {
    add_taps<1>(sums, samples, taps);
  }
  if (window > 0) behind_block();
}

/// The same for rows whose samples are `row_step` values apart.
template <int rows, class Scalar, class Set>
SYNELIX_INLINE void add_window_apart(lanes::Pack<Scalar, Set> (&sums)[rows], const Scalar* samples,
                                     std::int64_t row_step, const Scalar* taps,
                                     std::int64_t window) {
  using Pack = lanes::Pack<Scalar, Set>;
  SYNELIX_UNROLL(1)
  for (std::int64_t w = 0; w < window; ++w) {
    const Pack tap = Pack::broadcast(taps[w]);
    const Scalar* row = samples - w * Pack::lanes;
    SYNELIX_UNROLL(32)
    for (int r = 0; r < rows; ++r) {
      sums[r] = multiply_add(Pack::load(row), tap, sums[r]);
      row += row_step;
    }
  }
}

/// The tile itself.
template <class Scalar, class Set, int rows>
SYNELIX_INLINE void direct_tile(const DirectTile<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack sums[rows];
  SYNELIX_UNROLL(32)
  for (int r = 0; r < rows; ++r) sums[r] = Pack::zero();
  if (arguments.row_step == Pack::lanes) {
    add_window(sums, arguments.samples, arguments.taps, arguments.window,
               []() __attribute__((always_inline)) {});
  } else {
    add_window_apart(sums, arguments.samples, arguments.row_step, arguments.taps, arguments.window);
  }
  SYNELIX_UNROLL(32)
  for (int r = 0; r < rows; ++r) {
    sums[r].canonical().store(arguments.results + r * arguments.results_step);
  }
}

/// The slow reference: the same sums in the same order, one output at a time, for any shape.
template <class Scalar, class Set>
void direct_tile_reference(const DirectTile<Scalar>& arguments, int rows, int lanes) {
  for (int r = 0; r < rows; ++r) {
    for (int lane = 0; lane < lanes; ++lane) {
      const Scalar* const samples = arguments.samples + r * arguments.row_step + lane;
      Scalar sum = 0;
      for (std::int64_t w = 0; w < arguments.window; ++w) {
        sum = multiply_add(Set{}, samples[-w * lanes], arguments.taps[w], sum);
      }
      arguments.results[r * arguments.results_step + lane] = lanes::canonical(Set{}, sum);
    }
  }
}

// Finds samples that are not finite: times a tap of zero they are NaN, so no tap may be skipped if
// there are any.

/// Whether all of `count` packs are finite. Only NaN and Inf times zero are not zero.
template <class Scalar, class Set>
SYNELIX_INLINE bool is_finite(const Scalar* packs, std::int64_t count) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr int chains = 4;  // enough to hide the latency of an addition
  Pack sums[chains];
  SYNELIX_UNROLL(4)
  for (int k = 0; k < chains; ++k) sums[k] = Pack::zero();
  std::int64_t i = 0;
  SYNELIX_UNROLL(1)
  for (; i + chains <= count; i += chains) {
    SYNELIX_UNROLL(4)
    for (int k = 0; k < chains; ++k) {
      sums[k] = multiply_add(Pack::load(packs + (i + k) * Pack::lanes), Pack::zero(), sums[k]);
    }
  }
  SYNELIX_UNROLL(1)
  for (; i < count; ++i) {
    sums[0] = multiply_add(Pack::load(packs + i * Pack::lanes), Pack::zero(), sums[0]);
  }
  alignas(64) Scalar values[chains * Pack::lanes];
  SYNELIX_UNROLL(4)
  for (int k = 0; k < chains; ++k) sums[k].store(values + k * Pack::lanes);
  for (const Scalar value : values) {
    if (value != Scalar(0)) return false;
  }
  return true;
}

}  // namespace synelix::tile
