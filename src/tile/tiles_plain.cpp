// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/fill.hpp"

namespace synelix::tile {

constinit const TileTable<float> float_tiles_plain = make_table<float, lanes::Plain>();
constinit const TileTable<double> double_tiles_plain = make_table<double, lanes::Plain>();

}  // namespace synelix::tile
