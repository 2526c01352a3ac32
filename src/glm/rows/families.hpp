// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/loss.hpp>

#include <cstdint>
#include <span>
#include <string_view>

/// \file
/// The families of models, one row each. Fits, scores, predictions and simulations read these rows,
/// so a new family is a new row, and its loss in tile/family.hpp. Also the inverse links as
/// functions of one number.
///
/// Formulas: McCullagh and Nelder, "Generalized Linear Models", 2nd edition, 1989. NeMoS clips mu
/// at the machine's epsilon before it takes logarithms; here mu is not clipped, so derivatives are
/// consistent with the loss.

namespace synelix::glm {

class RandomStream;

/// The targets that a family can have.
enum class TargetKind : std::uint8_t {
  real,         ///< any finite number
  at_least_0,   ///< numbers of 0 or more, such as counts
  above_0,      ///< numbers above 0
  zero_or_one,  ///< 0 or 1
  label         ///< 0 ... classes - 1
};

/// How phi follows from a fit.
enum class ScaleKind : std::uint8_t {
  one,          ///< it is 1
  mean_square,  ///< sum of the losses over the degrees of freedom
  pearson       ///< sum of w (y - mu)^2 / mu^2 over the degrees of freedom
};

/// How the events of a row are distributed within its time.
enum class EventKind : std::uint8_t {
  none,        ///< targets are no events, or this is not known
  uniform,     ///< given their number, uniformly in its integrated rate
  at_most_one  ///< 0 or 1 event
};

/// What calls ask about a family. A `Loss` is resolved. Functions of a mean are null for labels.
struct FamilyRow {
  std::string_view name;
  std::span<const InverseLink> links;  ///< NeMoS' default first
  TargetKind targets;
  ScaleKind scale = ScaleKind::one;
  bool has_dispersion = false;         ///< Loss::dispersion, which a fit can estimate
  bool counts_events = false;          ///< whether a target is a number of events
  EventKind events = EventKind::none;  ///< for time rescaling
  /// The deviance of a row is this times the difference of its loss to that of the mean y.
  double deviance_of_loss = 2;
  /// l(y, mu), without the terms that do not depend on mu.
  double (*loss_at_mean)(const Loss& loss, double target, double mean) = nullptr;
  /// ln of the density or probability of a target whose row has this loss.
  double (*log_likelihood)(const Loss& loss, double target, double row_loss, double scale);
  /// Twice the difference between the log-likelihoods of the mean y and of `mean`.
  double (*deviance)(const Loss& loss, double target, double mean, double scale) = nullptr;
  /// A target with this mean, which is finite; NaN if no distribution has that mean.
  double (*draw)(RandomStream& stream, double mean, double scale, double dispersion) = nullptr;

  [[nodiscard]] bool has_scale() const { return scale != ScaleKind::one; }
  [[nodiscard]] bool has_classes() const { return targets == TargetKind::label; }
};

/// \param family  a declared value
const FamilyRow& family_row(Family family);

/// The linear predictors of each row: 1, or the number of classes.
inline std::int64_t classes_of(const Loss& loss) {
  return family_row(loss.family).has_classes() ? loss.classes : 1;
}

/// Whether the loss is quadratic in the parameters: one Hessian is exact.
inline bool is_quadratic(const Loss& loss) {
  return loss.family == Family::gaussian && loss.inverse_link == InverseLink::identity;
}

/// The functions of a row of this family.
/// @{
inline double loss_at_mean(const Loss& loss, double target, double mean) {
  return family_row(loss.family).loss_at_mean(loss, target, mean);
}
inline double log_likelihood(const Loss& loss, double target, double row_loss, double scale) {
  return family_row(loss.family).log_likelihood(loss, target, row_loss, scale);
}
inline double deviance(const Loss& loss, double target, double mean, double scale) {
  return family_row(loss.family).deviance(loss, target, mean, scale);
}
/// @}

/// A target with this mean, but not a label; NaN if no distribution has that mean.
/// \param scale       phi: variance of gaussian; of gamma, variance over squared mean
/// \param dispersion  of negative_binomial: a of var(y) = mean + a mean^2
double draw(RandomStream& stream, Family family, double mean, double scale, double dispersion);

/// l(y, mu) of labels, from the predictors of all classes.
double categorical_loss(std::span<const double> predictors, std::int64_t target);

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
/// False for NaN, which marks an invalid row. Not for labels.
/// \param mean  mean_of the predictor
bool is_outside(const Loss& loss, double predictor, double mean);

/// A mean, or a value drawn from it, as stored in results: with the canonical NaN and without -0.
double canonical_value(double value);

}  // namespace synelix::glm
