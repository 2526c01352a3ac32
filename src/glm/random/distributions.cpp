// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/random/distributions.hpp"

#include "types/missing.hpp"

#include <cmath>
#include <numbers>

namespace synelix::glm {

namespace {

/// From this mean on PTRS is faster, and its constants are valid.
constexpr double least_mean_of_rejection = 10;

/// The first count whose distribution function exceeds a uniform number. For a mean below 10, the
/// terms vanish before count 200, so the search ends.
double poisson_by_inversion(RandomStream& stream, double mean) {
  const double u = stream.uniform();
  double term = std::exp(-mean);
  double sum = term;
  double count = 0;
  constexpr double most = 200;
  while (u > sum && count < most) {
    ++count;
    term *= mean / count;
    sum += term;
  }
  return count;
}

/// PTRS of Hoermann 1993, with the names of the paper.
double poisson_by_rejection(RandomStream& stream, double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  const double log_mean = std::log(mean);
  for (;;) {
    const double u = stream.uniform() - 0.5;
    const double v = stream.uniform();
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <=
        k * log_mean - mean - std::lgamma(k + 1)) {
      return k;
    }
  }
}

}  // namespace

double draw_normal(RandomStream& stream) {
  const double radius = std::sqrt(-2 * std::log(stream.uniform()));
  return radius * std::cos(2 * std::numbers::pi * stream.uniform());
}

double draw_gamma(RandomStream& stream, double shape) {
  if (shape < 1) {
    const double larger = draw_gamma(stream, shape + 1);
    return larger * std::pow(stream.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw_normal(stream);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = stream.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double draw_poisson(RandomStream& stream, double mean) {
  if (!(mean >= 0) || std::isinf(mean)) return missing;
  return mean < least_mean_of_rejection ? poisson_by_inversion(stream, mean)
                                        : poisson_by_rejection(stream, mean);
}

double draw_class(RandomStream& stream, const double* probabilities, std::int64_t classes) {
  const double u = stream.uniform();
  double sum = 0;
  double found = missing;
  for (std::int64_t k = 0; k < classes; ++k) {
    if (!std::isfinite(probabilities[k])) return missing;
    sum += probabilities[k];
    if (!(found >= 0) && u < sum) found = static_cast<double>(k);
  }
  // The sum of the probabilities may be below a uniform number close to 1.
  return found >= 0 ? found : static_cast<double>(classes - 1);
}

}  // namespace synelix::glm
