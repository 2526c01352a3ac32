// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// The functions of packs over arrays, one table for each instruction set, so that a test can call
/// those of a set that it is not itself compiled for.

namespace lane_functions {

using Apply = void (*)(const double* from, std::int64_t count, double* to);

struct Functions {
  int lanes;
  Apply exp;
  Apply log;
  Apply log1p;
  Apply mills_ratio;
};

/// Defined in lane_functions.cpp.in.
template <class Set>
const Functions& functions_for();

}  // namespace lane_functions
