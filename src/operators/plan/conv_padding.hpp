// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"

#include <synelix/types/conv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// The kinds of padding, one row each: the facts for checks and gradients. Sweeps use
/// `index::padded_position`.

namespace synelix::plan {

/// One dimension of a padded input.
struct PaddedExtent {
  std::int64_t in;
  std::int64_t before;
  std::int64_t after;
};

/// Positions of an input that padding repeats. Their positions in the padded input are `shift` plus
/// or minus their own.
struct RepeatedPositions {
  std::int64_t shift;
  bool is_backward;
  Range positions;
};

/// A kind of padding.
struct PaddingRow {
  PaddingKind value;
  const char* name;
  index::PaddingMode mode;
  /// The largest padding of an input of some extent; null: any.
  std::int64_t (*most)(std::int64_t in);
  /// The positions that margins repeat; a gradient by input sums them in this order. Null: none.
  std::vector<RepeatedPositions> (*repeated)(const PaddedExtent& axis);
};

inline constexpr PaddingRow padding_rows[] = {
    {PaddingKind::zero, "zero", index::PaddingMode::zero, nullptr, nullptr},
    {PaddingKind::circular, "circular", index::PaddingMode::circular,
     [](std::int64_t in) { return in; },
     [](const PaddedExtent& axis) {
       return std::vector<RepeatedPositions>{
           {axis.before - axis.in, false, {axis.in - axis.before, axis.in}},
           {axis.before + axis.in, false, {0, axis.after}}};
     }},
    {PaddingKind::reflect, "reflect", index::PaddingMode::reflect,
     [](std::int64_t in) { return std::max<std::int64_t>(0, in - 1); },
     [](const PaddedExtent& axis) {
       return std::vector<RepeatedPositions>{
           {axis.before, true, {1, axis.before + 1}},
           {2 * (axis.in - 1) + axis.before, true, {axis.in - 1 - axis.after, axis.in - 1}}};
     }},
};

/// The row of a kind that `check_known` has accepted.
constexpr const PaddingRow& row_of(PaddingKind kind) {
  return padding_rows[static_cast<std::size_t>(kind)];
}

}  // namespace synelix::plan
