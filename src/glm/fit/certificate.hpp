// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/algebra/product.hpp"
#include "glm/fit/column_centers.hpp"
#include "glm/pass/pass.hpp"
#include "glm/penalty/bound_penalty.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `Certificate`: how far a point is from the optimum, from a separate evaluation and not from the
/// state of a solver. The distance in standard errors needs a Hessian; a caller without one uses
/// the last Hessian of the search.

namespace synelix::glm {

/// The numbers of a point.
struct Certificate {
  double mean_loss = 0;
  double optimality = 0;
  double standard_errors_away = 0;           ///< NaN without a Hessian or a smooth penalty
  std::vector<double> standard_errors = {};  ///< as parameters, phi = 1; NaN where undefined
};

/// The input of `certify`.
struct CertificateInput {
  std::int64_t columns = 0;
  std::int64_t classes = 1;
  bool has_intercept = true;
  const BoundPenalty* penalty = nullptr;  ///< of this point alone
  std::span<const double> parameters;     ///< of this point: (columns + 1, classes)
  double gradient_scale = 1;
  /// The centers of the coordinates of the means; null: coordinates of the design.
  const ColumnCenters* centers = nullptr;
  bool wants_standard_errors = false;
};

/// \param means  loss, gradient and, if available, Hessian: sums divided by their weight
Certificate certify(const Tiles& tiles, const CertificateInput& input, const Sums& means);

}  // namespace synelix::glm
