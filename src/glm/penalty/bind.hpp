// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/penalty/bound_penalty.hpp"

#include <synelix/penalty.hpp>

#include <cstdint>
#include <span>

/// \file
/// From the penalty that a user wrote to the one of a search.

namespace synelix::glm {

/// What a penalty is bound to.
struct PenaltyShape {
  std::int64_t columns = 0;
  std::int64_t targets = 1;
  std::int64_t classes = 1;
  /// Which columns each target uses, (columns, targets), row-major, 0 or 1. Empty: all.
  std::span<const std::uint8_t> mask = {};
};

/// All targets in one search, as blocks.
inline constexpr std::int64_t all_targets = -1;

/// Whether a group holds coefficients of several targets, which are then searched together.
bool reaches_across_targets(const Penalty& penalty, const PenaltyShape& shape);

/// The penalty of a target, or of all of them, with its numbers checked.
///
/// A group holds the coefficients of its columns for all classes; their number n_g counts those
/// that the mask leaves out too, as NeMoS does. Parts of strength 0 are absent.
/// \param target  the target, or `all_targets`: coefficients are then (targets, columns, classes)
/// \throws Error for a strength that is negative or not finite, a ratio outside (0, 1], arrays of
///         another length, a mask that is not 0 or 1, groups that are not 0, 1, ... or -1, and a
///         target of groups that reach across targets
BoundPenalty bind(const Penalty& penalty, const PenaltyShape& shape, std::int64_t target);

}  // namespace synelix::glm
