// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/host_arrays.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/design_matrix.hpp>
#include <synelix/types/glm.hpp>
#include <synelix/types/scaled.hpp>
#include <synelix/types/series.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// \file
/// What glm_score.hpp declares, without Kokkos. Programs include glm_score.hpp.

namespace synelix {

/// rates(t, i) = inverse_link(sum_j features(t, j) coefficients(j, i) + intercept(i) + offset(t));
/// NaN in invalid rows. A mean that the family cannot have, such as one below 0, is still written,
/// and a warning says in how many rows.
///
/// \param model   coefficients, intercepts, loss, columns, targets and classes are read
/// \param rates   (rows, targets) or, for categorical, (rows, targets, classes); with one target
///                its dimension may be left out; a View or `StridedOutput` of float or double
/// \param offset  (rows) or (rows, targets). Empty: 0. It has no effect for categorical.
/// \throws Error if the model has other columns than the design, extents differ, or the rates
///         overlap the offset or an array that the design reads
/// @{
void predict(const DesignMatrix& design, const FitResult& model, const StridedOutput& rates,
             const Operand& offset = {});
template <class Rates>
  requires seam::has_view<Rates>
void predict(const DesignMatrix& design, const FitResult& model, const Rates& rates,
             const Operand& offset = {}) {
  predict(design, model, seam::host_output<1, 3>(rates), offset);
}
/// @}

/// Receives the means of consecutive rows: (rows, targets[, classes]), row-major, valid until it
/// returns. An exception from it ends the walk.
using TakeMeans = std::function<void(Range rows, std::span<const double> means)>;

/// `predict` for more rows than memory holds: calls `take` for consecutive ranges of rows. The
/// means have the bits of `predict`.
/// \param rows  absent: all
/// \throws Error as predict, and if the design has no such rows
void predict_rows(const DesignMatrix& design, const FitResult& model, const TakeMeans& take,
                  std::optional<Range> rows = {});

/// A measure of how well a model agrees with observations.
enum class ScoreKind : std::uint8_t {
  log_likelihood,      ///< larger is better
  pseudo_r2_mcfadden,  ///< larger is better, at most 1 if likelihoods are below 1
  pseudo_r2_cohen,     ///< larger is better, at most 1
  deviance             ///< smaller is better, at least 0
};

/// The name of a measure, as programs and files spell it.
const char* name_of(ScoreKind kind);

/// How well a model agrees with observations. The null model predicts the mean of the target over
/// the rows that count.
struct Score {
  /// Sum of the row weights: the number of rows if all are 1. For all targets, the sum over
  /// targets.
  double weight = 0;
  /// Mean over rows of ln p(y), with all constants. phi is `FitResult::scale`.
  double log_likelihood = 0;
  double null_log_likelihood = 0;  ///< of the null model, with the same phi
  /// Mean over rows of 2 (ln p(y) at the mean y - ln p(y)), without division by phi.
  double deviance = 0;
  double null_deviance = 0;  ///< of the null model
  /// 1 - log_likelihood / null_log_likelihood; NaN if the latter is 0, as for a target without an
  /// event. Source: McFadden 1979.
  double pseudo_r2_mcfadden = 0;
  /// 1 - deviance / null_deviance; NaN if the latter is 0. Source: Cohen, Cohen, West and Aiken
  /// 2002, p. 502.
  double pseudo_r2_cohen = 0;
};

/// The value of one measure.
double value_of(const Score& score, ScoreKind kind);

/// Tests whether the times of the events of a target fit its rates. The rates between two events
/// add up to an interval. Under the model it has the exponential distribution of mean 1, so z = 1 -
/// exp(-interval) is uniform. Intervals continue across rows that do not count, because under the
/// model events are independent of the rows that are left out.
///
/// Rows are bins, and the times of events within a bin are not known. They are drawn from the
/// model, following Haslinger et al., so z is uniform for any rate.
///
/// Sources: Brown, Barbieri, Ventura, Kass and Frank, "The time-rescaling theorem and its
/// application to neural spike train data analysis", 2002; Haslinger, Pipa and Brown, "Discrete
/// time rescaling theorem", 2010.
struct TimeRescaling {
  std::int64_t intervals = 0;  ///< number of z
  /// Largest distance between the distribution function of z and that of uniform numbers
  /// (Kolmogorov-Smirnov), to 1/16384; NaN without events.
  double statistic = 0;
  /// 1.36 / sqrt(intervals): 95 % of correct models have a smaller statistic.
  double bound = 0;
};

/// What `score` computes in addition to the scores.
struct ScoreOptions {
  /// sign(y - mu) sqrt(deviance of the row), (rows, targets), float or double; NaN in rows that do
  /// not count. For categorical without the sign. Empty: not wanted.
  StridedOutput deviance_residuals = {};
  /// Only for poisson, whose targets must then be integers, and bernoulli.
  bool time_rescaling = false;
  /// For the random times of events within their bins.
  std::uint64_t seed = 0;
};

/// What `score` returns.
struct ScoreResult {
  Score all;                                  ///< means over the rows of all targets, as in NeMoS
  std::vector<Score> targets;                 ///< of each target
  std::vector<TimeRescaling> time_rescaling;  ///< of each target; empty if not requested
  /// Sentences: rows with a mean that the family cannot have; their deviance is infinite.
  std::vector<std::string> warnings;
};

/// Scores of a model on the rows that are valid and observed. The bits do not depend on the number
/// of threads.
///
/// \throws Error as predict; if targets do not fit the family; if time rescaling is requested for
///         another family than poisson and bernoulli, or for targets that are not integers
ScoreResult score(const DesignMatrix& design, const Observations& observations,
                  const FitResult& model, const ScoreOptions& options = {});

/// Draws targets from the model. A draw depends only on the seed, the row and the target, so its
/// bits are the same for any number of threads.
///
/// | family            | distribution                                                        |
/// |-------------------|---------------------------------------------------------------------|
/// | gaussian          | normal, variance phi                                                |
/// | gamma             | gamma, shape 1 / phi: its variance is phi mu^2                      |
/// | negative_binomial | poisson with a gamma rate: variance mu + a mu^2                     |
/// | categorical       | a class                                                             |
///
/// phi is `FitResult::scale`, a is `FitResult::dispersion`; if these are empty, 1 and
/// `Loss::dispersion`. (NeMoS draws gamma with variance phi mu, which is not the variance of its
/// likelihood.)
///
/// \param targets  (rows, targets), or (rows) with one target; a View or `StridedOutput` of float
///                 or double. NaN in invalid rows, and where the family has no distribution of that
///                 mean: a warning says in how many rows.
/// \param offset   as of predict
/// \throws Error as predict
/// @{
void simulate(const DesignMatrix& design, const FitResult& model, std::uint64_t seed,
              const StridedOutput& targets, const Operand& offset = {});
template <class Targets>
  requires seam::has_view<Targets>
void simulate(const DesignMatrix& design, const FitResult& model, std::uint64_t seed,
              const Targets& targets, const Operand& offset = {}) {
  simulate(design, model, seed, seam::host_output<1, 2>(targets), offset);
}
/// @}

/// The same draws as lists of events, for poisson, bernoulli and negative_binomial. Invalid rows
/// have no event.
/// \throws Error also for another family
Events simulate_events(const DesignMatrix& design, const FitResult& model, std::uint64_t seed,
                       const Operand& offset = {});

/// Units that excite and inhibit each other. The rate of unit i at row t is
///
///     eta(t, i) = intercepts(i) + sum_j features(t, j) feedforward_coefficients(j, i)
///               + sum_s sum_b coupling(s * bases + b, i) sum_w taps(w, b) counts(t - 1 - w, s)
///     rate(t, i) = inverse_link(eta(t, i))
///
/// with counts drawn row by row from Poisson distributions of these rates. The coefficients are
/// those of a fit on features that are causal and shifted by one row.
struct RecurrentModel {
  Strided taps;                   ///< (window, bases), tap 0 acts on the row before
  Strided coupling;               ///< (units * bases, units), as FitResult::coefficients
  Strided intercepts;             ///< (units)
  Strided initial_activity = {};  ///< counts before row 0, (window, units), oldest first; empty: 0
  InverseLink inverse_link = InverseLink::softplus;  ///< exp, softplus, or another link of poisson
  std::optional<DesignMatrix> feedforward = {};      ///< features of the rows; absent: none
  Strided feedforward_coefficients = {};             ///< (columns, units)
};

/// Draws the activity of a recurrent network. The time of a row is proportional to (units active
/// within the window) x bases x units. It uses one thread.
///
/// \param rows    number of rows; that of the feed-forward features, if there are any
/// \param counts  (rows, units), float or double
/// \param rates   (rows, units), float or double. Empty: not wanted.
/// \throws Error if extents differ, an initial count is not finite, a feed-forward row is invalid,
///         a result overlaps the other or an array of the model, or a rate is not finite because
///         the network excites itself without bound
void simulate_recurrent(const RecurrentModel& model, std::int64_t rows, std::uint64_t seed,
                        const StridedOutput& counts, const StridedOutput& rates = {});

/// The same draws as lists of events.
Events simulate_recurrent_events(const RecurrentModel& model, std::int64_t rows,
                                 std::uint64_t seed);

}  // namespace synelix
