// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/preconditioner.hpp"

#include "glm/algebra/cholesky.hpp"
#include "glm/algebra/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::glm {

Preconditioner::Preconditioner(const Tiles& tiles, const SearchProblem& problem,
                               const FreeParameters& free)
    : m_classes(problem.classes), m_blocks(problem.blocks), m_curvature(problem.curvature) {
  if (problem.gram == nullptr || !(problem.curvature > 0)) return;
  m_gram = problem.gram;
  m_used = problem.columns + (problem.has_intercept ? 1 : 0);
  const std::vector<std::uint8_t>& is_free = problem.penalty.is_free;
  if (std::find(is_free.begin(), is_free.end(), 0) != is_free.end()) {
    free.gather_gram(m_gram->gram, m_curvature, m_own_factor);
    double* part = m_own_factor.data();
    for (std::int64_t block = 0; block < free.blocks(); ++block) {
      const std::int64_t n = free.size_of(block);
      const double* const ridge =
          free.penalty().ridge.empty() ? nullptr : &free.penalty().ridge[free.begin(block)];
      GramModel own =
          make_gram_model(tiles, n, std::vector<double>(part, part + n * n),
                          ridge == nullptr ? std::span<const double>() : std::span(ridge, n), 1.0);
      std::copy(own.factor.begin(), own.factor.end(), part);
      m_own_sizes.push_back(n);
      part += n * n;
    }
  } else if (problem.own_rows.size() > 0 && m_classes == 1 && m_blocks == 1) {
    make_correction(problem, free);
  }
}

/// The model plus sum_b e_b z_b' + z_b e_b', z_b the differences of the own rows.
void Preconditioner::make_correction(const SearchProblem& problem, const FreeParameters& free) {
  const std::int64_t n = free.size();
  const std::int64_t first = problem.own_rows.begin;
  const std::int64_t rows = problem.own_rows.size();
  const std::int64_t rank = 2 * rows;
  const std::int64_t columns = problem.columns + 1;
  std::vector<double> vectors(rank * n, 0.0);
  for (std::int64_t b = 0; b < rows; ++b) {
    vectors[b * n + first + b] = 1;
    double* const z = &vectors[(rows + b) * n];
    for (std::int64_t j = 0; j < n; ++j) {
      z[j] = problem.own_hessian[b * columns + j] -
             m_curvature * m_gram->gram[(first + b) * m_gram->size + j];
    }
    const double ridge = problem.penalty.ridge.empty() ? 0.0 : problem.penalty.ridge[first + b];
    z[first + b] += ridge - m_curvature * ridge / m_gram->curvature;
    for (std::int64_t c = 0; c < rows; ++c) z[first + c] /= 2;  // both sums hold them
  }
  std::vector<double> solved(rank * n);
  for (std::int64_t a = 0; a < rank; ++a) {
    std::vector<double> values(&vectors[a * n], &vectors[a * n] + n);
    apply_gram(values);
    std::copy(values.begin(), values.end(), &solved[a * n]);
  }
  std::vector<double> capacity(rank * rank);
  for (std::int64_t a = 0; a < rank; ++a) {
    for (std::int64_t b = 0; b < rank; ++b) {
      capacity[a * rank + b] = dot(&vectors[a * n], &solved[b * n], n) / 2 +
                               dot(&vectors[b * n], &solved[a * n], n) / 2 +
                               ((a + rows) % rank == b ? 1.0 : 0.0);
    }
  }
  // The corrected model is positive definite where the capacity has as many negative eigenvalues
  // as the exchange of e and z has: one for each row (Sylvester). Else there is no correction.
  const Eigen eigen = eigen_of(rank, capacity);
  const auto negative = std::count_if(eigen.values.begin(), eigen.values.end(),
                                      [](double value) { return value < 0; });
  double least = std::fabs(eigen.values[0]);
  for (const double value : eigen.values) least = std::min(least, std::fabs(value));
  if (negative != rows || !(least > 1e-12 * std::fabs(eigen.values.back()))) return;
  m_capacity.assign(rank * rank, 0.0);
  for (std::int64_t i = 0; i < rank; ++i) {
    const double* const v = &eigen.vectors[i * rank];
    for (std::int64_t a = 0; a < rank; ++a) {
      for (std::int64_t b = 0; b < rank; ++b) {
        m_capacity[a * rank + b] += v[a] * v[b] / eigen.values[i];
      }
    }
  }
  m_rank = rank;
  m_vectors = std::move(vectors);
  m_solved = std::move(solved);
}

void Preconditioner::apply_gram(std::vector<double>& values) const {
  if (!m_own_factor.empty()) {
    const double* factor = m_own_factor.data();
    double* part = values.data();
    for (const std::int64_t n : m_own_sizes) {
      solve_cholesky(n, factor, n, part);
      factor += n * n;
      part += n;
    }
    return;
  }
  std::vector<double> part(m_used);
  for (std::int64_t block = 0; block < m_blocks; ++block) {
    for (std::int64_t c = 0; c < m_classes; ++c) {
      double* const own = values.data() + block * m_used * m_classes + c;
      for (std::int64_t j = 0; j < m_used; ++j) part[j] = own[j * m_classes];
      solve_cholesky(m_used, m_gram->factor.data(), m_gram->size, part.data());
      for (std::int64_t j = 0; j < m_used; ++j) own[j * m_classes] = part[j] / m_curvature;
    }
  }
}

void Preconditioner::apply(std::vector<double>& values) const {
  if (is_identity()) return;
  const auto n = static_cast<std::int64_t>(values.size());
  apply_gram(values);
  if (m_rank == 0) return;
  std::vector<double> parts(m_rank);
  for (std::int64_t a = 0; a < m_rank; ++a) parts[a] = dot(&m_vectors[a * n], values.data(), n);
  for (std::int64_t a = 0; a < m_rank; ++a) {
    const double part = dot(&m_capacity[a * m_rank], parts.data(), m_rank);
    for (std::int64_t j = 0; j < n; ++j) values[j] -= part * m_solved[a * n + j];
  }
}

}  // namespace synelix::glm
