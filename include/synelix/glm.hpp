// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/design_matrix.hpp>
#include <synelix/types/glm.hpp>

/// \file
/// `fit`: generalized linear models of one or many targets on a design matrix that is not stored:
///
///     const sx::FitResult model =
///         sx::fit(design, {.targets = counts}, {.penalty = sx::Ridge{1e-3}});
///     model.coefficients[j * model.targets + i];  // of column j for target i
///
/// The objective of a target is NeMoS': the mean over its rows of the loss (loss.hpp), plus the
/// penalty (penalty.hpp) of its coefficients. The intercept has no penalty. The objectives of
/// targets add up.
///
/// A fit is *converged* if two numbers are small: `optimality`, the violation of the optimality
/// conditions relative to the gradient of the model without features, and, for smooth penalties,
/// `standard_errors_away`, the distance to the optimum in standard errors.
