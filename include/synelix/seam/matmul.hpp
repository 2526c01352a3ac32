// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/scaled.hpp>
#include <synelix/seam/output.hpp>
#include <synelix/strided.hpp>

#include <cstdint>
#include <vector>

/// \file
/// The compiled functions of matmul.hpp, on results that are `StridedOutput`. For the public
/// headers, not for users.

namespace synelix {
struct MatmulChoice;
struct MatmulOptions;
}  // namespace synelix

namespace synelix::seam {

/// Dimensions of the product of two operands, before it is computed.
/// \throws Error if they do not fit together
std::vector<std::int64_t> product_extents(const Operand& a, const Operand& b);

/// The same for a new result of this rank. \throws Error also if the product has another rank, and
/// for a beta other than 0
std::vector<std::int64_t> product_extents(const Operand& a, const Operand& b, int rank,
                                          const MatmulOptions& options);

template <class ExecutionSpace>
MatmulChoice choose_matmul(const ExecutionSpace& exec, const Operand& a, const Operand& b,
                           const StridedOutput& c, const MatmulOptions& options);
template <class ExecutionSpace>
void matmul(const ExecutionSpace& exec, const Operand& a, const Operand& b, const StridedOutput& c,
            const MatmulOptions& options);

}  // namespace synelix::seam
