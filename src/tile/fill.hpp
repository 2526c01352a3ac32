// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/half.hpp"
#include "tile/bank.hpp"
#include "tile/convert.hpp"
#include "tile/depthwise.hpp"
#include "tile/direct.hpp"
#include "tile/dot.hpp"
#include "tile/event_products.hpp"
#include "tile/events.hpp"
#include "tile/flat.hpp"
#include "tile/line.hpp"
#include "tile/matrix.hpp"
#include "tile/output.hpp"
#include "tile/row_products.hpp"
#include "tile/slide.hpp"
#include "tile/table.hpp"
#include "tile/transpose.hpp"
#include "tile/window_box.hpp"
#include "tune/conv_sizes.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// Fills the tables of tiles, of products of rows and of products with events, of one instruction
/// set; tiles.cpp.in includes this.

namespace synelix::tile {

template <class Scalar, class Set, int rows>
void direct(const DirectTile<Scalar>& arguments) {
  direct_tile<Scalar, Set, rows>(arguments);
}

template <class Scalar, class Set, int count, Stores stores>
void bank(const BankTile<Scalar>& tile) {
  bank_tile<Scalar, Set, tune::tile_rows, count, stores>(tile);
}

template <class Scalar, class Set>
void flat(const FlatTile<Scalar>& tile) {
  flat_tile<Scalar, Set>(tile);
}

template <class Scalar, class Set, int bases>
void line(const LineTile<Scalar>& tile) {
  line_tile<Scalar, Set, bases>(tile);
}

template <class Scalar, class Set, int rows, int packs>
void matrix(const MatrixTile<Scalar>& tile) {
  matrix_tile<Scalar, Set, Set, rows, packs>(tile);
}

template <class Scalar, class Set, int rows, int packs>
void matrix_half(const MatrixTile<Scalar>& tile) {
  matrix_tile<Scalar, Set, typename lanes::HalfOf<Set>::Type, rows, packs>(tile);
}

template <class Scalar, class Set, int rows, bool shares>
void depthwise(const DepthwiseTile<Scalar>& tile) {
  depthwise_tile<Scalar, Set, rows, shares>(tile);
}

template <class Scalar, class Set, int rows, int width>
void slide(const DepthwiseTile<Scalar>& tile) {
  slide_tile<Scalar, Set, rows, width>(tile);
}

template <class Scalar, class Set, int rows>
void plane(const PlaneTile<Scalar>& tile) {
  plane_tile<Scalar, Set, rows>(tile);
}

template <class Scalar, class Set, int taps>
void depthwise_weights(const DepthwiseWeightsTile<Scalar>& tile) {
  depthwise_weights_tile<Scalar, Set, taps>(tile);
}

template <class Scalar, class Set>
void window_box(const WindowBoxTile<Scalar>& tile) {
  window_box_tile<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void window_box_weights(const WindowBoxWeightsTile<Scalar>& tile) {
  window_box_weights_tile<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void transpose(const TransposeTile<Scalar>& tile) {
  transpose_tile<Scalar, Set>(tile);
}

template <class Stored, class Set>
void convert(const ConvertTile& tile) {
  convert_tile<Stored, Set>(tile);
}

template <class Scalar, class Set>
void dot(const DotTile<Scalar>& tile) {
  dot_tile<Scalar, Set>(tile);
}

template <class Scalar, class Set, int count, Stores stores>
void spread_out(const Spread<Scalar>& arguments) {
  spread<Scalar, Set, count, stores>(arguments);
}

template <class Scalar, class Set>
void copy_rows(const Copy<Scalar>& arguments, Stores stores) {
  copy<Scalar, Set>(arguments, stores);
}

template <class Scalar, class Set>
void store_rows(const Copy<Scalar>& arguments, Stores stores) {
  store_copy<Scalar, Set>(arguments, stores);
}

template <class Scalar, class Set>
bool all_finite(const Scalar* packs, std::int64_t count) {
  return is_finite<Scalar, Set>(packs, count);
}

template <class Scalar, class Set>
void event(const EventRows<Scalar>& tile, Scalar count) {
  add_event<Scalar, Set>(tile, count);
}

template <class Set>
void fence() {
  lanes::fence_streams();
}

template <class Scalar, class Set, int power = 0>
constexpr void fill_rows(TileTable<Scalar>& table) {
  table.direct[power] = &direct<Scalar, Set, 1 << power>;
  table.row_powers = power + 1;
  if constexpr (2 << power <= tune::rows_in_registers(Set::registers)) {
    fill_rows<Scalar, Set, power + 1>(table);
  }
}

template <class Scalar, class Set, Stores stores, int count = 1>
constexpr void fill_banks(TileTable<Scalar>& table) {
  if constexpr (tune::rows_in_registers(Set::registers) == tune::tile_rows) {
    table.bank[way_of(stores)][count] = &bank<Scalar, Set, count, stores>;
    if constexpr (count < tune::most_bank_packs) fill_banks<Scalar, Set, stores, count + 1>(table);
  }
}

template <class Scalar, class Set, Stores stores, int count = 1>
constexpr void fill_spreads(TileTable<Scalar>& table) {
  table.spread[way_of(stores)][count] = &spread_out<Scalar, Set, count, stores>;
  if constexpr (count < tune::most_bases) fill_spreads<Scalar, Set, stores, count + 1>(table);
}

/// The functions that store results, for each kind of stores.
template <class Scalar, class Set, int way = 0>
constexpr void fill_stores(TileTable<Scalar>& table) {
  fill_banks<Scalar, Set, static_cast<Stores>(way)>(table);
  fill_spreads<Scalar, Set, static_cast<Stores>(way)>(table);
  if constexpr (way + 1 < ways_of_stores) fill_stores<Scalar, Set, way + 1>(table);
}

template <class Scalar, class Set, int bases = 1>
constexpr void fill_lines(TileTable<Scalar>& table) {
  table.line[bases] = &line<Scalar, Set, bases>;
  if constexpr (bases < tune::most_line_bases) fill_lines<Scalar, Set, bases + 1>(table);
}

template <class Scalar, class Set, int packs = 1, int rows = 1>
constexpr void fill_matrices(TileTable<Scalar>& table) {
  table.matrix[packs][rows] = &matrix<Scalar, Set, rows, packs>;
  if constexpr (lanes::has_half<Set>) {
    table.half_lanes = Set::bytes / 2 / static_cast<int>(sizeof(Scalar));
    table.matrix_half[packs][rows] = &matrix_half<Scalar, Set, rows, packs>;
  }
  if constexpr (rows < tune::matrix_rows(Set::registers, packs)) {
    fill_matrices<Scalar, Set, packs, rows + 1>(table);
  } else {
    table.matrix_packs = packs;
    table.matrix_rows[packs] = rows;
    if constexpr (packs < tune::matrix_packs(Set::registers)) {
      fill_matrices<Scalar, Set, packs + 1>(table);
    }
  }
}

template <class Scalar, class Set, int rows = 1>
constexpr void fill_depthwise(TileTable<Scalar>& table) {
  table.depthwise[rows] = &depthwise<Scalar, Set, rows, false>;
  table.depthwise_shared[rows] = &depthwise<Scalar, Set, rows, true>;
  if constexpr (rows < tune::most_depthwise_rows) fill_depthwise<Scalar, Set, rows + 1>(table);
}

template <class Scalar, class Set, int taps = 1>
constexpr void fill_weights(TileTable<Scalar>& table) {
  table.depthwise_weights[taps] = &depthwise_weights<Scalar, Set, taps>;
  if constexpr (taps < tune::most_weight_taps) fill_weights<Scalar, Set, taps + 1>(table);
}

template <class Scalar, class Set, int i = 0>
constexpr void fill_slides(TileTable<Scalar>& table) {
  constexpr int rows = tune::slide_rows(Set::registers);
  constexpr int width = tune::slide_widths[i];
  table.slide_rows = rows;
  table.slide[width] = &slide<Scalar, Set, rows, width>;
  table.plane = &plane<Scalar, Set, rows>;
  if constexpr (width < tune::most_slide_width) fill_slides<Scalar, Set, i + 1>(table);
}

template <class Scalar, class Set>
constexpr void fill_window_boxes(TileTable<Scalar>& table) {
  if constexpr (Set::registers >= tune::window_box_registers) {
    table.window_box = &window_box<Scalar, Set>;
    table.window_box_weights = &window_box_weights<Scalar, Set>;
  }
}

/// Without a fused multiply-add, scale and offset in two floats are no more exact than in one.
template <class Set>
constexpr void fill_converters(TileTable<float>& table) {
  if constexpr (Set::is_fused) {
    table.convert_int8 = &convert<std::int8_t, Set>;
    table.convert_uint8 = &convert<std::uint8_t, Set>;
    table.convert_int16 = &convert<std::int16_t, Set>;
    table.convert_uint16 = &convert<std::uint16_t, Set>;
  }
}
template <class Set>
constexpr void fill_converters(TileTable<double>& table) {
  static_cast<void>(table);  // none
}

/// The table of a set: a constant.
template <class Scalar, class Set>
constexpr TileTable<Scalar> make_table() {
  TileTable<Scalar> table{};
  table.lanes = Set::bytes / static_cast<int>(sizeof(Scalar));
  table.flat = &flat<Scalar, Set>;
  table.dot = &dot<Scalar, Set>;
  table.copy = &copy_rows<Scalar, Set>;
  table.store_copy = &store_rows<Scalar, Set>;
  table.transpose = &transpose<Scalar, Set>;
  table.is_finite = &all_finite<Scalar, Set>;
  table.add_event = &event<Scalar, Set>;
  table.fence_streams = &fence<Set>;
  fill_rows<Scalar, Set>(table);
  fill_stores<Scalar, Set>(table);
  fill_lines<Scalar, Set>(table);
  fill_matrices<Scalar, Set>(table);
  fill_depthwise<Scalar, Set>(table);
  fill_slides<Scalar, Set>(table);
  fill_weights<Scalar, Set>(table);
  fill_window_boxes<Scalar, Set>(table);
  fill_converters<Set>(table);
  return table;
}

template <class Scalar, class Set>
const TileTable<Scalar>& table_for() {
  static constexpr TileTable<Scalar> table = make_table<Scalar, Set>();
  return table;
}

template <class Feature, class Scalar, class Set>
void run_row_dots(const RowDots<Feature, Scalar>& tile) {
  row_dots<Feature, Scalar, Set>(tile);
}
template <class Feature, class Scalar, class Set>
void run_row_sums(const RowSums<Feature, Scalar>& tile) {
  row_sums<Feature, Scalar, Set>(tile);
}
template <class Feature, class Scalar, class Set>
void run_scaled_rows(const ScaledRows<Feature, Scalar>& tile) {
  scaled_rows<Feature, Scalar, Set>(tile);
}

/// Adds sums of lower precision to those of higher precision.
template <class Scalar, class Set>
void add_sums(const Scalar* from, double* to, std::int64_t count) {
  constexpr int lanes = lanes::Pack<double, Set>::lanes;
  std::int64_t i = 0;
  SYNELIX_UNROLL(4)
  for (; i + lanes <= count; i += lanes) {
    const auto sum =
        lanes::load_unaligned<double, Set>(to + i) + lanes::load_as<double, Set>(from + i);
    lanes::store_unaligned(sum, to + i);
  }
  for (; i < count; ++i) to[i] += static_cast<double>(from[i]);
}

template <class Feature, class Scalar, class Set>
const RowTable<Feature, Scalar>& row_table_for() {
  static constexpr RowTable<Feature, Scalar> table{
      &run_row_dots<Feature, Scalar, Set>, &run_row_sums<Feature, Scalar, Set>,
      &run_scaled_rows<Feature, Scalar, Set>, &add_sums<Scalar, Set>};
  return table;
}

template <class Scalar, class Set>
void scatter(const EventWindows<Scalar>& tile) {
  scatter_windows<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void gather(const EventWindows<Scalar>& tile) {
  gather_windows<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void pairs(const EventPairs<Scalar>& tile) {
  add_pairs<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void lag_products(const LagProducts<Scalar>& tile) {
  multiply_lags<Scalar, Set>(tile);
}

template <class Scalar, class Set>
const EventTable<Scalar>& event_table_for() {
  static constexpr EventTable<Scalar> table = {lanes::Pack<Scalar, Set>::lanes,
                                               &scatter<Scalar, Set>, &gather<Scalar, Set>,
                                               &pairs<Scalar, Set>, &lag_products<Scalar, Set>};
  return table;
}

}  // namespace synelix::tile
