// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"

namespace ground {

constinit const TileReference<float> float_reference_avx2 =
    make_reference<float, synelix::lanes::Avx2>();
constinit const TileReference<double> double_reference_avx2 =
    make_reference<double, synelix::lanes::Avx2>();

}  // namespace ground
