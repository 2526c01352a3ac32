// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "products/choice/product_list.hpp"
#include "products/plan/operands.hpp"

#include <synelix/matmul.hpp>

#include <cstdint>
#include <span>

/// \file
/// Products as the sweeps take them, checked: what a plan of matrix products is made from.

namespace synelix::plan {

/// One product or a batch. \throws Error where the arrays do not fit together
template <class Scalar>
ProductList<Scalar> list_batch(const Operand& a, const Operand& b, const StridedOutput& c,
                               const MatmulOptions& options,
                               ArrayMemory memory = ArrayMemory::needed);

/// Products of any shapes. Where the budget has no room for their table, there is none: what is
/// left is to name the least budget. \throws Error as above, naming the product
template <class Scalar>
ProductList<Scalar> list_products(std::span<const Product> products, const MatmulOptions& options,
                                  std::int64_t budget);

}  // namespace synelix::plan
