// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/product.hpp"
#include "glm/solvers/free_parameters.hpp"

#include <cstdint>
#include <span>

/// \file
/// `solve_model`: the minimum of a quadratic model plus a nonsmooth penalty. A search uses it for
/// its steps, and a path solves it for many strengths on one Hessian.

namespace synelix::glm {

/// A quadratic model of a mean loss: gradient'(z - center) + (z - center)' hessian (z - center)
/// / 2.
struct QuadraticModel {
  const FreeParameters* free = nullptr;
  std::span<const double> hessian;   ///< positive semidefinite, in the layout of `FreeParameters`
  std::span<const double> gradient;  ///< at the center
  std::span<const double> center;
};

/// How a minimum was found.
struct ModelSolution {
  double violation = 0;  ///< of the conditions of the model's optimum
  std::int64_t sweeps = 0;
  std::int64_t factors = 0;
};

/// Minimizes model + the penalty of `model.free`. The penalty has l1 or groups, not both.
///
/// l1: sweeps of coordinate descent find the signs, then a linear system of the nonzero
/// coefficients gives the step, which ends where the first of them reaches 0.
/// Groups: each group in turn is minimized exactly, by the eigenvectors of its block and a secular
/// equation; then Newton steps of the nonzero groups. Zero coefficients are exactly 0.
/// \param tolerance  largest remaining violation, if rounding allows it
/// \param values     the starting point; overwritten with the minimum
ModelSolution solve_model(const Tiles& tiles, const QuadraticModel& model, double tolerance,
                          std::span<double> values);

}  // namespace synelix::glm
