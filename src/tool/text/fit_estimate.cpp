// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/text/fit_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace synelix::tool {

double FitEstimate::fraction(const FitState& state) {
  constexpr double most_before_the_end = 0.99;
  if (state.targets_done >= state.targets && state.targets == m_targets) return m_fraction = 1;
  double closeness = 0;
  const bool is_path = state.targets != m_targets;  // the worst one of the models begun so far
  if (!is_path && std::isfinite(state.worst_optimality) && state.worst_optimality > 0) {
    m_largest = std::max(m_largest, state.worst_optimality);
    if (m_largest > m_tolerance) {
      closeness = std::log(m_largest / state.worst_optimality) / std::log(m_largest / m_tolerance);
    }
  }
  const double all = static_cast<double>(std::max<std::int64_t>(state.targets, 1));
  const auto done = static_cast<double>(state.targets_done);
  const double found = (done + (all - done) * std::clamp(closeness, 0.0, 1.0)) / all;
  m_fraction = std::max(m_fraction, std::min(found, most_before_the_end));
  return m_fraction;
}

}  // namespace synelix::tool
