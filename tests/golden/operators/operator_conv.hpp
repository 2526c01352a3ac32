// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/comparison.hpp"

namespace golden {

/// Compares one group of /conv, a convolution operator, as double and as float. The extents that
/// the library gives the result have to be those of the case.
///
/// Sizes of terms: the largest magnitude of what is read first, times the largest sum of magnitudes
/// of the second over what a value of the result is summed over; and the largest bias.
Outcome check_conv_operator(const Group& group);

}  // namespace golden
