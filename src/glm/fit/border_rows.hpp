// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_problem.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// \file
/// The rows that hold a search at the border of a family, where the mean of a row is 0 or infinite.

namespace synelix::glm {

/// Names the rows of each side whose mean is at the border of the family or beyond it: a sentence
/// for each of the first few sides that have such rows. The loss must have a border.
/// \param parameters  of each side in the list, as SearchProblem
std::vector<std::string> border_warnings(const FitProblem& problem,
                                         const std::vector<std::size_t>& sides,
                                         const std::vector<const std::vector<double>*>& parameters);

}  // namespace synelix::glm
