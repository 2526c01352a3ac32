// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/rows/scalar_loss.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace synelix::glm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log_root_two_pi = 0.91893853320467274178;

/// A function of the predictor with two derivatives.
struct Derivatives {
  double value;
  double slope;
  double bend;
};

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double logistic(double x) {
  const double t = std::exp(-std::fabs(x));
  return (x < 0 ? t : 1.0) / (1.0 + t);
}
double normal_density(double x) { return std::exp(-0.5 * x * x - log_root_two_pi); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// x y, and 0 where x is 0.
double counted(double x, double y) { return x == 0 ? 0.0 : x * y; }

/// The Mills ratio (1 - Phi(a)) / phi(a): far out by Laplace's continued fraction.
double mills_ratio(double a) {
  if (a < 5) return normal_cdf(-a) / normal_density(a);
  double fraction = a;
  for (int k = 80; k > 0; --k) fraction = a + k / fraction;
  return 1.0 / fraction;
}

/// ln Phi(x) with its derivatives.
Derivatives log_normal_cdf(double x) {
  if (x > 0) {
    const double ratio = normal_density(x) / normal_cdf(x);
    return {std::log1p(-normal_cdf(-x)), ratio, -ratio * (x + ratio)};
  }
  const double mills = mills_ratio(-x);
  const double ratio = 1.0 / mills;
  const double bend = x < -1000 ? 1.0 / (x * x) - 1.0 : -ratio * (x + ratio);
  return {-0.5 * x * x - log_root_two_pi + std::log(mills), ratio, bend};
}

/// t - ln(1 + t) for t in [0, 1]: by its series where the difference cancels.
double log1p_shortfall(double t) {
  if (t > 0.1) return t - std::log1p(t);
  double sum = 0;
  double power = t * t;
  for (int k = 2; k < 22; ++k, power *= -t) sum += power / k;
  return sum;
}

Derivatives mean_by(InverseLink link, double eta) {
  switch (link) {
    case InverseLink::exp:
      return {std::exp(eta), std::exp(eta), std::exp(eta)};
    case InverseLink::softplus:
      return {softplus(eta), logistic(eta), logistic(eta) * logistic(-eta)};
    case InverseLink::logistic: {
      const double slope = logistic(eta) * logistic(-eta);
      return {logistic(eta), slope, slope * (logistic(-eta) - logistic(eta))};
    }
    case InverseLink::norm_cdf: {
      const double density = normal_density(eta);
      return {normal_cdf(eta), density, counted(density, -eta)};
    }
    case InverseLink::one_over_x:
      return {1.0 / eta, -1.0 / (eta * eta), 2.0 / (eta * eta * eta)};
    case InverseLink::identity:
    case InverseLink::automatic:
    case InverseLink::softmax:
      break;
  }
  return {eta, 1.0, 0.0};
}

/// ln mu, also where mu underflows: of the links whose mean is above 0.
Derivatives log_mean_by(InverseLink link, double eta) {
  if (link == InverseLink::exp) return {eta, 1.0, 0.0};
  const double inverse = 1.0 / eta;
  if (link == InverseLink::one_over_x) return {-std::log(eta), -inverse, inverse * inverse};
  if (link == InverseLink::identity) return {std::log(eta), inverse, -(inverse * inverse)};
  const double mu = softplus(eta);
  if (eta < -38) return {eta, 1.0, -0.5 * std::exp(eta)};  // ln mu = eta - e^eta / 2 + ...
  const double slope = logistic(eta) / mu;
  const double rest =
      eta < 0 ? -logistic(-eta) * log1p_shortfall(std::exp(eta)) / mu : logistic(-eta) - slope;
  return {std::log(mu), slope, slope * rest};
}

double inverse_mean_by(InverseLink link, double eta) {
  if (link == InverseLink::exp) return std::exp(-eta);
  return link == InverseLink::one_over_x ? eta : 1.0 / mean_of(link, eta);
}

ScalarLoss gaussian_loss(const Derivatives& mu, double y) {
  const double error = mu.value - y;
  return {error * error, 2.0 * error * mu.slope,
          2.0 * (mu.slope * mu.slope + counted(mu.bend, error))};
}

ScalarLoss bernoulli_loss(InverseLink link, double y, double eta) {
  if (link == InverseLink::logistic) {
    return {counted(y, softplus(-eta)) + counted(1.0 - y, softplus(eta)),
            (1.0 - y) * logistic(eta) - y * logistic(-eta), logistic(eta) * logistic(-eta)};
  }
  const Derivatives one = log_normal_cdf(eta);
  const Derivatives zero = log_normal_cdf(-eta);
  return {-counted(y, one.value) - counted(1.0 - y, zero.value),
          (1.0 - y) * zero.slope - y * one.slope, -y * one.bend - (1.0 - y) * zero.bend};
}

ScalarLoss poisson_loss(const Derivatives& mu, const Derivatives& log_mu, double y) {
  return {mu.value - counted(y, log_mu.value), mu.slope - counted(y, log_mu.slope),
          mu.bend - counted(y, log_mu.bend)};
}

ScalarLoss gamma_loss(const Derivatives& log_mu, double inverse, double y) {
  const double slope = log_mu.slope;
  const double ratio = counted(y, inverse);
  return {ratio + log_mu.value, slope - ratio * slope,
          ratio * (slope * slope - log_mu.bend) + log_mu.bend};
}

/// By z = ln(a mu): y ln(1 + e^-z) + ln(1 + e^z) / a.
ScalarLoss negative_binomial_loss(const Derivatives& log_mu, double a, double y) {
  const double z = std::log(a) + log_mu.value;
  const double by_z = logistic(z) / a - y * logistic(-z);
  const double square = log_mu.slope * log_mu.slope;
  const double of_counts = logistic(-z) * (logistic(z) * square - log_mu.bend);
  // Of mu and 1 / mu, bend + square is exact: 0 and 2 / eta^2.
  const bool is_exact = std::fabs(log_mu.bend) == square;
  const double of_rest =
      is_exact ? log_mu.bend + square - logistic(z) * square : log_mu.bend + logistic(-z) * square;
  return {counted(y, softplus(-z)) + softplus(z) / a, by_z * log_mu.slope,
          y * of_counts + logistic(z) / a * of_rest};
}

}  // namespace

double mean_of(InverseLink link, double predictor) { return mean_by(link, predictor).value; }

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
      // Of the side where Phi is at most 1/2: there ln Phi is concave, and Newton's steps from 0
      // are monotone.
      const double tail = std::log(std::min(mean, 1.0 - mean));
      double x = 0;
      for (int i = 0; i < 100; ++i) {
        const Derivatives log_cdf = log_normal_cdf(x);
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

ScalarLoss scalar_loss(const Loss& loss, double target, double predictor) {
  const InverseLink link = loss.inverse_link;
  if (loss.family == Family::gaussian) return gaussian_loss(mean_by(link, predictor), target);
  if (loss.family == Family::bernoulli) return bernoulli_loss(link, target, predictor);
  const bool needs_positive = link == InverseLink::identity || link == InverseLink::one_over_x;
  if (needs_positive && predictor <= 0) return {infinity, 0.0, 0.0};
  const Derivatives log_mu = log_mean_by(link, predictor);
  if (loss.family == Family::gamma) {
    return gamma_loss(log_mu, inverse_mean_by(link, predictor), target);
  }
  if (loss.family == Family::negative_binomial) {
    return negative_binomial_loss(log_mu, loss.dispersion, target);
  }
  return poisson_loss(mean_by(link, predictor), log_mu, target);
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
