// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/gram_model.hpp"

#include "glm/algebra/cholesky.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace synelix::glm {

GramModel make_gram_model(const Tiles& tiles, std::int64_t size, std::vector<double> gram,
                          std::span<const double> ridge, double curvature) {
  GramModel model{size, std::move(gram), curvature, {}};
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, model.gram[i * size + i]);
  const double unit = largest > 0 ? largest : 1.0;
  constexpr double first_shift = 1e-10;
  for (double shift = 0; shift < 1e3; shift = shift == 0 ? first_shift : shift * 100) {
    model.factor = model.gram;
    for (std::int64_t i = 0; i < size; ++i) {
      const auto j = static_cast<std::size_t>(i);
      model.factor[i * size + i] += shift * unit + (j < ridge.size() ? ridge[j] / curvature : 0.0);
    }
    if (factor_cholesky(tiles, size, model.factor.data(), size) < 0) break;
  }
  return model;
}

}  // namespace synelix::glm
