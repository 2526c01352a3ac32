// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/cholesky.hpp"
#include "glm/solvers/solve_model.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `ModelState`: a point of a quadratic model with the model's gradient, which is updated with each
/// change of a value.

namespace synelix::glm {

/// A point of a model and the gradient of the model there, without the penalty.
class ModelState {
 public:
  ModelState(const QuadraticModel& model, std::span<double> values);

  [[nodiscard]] const FreeParameters& free() const { return *m_model.free; }
  [[nodiscard]] const BoundPenalty& penalty() const { return m_model.free->penalty(); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(m_values.size()); }
  [[nodiscard]] double value(std::int64_t i) const { return m_values[i]; }
  [[nodiscard]] double gradient(std::int64_t i) const { return m_gradient[i]; }
  [[nodiscard]] double ridge(std::int64_t i) const {
    return penalty().ridge.empty() ? 0.0 : penalty().ridge[i];
  }
  /// H(i, j), 0 between blocks.
  [[nodiscard]] double hessian(std::int64_t i, std::int64_t j) const {
    return m_block[i] == m_block[j] ? row(i)[j - begin(i)] : 0.0;
  }
  [[nodiscard]] double violation() const { return penalty().violation(m_values, m_gradient); }

  /// Changes a value and updates the gradient.
  void set(std::int64_t i, double value) {
    const double change = value - m_values[i];
    if (change == 0) return;
    m_values[i] = value;
    const double* const from = row(i);
    double* const to = m_gradient.data() + begin(i);
    const std::int64_t n = free().size_of(m_block[i]);
    for (std::int64_t k = 0; k < n; ++k) to[k] += change * from[k];
  }
  /// Computes the gradient from its definition, because updates accumulate rounding.
  void refresh();

  /// Solves M step = right for the members, with M their Hessian plus the ridge plus what `add`
  /// adds. If M has no Cholesky factor, its diagonal is shifted until it has one.
  /// \return false if no shift suffices
  template <class Add>
  bool solve(const Tiles& tiles, const std::vector<std::int64_t>& members, const Add& add,
             std::vector<double>& right) const;

 private:
  [[nodiscard]] std::int64_t begin(std::int64_t i) const { return free().begin(m_block[i]); }
  [[nodiscard]] const double* row(std::int64_t i) const {
    return m_model.hessian.data() + m_first[i];
  }

  const QuadraticModel& m_model;
  std::span<double> m_values;
  std::vector<double> m_gradient;
  std::vector<std::int64_t> m_block;  ///< of each parameter
  std::vector<std::int64_t> m_first;  ///< of each parameter, where its row of the Hessian begins
};

template <class Add>
bool ModelState::solve(const Tiles& tiles, const std::vector<std::int64_t>& members, const Add& add,
                       std::vector<double>& right) const {
  const auto n = static_cast<std::int64_t>(members.size());
  std::vector<double> matrix(n * n);
  double shift = 0;
  while (shift < 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t own = members[i];
      for (std::int64_t j = 0; j <= i; ++j) matrix[i * n + j] = hessian(own, members[j]);
      matrix[i * n + i] += ridge(own) + shift * hessian(own, own);
    }
    add(matrix);
    if (factor_cholesky(tiles, n, matrix.data(), n) < 0) {
      solve_cholesky(n, matrix.data(), n, right.data());
      return true;
    }
    shift = shift == 0 ? 1e-10 : shift * 100;
  }
  return false;
}

/// The two ways to minimize: l1, or groups.
/// @{
ModelSolution solve_l1(const Tiles& tiles, ModelState& state, double tolerance);
ModelSolution solve_groups(const Tiles& tiles, ModelState& state, double tolerance);
/// @}

}  // namespace synelix::glm
