// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/semidefinite.hpp"
#include "glm/solvers/free_parameters.hpp"

#include <span>
#include <vector>

/// \file
/// `SmoothModel`: the Hessian of a smooth objective, factored block by block.

namespace synelix::glm {

/// The factors of hessian + ridge.
class SmoothModel {
 public:
  /// Factors. Where the sum has a negative eigenvalue, as links that are not canonical make, a
  /// multiple of its diagonal is added until it has none: the steps become shorter, and the
  /// objective falls along them.
  /// \param tolerance  of ranks
  /// \return what the blocks are, the worst of them, before the diagonal was changed
  Definite factor(const Tiles& tiles, const FreeParameters& free, std::span<const double> hessian,
                  double tolerance);

  /// Overwrites the gradient with the step of minimum norm to the minimum.
  void solve(std::vector<double>& values) const;

 private:
  std::vector<SemidefiniteFactor> m_factors;
};

/// Adds a multiple of the diagonal of hessian + ridge to the Hessian until their sum has no
/// negative eigenvalue: solvers of models that are not smooth need that.
void make_convex(const Tiles& tiles, const FreeParameters& free, std::vector<double>& hessian);

}  // namespace synelix::glm
