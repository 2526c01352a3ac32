// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/bank.hpp"
#include "tile/convert.hpp"
#include "tile/depthwise.hpp"
#include "tile/direct.hpp"
#include "tile/dot.hpp"
#include "tile/events.hpp"
#include "tile/flat.hpp"
#include "tile/line.hpp"
#include "tile/matrix.hpp"
#include "tile/output.hpp"
#include "tile/slide.hpp"
#include "tile/transpose.hpp"
#include "tile/window_box.hpp"
#include "tune/conv_sizes.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// `TileTable`: the tiles of one instruction set as functions. The files that fill the tables are
/// compiled once for each set, and include neither Kokkos nor templates of the standard library.

namespace synelix::tile {

/// The tiles of one instruction set and scalar type.
template <class Scalar>
struct TileTable {
  static constexpr int row_steps = 5;  ///< tiles of 1, 2, 4, 8, 16 rows
  using Direct = void (*)(const DirectTile<Scalar>&);
  using Bank = void (*)(const BankTile<Scalar>&);
  using Flat = void (*)(const FlatTile<Scalar>&);
  using Line = void (*)(const LineTile<Scalar>&);
  using Matrix = void (*)(const MatrixTile<Scalar>&);
  using Depthwise = void (*)(const DepthwiseTile<Scalar>&);
  using Plane = void (*)(const PlaneTile<Scalar>&);
  using DepthwiseWeights = void (*)(const DepthwiseWeightsTile<Scalar>&);
  using WindowBox = void (*)(const WindowBoxTile<Scalar>&);
  using WindowBoxWeights = void (*)(const WindowBoxWeightsTile<Scalar>&);
  using Transpose = void (*)(const TransposeTile<Scalar>&);
  using Convert = void (*)(const ConvertTile&);
  using Dot = void (*)(const DotTile<Scalar>&);
  using SpreadOut = void (*)(const Spread<Scalar>&);
  using CopyRows = void (*)(const Copy<Scalar>&, Stores);
  using IsFinite = bool (*)(const Scalar*, std::int64_t);
  using AddEvent = void (*)(const EventRows<Scalar>&, Scalar);

  int lanes;                 ///< values of a pack
  int row_powers;            ///< number of direct tiles: of 1, 2, ..., 2^(row_powers - 1) rows
  Direct direct[row_steps];  ///< the direct tile of 2^k rows
  /// The bank tile while groups of that many packs are stored, by the kind of stores; null: the set
  /// has none.
  Bank bank[ways_of_stores][tune::most_bank_packs + 1];
  Flat flat;
  Line line[tune::most_line_bases + 1];          ///< the line tile by number of bases
  int matrix_packs;                              ///< most packs of a matrix tile
  int matrix_rows[tune::most_matrix_packs + 1];  ///< most rows of one by number of packs
  Matrix matrix[tune::most_matrix_packs + 1][tune::most_matrix_rows + 1];  ///< (packs, rows)
  Depthwise depthwise[tune::most_depthwise_rows + 1];                      ///< by number of rows
  Depthwise depthwise_shared[tune::most_depthwise_rows + 1];  ///< the same, lanes share weights
  Convert convert_int8;  ///< integers to floats; null: the set has none
  Convert convert_uint8;
  Convert convert_int16;
  Convert convert_uint16;
  Dot dot;
  SpreadOut spread[ways_of_stores][tune::most_bases + 1];  ///< by number of packs of a group
  CopyRows copy;
  CopyRows store_copy;
  IsFinite is_finite;
  AddEvent add_event;
  void (*fence_streams)();
  int half_lanes;  ///< of a pack of half a register; 0: the set has none
  /// The matrix tile whose last pack is half a register.
  Matrix matrix_half[tune::most_matrix_packs + 1][tune::most_matrix_rows + 1];
  int slide_rows;                               ///< rows of tiles whose windows slide
  Depthwise slide[tune::most_slide_width + 1];  ///< by number of taps; null: none
  Plane plane;
  DepthwiseWeights depthwise_weights[tune::most_weight_taps + 1];  ///< by number of taps
  Transpose transpose;
  WindowBox window_box;  ///< null: the set has too few registers
  WindowBoxWeights window_box_weights;
};

/// The table of a set, a constant. Defined in tile/fill.hpp, compiled for each set of the build.
template <class Scalar, class Set>
const TileTable<Scalar>& table_for();

}  // namespace synelix::tile
