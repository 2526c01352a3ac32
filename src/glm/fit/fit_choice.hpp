// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "types/checks.hpp"

#include <synelix/types/glm.hpp>

#include <cstdint>
#include <string_view>

/// \file
/// Chooses the solver of least cost, from counted operations. Names of solvers and of reasons why a
/// fit ended, in the order of their values.

namespace synelix {

template <>
inline constexpr std::string_view value_names<Solver>[] {
  "automatic", "newton", "lbfgs", "proximal_newton"
};
template <>
inline constexpr std::string_view value_names<Stop>[] {
  "converged", "iterations", "no_decrease", "separated", "no_events", "cancelled"
};

}  // namespace synelix

namespace synelix::glm {

/// What a choice depends on.
struct FitSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t classes = 1;
  std::int64_t sides = 1;     ///< right-hand sides
  bool is_smooth = true;      ///< for every right-hand side
  bool is_quadratic = false;  ///< gaussian with identity: one Hessian is exact
};

/// The cost of Newton's method for a fit, in evaluations of loss and gradient.
/// \param hessian  the cost of a Hessian, in the same unit
double newton_evaluations(double hessian);

/// \param wanted  automatic: the candidate of least predicted seconds
FitChoice choose_solver(const FitSize& size, const PassCost& cost, Solver wanted);

}  // namespace synelix::glm
