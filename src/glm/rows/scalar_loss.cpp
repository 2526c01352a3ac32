// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/rows/scalar_loss.hpp"

#include "glm/rows/loss_formulas.hpp"
#include "launch/canonical.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace synelix::glm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using formula::counted;
using formula::log_root_two_pi;

}  // namespace

double mean_of(InverseLink link, double predictor) {
  return formula::mean_by(link, predictor).value;
}

bool has_border(const Loss& loss) { return formula::needs_positive(loss); }

bool has_mean_at_0(const Loss& loss) {
  return !has_border(loss) && loss.inverse_link != InverseLink::one_over_x;
}

bool is_outside(const Loss& loss, double predictor, double mean) {
  const bool is_beyond = formula::needs_positive(loss) && predictor < tile::least_positive;
  return is_beyond || std::isinf(mean);
}

double canonical_value(double value) { return sweep::canonical(value); }

ScalarLoss scalar_loss(const Loss& loss, double target, double predictor) {
  return formula::loss_of_row(loss, target, predictor);
}

double predictor_of(InverseLink link, double mean) {
  switch (link) {
    case InverseLink::exp:
      return std::log(mean);
    case InverseLink::softplus:  // ln(e^mu - 1)
      return mean > 1 ? mean + std::log1p(-std::exp(-mean)) : std::log(std::expm1(mean));
    case InverseLink::logistic:
      return std::log(mean) - std::log1p(-mean);
    case InverseLink::norm_cdf: {
      if (!(mean > 0 && mean < 1)) return mean == 0 ? -infinity : mean == 1 ? infinity : NAN;
      // Uses the side where Phi is at most 1/2: there ln Phi is concave, and Newton's steps from 0
      // are monotone.
      const double tail = std::log(std::min(mean, 1.0 - mean));
      double x = 0;
      for (int i = 0; i < 100; ++i) {
        const formula::Derivatives log_cdf = formula::log_normal_cdf(x);
        const double step = (tail - log_cdf.value) / log_cdf.slope;
        x = std::min(x + step, 0.0);
        if (std::fabs(step) <= 1e-16 * std::fabs(x)) break;
      }
      return mean < 0.5 ? x : -x;
    }
    case InverseLink::one_over_x:
      return 1.0 / mean;
    case InverseLink::identity:
    case InverseLink::automatic:
    case InverseLink::softmax:
      break;
  }
  return mean;
}

double loss_at_mean(const Loss& loss, double target, double mean) {
  const double a = loss.dispersion;
  switch (loss.family) {
    case Family::gaussian:
      return (target - mean) * (target - mean);
    case Family::bernoulli:
      return -counted(target, std::log(mean)) - counted(1.0 - target, std::log1p(-mean));
    case Family::gamma:
      return target / mean + std::log(mean);
    case Family::negative_binomial:
      return counted(target, std::log1p(1.0 / (a * mean))) + std::log1p(a * mean) / a;
    case Family::poisson:
    case Family::categorical:
      break;
  }
  return mean - counted(target, std::log(mean));
}

double categorical_loss(std::span<const double> predictors, std::int64_t target) {
  const double largest = *std::max_element(predictors.begin(), predictors.end());
  double sum = 0;
  for (const double eta : predictors) sum += std::exp(eta - largest);
  return std::log(sum) - (predictors[static_cast<std::size_t>(target)] - largest);
}

double log_likelihood(const Loss& loss, double target, double row_loss, double scale) {
  switch (loss.family) {
    case Family::gaussian: {
      const double log_scale = std::log(scale);
      return -log_root_two_pi - 0.5 * log_scale - row_loss / (2.0 * scale);
    }
    case Family::poisson:
      return -row_loss - std::lgamma(target + 1.0);
    case Family::gamma: {
      const double shape = 1.0 / scale;
      return (shape - 1.0) * std::log(target) + shape * std::log(shape) - std::lgamma(shape) -
             shape * row_loss;
    }
    case Family::negative_binomial: {
      const double shape = 1.0 / loss.dispersion;
      return -row_loss + std::lgamma(target + shape) - std::lgamma(target + 1.0) -
             std::lgamma(shape);
    }
    case Family::bernoulli:
    case Family::categorical:
      break;
  }
  return -row_loss;
}

double deviance(const Loss& loss, double target, double mean, double scale) {
  const double ratio = std::log(target / mean);
  switch (loss.family) {
    case Family::gaussian:
      return (target - mean) * (target - mean) / scale;
    case Family::bernoulli:
      return 2.0 * (counted(target, ratio) +
                    counted(1.0 - target, std::log((1.0 - target) / (1.0 - mean))));
    case Family::gamma:
      return 2.0 * ((target - mean) / mean - ratio) / scale;
    case Family::negative_binomial: {
      const double a = loss.dispersion;
      const double gain = std::log((a * mean + 1.0) / (a * target + 1.0));
      return 2.0 * (counted(target, ratio + gain) + gain / a);
    }
    case Family::poisson:
    case Family::categorical:
      break;
  }
  return 2.0 * (counted(target, ratio) - (target - mean));
}

}  // namespace synelix::glm
