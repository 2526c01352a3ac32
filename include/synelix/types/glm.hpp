// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/loss.hpp>
#include <synelix/penalty.hpp>
#include <synelix/types/design_matrix.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// What glm.hpp declares, without Kokkos. Programs include glm.hpp.

namespace synelix {

/// How the optimum is found.
enum class Solver : std::uint8_t {
  automatic,       ///< by the predicted cost of each; newton continues if lbfgs does not converge
  newton,          ///< smooth penalties: few Hessians, then gradients
  lbfgs,           ///< smooth penalties, many columns: L-BFGS, the Gram matrix as preconditioner
  proximal_newton  ///< any penalty: coordinate descent and active sets on quadratic models
};

/// The name of a solver.
const char* name_of(Solver solver);

/// Why the fit of a target ended.
enum class Stop : std::uint8_t {
  converged,    ///< both measures are within their tolerances
  iterations,   ///< FitOptions::most_evaluations were made (a dispersion may still move, too)
  no_decrease,  ///< no step decreases the objective, and a tolerance is not met, because of
                ///< rounding, a border of the family, or an objective that is not finite
  separated,    ///< predictors grow without bound while the loss hardly falls: no optimum exists
  no_events,    ///< the target has no event (its mean is 0, or at the border of its family)
  cancelled     ///< FitOptions::cancel; also if it ended the check of a finished target
};

/// The name of a reason.
const char* name_of(Stop stop);

/// Progress of a fit.
struct FitProgress {
  std::int64_t targets_done = 0;  ///< right-hand sides whose search has ended
  std::int64_t targets = 0;       ///< right-hand sides: with a path or folds, all of them
  std::int64_t passes = 0;        ///< walks over the rows
  double worst_optimality = 0;    ///< largest `optimality` of those that are not finished
  double seconds = 0;             ///< since the start
};

/// Stores what the walks of a fit over the rows find, so that a later run need not repeat them.
/// Everything else follows from these answers and is computed again. So the result has the bits of
/// an uninterrupted fit, for any budget and number of threads of either run.
///
/// A question is a number that is computed from the point and the rows of a right-hand side. Two
/// different questions have the same number with probability 2^-128. An answer is the loss and its
/// derivatives there. The caller must ensure that answers of other data or another machine are not
/// found.
class AnswerStore {
 public:
  /// The key of an answer.
  using Question = std::array<std::uint64_t, 2>;

