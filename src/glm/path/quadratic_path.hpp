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
/// each fold, and without it.

namespace synelix::glm {

/// The sum of losses over some rows of a side: loss + gradient' p + p' hessian p / 2.
struct QuadraticLoss {
  double loss = 0;
  double weight = 0;
  std::vector<double> gradient;                        ///< at 0
  std::shared_ptr<const std::vector<double>> hessian;  ///< of one block, shared by targets

  /// The mean loss at a point; the gradient of the mean loss is appended.
  double mean_at(std::span<const double> point, std::vector<double>& gradient_there) const;
  /// The sum of losses at a point.
  [[nodiscard]] double sum_at(std::span<const double> point) const;
};

/// The losses of the right-hand sides of a path.
struct QuadraticLosses {
  /// Of each right-hand side of the problem: on the rows that it is fitted on.
  std::vector<QuadraticLoss> training;
  /// Of each target of each fold, (folds, targets): on the test rows.
  std::vector<QuadraticLoss> test;
};

/// Reads the losses in one walk over the rows.
/// \param folded  the observations of the problem, where it has folds; else null
QuadraticLosses read_quadratic(const FitProblem& problem, Walks& walks, const FoldedRows* folded);

/// The paths: no walk.
PathAnswers solve_quadratic(const FitProblem& problem, const PathProblem& path,
                            const PathShape& shape, const QuadraticLosses& losses);

}  // namespace synelix::glm
