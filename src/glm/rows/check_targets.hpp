// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"

#include <synelix/loss.hpp>

#include <cstdint>
#include <span>

/// \file
/// Checks that targets, row weights and offsets are valid for a family. All functions that take
/// observations call it before they compute: an invalid class label would index out of an array.

namespace synelix::glm {

/// The values of the rows of a block, one for each row.
struct ObservedBlock {
  const double* targets = nullptr;
  const double* weights = nullptr;
  const double* offsets = nullptr;  ///< null: none
};

/// Checks one block of one target. Targets of rows of weight 0 are not checked; offsets of all
/// valid rows are.
/// \param valid  as Pass::valid; only used if there are offsets, and may be empty otherwise
/// \throws Error naming the target and the first row whose value the family cannot have, or whose
///         weight or offset is negative or not finite
void check_block(const Loss& loss, std::int64_t target, Range rows, const ObservedBlock& block,
                 std::span<const std::uint64_t> valid);

/// Checks all rows of the targets of some right-hand sides. \throws Error as check_block
void check_targets(const Loss& loss, const Observed& observed, std::span<const std::uint64_t> valid,
                   std::span<const RowsOf> sides);

}  // namespace synelix::glm
