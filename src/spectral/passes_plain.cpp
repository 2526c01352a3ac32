// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spectral/fill.hpp"

namespace synelix::spectral {

constinit const PassTable<float> float_passes_plain = make_table<float, lanes::Plain>();
constinit const PassTable<double> double_passes_plain = make_table<double, lanes::Plain>();

}  // namespace synelix::spectral
