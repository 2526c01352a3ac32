// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// How a generalized linear model relates the linear predictor of a row to its target:
///
///     eta(t) = sum_j features(t, j) coefficients(j) + intercept + offset(t)
///     mu(t)  = inverse_link(eta(t))
///     loss   = sum_t w(t) l(y(t), mu(t)) / sum_t w(t)
///
/// Source: McCullagh and Nelder, "Generalized Linear Models", 2nd edition, 1989. The conventions of
/// the losses are those of NeMoS: see `Family`.

namespace synelix {

/// The distribution of the targets, and the loss l(y, mu) of a row. Constants that do not depend on
/// mu are left out.
enum class Family : std::uint8_t {
  gaussian,           ///< (y - mu)^2, without 1/2
  poisson,            ///< mu - y ln mu; y >= 0
  bernoulli,          ///< -y ln mu - (1 - y) ln(1 - mu); y is 0 or 1
  gamma,              ///< y / mu + ln mu; y > 0
  negative_binomial,  ///< -y ln(a mu / (1 + a mu)) + ln(1 + a mu) / a; y >= 0, a = `dispersion`
  categorical         ///< -ln mu_y: a class y in 0 ... classes - 1, mu by softmax over classes
};

/// The function from the linear predictor to the mean.
enum class InverseLink : std::uint8_t {
  automatic,   ///< gaussian identity, poisson and negative_binomial exp, bernoulli logistic, gamma
               ///< one_over_x, categorical softmax: NeMoS' defaults
  exp,         ///< e^x
  softplus,    ///< ln(1 + e^x)
  logistic,    ///< 1 / (1 + e^-x)
  norm_cdf,    ///< distribution function of the standard normal
  one_over_x,  ///< 1 / x
  identity,    ///< x
  softmax      ///< e^x_k / sum_c e^x_c; of categorical, and only of it
};

/// A family with its inverse link.
struct Loss {
  Family family = Family::poisson;                    ///< distribution of the targets
  InverseLink inverse_link = InverseLink::automatic;  ///< see `resolved` for what a family takes
  /// For negative_binomial: a of var(y) = mu + a mu^2, above 0.
  double dispersion = 1.0;
  /// For categorical: number of classes, at least 2.
  std::int64_t classes = 2;
};

/// The name of a family, as programs and files spell it.
const char* name_of(Family family);
/// The name of an inverse link.
const char* name_of(InverseLink inverse_link);

/// The loss with its inverse link written out instead of `automatic`.
/// \throws Error for a link that the family cannot have (bernoulli: logistic, norm_cdf;
/// categorical:
///         softmax; poisson, gamma, negative_binomial: exp, softplus, one_over_x, identity;
///         gaussian: all but softmax), a dispersion that is not above 0, and fewer than 2 classes
Loss resolved(const Loss& loss);

}  // namespace synelix
