// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

/// \file
/// Matrix products as three loops.

namespace oracle {

/// A product of (rows, inner) and (inner, columns) matrices, last index fastest, and a bound for
/// the sum of each value's magnitudes.
struct ProductValues {
  std::vector<double> values;
  double most = 0;
};
ProductValues product_of(const std::vector<double>& a, const std::vector<double>& b,
                         std::int64_t rows, std::int64_t inner, std::int64_t columns);

}  // namespace oracle
