// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/semidefinite.hpp"
#include "glm/solvers/free_parameters.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// \file
/// Models of Hessians. `SmoothModel`: the Hessian of a smooth objective, factored block by block.
/// `GramModel`: the Gram matrix of a design as a model of every Hessian, curvature * Gram + ridge.
/// `GramFactor`: its factor, which searches share.

namespace synelix::glm {

/// The factors of hessian + ridge.
class SmoothModel {
 public:
  /// Factors. If the sum has a negative eigenvalue, as is possible with links that are not
  /// canonical, a multiple of its diagonal is added until it has none. Steps become shorter, and
  /// the objective falls along them.
  /// \param tolerance  of ranks
  /// \return the definiteness of the worst block, before the diagonal was changed
  Definite factor(const Tiles& tiles, const FreeParameters& free, std::span<const double> hessian,
                  double tolerance);

  /// Overwrites the gradient with the step of minimum norm to the minimum.
  void solve(std::vector<double>& values) const;

 private:
  std::vector<SemidefiniteFactor> m_factors;
};

/// Adds a multiple of the diagonal of hessian + ridge to the Hessian until their sum has no
/// negative eigenvalue. Solvers of nonsmooth models need that.
void make_convex(const Tiles& tiles, const FreeParameters& free, std::vector<double>& hessian);

/// The mean Gram matrix of a design.
struct GramModel {
  std::int64_t size = 0;          ///< columns + 1, the intercept last
  std::vector<double> gram = {};  ///< [X 1]' [X 1] / n, size squared, row-major
};

/// The factor of Gram + ridge in the free parameters. If it is rank-deficient, solutions have no
/// null component, so a search does not change the null component of its start.
struct GramFactor {
  std::vector<std::int64_t> index = {};  ///< the free parameters, as FreeParameters::index
  std::vector<double> ridge = {};        ///< for each free parameter; empty: none
  SemidefiniteFactor factor = {};
};

/// The addition to the diagonal of the Gram matrix for a search: its ridge divided by its
/// curvature. The ratio is rounded to a power of four, so that targets of different curvatures
/// share a few factors, whichever targets there are. Where the ridge dominates, the model is then
/// correct within a factor of two. Empty: the search has no ridge.
std::vector<double> ridge_beside_gram(const FreeParameters& free, double curvature);

/// Computes the factor.
/// \return null if the matrix has values that are not finite
std::shared_ptr<const GramFactor> make_gram_factor(const Tiles& tiles, const FreeParameters& free,
                                                   const GramModel& model,
                                                   std::vector<double> ridge);

}  // namespace synelix::glm
