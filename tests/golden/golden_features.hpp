// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/expression.hpp>

#include "golden/comparison.hpp"

#include <vector>

namespace golden {

/// Compares the features of an expression of these inputs with a matrix, in double and in float,
/// complete and in blocks of rows, which have the same bits.
Outcome check_expression(const synelix::Expression& expression, const std::vector<Array>& inputs,
                         const Array& expected);

/// Compares one group of /features: sums and products of filters, by the names of its datasets.
Outcome check_features(const Group& group);

/// Compares one group of /splits: the columns of each term of the group of that name in /features.
Outcome check_splits(const Group& group, const Group& root);

}  // namespace golden
