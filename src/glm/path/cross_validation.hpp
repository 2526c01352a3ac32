// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "glm/score/score_sums.hpp"

#include <synelix/types/glm_path.hpp>
#include <synelix/types/glm_score.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// The steps of cross-validation, and scores of rows that were left out from the sum of their
/// losses.

namespace synelix::glm {

/// The fold of each row, checked.
/// \throws Error as cross_validate
std::vector<std::uint8_t> folds_of_rows(std::int64_t rows,
                                        const CrossValidationOptions& validation);

/// Means and standard errors of scores over folds, and the choice of each target.
/// \param counts  whether a target has a score in a fold, (folds, targets)
void choose_strengths(const CrossValidationOptions& validation,
                      const std::vector<std::uint8_t>& counts, CrossValidationResult& result);

/// Warnings for chosen strengths at an end of their path.
/// \param has_choice  for each target: whether its strengths have different models
std::vector<std::string> warnings_of_ends(const CrossValidationOptions& validation,
                                          const std::vector<bool>& has_choice,
                                          const CrossValidationResult& result);

/// The penalty of each target times the target's strength.
Penalty chosen_penalty(const Penalty& penalty, std::int64_t columns,
                       const std::vector<double>& strengths);

/// The numbers that turn a sum of losses into scores, for some rows of a target. Scores need no
/// second pass over the rows. A log-likelihood is minus the loss plus constants that depend only on
/// the targets. A deviance is twice (for gaussian, once) the difference between the loss and the
/// loss with the targets themselves as means.
struct HeldOut {
  double weight = 0;
  double constants = 0;       ///< sum of w (ln p + loss): 0 for families whose score needs phi
  double saturated_loss = 0;  ///< sum of w l(y, y)
  double null_loss = 0;       ///< sum of w l(y, mean of y)
  double of_deviance = 2;
  bool is_constant = false;  ///< all targets are equal

  /// Whether a score is defined. A pseudo-R2 compares with the null model. McFadden's needs targets
  /// that the null model does not predict with certainty, as it does without events or with one
  /// class. Cohen's needs targets that differ.
  [[nodiscard]] bool has(ScoreKind kind) const;
  /// \param loss  sum of w l(y, mu)
  [[nodiscard]] double score(ScoreKind kind, double loss) const;
};

/// Reads the rows of a target that `rows` selects. `loss` has the target's dispersion.
HeldOut read_held_out(const ScoredRows& rows, std::int64_t target, const Loss& loss);

/// Refuses scores that need the scale of a family.
void check_score(const Loss& loss, ScoreKind kind);

/// `cross_validate` on a pass.
CrossValidationResult cross_validate_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                                          const FitOptions& options,
                                          const CrossValidationOptions& validation);

}  // namespace synelix::glm
