// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"
#include "tile/depthwise.hpp"

#include <cstdint>

/// \file
/// Depthwise tiles whose windows slide: row r of the sums and tap i use row r + i of the source. A
/// pack of the source is loaded once and used for as many rows as the run has taps, so that
/// multiply-adds are the limit, not loads. Sums take their taps in the order of the general tile
/// (tile/depthwise.hpp), and have its bits.
///
/// * `slide_tile`: lanes are channels, rows are positions of a line, a run is a line of the window.
/// * `plane_tile`: lanes are positions of a line, rows are lines, and a run is all taps of a plane.

namespace synelix::tile {

/// One pack of lanes: a full one, or the first `count` lanes of one. Each entry of the taps is the
/// first of `width` taps, whose weights are `weight_step` apart.
template <class Scalar, class Set, int rows, int width, bool is_whole>
SYNELIX_INLINE void slide_pack(const DepthwiseTile<Scalar>& tile, std::int64_t lane, int count) {
  using Pack = lanes::Pack<Scalar, Set>;
  constexpr std::int64_t group = 4;  // rows addressed from one base: 0, 1, 2 and 3 steps from it
  constexpr std::int64_t loads = rows + width - 1;
  constexpr std::int64_t groups = (loads + group - 1) / group;
  const auto load = [count](const Scalar* from) {
    return is_whole ? lanes::load_unaligned<Scalar, Set>(from)
                    : lanes::load_part<Scalar, Set>(from, count);
  };
  const std::int64_t source_row = tile.source_row;
  const std::int64_t weight_step = tile.weight_step;
  const Pack begin = load(tile.from + lane);
  Pack sums[rows];
  SYNELIX_UNROLL(8)
  for (int r = 0; r < rows; ++r) sums[r] = begin;
  const DepthwiseTap* tap = tile.taps;
  const DepthwiseTap* const end = tap + tile.tap_count;
  const Scalar* const window = tile.source + lane;
  const Scalar* const all_weights = tile.weights + lane;
  while (tap != end) {
    SYNELIX_UNROLL(1)
    for (; tap != end && !tap->is_outside; ++tap) {
      const Scalar* const first = window + tap->source;
      const Scalar* source[groups];
      SYNELIX_UNROLL(4)
      for (std::int64_t g = 0; g < groups; ++g) source[g] = first + g * group * source_row;
      const auto load_row = [&](int row) {
        return load(source[row / group] + (row % group) * source_row);
      };
      const Scalar* const taps = all_weights + tap->weight;
      Pack weights[width];
      SYNELIX_UNROLL(8)
      for (int i = 0; i < width; ++i) weights[i] = load(taps + i * weight_step);
      Pack values[width];  // row r + i is in place (r + i) % width
      SYNELIX_UNROLL(8)
      for (int i = 0; i + 1 < width; ++i) values[i] = load_row(i);
      SYNELIX_UNROLL(8)
      for (int r = 0; r < rows; ++r) {
        const int last = r + width - 1;
        values[last % width] = load_row(last);
        SYNELIX_UNROLL(8)
        for (int i = 0; i < width; ++i) {
          sums[r] = multiply_add(values[(r + i) % width], weights[i], sums[r]);
        }
      }
    }
    SYNELIX_UNROLL(1)
    for (; tap != end && tap->is_outside; ++tap) {  // like depthwise_pack
      const Scalar* const taps = all_weights + tap->weight;
      SYNELIX_UNROLL(8)
      for (int i = 0; i < width; ++i) {
        const Pack product = Pack::broadcast(Scalar(0)) * load(taps + i * weight_step);
        SYNELIX_UNROLL(8)
        for (int r = 0; r < rows; ++r) sums[r] = sums[r] + product;
      }
    }
  }
  Scalar* to = tile.to + lane;
  const std::int64_t to_row = tile.to_row;
  SYNELIX_UNROLL(8)
  for (int r = 0; r < rows; ++r) {
    if constexpr (is_whole) {
      lanes::store_unaligned(sums[r].canonical(), to);
    } else {
      lanes::store_part(sums[r].canonical(), to, 0, count);
    }
    to += to_row;
  }
}

/// The tile itself. All sums begin with `from` and end here.
template <class Scalar, class Set, int rows, int width>
SYNELIX_INLINE void slide_tile(const DepthwiseTile<Scalar>& tile) {
  constexpr int whole = lanes::Pack<Scalar, Set>::lanes;
  int lane = 0;
  for (; lane + whole <= tile.lanes; lane += whole) {
    const Scalar* ahead = tile.ahead + lane;
    SYNELIX_UNROLL(8)
    for (int r = 0; r < rows; ++r, ahead += tile.source_row) lanes::prefetch(ahead);
    slide_pack<Scalar, Set, rows, width, true>(tile, lane, whole);
  }
  if (lane < tile.lanes) {
    slide_pack<Scalar, Set, rows, width, false>(tile, lane, tile.lanes - lane);
  }
}

/// The number of taps of a plane along each of its dimensions.
inline constexpr int plane_taps = 3;

/// Arguments of a plane tile.
template <class Scalar>
struct PlaneTile {
  const Scalar* const* lines;  ///< for each plane of taps, rows + 2 lines: the sample of position 0
                               ///< and the first tap along a line
  std::int64_t planes;         ///< of taps
  std::int64_t at;             ///< the position of lane 0
  int lanes;                   ///< number of lanes, at least 1, at most a pack
  int first[plane_taps];       ///< lanes [first, end) of each tap along a line are inside a line of
  int end[plane_taps];         ///< the source; the others use zeros
  const Scalar* weights;       ///< (plane, tap): one for all lanes
  std::int64_t weight_step;    ///< from one tap to the next
  const Scalar* from;          ///< start value of all sums
  Scalar* to;
  std::int64_t to_row;  ///< from one row to the next
};

/// `is_inside`: whether all lanes exist, and are inside for every tap.
template <class Scalar, class Set, int rows, bool is_inside>
SYNELIX_INLINE void plane_pack(const PlaneTile<Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  Pack sums[rows];
  SYNELIX_UNROLL(8)
  for (int r = 0; r < rows; ++r) sums[r] = Pack::broadcast(*tile.from);
  const Scalar* const* line = tile.lines;
  const Scalar* taps = tile.weights;
  const std::int64_t weight_step = tile.weight_step;
  SYNELIX_UNROLL(1)
  for (std::int64_t plane = tile.planes; plane > 0; --plane) {
    Pack weights[plane_taps][plane_taps];
    SYNELIX_UNROLL(4)
    for (int i = 0; i < plane_taps; ++i) {
      SYNELIX_UNROLL(4)
      for (int k = 0; k < plane_taps; ++k, taps += weight_step) {
        weights[i][k] = Pack::broadcast(*taps);
      }
    }
    SYNELIX_UNROLL(16)
    for (int l = 0; l < rows + plane_taps - 1; ++l) {
      const Scalar* const source = line[l] + tile.at;
      SYNELIX_UNROLL(4)
      for (int k = 0; k < plane_taps; ++k) {
        const Pack value =
            is_inside ? lanes::load_unaligned<Scalar, Set>(source + k)
                      : lanes::load_lanes<Scalar, Set>(source + k, tile.first[k], tile.end[k]);
        SYNELIX_UNROLL(4)
        for (int i = 0; i < plane_taps; ++i) {
          const int r = l - i;
          if (r >= 0 && r < rows) sums[r] = multiply_add(value, weights[i][k], sums[r]);
        }
      }
    }
    line += rows + plane_taps - 1;
  }
  Scalar* to = tile.to;
  const std::int64_t to_row = tile.to_row;
  SYNELIX_UNROLL(8)
  for (int r = 0; r < rows; ++r, to += to_row) {
    if constexpr (is_inside) {
      lanes::store_unaligned(sums[r].canonical(), to);
    } else {
      lanes::store_part(sums[r].canonical(), to, 0, tile.lanes);
    }
  }
}

/// The tile itself. All sums begin with `from` and end here.
template <class Scalar, class Set, int rows>
SYNELIX_INLINE void plane_tile(const PlaneTile<Scalar>& tile) {
  constexpr int whole = lanes::Pack<Scalar, Set>::lanes;
  bool is_inside = tile.lanes == whole;
  for (int k = 0; k < plane_taps; ++k) {
    is_inside = is_inside && tile.first[k] == 0 && tile.end[k] == whole;
  }
  if (is_inside) {
    plane_pack<Scalar, Set, rows, true>(tile);
  } else {
    plane_pack<Scalar, Set, rows, false>(tile);
  }
}

/// The slow references.
template <class Scalar, class Set>
void slide_reference(const DepthwiseTile<Scalar>& tile, int rows, int width) {
  for (int r = 0; r < rows; ++r) {
    for (int l = 0; l < tile.lanes; ++l) {
      Scalar sum = tile.from[l];
      for (std::int64_t k = 0; k < tile.tap_count; ++k) {
        const DepthwiseTap& tap = tile.taps[k];
        for (int i = 0; i < width; ++i) {
          const Scalar value =
              tap.is_outside ? Scalar(0) : tile.source[tap.source + (r + i) * tile.source_row + l];
          sum =
              multiply_add(Set{}, value, tile.weights[tap.weight + i * tile.weight_step + l], sum);
        }
      }
      tile.to[r * tile.to_row + l] = lanes::canonical(Set{}, sum);
    }
  }
}

template <class Scalar, class Set>
void plane_reference(const PlaneTile<Scalar>& tile, int rows) {
  for (int r = 0; r < rows; ++r) {
    for (int l = 0; l < tile.lanes; ++l) {
      Scalar sum = *tile.from;
      for (std::int64_t plane = 0; plane < tile.planes; ++plane) {
        for (int i = 0; i < plane_taps; ++i) {
          for (int k = 0; k < plane_taps; ++k) {
            const Scalar* const line = tile.lines[plane * (rows + plane_taps - 1) + r + i];
            const bool is_inside = tile.first[k] <= l && l < tile.end[k];
            const Scalar weight =
                tile.weights[((plane * plane_taps + i) * plane_taps + k) * tile.weight_step];
            sum = multiply_add(Set{}, is_inside ? line[tile.at + l + k] : Scalar(0), weight, sum);
          }
        }
      }
      tile.to[r * tile.to_row + l] = lanes::canonical(Set{}, sum);
    }
  }
}

}  // namespace synelix::tile
