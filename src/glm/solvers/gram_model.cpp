// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/gram_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::glm {

std::vector<double> ridge_beside_gram(const FreeParameters& free, double curvature) {
  std::vector<double> ridge = free.penalty().ridge;
  const double most = ridge.empty() ? 0 : *std::max_element(ridge.begin(), ridge.end());
  if (!(most > 0) || !(curvature > 0)) return {};
  const double rounded = std::exp2(2 * std::round(std::log2(most / curvature) / 2));
  for (double& value : ridge) value = value / most * rounded;
  return ridge;
}

std::shared_ptr<const GramFactor> make_gram_factor(const Tiles& tiles, const FreeParameters& free,
                                                   const GramModel& model,
                                                   std::vector<double> ridge) {
  auto made = std::make_shared<GramFactor>();
  made->index = free.index();
  made->ridge = std::move(ridge);
  const std::int64_t n = free.size();
  std::vector<double> matrix;
  free.gather_gram(model.gram, 1.0, matrix);
  for (std::size_t i = 0; i < made->ridge.size(); ++i) {
    matrix[i * static_cast<std::size_t>(n + 1)] += made->ridge[i];
  }
  const Definite kind = made->factor.factor(tiles, n, matrix, numeric_rank_tolerance(n));
  return kind == Definite::indefinite ? nullptr : made;
}

}  // namespace synelix::glm
