// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/row_panels.hpp"

#include <synelix/features.hpp>

#include <functional>
#include <memory>
#include <span>

namespace synelix::glm {

/// The rows of an expression, computed in float some blocks at a time.
/// \param pass_bytes  the least that a pass over so many columns needs beside the plan
/// \throws Error as FeaturesPlan, or where the budget is too small for both
template <class ExecutionSpace>
std::unique_ptr<RowPanels> computed_panels(
    const ExecutionSpace& exec, const Expression& expression, std::span<const AnySeries> inputs,
    const DesignMatrixOptions& options, std::int64_t budget,
    const std::function<std::int64_t(std::int64_t columns)>& pass_bytes);

}  // namespace synelix::glm
