// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/pass.hpp"
#include "glm/rows/check_targets.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "launch/region.hpp"

#include <synelix/error.hpp>
#include <synelix/types/design_matrix.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace synelix {
namespace {

/// Refuses a target that is out of range, and a wrong number of parameters.
void check_side(const RightHandSide& side, std::size_t number, std::int64_t targets,
                std::int64_t parameters) {
  const std::string name = "right_hand_sides[" + std::to_string(number) + "]";
  if (side.target < 0 || side.target >= targets) {
    throw Error(name + ".target", std::to_string(side.target) + " is not a target",
                "Use 0 to " + std::to_string(targets - 1));
  }
  if (static_cast<std::int64_t>(side.parameters.size()) != parameters) {
    throw Error(name + ".parameters",
                std::to_string(side.parameters.size()) +
                    " values are not one for each column "
                    "and class, and an intercept",
                "Pass " + std::to_string(parameters));
  }
}

/// Sums over rows as means.
Evaluation mean_of(glm::Sums sums) {
  Evaluation mean;
  mean.weight = sums.weight;
  mean.loss = sums.loss / sums.weight;
  mean.gradient = std::move(sums.gradient);
  mean.hessian = std::move(sums.hessian);
  for (double& value : mean.gradient) value /= sums.weight;
  for (double& value : mean.hessian) value /= sums.weight;
  return mean;
}

}  // namespace

std::vector<Evaluation> DesignMatrix::evaluate(const Loss& loss, const Observations& observations,
                                               std::span<const RightHandSide> right_hand_sides,
                                               bool precise) const {
  const plan::Region region("synelix::design_matrix::evaluate");
  const glm::RowLoss bound = glm::bind(loss, choice().instruction_set);
  const glm::ObservedArrays observed(observations, rows());
  std::vector<glm::Request> requests;
  for (std::size_t k = 0; k < right_hand_sides.size(); ++k) {
    const RightHandSide& side = right_hand_sides[k];
    check_side(side, k, observed.targets(), (columns() + 1) * bound.classes());
    glm::Request request;
    request.parameters = side.parameters.data();
    request.rows.target = side.target;
    request.dispersion = loss.dispersion;
    request.wants_hessian = side.wants_hessian;
    requests.push_back(request);
  }
  std::vector<glm::RowsOf> targets;  // each once
  for (const glm::Request& request : requests) {
    const auto is_it = [&](const glm::RowsOf& one) { return one.target == request.rows.target; };
    if (std::none_of(targets.begin(), targets.end(), is_it)) targets.push_back(request.rows);
  }
  const std::span<const std::uint64_t> valid =
      observed.has_offset() ? m_pass->valid() : std::span<const std::uint64_t>();
  glm::check_targets(loss, observed, valid, targets);
  std::vector<glm::Sums> sums(requests.size());
  m_pass->evaluate(bound, observed, requests,
                   precise ? glm::Arithmetic::double_products : glm::Arithmetic::float_products, 1,
                   sums);
  std::vector<Evaluation> result;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (!(sums[k].weight > 0)) {
      throw Error("observations",
                  "no row counts for target " + std::to_string(right_hand_sides[k].target),
                  "Pass rows with finite features, a finite target and a weight above 0");
    }
    result.push_back(mean_of(std::move(sums[k])));
  }
  return result;
}

}  // namespace synelix
