// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"

#include <synelix/types/glm_path.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// The steps of cross-validation.

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

/// `cross_validate` on a pass.
CrossValidationResult cross_validate_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                                          const FitOptions& options,
                                          const CrossValidationOptions& validation);

}  // namespace synelix::glm
