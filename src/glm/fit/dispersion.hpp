// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_problem.hpp"

#include <cstddef>
#include <vector>

/// \file
/// The maximum-likelihood dispersion of negative_binomial at given means, and the sums for the
/// dispersion of gamma.

namespace synelix::glm {

/// The range of dispersions. At its ends the family is nearly Poisson, or nearly all rows have no
/// event.
inline constexpr double least_dispersion = 1e-6;
inline constexpr double most_dispersion = 1e6;

/// Maximizes the likelihood of each side over a of var(y) = mu + a mu^2 by Newton's method on ln a,
/// inside a bracket. Each step is a walk over the rows.
/// Source: Lawless, "Negative binomial and mixed Poisson regression", 1987, Can. J. Statist. 15.
/// \param parameters  of each side in the list, as SearchProblem
/// \return of each side in the list; empty if `FitOptions::cancel` ended the search
std::vector<double> find_dispersions(const FitProblem& problem,
                                     const std::vector<std::size_t>& sides,
                                     const std::vector<const std::vector<double>*>& parameters);

/// Sum over rows of w (y - mu)^2 / mu^2: Pearson's statistic of gamma, of each side.
std::vector<double> sum_pearson_gamma(const FitProblem& problem,
                                      const std::vector<std::size_t>& sides,
                                      const std::vector<const std::vector<double>*>& parameters);

}  // namespace synelix::glm
