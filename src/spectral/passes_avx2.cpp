// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spectral/fill.hpp"

namespace synelix::spectral {

constinit const PassTable<float> float_passes_avx2 = make_table<float, lanes::Avx2>();
constinit const PassTable<double> double_passes_avx2 = make_table<double, lanes::Avx2>();

}  // namespace synelix::spectral
