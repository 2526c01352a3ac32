// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "operators/choice/operator_shape.hpp"

#include <synelix/types/conv.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// Checked convolution operators in the form of the sweeps, the input of a plan.

namespace synelix::plan {

/// Extents and windows of the operator's convolution, with three dimensions of space; the existing
/// ones are the last.
struct ConvSizes {
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t inputs = 0;   ///< channels of x
  std::int64_t outputs = 0;  ///< channels of y
  std::int64_t in[index::conv_dimensions] = {1, 1, 1};
  std::int64_t out[index::conv_dimensions] = {1, 1, 1};
  std::int64_t taps[index::conv_dimensions] = {1, 1, 1};
  std::int64_t stride[index::conv_dimensions] = {1, 1, 1};
  std::int64_t dilation[index::conv_dimensions] = {1, 1, 1};
  std::int64_t before[index::conv_dimensions] = {0, 0, 0};
  std::int64_t after[index::conv_dimensions] = {0, 0, 0};
  std::vector<std::int64_t> result;  ///< extents of the result in the caller's layout
};

/// Throws if the number of dimensions is not 1, 2 or 3.
void check_dimensions(int dimensions);

/// The sizes of an operator; `size` as in `conv_extents`. \throws Error if they are inconsistent
ConvSizes sizes_of(const ConvArrays& arrays, const ConvOptions& options, const PerDimension& size);

/// The axes of a convolution, or of its gradient by input.
ConvTables tables_of(const ConvSizes& sizes, PaddingKind kind, bool is_grad_input);

/// An operator with a result of some type, its axes without tables.
/// \throws Error if arrays are inconsistent or overlap
ConvShape shape_of(const ConvArrays& arrays, const ConvOptions& options, StoredType type);

}  // namespace synelix::plan
