// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/run/fitted_design.hpp"

#include <synelix/types/design_matrix.hpp>
#include <synelix/types/fit_file.hpp>
#include <synelix/types/glm.hpp>
#include <synelix/types/stream.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// From the words of a fit to the library's options, and to a fingerprint: what the bits of a model
/// depend on, in words. A fit that is resumed takes over what an earlier run has found only where
/// all of this is the same.

namespace synelix::tool {

/// The penalty. Of a group lasso, the columns of each channel of each term are a group.
/// \param strength  what stands where the words have none
Penalty penalty_of(const PenaltyWords& words, const std::vector<Term>& terms,
                   const Strength& strength = 1.0);

/// Options of `fit` but progress, cancelling and checkpoint. Reads the mask.
/// Throws Error where the mask is no matrix (columns, targets) of 0 and 1.
FitOptions fit_options(const FitSettings& settings, const std::vector<Term>& terms,
                       std::int64_t targets);

/// Fits one model, a path, or a path with cross-validation. The model is that of the chosen
/// strengths; of a path alone, of the weakest. It is fitted once more from the answer of the path,
/// so it has all numbers of a model.
FitFile fitted(const DesignMatrix& design, const Observations& observations,
               const FitSettings& settings, const FitOptions& options);

/// How `fitted` would fit. \throws BudgetError where it would find too little memory
FitChoice chosen_fit(const DesignMatrix& design, const Observations& observations,
                     const FitSettings& settings, const FitOptions& options);

/// What coefficients depend on beside the design and its files: a line of words.
std::string settings_text(const FitSettings& settings);

/// Budget, threads and the layout of the design file are not among it.
/// \param files  what was read. Of the design, the options and the calibration of the machine,
///               what they say is compared, and not when they were changed.
Fingerprint fingerprint_of(const FitRequest& request, const FittedDesign& design,
                           const DesignMatrix& matrix, const FitChoice& choice,
                           const std::vector<std::int64_t>& target_ids,
                           const std::vector<InputFile>& files);

}  // namespace synelix::tool
