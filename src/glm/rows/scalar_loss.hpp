// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/loss.hpp>

#include <cstdint>
#include <span>

/// \file
/// Losses of a single row, written like the formulas, for starts, scores and certificates. A `Loss`
/// here must be resolved. The tiles of tile/family.hpp are tested against these.
///
/// Formulas: McCullagh and Nelder, "Generalized Linear Models", 2nd edition, 1989. NeMoS clips mu
/// at the machine's epsilon before it takes logarithms; here mu is not clipped, so derivatives are
/// consistent with the loss.

namespace synelix::glm {

/// mu of a predictor. Not for softmax.
double mean_of(InverseLink link, double predictor);
/// The predictor of a mean: infinite or NaN if the link has none. Not for softmax.
double predictor_of(InverseLink link, double mean);

/// Whether the family needs a mean above 0 that the link does not give for every predictor: such a
/// loss is infinite beyond a border.
bool has_border(const Loss& loss);
/// Whether a predictor of 0 has a mean that the family can have. Without an intercept, 0 is the
/// predictor of the model without features.
bool has_mean_at_0(const Loss& loss);
/// Whether the family cannot have the mean of a predictor: it is beyond that border, or overflows.
/// False for NaN, which marks an invalid row. Not for categorical.
/// \param mean  mean_of the predictor
bool is_outside(const Loss& loss, double predictor, double mean);

/// A mean, or a value drawn from it, as stored in results: with the canonical NaN and without -0.
double canonical_value(double value);

/// A row's loss with its derivatives by the predictor.
struct ScalarLoss {
  double loss = 0;
  double residual = 0;   ///< dl/deta
  double curvature = 0;  ///< d2l/deta2
};

/// The loss at a predictor. It is infinite with derivatives of 0 if the family needs a mean above 0
/// and the predictor has none. Not for categorical.
ScalarLoss scalar_loss(const Loss& loss, double target, double predictor);
/// Only l(y, mu). Not for categorical.
double loss_at_mean(const Loss& loss, double target, double mean);
/// l(y, mu) of categorical, from the predictors of all classes.
double categorical_loss(std::span<const double> predictors, std::int64_t target);

/// The logarithm of the density or probability of a target whose row has this loss. `scale` is phi
/// of gaussian and gamma; others ignore it.
double log_likelihood(const Loss& loss, double target, double row_loss, double scale);
/// Twice the difference between the log-likelihoods of the mean y and of `mean`. Not for
/// categorical, where it is twice the loss.
double deviance(const Loss& loss, double target, double mean, double scale);

}  // namespace synelix::glm
