// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/row_blocks.hpp"

#include <cstdint>
#include <functional>
#include <vector>

/// \file
/// How a walk is cut so that it fits its budget: blocks and teams in flight, right-hand sides at a
/// time, parts of a Hessian. None of it changes a bit.

namespace synelix::glm {

/// The cut of a walk.
struct DenseCut {
  std::int64_t teams = 1;
  std::int64_t blocks = 1;   ///< in flight
  std::int64_t sides = 1;    ///< right-hand sides at a time
  std::int64_t group = 1;    ///< right-hand sides of a work item
  std::int64_t weights = 1;  ///< products with weights at a time
  std::int64_t parts = 1;    ///< of each product
  std::int64_t parts_at_once = 1;
};

/// The largest useful value of each member of a cut.
struct DenseExtent {
  std::int64_t teams = 1;
  std::int64_t blocks = 1;  ///< of the recording
  std::int64_t sides = 0;   ///< 0: no right-hand sides
  std::int64_t classes = 1;
  std::int64_t weights = 0;  ///< 0: no products with weights
  std::int64_t most_parts = 1;
};

/// The largest cut whose bytes are within the budget. \throws Error naming the least budget;
/// `held` is the memory used outside the walk
DenseCut cut_within(std::int64_t budget, std::int64_t held, const DenseExtent& extent,
                    const std::function<std::int64_t(const DenseCut&)>& bytes);

/// Whether a walk multiplies linear predictors one by one, because there are too few for a pack of
/// lanes.
bool takes_one_by_one(std::int64_t predictors, int lanes);

/// Cuts a product into parts of about equal work.
/// \param rows    wanted rows of the result; if triangle, with all columns right of the diagonal
/// \param panel   columns of a panel of complete packs
/// \param lanes   columns of a pack
std::vector<sweep::CurvaturePart> parts_of(std::int64_t columns, Range rows, bool is_triangle,
                                           std::int64_t parts, std::int64_t panel,
                                           std::int64_t lanes);

}  // namespace synelix::glm
