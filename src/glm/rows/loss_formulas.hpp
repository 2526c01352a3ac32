// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/scalar_loss.hpp"
#include "tile/row_loss.hpp"

#include <synelix/loss.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The formulas of scalar_loss.hpp, for the host and for kernels of devices.

namespace synelix::glm::formula {

inline constexpr double log_root_two_pi = 0.91893853320467274178;

/// A function of the predictor with two derivatives.
struct Derivatives {
  double value;
  double slope;
  double bend;
};

KOKKOS_INLINE_FUNCTION double softplus(double x) {
  return (x > 0 ? x : 0.0) + Kokkos::log1p(Kokkos::exp(-Kokkos::fabs(x)));
}
KOKKOS_INLINE_FUNCTION double logistic(double x) {
  const double t = Kokkos::exp(-Kokkos::fabs(x));
  return (x < 0 ? t : 1.0) / (1.0 + t);
}
KOKKOS_INLINE_FUNCTION double normal_density(double x) {
  return Kokkos::exp(-0.5 * x * x - log_root_two_pi);
}
KOKKOS_INLINE_FUNCTION double normal_cdf(double x) {
  return 0.5 * Kokkos::erfc(-x / Kokkos::numbers::sqrt2);
}

/// x y, and 0 where x is 0.
KOKKOS_INLINE_FUNCTION double counted(double x, double y) { return x == 0 ? 0.0 : x * y; }

/// The Mills ratio (1 - Phi(a)) / phi(a): for large a by Laplace's continued fraction.
KOKKOS_INLINE_FUNCTION double mills_ratio(double a) {
  if (a < 5) return normal_cdf(-a) / normal_density(a);
  double fraction = a;
  for (int k = 80; k > 0; --k) fraction = a + k / fraction;
  return 1.0 / fraction;
}

/// ln Phi(x) with its derivatives.
KOKKOS_INLINE_FUNCTION Derivatives log_normal_cdf(double x) {
  if (x > 0) {
    const double ratio = normal_density(x) / normal_cdf(x);
    return {Kokkos::log1p(-normal_cdf(-x)), ratio, -ratio * (x + ratio)};
  }
  const double mills = mills_ratio(-x);
  const double ratio = 1.0 / mills;
  const double bend = x < -1000 ? 1.0 / (x * x) - 1.0 : -ratio * (x + ratio);
  return {-0.5 * x * x - log_root_two_pi + Kokkos::log(mills), ratio, bend};
}

/// t - ln(1 + t) for t in [0, 1]: by its series if the difference cancels.
KOKKOS_INLINE_FUNCTION double log1p_shortfall(double t) {
  if (t > 0.1) return t - Kokkos::log1p(t);
  double sum = 0;
  double power = t * t;
  for (int k = 2; k < 22; ++k, power *= -t) sum += power / k;
  return sum;
}

KOKKOS_INLINE_FUNCTION Derivatives mean_by(InverseLink link, double eta) {
  switch (link) {
    case InverseLink::exp:
      return {Kokkos::exp(eta), Kokkos::exp(eta), Kokkos::exp(eta)};
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

/// ln mu, also if mu underflows, for links whose mean is above 0.
KOKKOS_INLINE_FUNCTION Derivatives log_mean_by(InverseLink link, double eta) {
  if (link == InverseLink::exp) return {eta, 1.0, 0.0};
  const double inverse = 1.0 / eta;
  if (link == InverseLink::one_over_x) return {-Kokkos::log(eta), -inverse, inverse * inverse};
  if (link == InverseLink::identity) return {Kokkos::log(eta), inverse, -(inverse * inverse)};
  const double mu = softplus(eta);
  if (eta < -38) return {eta, 1.0, -0.5 * Kokkos::exp(eta)};  // ln mu = eta - e^eta / 2 + ...
  const double slope = logistic(eta) / mu;
  const double rest =
      eta < 0 ? -logistic(-eta) * log1p_shortfall(Kokkos::exp(eta)) / mu : logistic(-eta) - slope;
  return {Kokkos::log(mu), slope, slope * rest};
}

KOKKOS_INLINE_FUNCTION double inverse_mean_by(InverseLink link, double eta) {
  if (link == InverseLink::exp) return Kokkos::exp(-eta);
  return link == InverseLink::one_over_x ? eta : 1.0 / mean_by(link, eta).value;
}

KOKKOS_INLINE_FUNCTION ScalarLoss gaussian_loss(const Derivatives& mu, double y) {
  const double error = mu.value - y;
  return {error * error, 2.0 * error * mu.slope,
          2.0 * (mu.slope * mu.slope + counted(mu.bend, error))};
}

KOKKOS_INLINE_FUNCTION ScalarLoss bernoulli_loss(InverseLink link, double y, double eta) {
  if (link == InverseLink::logistic) {
    return {counted(y, softplus(-eta)) + counted(1.0 - y, softplus(eta)),
            (1.0 - y) * logistic(eta) - y * logistic(-eta), logistic(eta) * logistic(-eta)};
  }
  const Derivatives one = log_normal_cdf(eta);
  const Derivatives zero = log_normal_cdf(-eta);
  return {-counted(y, one.value) - counted(1.0 - y, zero.value),
          (1.0 - y) * zero.slope - y * one.slope, -y * one.bend - (1.0 - y) * zero.bend};
}

KOKKOS_INLINE_FUNCTION ScalarLoss poisson_loss(const Derivatives& mu, const Derivatives& log_mu,
                                               double y) {
  return {mu.value - counted(y, log_mu.value), mu.slope - counted(y, log_mu.slope),
          mu.bend - counted(y, log_mu.bend)};
}

KOKKOS_INLINE_FUNCTION ScalarLoss gamma_loss(const Derivatives& log_mu, double inverse, double y) {
  const double slope = log_mu.slope;
  const double ratio = counted(y, inverse);
  return {ratio + log_mu.value, slope - ratio * slope,
          ratio * (slope * slope - log_mu.bend) + log_mu.bend};
}

/// With z = ln(a mu): y ln(1 + e^-z) + ln(1 + e^z) / a.
KOKKOS_INLINE_FUNCTION ScalarLoss negative_binomial_loss(const Derivatives& log_mu, double a,
                                                         double y) {
  const double z = Kokkos::log(a) + log_mu.value;
  const double by_z = logistic(z) / a - y * logistic(-z);
  const double square = log_mu.slope * log_mu.slope;
  const double of_counts = logistic(-z) * (logistic(z) * square - log_mu.bend);
  // For the links with mean eta and 1 / eta, bend + square is exactly 0 or 2 / eta^2.
  const bool is_exact = Kokkos::fabs(log_mu.bend) == square;
  const double of_rest =
      is_exact ? log_mu.bend + square - logistic(z) * square : log_mu.bend + logistic(-z) * square;
  return {counted(y, softplus(-z)) + softplus(z) / a, by_z * log_mu.slope,
          y * of_counts + logistic(z) / a * of_rest};
}

/// Whether a mean must be above 0, and some predictors give other means.
KOKKOS_INLINE_FUNCTION bool needs_positive(const Loss& loss) {
  const bool gives_any =
      loss.inverse_link == InverseLink::identity || loss.inverse_link == InverseLink::one_over_x;
  return gives_any && loss.family != Family::gaussian;
}

KOKKOS_INLINE_FUNCTION ScalarLoss loss_of_row(const Loss& loss, double target, double predictor) {
  const InverseLink link = loss.inverse_link;
  if (loss.family == Family::gaussian) return gaussian_loss(mean_by(link, predictor), target);
  if (loss.family == Family::bernoulli) return bernoulli_loss(link, target, predictor);
  if (needs_positive(loss) && predictor <= 0)
    return {Kokkos::Experimental::infinity_v<double>, 0.0, 0.0};
  const Derivatives log_mu = log_mean_by(link, predictor);
  if (loss.family == Family::gamma) {
    return gamma_loss(log_mu, inverse_mean_by(link, predictor), target);
  }
  if (loss.family == Family::negative_binomial) {
    return negative_binomial_loss(log_mu, loss.dispersion, target);
  }
  return poisson_loss(mean_by(link, predictor), log_mu, target);
}

/// The same with the bounds of the tiles: predictors are clamped, and those without a mean have an
/// infinite loss and derivatives of 0. NaN gives NaN.
KOKKOS_INLINE_FUNCTION ScalarLoss bounded_loss(const Loss& loss, double target, double predictor) {
  const InverseLink link = loss.inverse_link;
  const bool is_square = loss.family == Family::gaussian;
  if (is_square && link == InverseLink::identity) return loss_of_row(loss, target, predictor);
  double eta = predictor > tile::largest_predictor ? tile::largest_predictor : predictor;
  eta = eta < -tile::largest_predictor ? -tile::largest_predictor : eta;
  if (needs_positive(loss) && eta < tile::least_positive) eta = 0;
  return loss_of_row(loss, target, eta);
}

}  // namespace synelix::glm::formula