  virtual ~AnswerStore() = default;
  /// Whether to keep an answer of this many bytes, which a walk of this many seconds has found.
  [[nodiscard]] virtual bool is_worth(double seconds, std::int64_t bytes) const {
    static_cast<void>(seconds);
    static_cast<void>(bytes);
    return true;
  }
  /// Keeps an answer.
  virtual void keep(const Question& question, std::span<const std::byte> answer) = 0;
  /// The stored answer; empty if there is none.
  [[nodiscard]] virtual std::vector<std::byte> find(const Question& question) = 0;
};

/// How a model is fitted.
struct FitOptions {
  Loss loss = {};                     ///< family of the targets and inverse link
  Penalty penalty = NoPenalty{};      ///< of coefficients; intercepts have none
  Solver solver = Solver::automatic;  ///< an Error if it does not support the penalty
  /// Which columns each target uses, (columns, targets), row-major, 0 or 1. Empty: all.
  std::vector<std::uint8_t> feature_mask = {};
  bool fit_intercept = true;  ///< false: intercepts stay where they start, at 0 by default
  /// Estimates the dispersion of negative_binomial for each target; `loss.dispersion` is its start.
  bool estimate_dispersion = false;
  /// Where to start, (columns, targets[, classes]). Empty: 0. If a mean must be above 0 (poisson,
  /// gamma and negative_binomial with identity or one_over_x), a start with another mean is
  /// replaced, with a warning.
  std::vector<double> start_coefficients = {};
  std::vector<double> start_intercepts = {};  ///< (targets[, classes]); empty: the link of the mean
  double optimality_tolerance = 1e-6;         ///< largest `optimality` that counts as converged
  /// Largest `standard_errors_away` that counts as converged. Not used with penalties that are not
  /// smooth.
  double standard_errors_tolerance = 1e-3;
  std::int64_t most_evaluations = 500;  ///< of one right-hand side; also bounds its dispersions
  /// Standard errors of smooth fits, from the Hessian at the optimum.
  bool standard_errors = false;
  /// Called on the caller's thread after each walk over the rows. An exception from it ends the
  /// fit.
  std::function<void(const FitProgress&)> progress = {};
  /// Checked between and within walks: once true, the fit returns its current state, with
  /// Stop::cancelled. An unfinished walk is discarded.
  const std::atomic<bool>* cancel = nullptr;
  /// Called on the caller's thread a few times a second during a walk over the rows. It must not
  /// use the design, which is in the middle of the walk. An exception from it ends the fit.
  std::function<void()> during_walk = {};
  /// Stores and finds answers of walks of fits, paths and cross-validation, for any budget. The
  /// same call with the same store continues an interrupted one. Null: no store.
  AnswerStore* answers = nullptr;
};

/// How a model will be fitted: made without running.
struct FitChoice {
  Solver solver = Solver::automatic;                  ///< never `automatic`
  double seconds = 0;                                 ///< predicted, of one thread
  std::string reason;                                 ///< a sentence with the numbers that decided
  std::vector<std::pair<Solver, double>> candidates;  ///< predicted seconds of each
};

/// A fitted model.
struct FitResult {
  std::int64_t columns = 0;          ///< of the design
  std::int64_t targets = 0;          ///< of the observations
  std::int64_t classes = 1;          ///< above 1 for categorical only
  Loss loss = {};                    ///< with its inverse link written out
  std::vector<double> coefficients;  ///< (columns, targets[, classes]), row-major
  std::vector<double> intercepts;    ///< (targets[, classes])
  /// (columns + 1, targets[, classes]), the intercept last. NaN for columns that are masked, zero
  /// or linearly dependent, because the data do not determine their parameters. For categorical,
  /// adding a constant to all classes changes no prediction. So without a penalty all are NaN, and
  /// with Ridge those of the intercepts are NaN. Empty unless `standard_errors` is set.
  std::vector<double> standard_errors;
  std::vector<double> start_intercepts;  ///< (targets[, classes]), the start of the search
  // Of each target:
  std::vector<double> mean_loss;   ///< mean of l at the result
  std::vector<double> objective;   ///< with the penalty; if not finite, the rest is NaN
  std::vector<double> optimality;  ///< largest violation, relative
  /// Distance to the optimum in standard errors. After Newton's method it is measured in the last
  /// Hessian of the search, unless `standard_errors` is set. NaN if the penalty is not smooth.
  std::vector<double> standard_errors_away;
  std::vector<Stop> stop;                 ///< why the search ended
  std::vector<std::int64_t> evaluations;  ///< points at which loss and gradient were computed
  std::vector<std::int64_t> hessians;     ///< points at which the Hessian was computed
  std::vector<double> rows_used;          ///< sum of the row weights
  /// Degrees of freedom of the residuals: rows used - rank - 1 (no penalty), rows - columns - 1
  /// (Ridge), rows - nonzero - 1 (sparse). NeMoS counts rows with NaN too; this does not.
  std::vector<double> residual_degrees_of_freedom;
  std::vector<double> scale;       ///< phi: gamma and gaussian estimated as NeMoS, else 1
  std::vector<double> dispersion;  ///< of negative_binomial
  FitChoice choice;                ///< the solver, and why it was chosen
  /// Sentences: columns of zeros, targets that are separated, rank deficiency, rows that hold a
  /// target at the border of its family.
  std::vector<std::string> warnings;
};

/// Fits a model for each target.
///
/// \param design        the features
/// \param observations  targets, offset, row weights
/// \throws Error if targets do not fit the family (negative counts, labels out of range), lengths
///         differ, no row is left, there are more parameters than rows without a penalty, or a
///         mask, group, strength or start value has the wrong shape
FitResult fit(const DesignMatrix& design, const Observations& observations,
              const FitOptions& options = {});

/// How a model would be fitted. \throws Error as fit; also if the budget is too small for the fit
FitChoice choose_fit(const DesignMatrix& design, const Observations& observations,
                     const FitOptions& options = {});

}  // namespace synelix
