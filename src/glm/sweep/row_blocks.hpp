// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/fit.hpp"

#include <cstdint>

namespace synelix::sweep {

/// Rows of a block: fewer where so many would fill more than a panel of some megabytes.
constexpr std::int64_t block_rows_of(std::int64_t columns) {
  std::int64_t rows = tune::fit_block_rows;
  while (rows > tune::fit_tile_rows && rows * columns > tune::fit_block_values) rows /= 2;
  return rows;
}

}  // namespace synelix::sweep
