// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Tiles of depthwise windows of 3 x 3 taps, for sets with enough registers: all positions of a box
/// of lines, a pack of lanes at a time. In registers: the window of a position, which slides along
/// a line and so needs three loads for each position; and the nine weights, or the nine sums of a
/// gradient by weights. Borders need no separate tile, because the first and the last place of a
/// line may be at any address.

namespace synelix::tile {

/// Taps of a window along each dimension.
inline constexpr int window_taps = 3;

/// The places of windows along a line of the source: position p uses places p, p + 1 and p + 2.
template <class Scalar>
struct WindowTrack {
  const Scalar* first;  ///< place 0
  const Scalar* inner;  ///< place 1; places up to the number of positions are `step` apart
  std::int64_t step;
  const Scalar* last;  ///< the place after them
};

/// Offset from the newest place of the last track to the values to prefetch at each position, for
/// example of the next line. They are not used otherwise.
using WindowAhead = std::int64_t;

/// Arguments of a window box. Strides count values.
template <class Scalar>
struct WindowBoxTile {
  const WindowTrack<Scalar>* tracks;  ///< line j uses tracks j, j + 1 and j + 2
  WindowAhead ahead;
  std::int64_t lines;
  std::int64_t positions;  ///< of a line, at least 1
  const Scalar* weights;   ///< of the first tap, lane 0
  std::int64_t weight_track;
  std::int64_t weight_step;  ///< from one tap along a track to the next
  const Scalar* from;        ///< start values of sums, lane 0
  Scalar* to;                ///< of the first position, lane 0
  std::int64_t to_line;
  std::int64_t to_position;
  int lanes;  ///< number of lanes, at least 1: neighboring packs, or a part of one
};

/// Lanes [first, end) of a pack.
struct LaneRange {
  int first;
  int end;
};

/// Arguments of a window box of a gradient by weights.
template <class Scalar>
struct WindowBoxWeightsTile {
  const WindowTrack<Scalar>* tracks;  ///< as above
  WindowAhead ahead;
  std::int64_t lines;
  std::int64_t positions;         ///< of a line, at least 1
  const Scalar* output_gradient;  ///< of the first position, lane 0
  std::int64_t output_gradient_line;
  std::int64_t output_gradient_position;
  WindowAhead output_gradient_ahead;  ///< from a position
  Scalar* sums;                       ///< of the first tap, lane 0
  std::int64_t sum_track;
  std::int64_t sum_step;  ///< from one tap along a track to the next
  int lanes;              ///< number of lanes, at least 1: neighboring packs, or a part of one
  /// Null; or, if there is one pack, the lanes of each of the three tracks that are in the source.
  /// The other lanes use zeros.
  const LaneRange* inside;
};

/// The window of a position. Place p of a track is in slot p % 3. `shares_step`: all three tracks
/// have the same step, which frees registers for other addresses.
template <class Scalar, class Set, bool shares_step, class Load>
class SlidingWindow {
 public:
  using Pack = lanes::Pack<Scalar, Set>;

  /// Places 0 and 1 of three tracks. load(from, track) is a pack.
  SYNELIX_INLINE SlidingWindow(const WindowTrack<Scalar>* tracks, std::int64_t lane,
                               WindowAhead ahead, const Load& load)
      : m_load(load), m_ahead(ahead) {
    SYNELIX_UNROLL(4)
    for (int i = 0; i < window_taps; ++i) {
      const WindowTrack<Scalar>& track = tracks[i];
      m_slots[i][0] = load(track.first + lane, i);
      m_slots[i][1] = load(track.inner + lane, i);
      m_step[shares_step ? 0 : i] = track.step;
      m_next[i] = track.inner + lane + track.step;
      m_last[i] = track.last + lane;
    }
  }

  /// Loads one more place into the slot of the oldest one.
  template <int slot>
  SYNELIX_INLINE void take() {
    lanes::prefetch_later(m_next[window_taps - 1] + m_ahead);
    SYNELIX_UNROLL(4)
    for (int i = 0; i < window_taps; ++i) {
      m_slots[i][slot] = m_load(m_next[i], i);
      m_next[i] += m_step[shares_step ? 0 : i];
    }
  }
  template <int slot>
  SYNELIX_INLINE void take_last() {
    SYNELIX_UNROLL(4)
    for (int i = 0; i < window_taps; ++i) m_slots[i][slot] = m_load(m_last[i], i);
  }
  /// The sample of a tap if the oldest place is in slot `first`.
  template <int first>
  SYNELIX_INLINE const Pack& at(int track, int tap) const {
    return m_slots[track][(first + tap) % window_taps];
  }
  /// Moves all places one slot down.
  SYNELIX_INLINE void turn() {
    SYNELIX_UNROLL(4)
    for (int i = 0; i < window_taps; ++i) {
      m_slots[i][0] = m_slots[i][1];
      m_slots[i][1] = m_slots[i][2];
    }
  }

