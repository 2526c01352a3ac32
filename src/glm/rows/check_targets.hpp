// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"

#include <synelix/loss.hpp>

#include <cstdint>
#include <span>

/// \file
/// Whether targets, row weights and offsets are numbers that a family can have. All verbs that take
/// observations call it before they compute: a label that is no class would index past an array.

namespace synelix::glm {

/// What was read of the rows of a block, one value for each row.
struct ObservedBlock {
  const double* targets = nullptr;
  const double* weights = nullptr;
  const double* offsets = nullptr;  ///< null: none
};

/// Checks one block of one target. Rows of weight 0 are not looked at; offsets count in valid rows.
/// \param valid  as Pass::valid; read where there are offsets, and may be empty elsewhere
/// \throws Error naming the target and the first row whose value the family cannot have, or whose
///         weight or offset is negative or not finite
void check_block(const Loss& loss, std::int64_t target, Range rows, const ObservedBlock& block,
                 std::span<const std::uint64_t> valid);

/// Checks all rows of the targets of some right-hand sides. \throws Error as check_block
void check_targets(const Loss& loss, const Observed& observed, std::span<const std::uint64_t> valid,
                   std::span<const RowsOf> sides);

}  // namespace synelix::glm
