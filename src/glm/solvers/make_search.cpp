// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/make_search.hpp"

#include "glm/solvers/lbfgs_search.hpp"
#include "glm/solvers/newton_search.hpp"

#include <synelix/error.hpp>

#include <utility>

namespace synelix::glm {

std::unique_ptr<Search> make_search(Solver solver, SearchProblem problem) {
  const bool is_smooth = problem.penalty.is_smooth();
  if (!is_smooth && solver != Solver::proximal_newton) {
    throw Error("solver", "it cannot take a penalty that has no gradient at 0",
                "Use Solver::proximal_newton or Solver::automatic");
  }
  if (!problem.penalty.l1.empty() && !problem.penalty.groups.empty()) {
    throw Error("penalty", "l1 and groups cannot be combined", "Use one of them");
  }
  if (solver == Solver::lbfgs) return std::make_unique<LbfgsSearch>(std::move(problem));
  return std::make_unique<NewtonSearch>(std::move(problem));
}

}  // namespace synelix::glm
