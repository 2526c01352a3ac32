// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/preconditioner.hpp"

#include "glm/algebra/cholesky.hpp"
#include "glm/algebra/semidefinite.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::glm {

Preconditioner::Preconditioner(const SearchProblem& problem) {
  if (problem.gram == nullptr || !(problem.curvature > 0)) return;
  m_factor = problem.gram_factor;
  m_curvature = problem.curvature;
}

/// The model plus sum_b e_b z_b' + z_b e_b', with z_b the differences of the own rows.
void Preconditioner::correct(const SearchProblem& problem, const FreeParameters& free,
                             Range columns, std::span<const double> hessian) {
  m_rank = 0;
  if (is_identity() || problem.classes != 1 || problem.blocks != 1) return;
  const std::vector<std::int64_t>& index = free.index();
  std::vector<std::int64_t> own;  // indices of the own rows among the free parameters
  for (std::int64_t i = 0; i < free.size(); ++i) {
    if (index[i] >= columns.begin && index[i] < columns.end) own.push_back(i);
  }
  const std::int64_t n = free.size();
  const auto rows = static_cast<std::int64_t>(own.size());
  const std::int64_t rank = 2 * rows;
  const std::int64_t size = problem.gram->size;
  m_vectors.assign(rank * n, 0.0);
  for (std::int64_t b = 0; b < rows; ++b) {
    const std::int64_t column = index[own[b]];
    m_vectors[b * n + own[b]] = 1;
    double* const z = &m_vectors[(rows + b) * n];
    for (std::int64_t j = 0; j < n; ++j) {
      z[j] = hessian[(column - columns.begin) * size + index[j]] -
             m_curvature * problem.gram->gram[column * size + index[j]];
    }
    if (!free.penalty().ridge.empty()) z[own[b]] += free.penalty().ridge[own[b]];
    if (!m_factor->ridge.empty()) z[own[b]] -= m_curvature * m_factor->ridge[own[b]];
    for (const std::int64_t c : own) z[c] /= 2;  // both sums hold them
  }
  m_solved.resize(rank * n);
  for (std::int64_t a = 0; a < rank; ++a) {
    std::vector<double> values(&m_vectors[a * n], &m_vectors[a * n] + n);
    apply_gram(values);
    std::copy(values.begin(), values.end(), &m_solved[a * n]);
  }
  std::vector<double> capacity(rank * rank);
  for (std::int64_t a = 0; a < rank; ++a) {
    for (std::int64_t b = 0; b < rank; ++b) {
      capacity[a * rank + b] = dot(&m_vectors[a * n], &m_solved[b * n], n) / 2 +
                               dot(&m_vectors[b * n], &m_solved[a * n], n) / 2 +
                               ((a + rows) % rank == b ? 1.0 : 0.0);
    }
  }
  if (rank > 0 && invert_capacity(rank, capacity)) {
    m_rank = rank;
  } else {
    m_vectors.clear();
    m_solved.clear();
  }
}

bool Preconditioner::invert_capacity(std::int64_t rank, const std::vector<double>& capacity) {
  // The corrected model is positive definite if the capacity matrix has as many negative
  // eigenvalues as the matrix that exchanges e and z: one for each row (Sylvester).
  const Eigen eigen = eigen_of(rank, capacity);
  const auto negative = std::count_if(eigen.values.begin(), eigen.values.end(),
                                      [](double value) { return value < 0; });
  double least = std::fabs(eigen.values[0]);
  double most = 0;
  for (const double value : eigen.values) {
    least = std::min(least, std::fabs(value));
    most = std::max(most, std::fabs(value));
  }
  if (2 * negative != rank || !(least > 1e-12 * most)) return false;
  m_capacity.assign(rank * rank, 0.0);
  for (std::int64_t i = 0; i < rank; ++i) {
    const double* const v = &eigen.vectors[i * rank];
    for (std::int64_t a = 0; a < rank; ++a) {
      for (std::int64_t b = 0; b < rank; ++b) {
        m_capacity[a * rank + b] += v[a] * v[b] / eigen.values[i];
      }
    }
  }
  return true;
}

void Preconditioner::apply_gram(std::vector<double>& values) const {
  const SemidefiniteFactor& factor = m_factor->factor;
  // The null component is removed twice: here, so that the pseudoinverse is symmetric, and
  // afterwards by the factor.
  if (factor.rank() < factor.size()) factor.remove_null(values.data());
  factor.solve(values.data());
  for (double& value : values) value /= m_curvature;
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
