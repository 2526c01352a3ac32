// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/glm.hpp>
#include <synelix/glm_score.hpp>
#include <synelix/types/glm_path.hpp>

/// \file
/// Models of many penalty strengths: `fit_path`, a model for each of them, and `cross_validate`,
/// which chooses one by its score on rows that were left out.
///
///     const sx::PathResult path =
///         sx::fit_path(design, {.targets = counts}, {.penalty = sx::Lasso{}}, {.count = 50});
///     const sx::CrossValidationResult choice =
///         sx::cross_validate(design, {.targets = counts}, {.penalty = sx::Lasso{}}, {.folds = 5});
///     sx::predict(design, choice.model, rates);
///
/// All strengths, targets and folds are fitted together: they share the walks over the rows, and
/// about ten neighboring strengths share a Hessian. Gaussian models with the identity link need
/// only the Gram matrix of the design: one walk over the rows computes it, and no strength needs
/// another walk.
