// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/product.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `GramModel`: the Gram matrix of a design as the model of every Hessian: curvature * Gram +
/// penalty, factored once for all searches that share it.

namespace synelix::glm {

/// The mean Gram matrix of a design, and its factor.
struct GramModel {
  std::int64_t size = 0;            ///< columns + 1, the intercept last
  std::vector<double> gram = {};    ///< [X 1]' [X 1] / n, size squared, row-major
  double curvature = 1;             ///< mean curvature that the factor was made with
  std::vector<double> factor = {};  ///< lower Cholesky factor of gram + diag(ridge) / curvature
};

/// Makes the factor. A Gram matrix without full rank gets a multiple of the identity, the smallest
/// that serves: it leaves the null component of the parameters alone.
/// \param ridge  of each column; empty: none
GramModel make_gram_model(const Tiles& tiles, std::int64_t size, std::vector<double> gram,
                          std::span<const double> ridge, double curvature);

}  // namespace synelix::glm
