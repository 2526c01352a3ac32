// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_problem.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// \file
/// Linear predictors of answers with targets and weights, block by block of the rows; and what fits
/// compute from them: dispersions of negative_binomial and gamma, and the rows that hold a search
/// at the border of a family, where the mean of a row is 0 or infinite.

namespace synelix::glm {

/// Rows of one side in memory.
struct PredictedRows {
  std::size_t side = 0;           ///< place in the list of sides
  std::int64_t first = 0;         ///< row of the recording
  std::int64_t count = 0;         ///< rows
  const double* predictors = {};  ///< offsets included
  const double* targets = {};
  const double* weights = {};  ///< 0 for rows that do not count
};

/// Rows and sides that are processed at a time.
inline constexpr std::int64_t predicted_rows = 4096;
inline constexpr std::size_t predicted_sides = 64;

/// Bytes of a walk over this many sides.
inline std::int64_t predictor_walk_bytes(std::int64_t columns, std::int64_t sides) {
  const std::int64_t at_once = std::min(sides, static_cast<std::int64_t>(predicted_sides));
  return ((2 * columns + predicted_rows) * at_once + 4 * predicted_rows) *
         static_cast<std::int64_t>(sizeof(double));
}

/// Calls visit(PredictedRows) for all rows of each side, in order. For one class only.
/// \param parameters  of each side in the list
template <class Visit>
void walk_predictors(const FitProblem& problem, const std::vector<std::size_t>& sides,
                     const std::vector<const std::vector<double>*>& parameters, const Visit& visit);

// ---- what fits compute by such walks

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

/// Names the rows of each side whose mean is at the border of the family or beyond it: a sentence
/// for each of the first few sides that have such rows. The loss must have a border.
/// \param parameters  of each side in the list, as SearchProblem
std::vector<std::string> border_warnings(const FitProblem& problem,
                                         const std::vector<std::size_t>& sides,
                                         const std::vector<const std::vector<double>*>& parameters);

// ---- definitions

template <class Visit>
void walk_predictors(const FitProblem& problem, const std::vector<std::size_t>& sides,
                     const std::vector<const std::vector<double>*>& parameters,
                     const Visit& visit) {
  const std::int64_t rows = problem.pass.rows();
  const std::span<const std::uint64_t> valid = problem.pass.valid();
  for (std::size_t first = 0; first < sides.size(); first += predicted_sides) {
    const std::size_t count = std::min(predicted_sides, sides.size() - first);
    std::vector<double> coefficients(static_cast<std::size_t>(problem.columns) * count);
    for (std::size_t j = 0; j < static_cast<std::size_t>(problem.columns); ++j) {
      for (std::size_t k = 0; k < count; ++k) {
        coefficients[j * count + k] = (*parameters[first + k])[j];
      }
    }
    std::vector<double> products(static_cast<std::size_t>(predicted_rows) * count);
    std::vector<double> predictors(predicted_rows);
    std::vector<double> targets(predicted_rows);
    std::vector<double> weights(predicted_rows);
    std::vector<double> offsets(predicted_rows, 0.0);
    for (std::int64_t begin = 0; begin < rows; begin += predicted_rows) {
      const Range part{begin, std::min(begin + predicted_rows, rows)};
      problem.observed.begin(part);
      problem.pass.apply(coefficients.data(), static_cast<std::int64_t>(count), part,
                         products.data());
      for (std::size_t k = 0; k < count; ++k) {
        const Side& side = problem.sides[sides[first + k]];
        problem.observed.read_targets(side.rows.target, part, targets.data());
        problem.observed.read_weights(side.rows, part, weights.data());
        if (problem.observed.has_offset()) {
          problem.observed.read_offsets(side.rows.target, part, offsets.data());
        }
        const double intercept = parameters[first + k]->back();
        for (std::int64_t t = part.begin; t < part.end; ++t) {
          const auto i = static_cast<std::size_t>(t - part.begin);
          predictors[i] = products[i * count + k] + intercept + offsets[i];
          if (!((valid[static_cast<std::size_t>(t / 64)] >> (t % 64)) & 1U)) weights[i] = 0;
        }
        visit(PredictedRows{first + k, part.begin, part.end - part.begin, predictors.data(),
                            targets.data(), weights.data()});
      }
    }
  }
}

}  // namespace synelix::glm
