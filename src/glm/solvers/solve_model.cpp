// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/solve_model.hpp"

#include "glm/solvers/model_state.hpp"

#include <cmath>

namespace synelix::glm {

ModelState::ModelState(const QuadraticModel& model, std::span<double> values)
    : m_model(model), m_values(values), m_block(values.size()), m_first(values.size()) {
  std::int64_t first = 0;
  for (std::int64_t block = 0; block < free().blocks(); ++block) {
    for (std::int64_t i = free().begin(block); i < free().begin(block + 1); ++i) {
      m_block[i] = block;
      m_first[i] = first;
      first += free().size_of(block);
    }
  }
  refresh();
}

void ModelState::refresh() {
  std::vector<double> change(m_values.size());
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = m_values[i] - m_model.center[i];
  multiply(free(), m_model.hessian, change, m_gradient);
  for (std::size_t i = 0; i < change.size(); ++i) m_gradient[i] += m_model.gradient[i];
}

ModelSolution solve_l1(const Tiles& tiles, ModelState& state, double tolerance) {
  constexpr int sweeps_at_once = 3;
  constexpr int most_rounds = 100;
  const std::int64_t n = state.size();
  const std::vector<double>& l1 = state.penalty().l1;
  const auto pull = [&](std::int64_t i) { return l1.empty() ? 0.0 : l1[i]; };
  const auto descend = [&](std::int64_t i) {
    const double curvature = state.hessian(i, i);
    if (!(curvature + state.ridge(i) > 0)) return;  // a column of zeros
    const double target = state.value(i) * curvature - state.gradient(i);
    const double size = std::fabs(target) - pull(i);
    state.set(i, size > 0 ? std::copysign(size, target) / (curvature + state.ridge(i)) : 0.0);
  };
  ModelSolution result;
  double last = -1;
  for (int round = 0; round < most_rounds; ++round) {
    for (int sweep = 0; sweep < sweeps_at_once; ++sweep, ++result.sweeps) {
      for (std::int64_t i = 0; i < n; ++i) descend(i);
    }
    result.violation = state.violation();
    if (result.violation <= tolerance) break;
    // Solves the linear system of the nonzero coefficients with fixed signs. Takes a full step, or
    // a step to the first coefficient that reaches 0, which is then removed.
    for (std::int64_t step = 0; step < n; ++step) {
      std::vector<std::int64_t> members;
      std::vector<double> change;
      for (std::int64_t i = 0; i < n; ++i) {
        if (state.hessian(i, i) + state.ridge(i) <= 0) continue;
        if (state.value(i) == 0 && pull(i) > 0) continue;
        members.push_back(i);
        change.push_back(-(state.gradient(i) + state.ridge(i) * state.value(i) +
                           (pull(i) > 0 ? std::copysign(pull(i), state.value(i)) : 0.0)));
      }
      ++result.factors;
      if (!state.solve(tiles, members, [](const std::vector<double>&) {}, change)) break;
      double length = 1;
      std::int64_t leaves = -1;
      for (std::size_t k = 0; k < members.size(); ++k) {
        const double value = state.value(members[k]);
        const double next = value + change[k];
        if (pull(members[k]) == 0 || value * next > 0) continue;
        const double to_zero = value / (value - next);
        if (to_zero < length || leaves < 0) {
          length = to_zero;
          leaves = static_cast<std::int64_t>(k);
        }
      }
      for (std::size_t k = 0; k < members.size(); ++k) {
        const bool becomes_zero = static_cast<std::int64_t>(k) == leaves;
        state.set(members[k], becomes_zero ? 0.0 : state.value(members[k]) + length * change[k]);
      }
      if (leaves < 0) break;
    }
    state.refresh();
    result.violation = state.violation();
    if (result.violation <= tolerance) break;
    if (round > 5 && result.violation > 0.9 * last) break;  // rounding allows no more
    last = result.violation;
  }
  return result;
}

ModelSolution solve_model(const Tiles& tiles, const QuadraticModel& model, double tolerance,
                          std::span<double> values) {
  ModelState state(model, values);
  return model.free->penalty().groups.empty() ? solve_l1(tiles, state, tolerance)
                                              : solve_groups(tiles, state, tolerance);
}

}  // namespace synelix::glm
