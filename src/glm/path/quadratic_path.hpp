// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/path/folded_rows.hpp"
#include "glm/path/path_problem.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// \file
/// Paths of gaussian models with the identity. Their mean loss is a quadratic function, whose
/// Hessian is twice the Gram matrix. So one walk gives the losses of all strengths on all rows, on
/// each fold, and without each fold.

namespace synelix::glm {

/// The sum of losses over some rows of a side: loss + gradient' d + d' hessian d / 2, with d the
/// difference of the parameters from a center. The center is the model without features. With a
/// center of 0, the losses of targets far from 0 would be differences of large sums and lose
/// digits.
struct QuadraticLoss {
  double loss = 0;  ///< at the center, as the gradient
  double weight = 0;
  std::vector<double> gradient;
  std::shared_ptr<const std::vector<double>> center;   ///< of one block, shared by folds
  std::shared_ptr<const std::vector<double>> hessian;  ///< of one block, shared by targets

  /// The mean loss at a point; the gradient of the mean loss is appended.
  double mean_at(std::span<const double> point, std::vector<double>& gradient_there) const;
  /// The sum of losses at a point.
  [[nodiscard]] double sum_at(std::span<const double> point) const;
};

/// The losses of the right-hand sides of a path.
struct QuadraticLosses {
  /// For each right-hand side of the problem, on the rows that it is fitted on.
  std::vector<QuadraticLoss> training;
  /// For each target of each fold, (folds, targets), on the test rows.
  std::vector<QuadraticLoss> test;
};

/// Reads the losses in one walk over the rows, around the models without features of `path`.
/// \param folded  the observations of the problem, if it has folds; else null
QuadraticLosses read_quadratic(const FitProblem& problem, const PathProblem& path, Walks& walks,
                               const FoldedRows* folded);

/// Solves the paths without a walk.
PathAnswers solve_quadratic(const FitProblem& problem, const PathProblem& path,
                            const PathShape& shape, const QuadraticLosses& losses);

}  // namespace synelix::glm
