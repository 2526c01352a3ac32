// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/fill.hpp"

namespace synelix::tile {

constinit const TileTable<float> float_tiles_avx512 = make_table<float, lanes::Avx512>();
constinit const TileTable<double> double_tiles_avx512 = make_table<double, lanes::Avx512>();

}  // namespace synelix::tile
