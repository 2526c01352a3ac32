// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/matrix.hpp"

#include <algorithm>
#include <cstdint>

/// \file
/// What matrix products cost, and which of them the vendor's library is asked for.

namespace synelix::chooser {

/// Multiply-adds of single values that a part of a product stands for.
constexpr double cost_of_part(std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner) +
         tune::matrix_part;
}

/// Whether a product is so large that the vendor's library is asked by default.
constexpr bool is_large_product(std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  const double multiply_adds =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner);
  return multiply_adds >= tune::library_product &&
         std::min({rows, columns, inner}) >= tune::library_extent;
}

}  // namespace synelix::chooser
