// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/matrix_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace oracle {

ProductValues product_of(const std::vector<double>& a, const std::vector<double>& b,
                         std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  ProductValues result;
  const auto at = [](const std::vector<double>& values, std::int64_t i, std::int64_t j,
                     std::int64_t row) { return values[static_cast<std::size_t>(i * row + j)]; };
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t k = 0; k < inner; ++k) {
        const double term = at(a, i, k, inner) * at(b, k, j, columns);
        sum += term;
        magnitude += std::fabs(term);
      }
      result.values.push_back(sum);
      result.most = std::max(result.most, magnitude);
    }
  }
  return result;
}

}  // namespace oracle
