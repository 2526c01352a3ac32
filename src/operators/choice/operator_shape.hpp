// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "operators/problem/conv_problem.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// A checked convolution operator, the input of its choice and its plan.

namespace synelix::plan {

/// The axes of an operator and the tables that they refer to.
struct ConvTables {
  index::ConvAxis axes[index::conv_dimensions];
  std::int64_t most_taps[index::conv_dimensions] = {0, 0, 0};  ///< of a pass
  std::vector<index::ConvPass> passes;
  std::vector<std::int64_t> numbers;
  std::size_t first_pass[index::conv_dimensions] = {0, 0, 0};  ///< in `numbers`
  std::size_t tap_order[index::conv_dimensions] = {0, 0, 0};   ///< in `numbers`
};

/// An operator: one of two kinds of problems.
struct ConvShape {
  bool is_by_weights = false;
  sweep::ConvProblem problem;
  sweep::ConvWeightsProblem by_weights;
  ConvTables tables;
  const char* no_fft = nullptr;  ///< why transforms are not possible; null: they are possible on a
                                 ///< host
  double flops = 0;
  double bytes = 0;
};

}  // namespace synelix::plan
