// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/comparison.hpp"

namespace golden {

/// Compares one group of /matmul, a product, a batch or a list of products, as double and as float.
///
/// Sizes of terms: |alpha| times the largest magnitude of the first operand, times the largest sum
/// of magnitudes of the second along the inner dimension; and |beta| times the largest magnitude of
/// the initial result.
Outcome check_matmul(const Group& group);

}  // namespace golden
