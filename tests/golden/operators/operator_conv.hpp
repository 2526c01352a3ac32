// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/comparison.hpp"

namespace golden {

/// Compares one group of /conv, a convolution operator, as double and as float. The extents of the
/// result must be those of the case.
///
/// Sizes of terms: the largest magnitude of the first operand, times the largest sum of magnitudes
/// of the second over the terms of one result; and the largest bias.
Outcome check_conv_operator(const Group& group);

}  // namespace golden
