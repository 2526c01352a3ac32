// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design.hpp"

#include <synelix/choice.hpp>
#include <synelix/expression.hpp>

#include <optional>
#include <vector>

/// \file
/// The terms of a design as an expression.

namespace synelix::tool {

/// An expression, and which input of the design each of its inputs is, from left to right.
struct DesignExpression {
  Expression expression;
  std::vector<std::size_t> inputs;
};

/// Makes the sum of all terms, each under its name. Windows with a unit need the rate; causality
/// and shift are those of the options where a basis has none of its own.
/// Throws Error with the place of what is wrong.
DesignExpression expression_of(const Design& design, std::optional<double> rate_hz,
                               const ConvolveOptions& options);

}  // namespace synelix::tool
