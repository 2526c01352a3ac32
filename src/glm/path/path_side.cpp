// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/path_side.hpp"

#include "glm/solvers/solve_model.hpp"

#include <algorithm>
#include <cmath>

namespace synelix::glm {

namespace {

/// Tolerance of a model's minimum, relative to the scale of gradients: below any useful tolerance
/// of a fit, and above rounding.
constexpr double model_tolerance = 1e-11;
/// For Ridge, which has no largest strength: glmnet's choice.
constexpr double ridge_factor = 1000;
/// Factor on the largest strength, so that rounding of the gradient leaves no nonzero coefficient
/// there.
constexpr double above_rounding = 1 + 1e-9;

}  // namespace

std::vector<double> PathShape::coefficients_of(std::span<const double> all) const {
  std::vector<double> found;
  const std::int64_t size = parameters();
  const std::int64_t blocks = static_cast<std::int64_t>(all.size()) / size;
  found.reserve(static_cast<std::size_t>(blocks * columns * classes));
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto first = all.begin() + block * size;
    found.insert(found.end(), first, first + columns * classes);
  }
  return found;
}

double PathShape::violation(const BoundPenalty& penalty, std::span<const double> all,
                            std::span<const double> gradient) const {
  double worst = penalty.violation(coefficients_of(all), coefficients_of(gradient));
  if (!has_intercept) return worst;
  const std::int64_t size = parameters();
  const auto count = static_cast<std::int64_t>(all.size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % size < columns * classes) continue;
    worst = std::max(worst, std::fabs(gradient[static_cast<std::size_t>(i)]));
  }
  return worst;
}

BoundPenalty times(const BoundPenalty& penalty, double strength) {
  BoundPenalty found = penalty;
  for (std::vector<double>* numbers : {&found.ridge, &found.l1, &found.group_strengths}) {
    bool is_zero = true;
    for (double& number : *numbers) {
      number *= strength;
      is_zero = is_zero && number == 0;
    }
    if (is_zero) numbers->clear();
  }
  // Without a strength the penalty is smooth, and its models have the convergence criteria of
  // smooth penalties.
  if (found.group_strengths.empty()) found.groups.clear();
  return found;
}

bool leaves_any_out(const BoundPenalty& penalty, std::int64_t coefficients) {
  for (std::int64_t i = 0; i < coefficients; ++i) {
    const auto j = static_cast<std::size_t>(i);
    if (!penalty.is_free.empty() && penalty.is_free[j] == 0) continue;
    const bool has_group = !penalty.groups.empty() && penalty.groups[j] >= 0 &&
                           penalty.group_strengths[static_cast<std::size_t>(penalty.groups[j])] > 0;
    const bool has_ridge = !penalty.ridge.empty() && penalty.ridge[j] > 0;
    const bool has_l1 = !penalty.l1.empty() && penalty.l1[j] > 0;
    if (!has_group && !has_ridge && !has_l1) return true;
  }
  return false;
}

double largest_strength(const BoundPenalty& penalty, std::span<const double> gradient) {
  const auto is_free = [&](std::size_t j) {
    return penalty.is_free.empty() || penalty.is_free[j] != 0;
  };
  double largest = 0;
  if (!penalty.groups.empty()) {
    std::vector<double> squares(penalty.group_strengths.size(), 0.0);
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      const std::int64_t group = penalty.groups[j];
      if (group < 0 || !is_free(j)) continue;
      squares[static_cast<std::size_t>(group)] += gradient[j] * gradient[j];
    }
    for (std::size_t g = 0; g < squares.size(); ++g) {
      const double strength = penalty.group_strengths[g];
      if (strength > 0) largest = std::max(largest, std::sqrt(squares[g]) / strength);
    }
    return largest * above_rounding;
  }
  const std::vector<double>& numbers = penalty.l1.empty() ? penalty.ridge : penalty.l1;
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    if (numbers[j] > 0 && is_free(j)) {
      largest = std::max(largest, std::fabs(gradient[j]) / numbers[j]);
    }
  }
  return largest * (penalty.l1.empty() ? ridge_factor : above_rounding);
}

double minimize(const PathShape& shape, const PathSide& side, const BoundPenalty& penalty,
                const PathModel& model, std::vector<double>& parameters) {
  const FreeParameters free = shape.free_of(side, penalty);
  std::vector<double> center;
  std::vector<double> gradient;
  std::vector<double> values;
  free.gather(model.center, center);
  free.gather(model.gradient, gradient);
  free.gather(parameters, values);
  solve_model(shape.tiles, {&free, model.hessian, gradient, center},
              model_tolerance * side.gradient_scale, values);
  free.scatter(values, parameters);
  if (!penalty.is_smooth()) return std::numeric_limits<double>::quiet_NaN();
  // For a quadratic model with its minimum at `step`, g' H^-1 g = -g' step.
  const std::vector<double>& ridge = free.penalty().ridge;
  double squared = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double slope = gradient[i] + (ridge.empty() ? 0.0 : ridge[i] * center[i]);
    squared -= slope * (values[i] - center[i]);
  }
  return std::sqrt(std::max(0.0, squared * side.weight));
}

}  // namespace synelix::glm
