// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"

#include <synelix/choice.hpp>
#include <synelix/expression.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// The terms of a design as an expression.

namespace synelix::tool {

/// The terms of a design as one expression.
struct DesignExpression {
  Expression expression;
  std::vector<std::size_t> inputs;    ///< of the design, for each of the expression's
  std::vector<std::int64_t> windows;  ///< of each basis of the design, in samples; 0: none
};

/// Makes the sum of all terms, each under its name. Windows with a unit need the rate; causality
/// and shift are those of the options if a basis does not set them.
/// Throws Error with the place of the fault.
DesignExpression expression_of(const DesignFile& design, std::optional<double> rate_hz,
                               const ConvolveOptions& options);

}  // namespace synelix::tool
