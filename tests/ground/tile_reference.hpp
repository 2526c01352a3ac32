// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/interleave.hpp"
#include "tile/column.hpp"
#include "tile/depthwise.hpp"
#include "tile/direct.hpp"
#include "tile/dot.hpp"
#include "tile/event_products.hpp"
#include "tile/events.hpp"
#include "tile/flat.hpp"
#include "tile/line.hpp"
#include "tile/matrix.hpp"
#include "tile/output.hpp"
#include "tile/slide.hpp"
#include "tile/transpose.hpp"
#include "tile/window_box.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// The slow references of the tiles for one instruction set, as functions, and the operations of
/// its packs: a test uses only sets that the processor has. Compiled with the set's flags, and like
/// the tiles without templates that another file could share.

namespace ground {

template <class Scalar>
struct TileReference {
  void (*direct)(const synelix::tile::DirectTile<Scalar>&, int rows, int lanes);
  void (*flat)(const synelix::tile::FlatTile<Scalar>&);
  void (*line)(const synelix::tile::LineTile<Scalar>&, int bases, int lanes);
  void (*column)(const synelix::tile::ColumnTile<Scalar>&, int bases, int step);
  void (*matrix)(const synelix::tile::MatrixTile<Scalar>&, int rows, int packs, int lanes,
                 int last_lanes);
  void (*depthwise)(const synelix::tile::DepthwiseTile<Scalar>&, int rows, bool shares);
  void (*slide)(const synelix::tile::DepthwiseTile<Scalar>&, int rows, int width);
  void (*plane)(const synelix::tile::PlaneTile<Scalar>&, int rows);
  void (*depthwise_weights)(const synelix::tile::DepthwiseWeightsTile<Scalar>&, int taps);
  void (*window_box)(const synelix::tile::WindowBoxTile<Scalar>&);
  void (*window_box_weights)(const synelix::tile::WindowBoxWeightsTile<Scalar>&);
  void (*transpose)(const synelix::tile::TransposeTile<Scalar>&);
  void (*dot)(const synelix::tile::DotTile<Scalar>&, int lanes);
  void (*store_copy)(const synelix::tile::Copy<Scalar>&);
  void (*add_event)(const synelix::tile::EventRows<Scalar>&, Scalar count);
  void (*scatter_windows)(const synelix::tile::EventWindows<Scalar>&, int lanes);
  void (*gather_windows)(const synelix::tile::EventWindows<Scalar>&, int lanes);
  int lanes;
  int registers;
  void (*multiply_add)(const Scalar* a, const Scalar* b, Scalar* c);  ///< c = a b + c, one pack
  void (*broadcast)(Scalar value, Scalar* to);                        ///< one pack
  void (*interleave)(int count, Scalar* packs);                       ///< `count` packs
};

/// Defined in tile_reference.cpp.in, compiled for each set of the build.
template <class Scalar, class Set>
const TileReference<Scalar>& reference_for();

template <class Scalar, class Set>
void reference_direct(const synelix::tile::DirectTile<Scalar>& arguments, int rows, int lanes) {
  synelix::tile::direct_tile_reference<Scalar, Set>(arguments, rows, lanes);
}

template <class Scalar, class Set>
void reference_flat(const synelix::tile::FlatTile<Scalar>& tile) {
  for (std::int64_t i = 0; i < tile.rows * tile.bases; ++i) {
    tile.results[i] = synelix::tile::flat_value<Scalar, Set>(tile, i / tile.bases, i % tile.bases);
  }
}

template <class Scalar, class Set>
void reference_depthwise(const synelix::tile::DepthwiseTile<Scalar>& tile, int rows, bool shares) {
  synelix::tile::depthwise_reference<Scalar, Set>(tile, rows, shares);
}

template <class Scalar, class Set>
void reference_slide(const synelix::tile::DepthwiseTile<Scalar>& tile, int rows, int width) {
  synelix::tile::slide_reference<Scalar, Set>(tile, rows, width);
}

template <class Scalar, class Set>
void reference_plane(const synelix::tile::PlaneTile<Scalar>& tile, int rows) {
  synelix::tile::plane_reference<Scalar, Set>(tile, rows);
}

template <class Scalar, class Set>
void reference_depthwise_weights(const synelix::tile::DepthwiseWeightsTile<Scalar>& tile,
                                 int taps) {
  synelix::tile::depthwise_weights_reference<Scalar, Set>(tile, taps);
}

template <class Scalar, class Set>
void reference_window_box(const synelix::tile::WindowBoxTile<Scalar>& tile) {
  synelix::tile::window_box_reference<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void reference_window_box_weights(const synelix::tile::WindowBoxWeightsTile<Scalar>& tile) {
  synelix::tile::window_box_weights_reference<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void reference_transpose(const synelix::tile::TransposeTile<Scalar>& tile) {
  synelix::tile::transpose_reference<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void reference_line(const synelix::tile::LineTile<Scalar>& tile, int bases, int lanes) {
  synelix::tile::line_tile_reference<Scalar, Set>(tile, bases, lanes);
}

template <class Scalar, class Set>
void reference_column(const synelix::tile::ColumnTile<Scalar>& tile, int bases, int step) {
  synelix::tile::column_tile_reference<Scalar, Set>(tile, bases, step);
}

template <class Scalar, class Set>
void reference_matrix(const synelix::tile::MatrixTile<Scalar>& tile, int rows, int packs, int lanes,
                      int last_lanes) {
  synelix::tile::matrix_reference<Scalar, Set>(tile, rows, packs, lanes, last_lanes);
}

template <class Scalar, class Set>
void reference_dot(const synelix::tile::DotTile<Scalar>& tile, int lanes) {
  synelix::tile::dot_reference<Scalar, Set>(tile, lanes);
}

/// From the last value to the first, so that no loop is the tile's.
template <class Scalar, class Set>
void reference_event(const synelix::tile::EventRows<Scalar>& tile, Scalar count) {
  for (std::int64_t i = tile.rows * tile.width - 1; i >= 0; --i) {
    const std::int64_t row = i / tile.width;
    const std::int64_t k = i % tile.width;
    const volatile Scalar tap = tile.taps[row * tile.taps_step + k];
    Scalar& sum = tile.sums[row * tile.sums_step + k];
    sum = multiply_add(Set{}, count, tap, sum);
  }
}

template <class Scalar, class Set>
void reference_scatter(const synelix::tile::EventWindows<Scalar>& tile, int lanes) {
  synelix::tile::scatter_reference<Scalar, Set>(tile, lanes);
}

template <class Scalar, class Set>
void reference_gather(const synelix::tile::EventWindows<Scalar>& tile, int lanes) {
  synelix::tile::gather_reference<Scalar, Set>(tile, lanes);
}

template <class Scalar, class Set>
void reference_store_copy(const synelix::tile::Copy<Scalar>& rows) {
  synelix::tile::store_copy_reference<Scalar, Set>(rows);
}

template <class Scalar, class Set>
void pack_multiply_add(const Scalar* a, const Scalar* b, Scalar* c) {
  using Pack = synelix::lanes::Pack<Scalar, Set>;
  multiply_add(Pack::load(a), Pack::load(b), Pack::load(c)).store(c);
}

template <class Scalar, class Set>
void pack_broadcast(Scalar value, Scalar* to) {
  synelix::lanes::Pack<Scalar, Set>::broadcast(value).store(to);
}

template <int count, class Scalar, class Set>
void interleave_packs(Scalar* values) {
  using Pack = synelix::lanes::Pack<Scalar, Set>;
  Pack packs[count];
  for (int i = 0; i < count; ++i) packs[i] = Pack::load(values + i * Pack::lanes);
  interleave(packs);  // found by its argument: a compiler for devices has none
  for (int i = 0; i < count; ++i) packs[i].store(values + i * Pack::lanes);
}

template <class Scalar, class Set, int most = 1>
void pack_interleave(int count, Scalar* values) {
  if (count == most) {
    interleave_packs<most, Scalar, Set>(values);
  } else if constexpr (most < synelix::tune::most_bases) {
    pack_interleave<Scalar, Set, most + 1>(count, values);
  }
}

template <class Scalar, class Set>
constexpr TileReference<Scalar> make_reference() {
  return {&reference_direct<Scalar, Set>,
          &reference_flat<Scalar, Set>,
          &reference_line<Scalar, Set>,
          &reference_column<Scalar, Set>,
          &reference_matrix<Scalar, Set>,
          &reference_depthwise<Scalar, Set>,
          &reference_slide<Scalar, Set>,
          &reference_plane<Scalar, Set>,
          &reference_depthwise_weights<Scalar, Set>,
          &reference_window_box<Scalar, Set>,
          &reference_window_box_weights<Scalar, Set>,
          &reference_transpose<Scalar, Set>,
          &reference_dot<Scalar, Set>,
          &reference_store_copy<Scalar, Set>,
          &reference_event<Scalar, Set>,
          &reference_scatter<Scalar, Set>,
          &reference_gather<Scalar, Set>,
          Set::bytes / static_cast<int>(sizeof(Scalar)),
          Set::registers,
          &pack_multiply_add<Scalar, Set>,
          &pack_broadcast<Scalar, Set>,
          &pack_interleave<Scalar, Set>};
}

}  // namespace ground
