// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/plan/predictor_walk.hpp"

#include <cmath>

namespace synelix::glm {

double mean_of(InverseLink link, double predictor) {
  switch (link) {
    case InverseLink::exp:
      return std::exp(predictor);
    case InverseLink::softplus:
      return std::max(predictor, 0.0) + std::log1p(std::exp(-std::abs(predictor)));
    case InverseLink::logistic:
      return 1 / (1 + std::exp(-predictor));
    case InverseLink::norm_cdf:
      return std::erfc(-predictor * std::sqrt(0.5)) / 2;
    case InverseLink::one_over_x:
      return 1 / predictor;
    default:
      return predictor;
  }
}

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
