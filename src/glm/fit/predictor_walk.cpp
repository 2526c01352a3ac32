// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/predictor_walk.hpp"

#include "glm/rows/scalar_loss.hpp"

namespace synelix::glm {

std::vector<double> sum_pearson_gamma(const FitProblem& problem,
                                      const std::vector<std::size_t>& sides,
                                      const std::vector<const std::vector<double>*>& parameters) {
  std::vector<double> sums(sides.size(), 0);
  const InverseLink link = problem.loss.loss.inverse_link;
  walk_predictors(problem, sides, parameters, [&](const PredictedRows& rows) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (rows.weights[i] == 0) continue;
      const double relative = rows.targets[i] / mean_of(link, rows.predictors[i]) - 1;
      sums[rows.side] += rows.weights[i] * relative * relative;
    }
  });
  return sums;
}

}  // namespace synelix::glm
