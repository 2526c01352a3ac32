// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "glm/score/score_sums.hpp"

#include <synelix/types/glm_score.hpp>

#include <cstdint>
#include <span>

/// \file
/// Scores of rows that were left out, from the sum of their losses.

namespace synelix::glm {

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

}  // namespace synelix::glm
