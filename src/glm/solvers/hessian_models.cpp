// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/hessian_models.hpp"

#include "glm/algebra/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::glm {
namespace {

constexpr double first_shift = 1e-3;
constexpr double next_shift = 4;
constexpr double most_shift = 1e12;

/// A block of hessian + ridge.
std::vector<double> block_of(const FreeParameters& free, std::int64_t block,
                             std::span<const double> hessian) {
  const std::int64_t n = free.size_of(block);
  const double* const from = hessian.data() + free.hessian_begin(block);
  std::vector<double> matrix(from, from + n * n);
  const std::vector<double>& ridge = free.penalty().ridge;
  if (!ridge.empty()) {
    for (std::int64_t i = 0; i < n; ++i) matrix[i * n + i] += ridge[free.begin(block) + i];
  }
  return matrix;
}

/// The addition to the diagonal for a shift of 1: its size, or a little where that is 0.
std::vector<double> shifts_of(std::int64_t n, const std::vector<double>& matrix) {
  std::vector<double> shifts(n);
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    shifts[i] = std::fabs(matrix[i * n + i]);
    largest = std::max(largest, shifts[i]);
  }
  for (double& shift : shifts) shift = std::max(shift, 1e-6 * largest);
  return shifts;
}

}  // namespace

Definite SmoothModel::factor(const Tiles& tiles, const FreeParameters& free,
                             std::span<const double> hessian, double tolerance) {
  m_factors.assign(free.blocks(), {});
  Definite worst = Definite::positive;
  for (std::int64_t block = 0; block < free.blocks(); ++block) {
    const std::int64_t n = free.size_of(block);
    std::vector<double> matrix = block_of(free, block, hessian);
    const Definite kind = m_factors[block].factor(tiles, n, matrix, tolerance);
    worst = std::max(worst, kind);
    if (kind != Definite::indefinite) continue;
    const std::vector<double> shifts = shifts_of(n, matrix);
    double added = 0;
    double shift = first_shift;
    while (shift < most_shift) {
      for (std::int64_t i = 0; i < n; ++i) matrix[i * n + i] += (shift - added) * shifts[i];
      added = shift;
      if (m_factors[block].factor(tiles, n, matrix, tolerance) == Definite::positive) break;
      shift *= next_shift;
    }
  }
  return worst;
}

void SmoothModel::solve(std::vector<double>& values) const {
  double* part = values.data();
  for (const SemidefiniteFactor& factor : m_factors) {
    factor.solve(part);
    part += factor.size();
  }
}

void make_convex(const Tiles& tiles, const FreeParameters& free, std::vector<double>& hessian) {
  for (std::int64_t block = 0; block < free.blocks(); ++block) {
    const std::int64_t n = free.size_of(block);
    const std::vector<double> matrix = block_of(free, block, hessian);
    const std::vector<double> shifts = shifts_of(n, matrix);
    double* const to = hessian.data() + free.hessian_begin(block);
    // A shift too small to affect a step suffices against rounding in a matrix without full rank.
    constexpr double unnoticed = 1e-8;
    double shift = unnoticed;
    while (shift < most_shift) {
      std::vector<double> factor = matrix;
      for (std::int64_t i = 0; i < n; ++i) factor[i * n + i] += shift * shifts[i];
      if (factor_cholesky(tiles, n, factor.data(), n) < 0) {
        if (shift > unnoticed) {
          for (std::int64_t i = 0; i < n; ++i) to[i * n + i] += shift * shifts[i];
        }
        break;
      }
      shift = shift == unnoticed ? first_shift : shift * next_shift;
    }
  }
}

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