 private:
  Load m_load;
  WindowAhead m_ahead;
  Pack m_slots[window_taps][window_taps];
  std::int64_t m_step[shares_step ? 1 : window_taps];
  const Scalar* m_next[window_taps];
  const Scalar* m_last[window_taps];
};

/// Calls visit.template operator()<slot>(window) for each position of a line in its order; `slot`
/// is that of the oldest place of its window.
template <class Scalar, class Set, bool shares_step, class Load, class Visit>
SYNELIX_INLINE void slide_with_steps(const WindowTrack<Scalar>* tracks, std::int64_t lane,
                                     std::int64_t positions, WindowAhead ahead, const Load& load,
                                     const Visit& visit) {
  SlidingWindow<Scalar, Set, shares_step, Load> window(tracks, lane, ahead, load);
  std::int64_t left = positions - 1;  // positions before the last one
  SYNELIX_UNROLL(1)
  for (; left >= window_taps; left -= window_taps) {
    window.template take<2>();
    visit.template operator()<0>(window);
    window.template take<0>();
    visit.template operator()<1>(window);
    window.template take<1>();
    visit.template operator()<2>(window);
  }
  SYNELIX_UNROLL(1)
  for (; left > 0; --left) {
    window.template take<2>();
    visit.template operator()<0>(window);
    window.turn();
  }
  window.template take_last<2>();
  visit.template operator()<0>(window);
}

/// The same; for a full pack by a separate loop if all tracks have the same step.
template <class Scalar, class Set, bool is_whole, class Load, class Visit>
SYNELIX_INLINE void slide_along(const WindowTrack<Scalar>* tracks, std::int64_t lane,
                                std::int64_t positions, WindowAhead ahead, const Load& load,
                                const Visit& visit) {
  if (is_whole && tracks[0].step == tracks[1].step && tracks[0].step == tracks[2].step) {
    slide_with_steps<Scalar, Set, true>(tracks, lane, positions, ahead, load, visit);
  } else {
    slide_with_steps<Scalar, Set, false>(tracks, lane, positions, ahead, load, visit);
  }
}

/// One pack of lanes, with first lane `lane`: a full one, or the first `count` lanes of one.
template <class Scalar, class Set, bool is_whole>
SYNELIX_INLINE void window_box_pack(const WindowBoxTile<Scalar>& tile, std::int64_t lane,
                                    int count) {
  using Pack = lanes::Pack<Scalar, Set>;
  const auto load = [count](const Scalar* from) __attribute__((always_inline)) {
    return is_whole ? lanes::load_unaligned<Scalar, Set>(from)
                    : lanes::load_part<Scalar, Set>(from, count);
  };
  const auto load_place = [load](const Scalar* from, int)
                              __attribute__((always_inline)) { return load(from); };
  Pack weights[window_taps][window_taps];
  SYNELIX_UNROLL(4)
  for (int i = 0; i < window_taps; ++i) {
    SYNELIX_UNROLL(4)
    for (int k = 0; k < window_taps; ++k) {
      weights[i][k] = load(tile.weights + i * tile.weight_track + k * tile.weight_step + lane);
    }
  }
  const Pack begin = load(tile.from + lane);
  SYNELIX_UNROLL(1)
  for (std::int64_t j = 0; j < tile.lines; ++j) {
    Scalar* to = tile.to + j * tile.to_line + lane;
    const std::int64_t to_position = tile.to_position;
    slide_along<Scalar, Set, is_whole>(
        tile.tracks + j, lane, tile.positions, tile.ahead, load_place,
        [&]<int first>(const auto& window) __attribute__((always_inline)) {
          Pack sum = begin;
          SYNELIX_UNROLL(4)
          for (int i = 0; i < window_taps; ++i) {
            SYNELIX_UNROLL(4)
            for (int k = 0; k < window_taps; ++k) {
              sum = multiply_add(window.template at<first>(i, k), weights[i][k], sum);
            }
          }
          if constexpr (is_whole) {
            lanes::store_unaligned(sum.canonical(), to);
          } else {
            lanes::store_part(sum.canonical(), to, 0, count);
          }
          to += to_position;
        });
  }
}

/// The tile itself. All sums begin with `from` and end here.
template <class Scalar, class Set>
SYNELIX_INLINE void window_box_tile(const WindowBoxTile<Scalar>& tile) {
  constexpr int whole = lanes::Pack<Scalar, Set>::lanes;
  int lane = 0;
  for (; lane + whole <= tile.lanes; lane += whole) {
    window_box_pack<Scalar, Set, true>(tile, lane, whole);
  }
  if (lane < tile.lanes) window_box_pack<Scalar, Set, false>(tile, lane, tile.lanes - lane);
}

/// One pack of lanes: a full one, or the first `count` lanes of one, of which each track has those
/// of `inside`.
template <class Scalar, class Set, bool is_whole>
SYNELIX_INLINE void window_box_weights_pack(const WindowBoxWeightsTile<Scalar>& tile,
                                            std::int64_t lane, int count, const LaneRange* inside) {
  using Pack = lanes::Pack<Scalar, Set>;
  const auto load_place = [inside](const Scalar* from, int track) __attribute__((always_inline)) {
    return is_whole ? lanes::load_unaligned<Scalar, Set>(from)
                    : lanes::load_lanes<Scalar, Set>(from, inside[track].first, inside[track].end);
  };
  Pack sums[window_taps][window_taps];
  Scalar* const all = tile.sums + lane;
  SYNELIX_UNROLL(4)
  for (int i = 0; i < window_taps; ++i) {
    SYNELIX_UNROLL(4)
    for (int k = 0; k < window_taps; ++k) {
      sums[i][k] = lanes::load_unaligned<Scalar, Set>(all + i * tile.sum_track + k * tile.sum_step);
    }
  }
  SYNELIX_UNROLL(1)
  for (std::int64_t j = 0; j < tile.lines; ++j) {
    const Scalar* output_gradient = tile.output_gradient + j * tile.output_gradient_line + lane;
    const std::int64_t position = tile.output_gradient_position;
    const WindowAhead ahead = tile.output_gradient_ahead;
    slide_along<Scalar, Set, is_whole>(
        tile.tracks + j, lane, tile.positions, tile.ahead, load_place,
        [&]<int first>(const auto& window) __attribute__((always_inline)) {
          lanes::prefetch_later(output_gradient + ahead);
          const Pack value = is_whole ? lanes::load_unaligned<Scalar, Set>(output_gradient)
                                      : lanes::load_part<Scalar, Set>(output_gradient, count);
          output_gradient += position;
          SYNELIX_UNROLL(4)
          for (int i = 0; i < window_taps; ++i) {
            SYNELIX_UNROLL(4)
            for (int k = 0; k < window_taps; ++k) {
              sums[i][k] = multiply_add(window.template at<first>(i, k), value, sums[i][k]);
            }
          }
        });
  }
  SYNELIX_UNROLL(4)
  for (int i = 0; i < window_taps; ++i) {
    SYNELIX_UNROLL(4)
    for (int k = 0; k < window_taps; ++k) {
      lanes::store_unaligned(sums[i][k], all + i * tile.sum_track + k * tile.sum_step);
    }
  }
}

/// The tile itself. Sums are full packs. They continue in the order of lines and positions.
template <class Scalar, class Set>
SYNELIX_INLINE void window_box_weights_tile(const WindowBoxWeightsTile<Scalar>& tile) {
  constexpr int whole = lanes::Pack<Scalar, Set>::lanes;
  bool has_whole = true;
  for (int i = 0; tile.inside != nullptr && i < window_taps; ++i) {
    has_whole = has_whole && tile.inside[i].first == 0 && tile.inside[i].end == whole;
  }
  int lane = 0;
  for (; has_whole && lane + whole <= tile.lanes; lane += whole) {
    window_box_weights_pack<Scalar, Set, true>(tile, lane, whole, nullptr);
  }
  if (lane < tile.lanes) {
    const int count = tile.lanes - lane;
    const LaneRange part[] = {{0, count}, {0, count}, {0, count}};
    window_box_weights_pack<Scalar, Set, false>(tile, lane, count,
                                                tile.inside != nullptr ? tile.inside : part);
  }
}

/// The value at a place of a track.
template <class Scalar>
const Scalar* window_place(const WindowTrack<Scalar>& track, std::int64_t place,
                           std::int64_t positions) {
  if (place == 0) return track.first;
  return place <= positions ? track.inner + (place - 1) * track.step : track.last;
}

/// The slow references.
template <class Scalar, class Set>
void window_box_reference(const WindowBoxTile<Scalar>& tile) {
  for (std::int64_t j = 0; j < tile.lines; ++j) {
    for (std::int64_t p = 0; p < tile.positions; ++p) {
      for (int l = 0; l < tile.lanes; ++l) {
        Scalar sum = tile.from[l];
        for (int i = 0; i < window_taps; ++i) {
          for (int k = 0; k < window_taps; ++k) {
            sum = multiply_add(Set{}, window_place(tile.tracks[j + i], p + k, tile.positions)[l],
                               tile.weights[i * tile.weight_track + k * tile.weight_step + l], sum);
          }
        }
        tile.to[j * tile.to_line + p * tile.to_position + l] = lanes::canonical(Set{}, sum);
      }
    }
  }
}

template <class Scalar, class Set>
void window_box_weights_reference(const WindowBoxWeightsTile<Scalar>& tile) {
  for (int l = 0; l < tile.lanes; ++l) {
    for (int i = 0; i < window_taps; ++i) {
      const bool is_inside =
          tile.inside == nullptr || (tile.inside[i].first <= l && l < tile.inside[i].end);
      for (int k = 0; k < window_taps; ++k) {
        Scalar& sum = tile.sums[i * tile.sum_track + k * tile.sum_step + l];
        for (std::int64_t j = 0; j < tile.lines; ++j) {
          for (std::int64_t p = 0; p < tile.positions; ++p) {
            const Scalar* const value = window_place(tile.tracks[j + i], p + k, tile.positions);
            sum = multiply_add(Set{}, is_inside ? value[l] : Scalar(0),
                               tile.output_gradient[j * tile.output_gradient_line +
                                                    p * tile.output_gradient_position + l],
                               sum);
          }
        }
      }
    }
  }
}

}  // namespace synelix::tile
