// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Halves and other short floats, by their bits.
#pragma once

#include <cstdint>

namespace emulator {

float from_half(std::uint16_t half);
std::uint16_t to_half(double value);  ///< to the nearest, ties to even
float from_bfloat(std::uint16_t bits);
std::uint16_t to_bfloat(float value);

}  // namespace emulator
