// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"

namespace ground {

constinit const TileReference<float> float_reference_plain =
    make_reference<float, synelix::lanes::Plain>();
constinit const TileReference<double> double_reference_plain =
    make_reference<double, synelix::lanes::Plain>();

}  // namespace ground
