// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/penalty/bound_penalty.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace synelix::glm {

bool BoundPenalty::is_smooth() const {
  const auto counts = [](double strength) { return strength > 0; };
  if (std::any_of(l1.begin(), l1.end(), counts)) return false;
  return std::none_of(groups.begin(), groups.end(), [&](std::int64_t group) {
    return group >= 0 && counts(group_strengths[group]);
  });
}

double BoundPenalty::value(std::span<const double> coefficients) const {
  double smooth = 0;
  for (std::size_t j = 0; j < ridge.size(); ++j) {
    smooth += ridge[j] / 2 * coefficients[j] * coefficients[j];
  }
  double sparse = 0;
  for (std::size_t j = 0; j < l1.size(); ++j) sparse += l1[j] * std::fabs(coefficients[j]);
  std::vector<double> squares(group_strengths.size(), 0.0);
  for (std::size_t j = 0; j < groups.size(); ++j) {
    if (groups[j] >= 0) squares[groups[j]] += coefficients[j] * coefficients[j];
  }
  for (std::size_t g = 0; g < squares.size(); ++g) {
    sparse += group_strengths[g] * std::sqrt(squares[g]);
  }
  return smooth + sparse;
}

double BoundPenalty::violation(std::span<const double> coefficients,
                               std::span<const double> gradient) const {
  double worst = 0;
  const auto take = [&](double violation) {
    if (std::isnan(violation) || violation > worst) worst = violation;  // NaN stays visible
  };
  const auto slope = [&](std::size_t j) {
    return ridge.empty() ? gradient[j] : gradient[j] + ridge[j] * coefficients[j];
  };
  const auto counts = [&](std::size_t j) { return is_free.empty() || is_free[j] != 0; };
  std::vector<double> squares(group_strengths.size(), 0.0);
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (!counts(j)) continue;
    if (!groups.empty() && groups[j] >= 0) {
      squares[groups[j]] += coefficients[j] * coefficients[j];
      continue;
    }
    const double pull = l1.empty() ? 0.0 : l1[j];
    take(coefficients[j] != 0 ? std::fabs(slope(j) + std::copysign(pull, coefficients[j]))
                              : std::max(std::fabs(slope(j)) - pull, 0.0));
  }
  if (groups.empty()) return worst;
  std::vector<double> distances(group_strengths.size(), 0.0);
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (!counts(j) || groups[j] < 0) continue;
    const double norm = std::sqrt(squares[groups[j]]);
    const double pull = norm > 0 ? group_strengths[groups[j]] * coefficients[j] / norm : 0.0;
    const double value = slope(j) + pull;
    distances[groups[j]] += value * value;
  }
  for (std::size_t g = 0; g < distances.size(); ++g) {
    const double distance = std::sqrt(distances[g]);
    take(squares[g] > 0 ? distance : std::max(distance - group_strengths[g], 0.0));
  }
  return worst;
}

}  // namespace synelix::glm
