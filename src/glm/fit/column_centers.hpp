// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// \file
/// `ColumnCenters`: a change of coordinates for columns whose mean is large relative to their
/// spread.
///
/// The predictor x b + b_0 equals (x - m) b + c_0 with c_0 = b_0 + m b. The intercept has no
/// penalty, so the optimum and the penalty are the same in b and c_0. In these coordinates, the
/// violation of the optimality conditions and the curvature of a column depend on the spread of the
/// column and not on its mean. Searches use these coordinates, and walks over the rows use the
/// given ones.

namespace synelix::glm {

/// Columns and the means that are subtracted from them.
struct ColumnCenters {
  struct Column {
    std::int64_t column = 0;
    double mean = 0;
    double spread = 0;  ///< standard deviation, relative to the size of the mean
  };
  std::vector<Column> columns = {};

  /// Transforms gradient and Hessian of one right-hand side to centered coordinates, in place.
  void center(Sums& sums, std::int64_t classes) const;
  /// Transforms a symmetric matrix with `size` rows of parameters, such as a Gram matrix (one
  /// class).
  void center_matrix(std::span<double> matrix, std::int64_t size, std::int64_t classes) const;
};

/// Shared by right-hand sides on the same rows. Null: no column is centered.
using SharedCenters = std::shared_ptr<const ColumnCenters>;

/// The centers of several blocks of parameters; empty if no block has any.
using BlockCenters = std::vector<SharedCenters>;

/// Transforms blocks of parameters, (columns + 1, classes) each, in place: from the coordinates of
/// the design to centered ones, and back. Only the intercepts change.
/// @{
void to_centered(const BlockCenters& centers, std::span<double> parameters, std::int64_t classes);
void to_given(const BlockCenters& centers, std::span<double> parameters, std::int64_t classes);
/// @}

/// Centers gradient and Hessian of one right-hand side, if it has centers.
void center(const SharedCenters& centers, Sums& sums, std::int64_t classes);

}  // namespace synelix::glm
