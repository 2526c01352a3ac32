// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/expression.hpp>
#include <synelix/types/scaled.hpp>

#include <memory>
#include <span>

/// \file
/// What design_matrix.hpp makes of its arguments. For the public headers, not for users.

namespace synelix {
class AnySeries;
struct DesignMatrixOptions;
}  // namespace synelix

namespace synelix::glm {
class Pass;
}  // namespace synelix::glm

namespace synelix::seam {

/// A pass over a stored matrix.
template <class ExecutionSpace>
std::shared_ptr<glm::Pass> bind_stored(const ExecutionSpace& exec, const Operand& features,
                                       const DesignMatrixOptions& options);

/// A pass over the features of an expression.
template <class ExecutionSpace>
std::shared_ptr<glm::Pass> bind_expression(const ExecutionSpace& exec, const Expression& expression,
                                           std::span<const AnySeries> inputs,
                                           const DesignMatrixOptions& options);

}  // namespace synelix::seam
