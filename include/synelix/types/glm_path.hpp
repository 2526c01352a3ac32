// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/design_matrix.hpp>
#include <synelix/types/glm.hpp>
#include <synelix/types/glm_score.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// What glm_path.hpp declares, without Kokkos. Programs include glm_path.hpp.

namespace synelix {

/// The strengths of a path. They multiply the strength of the penalty, which is 1 by default: with
/// Lasso{} they are the strengths themselves, with Lasso{Strength(numbers,
/// Strength::Per::coefficient)} the numbers are weights of coefficients.
struct PathOptions {
  /// The same for all targets, in any order. Empty: `count` numbers for each target, at equal
  /// ratios, from the target's `strength_max` down to `ratio` times that.
  std::vector<double> strengths = {};
  std::int64_t count = 50;  ///< 2 or more; ignored if strengths are given
  double ratio = 0;         ///< above 0 and below 1; 0: that of `ratio_of`
};

/// The ratio that a path takes: 1e-3, and 1e-7 for Ridge, whose `strength_max` is far above any
/// useful strength.
double ratio_of(const PathOptions& path, const Penalty& penalty);

/// The models of a path. Strengths descend.
struct PathResult {
  std::int64_t count = 0;         ///< number of strengths
  std::int64_t columns = 0;       ///< of the design
  std::int64_t targets = 0;       ///< of the observations
  std::int64_t classes = 1;       ///< above 1 for categorical only
  Loss loss = {};                 ///< with its inverse link written out
  std::vector<double> strengths;  ///< (count, targets)
  /// For each target, the smallest strength at which all penalized coefficients are 0 (with those
  /// without a penalty held at 0). Ridge has no such strength: there it is 1000 times the largest
  /// gradient, as in glmnet (Friedman, Hastie and Tibshirani 2010).
  std::vector<double> strength_max;
  std::vector<double> coefficients;  ///< (count, columns, targets[, classes]), row-major
  std::vector<double> intercepts;    ///< (count, targets[, classes])
  // (count, targets), as in FitResult:
  std::vector<double> mean_loss;   ///< (count, targets): mean of l at the result
  std::vector<double> objective;   ///< (count, targets): with the penalty
  std::vector<double> optimality;  ///< (count, targets): largest violation, relative
  /// In the Hessian of a neighboring strength; NaN if the penalty is not smooth.
  std::vector<double> standard_errors_away;
  std::vector<Stop> stop;                 ///< (count, targets): why the search ended
  std::vector<std::int64_t> evaluations;  ///< (count, targets): points where l was computed
  std::vector<std::int64_t> nonzero;      ///< coefficients that are not 0
  /// Models, including those of folds, whose search ended before the optimum (Stop::iterations,
  /// Stop::no_decrease). `warnings` names the first. Not kept in files.
  std::int64_t not_optimal = 0;
  std::int64_t walks = 0;             ///< over the rows, of all models together
  std::vector<std::string> warnings;  ///< sentences, as in FitResult: columns of zeros

  /// The models of one strength, for predict, score and simulate: phi is left out, so it is 1.
  [[nodiscard]] FitResult model(std::int64_t strength) const;
};

/// Fits the models of a path. Refuses `FitOptions::standard_errors`, `estimate_dispersion` and
/// every `solver` except automatic, because they apply to a single model. Start values are ignored:
/// the path begins at the model without features.
///
/// Source of the path with warm starts: Friedman, Hastie and Tibshirani, "Regularization paths for
/// generalized linear models via coordinate descent", 2010.
///
/// \throws Error as fit; for NoPenalty, a solver, strengths that are negative or not finite,
///         strength 0 with more parameters than rows, a count below 2, and a ratio outside (0, 1)
PathResult fit_path(const DesignMatrix& design, const Observations& observations,
                    const FitOptions& options, const PathOptions& path = {});

/// Which strength is chosen.
enum class Choose : std::uint8_t {
  best,               ///< the best mean score
  one_standard_error  ///< the largest strength within a standard error of the best mean score
};

/// The name of a choice.
const char* name_of(Choose choose);

/// How models are compared.
///
/// The features of a row depend on all samples of their window. So training rows next to a test row
/// share samples with it, and the score of that row is a little too good. A `gap` of the window's
/// length leaves out such training rows. NeMoS and scikit-learn use 0.
struct CrossValidationOptions {
  std::int64_t folds = 5;  ///< 2 to 100 blocks of consecutive rows, of equal length
  /// Instead: the fold of each row, 0, 1, ..., or 255 for rows that are in no test set. (rows)
  std::vector<std::uint8_t> fold_of_row = {};
  std::int64_t gap = 0;   ///< rows on either side of test rows that training leaves out
  PathOptions path = {};  ///< the strengths that are compared
  /// The score of the rows of a fold, with the model of the other rows. The null model is the mean
  /// of the rows of the fold. For gaussian and gamma, log_likelihood and pseudo_r2_mcfadden need
  /// phi and are refused.
  ScoreKind score = ScoreKind::deviance;
  Choose choose = Choose::best;  ///< which strength the model of all rows gets
};

/// What cross-validation found.
struct CrossValidationResult {
  std::int64_t folds = 0;  ///< number of folds
  PathResult path;         ///< on all rows
  /// (folds, count, targets). NaN if a pseudo-R2 is not defined because the target does not vary in
  /// the fold. Mean and standard error then leave the fold out, and `model.warnings` names it.
  std::vector<double> scores;
  std::vector<double> mean;            ///< over folds, (count, targets)
  std::vector<double> standard_error;  ///< of the mean: deviation / sqrt(folds), (count, targets)
  std::vector<std::int64_t> chosen;    ///< a row of `path` for each target
  FitResult model;                     ///< on all rows, at the chosen strengths
};

/// For each fold, fits a path on the other rows and scores it on the fold. Then fits the model of
/// the chosen strength of each target on all rows. All folds use the strengths that follow from all
/// rows. `FitOptions::solver` applies only to that final fit.
///
/// \throws Error as fit_path; if a fold has no row of a target, a fold number between 0 and the
///         largest has no row, a score needs phi, or a pseudo-R2 is defined in no fold
CrossValidationResult cross_validate(const DesignMatrix& design, const Observations& observations,
                                     const FitOptions& options,
                                     const CrossValidationOptions& validation = {});

/// Refuses a budget that is too small for a path or a cross-validation. Computes nothing.
/// \throws BudgetError naming the least; Error as fit_path and cross_validate
/// @{
void require_budget(const DesignMatrix& design, const Observations& observations,
                    const FitOptions& options, const PathOptions& path);
void require_budget(const DesignMatrix& design, const Observations& observations,
                    const FitOptions& options, const CrossValidationOptions& validation);
/// @}

}  // namespace synelix
