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
/// Converts the words of a fit to the library's options, and to a fingerprint: a text with
/// everything that the bits of a model depend on. A resumed fit uses results of an earlier run only
/// if all of this is the same.

namespace synelix::tool {

/// The penalty. For a group lasso, the columns of each channel of each term are a group.
/// \param strength  used if the words have none
Penalty penalty_of(const PenaltyWords& words, const std::vector<Term>& terms,
                   const Strength& strength = 1.0);

/// Options of `fit` except progress, cancelling and checkpoint. Reads the mask.
/// Throws Error if the mask is not a matrix (columns, targets) of 0 and 1.
FitOptions fit_options(const FitSettings& settings, const std::vector<Term>& terms,
                       std::int64_t targets);

/// Fits one model, a path, or a path with cross-validation. The model is that of the chosen
/// strengths; for a path alone, of the weakest. It is fitted once more from the solution of the
/// path, so that it has all numbers of a model.
FitFile fitted(const DesignMatrix& design, const Observations& observations,
               const FitSettings& settings, const FitOptions& options);

/// The choice that `fitted` would make. \throws BudgetError if there would be too little memory
FitChoice chosen_fit(const DesignMatrix& design, const Observations& observations,
                     const FitSettings& settings, const FitOptions& options);

/// The settings, besides the design and its files, that coefficients depend on: a line of text.
std::string settings_text(const FitSettings& settings);

/// It does not include budget, threads and the layout of the design file.
/// \param files  the files that were read. For the design, the options and the calibration of the
///        machine, their contents are compared, not their times of change.
Fingerprint fingerprint_of(const FitRequest& request, const FittedDesign& design,
                           const DesignMatrix& matrix, const FitChoice& choice,
                           const std::vector<std::int64_t>& target_ids,
                           const std::vector<InputFile>& files);

}  // namespace synelix::tool
