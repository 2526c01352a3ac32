// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/algebra/semidefinite.hpp"

#include "glm/algebra/cholesky.hpp"
#include "vocabulary/missing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace synelix::glm {
namespace {

/// Exchanges rows and columns i < j of a symmetric matrix of which the lower triangle is stored.
void exchange(std::int64_t size, std::vector<double>& a, std::int64_t i, std::int64_t j) {
  const auto at = [&](std::int64_t r, std::int64_t c) -> double& { return a[r * size + c]; };
  std::swap_ranges(&at(i, 0), &at(i, 0) + i, &at(j, 0));
  std::swap(at(i, i), at(j, j));
  for (std::int64_t k = i + 1; k < j; ++k) std::swap(at(k, i), at(j, k));
  for (std::int64_t k = j + 1; k < size; ++k) std::swap(at(k, i), at(k, j));
}

/// Rounding of a scaled semidefinite matrix: entries that differ from 0 by less are 0. A negative
/// eigenvalue that is smaller than this is taken for a null direction.
constexpr double negligible = 1e-9;

}  // namespace

Definite SemidefiniteFactor::factor(const Tiles& tiles, std::int64_t size,
                                    std::span<const double> matrix, double tolerance) {
  m_size = m_rank = size;
  m_is_solvable = false;
  m_order.clear();
  m_null.clear();
  m_scale.assign(size, 1.0);
  bool has_zero = false;
  for (std::int64_t i = 0; i < size; ++i) {
    const double pivot = matrix[i * size + i];
    if (!std::isfinite(pivot) || pivot < 0) return Definite::indefinite;
    if (pivot > 0) m_scale[i] = 1 / std::sqrt(pivot);
    has_zero = has_zero || pivot == 0;
  }
  if (!scale_into(matrix, m_factor)) return Definite::indefinite;
  if (!has_zero) {
    double least = factor_cholesky(tiles, size, m_factor.data(), size) < 0 ? 1.0 : 0.0;
    for (std::int64_t i = 0; i < size && least > 0; ++i) {
      least = std::min(least, m_factor[i * size + i] * m_factor[i * size + i]);
    }
    m_is_solvable = least > tolerance;
    if (m_is_solvable) return Definite::positive;
    scale_into(matrix, m_factor);
  }
  return factor_pivoted(std::move(m_factor), tolerance);
}

bool SemidefiniteFactor::scale_into(std::span<const double> matrix,
                                    std::vector<double>& scaled) const {
  scaled.resize(m_size * m_size);
  for (std::int64_t i = 0; i < m_size; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const double value = matrix[i * m_size + j] * m_scale[i] * m_scale[j];
      if (!std::isfinite(value)) return false;
      scaled[i * m_size + j] = value;
    }
  }
  return true;
}

Definite SemidefiniteFactor::factor_pivoted(std::vector<double> scaled, double tolerance) {
  const std::int64_t n = m_size;
  m_order.resize(n);
  std::iota(m_order.begin(), m_order.end(), 0);
  std::int64_t k = 0;
  for (; k < n; ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < n; ++i) {
      if (scaled[i * n + i] > scaled[best * n + best]) best = i;
    }
    if (!(scaled[best * n + best] > tolerance)) break;
    if (best != k) {
      exchange(n, scaled, k, best);
      std::swap(m_order[k], m_order[best]);
    }
    const double pivot = std::sqrt(scaled[k * n + k]);
    scaled[k * n + k] = pivot;
    for (std::int64_t i = k + 1; i < n; ++i) scaled[i * n + k] /= pivot;
    std::vector<double> column(n - k - 1);
    for (std::int64_t i = k + 1; i < n; ++i) column[i - k - 1] = scaled[i * n + k];
    for (std::int64_t i = k + 1; i < n; ++i) {
      const double value = column[i - k - 1];
      double* const to = &scaled[i * n + k + 1];
      for (std::int64_t j = 0; j < i - k; ++j) to[j] -= value * column[j];
    }
  }
  m_rank = k;
  const double most = std::max(negligible, 100 * tolerance);
  for (std::int64_t i = k; i < n; ++i) {
    for (std::int64_t j = k; j <= i; ++j) {
      if (!(std::fabs(scaled[i * n + j]) <= most)) return Definite::indefinite;
    }
  }
  m_factor = std::move(scaled);
  m_is_solvable = true;
  make_null_space();
  return m_rank == n ? Definite::positive : Definite::deficient;
}

void SemidefiniteFactor::make_null_space() {
  const std::int64_t n = m_size;
  const std::int64_t count = n - m_rank;
  m_null.assign(count * n, 0.0);
  std::vector<double> part(m_rank);
  for (std::int64_t r = 0; r < count; ++r) {
    double* const own = &m_null[r * n];
    const double* const dependent = &m_factor[(m_rank + r) * n];
    for (std::int64_t j = 0; j < m_rank; ++j) part[j] = -dependent[j];
    solve_lower_transposed(m_rank, m_factor.data(), n, part.data());
    for (std::int64_t j = 0; j < m_rank; ++j) own[m_order[j]] = part[j] * m_scale[m_order[j]];
    own[m_order[m_rank + r]] = m_scale[m_order[m_rank + r]];
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough: Kahan, in Parlett (1980)
      for (std::int64_t s = 0; s < r; ++s) {
        const double* const other = &m_null[s * n];
        const double value = dot(own, other, n);
        for (std::int64_t j = 0; j < n; ++j) own[j] -= value * other[j];
      }
      const double norm = std::sqrt(dot(own, own, n));
      for (std::int64_t j = 0; j < n; ++j) own[j] /= norm;
    }
  }
}

void SemidefiniteFactor::solve(double* values) const {
  const std::int64_t n = m_size;
  if (!m_is_solvable) return std::fill(values, values + n, missing);
  for (std::int64_t i = 0; i < n; ++i) values[i] *= m_scale[i];
  if (m_order.empty()) {
    solve_cholesky(n, m_factor.data(), n, values);
    for (std::int64_t i = 0; i < n; ++i) values[i] *= m_scale[i];
    return;
  }
  std::vector<double> part(m_rank);
  for (std::int64_t i = 0; i < m_rank; ++i) part[i] = values[m_order[i]];
  solve_cholesky(m_rank, m_factor.data(), n, part.data());
  std::fill(values, values + n, 0.0);
  for (std::int64_t i = 0; i < m_rank; ++i) {
    values[m_order[i]] = part[i] * m_scale[m_order[i]];
  }
  remove_null(values);
}

void SemidefiniteFactor::remove_null(double* values) const {
  const std::int64_t n = m_size;
  for (std::int64_t r = 0; r < n - m_rank; ++r) {
    const double* const own = &m_null[r * n];
    const double value = dot(own, values, n);
    for (std::int64_t j = 0; j < n; ++j) values[j] -= value * own[j];
  }
}

std::int64_t rank_of(const Tiles& tiles, std::int64_t size, std::span<const double> gram) {
  SemidefiniteFactor factor;
  factor.factor(tiles, size, gram, numeric_rank_tolerance(size));
  // A Gram matrix has no negative eigenvalue: what looks like one is rounding, and no rank.
  return factor.rank();
}

double numeric_rank_tolerance(std::int64_t size) {
  return std::max(1e-12, 8 * static_cast<double>(size) * std::numeric_limits<double>::epsilon());
}

}  // namespace synelix::glm
