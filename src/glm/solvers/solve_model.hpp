// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/product.hpp"
#include "glm/solvers/free_parameters.hpp"

#include <cstdint>
#include <span>

/// \file
/// `solve_model`: the minimum of a quadratic model and a penalty that is not smooth. A search takes
/// it for its steps, and a path solves it for many strengths on one Hessian.

namespace synelix::glm {

/// A quadratic model of a mean loss: gradient'(z - center) + (z - center)' hessian (z - center)
/// / 2.
struct QuadraticModel {
  const FreeParameters* free = nullptr;
  std::span<const double> hessian;   ///< positive semidefinite, as `FreeParameters` lays it out
  std::span<const double> gradient;  ///< at the center
  std::span<const double> center;
};

/// How a minimum was found.
struct ModelSolution {
  double violation = 0;  ///< of the conditions of the model's optimum
  std::int64_t sweeps = 0;
  std::int64_t factors = 0;
};

/// Minimizes model + penalty of `model.free`. The penalty has l1 or groups, not both.
///
/// l1: sweeps of coordinate descent find the signs, then a linear system of the coefficients that
/// are not 0 gives the step, which ends where the first of them reaches 0.
/// Groups: each group in turn exactly, by the eigenvectors of its block and a secular equation;
/// then Newton steps of the groups that are not 0. Coefficients that are 0 are exactly 0.
/// \param tolerance  largest violation that is left, where rounding allows
/// \param values     where to begin; overwritten with the minimum
ModelSolution solve_model(const Tiles& tiles, const QuadraticModel& model, double tolerance,
                          std::span<double> values);

}  // namespace synelix::glm
