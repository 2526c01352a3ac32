// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/direct.hpp"
#include "tune/tiles.hpp"

#include <cstdint>

/// \file
/// `TileTable`: the tiles of one instruction set as functions. The files that fill the tables are
/// compiled once for each set, and include neither Kokkos nor templates of the standard library.

namespace synelix::tile {

/// The tiles of one instruction set and scalar type.
template <class Scalar>
struct TileTable {
  static constexpr int most_bases = tune::most_bases;
  using Direct = void (*)(const DirectTile<Scalar>&);
  using AddEvent = void (*)(Scalar*, const Scalar*, Scalar, std::int64_t);

  int lanes;                      ///< values of a pack
  int bases;                      ///< most bases of a direct tile
  int packs[most_bases + 1];      ///< packs of the direct tile of b bases
  Direct direct[most_bases + 1];  ///< the direct tile of b bases and packs[b] packs
  Direct single[most_bases + 1];  ///< the direct tile of b bases and one pack
  AddEvent add_event;
};

extern const TileTable<float> float_tiles_plain;
extern const TileTable<double> double_tiles_plain;
extern const TileTable<float> float_tiles_avx2;
extern const TileTable<double> double_tiles_avx2;
extern const TileTable<float> float_tiles_avx512;
extern const TileTable<double> double_tiles_avx512;

}  // namespace synelix::tile
