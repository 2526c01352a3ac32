// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/certificate.hpp"

#include "glm/algebra/semidefinite.hpp"
#include "types/missing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace synelix::glm {
namespace {

/// The indices of the free parameters.
std::vector<std::size_t> free_parameters(const CertificateInput& input) {
  std::vector<std::size_t> free;
  const auto coefficients = static_cast<std::size_t>(input.columns * input.classes);
  for (std::size_t i = 0; i < input.parameters.size(); ++i) {
    const bool is_free = i < coefficients
                             ? input.penalty->is_free.empty() || input.penalty->is_free[i] != 0
                             : input.has_intercept;
    if (is_free) free.push_back(i);
  }
  return free;
}

double ridge_of(const CertificateInput& input, std::size_t parameter) {
  const std::vector<double>& ridge = input.penalty->ridge;
  return parameter < ridge.size() ? ridge[parameter] : 0;
}

/// The Hessian of the objective in the free parameters.
std::vector<double> free_hessian(const CertificateInput& input, const Sums& means,
                                 const std::vector<std::size_t>& free) {
  const std::size_t size = free.size();
  std::vector<double> hessian(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = means.hessian.data() + free[i] * input.parameters.size();
    for (std::size_t k = 0; k < size; ++k) hessian[i * size + k] = row[free[k]];
    hessian[i * size + i] += ridge_of(input, free[i]);
  }
  return hessian;
}

/// sqrt(g' H^-1 g n): the distance to the optimum of the quadratic model, in standard errors.
double distance(const CertificateInput& input, const SemidefiniteFactor& factor, const Sums& means,
                const std::vector<std::size_t>& free) {
  std::vector<double> gradient;
  gradient.reserve(free.size());
  for (const std::size_t i : free) {
    gradient.push_back(means.gradient[i] + ridge_of(input, i) * input.parameters[i]);
  }
  std::vector<double> step = gradient;
  factor.solve(step.data());
  double product = 0;
  for (std::size_t i = 0; i < free.size(); ++i) product += gradient[i] * step[i];
  return std::sqrt(std::max(0.0, means.weight * product));
}

/// A parameter of the design as a combination of the free parameters. In centered coordinates the
/// intercept of the design is the centered one minus the means times the coefficients.
std::vector<double> combination_of(const CertificateInput& input,
                                   const std::vector<std::size_t>& free, std::size_t place) {
  std::vector<double> combination(free.size(), 0.0);
  combination[place] = 1;
  const auto classes = static_cast<std::size_t>(input.classes);
  const std::size_t coefficients = static_cast<std::size_t>(input.columns) * classes;
  if (input.centers == nullptr || free[place] < coefficients) return combination;
  for (const ColumnCenters::Column& one : input.centers->columns) {
    const std::size_t wanted =
        static_cast<std::size_t>(one.column) * classes + (free[place] - coefficients);
    const auto found = std::lower_bound(free.begin(), free.end(), wanted);
    if (found == free.end() || *found != wanted) continue;  // a coefficient that stays 0
    combination[static_cast<std::size_t>(found - free.begin())] = -one.mean;
  }
  return combination;
}

double product_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The roots of the diagonal of (n H)^-1. A parameter with a component in a null direction has no
/// error, because the data do not determine it.
std::vector<double> errors(const CertificateInput& input, const SemidefiniteFactor& factor,
                           double weight, const std::vector<std::size_t>& free) {
  std::vector<double> result(input.parameters.size(), missing);
  for (std::size_t i = 0; i < free.size(); ++i) {
    const std::vector<double> wanted = combination_of(input, free, i);
    std::vector<double> solved = wanted;
    if (factor.rank() < factor.size()) {
      factor.remove_null(solved.data());
      if (1 - product_of(wanted, solved) / product_of(wanted, wanted) > 1e-10) continue;
      solved = wanted;
    }
    factor.solve(solved.data());
    result[free[i]] = std::sqrt(product_of(wanted, solved) / weight);
  }
  return result;
}

}  // namespace

Certificate certify(const Tiles& tiles, const CertificateInput& input, const Sums& means) {
  Certificate result;
  result.mean_loss = means.loss;
  const auto coefficients = static_cast<std::size_t>(input.columns * input.classes);
  double violation =
      input.penalty->violation(input.parameters.first(coefficients),
                               std::span<const double>(means.gradient).first(coefficients));
  for (std::size_t i = coefficients; i < means.gradient.size() && input.has_intercept; ++i) {
    violation = std::max(violation, std::abs(means.gradient[i]));
  }
  result.optimality = violation / input.gradient_scale;
  result.standard_errors_away = missing;
  if (means.hessian.empty() || !input.penalty->is_smooth()) return result;
  const std::vector<std::size_t> free = free_parameters(input);
  const auto size = static_cast<std::int64_t>(free.size());
  SemidefiniteFactor factor;
  const Definite definite =
      factor.factor(tiles, size, free_hessian(input, means, free), numeric_rank_tolerance(size));
  if (definite == Definite::indefinite) {
    result.standard_errors_away = std::numeric_limits<double>::infinity();
    if (input.wants_standard_errors) result.standard_errors.assign(means.gradient.size(), missing);
    return result;
  }
  result.standard_errors_away = distance(input, factor, means, free);
  if (input.wants_standard_errors) {
    result.standard_errors = errors(input, factor, means.weight, free);
  }
  return result;
}

}  // namespace synelix::glm
