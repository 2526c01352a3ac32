// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/row_panels.hpp"

#include <synelix/types/features.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace synelix::glm {

/// Seconds that one row of these components takes one thread, counted from windows, channels and
/// bases. Neither threads nor a budget nor a calibration decide: a solver follows from it.
double row_seconds_of(const std::vector<Component>& components, std::span<const InputShape> shapes);

/// The rows of an expression, computed in float some blocks at a time.
/// \param pass_bytes  the least that a pass over so many columns needs beside the plan
/// \throws Error as FeaturesPlan, or where the budget is too small for both
template <class ExecutionSpace>
std::unique_ptr<RowPanels> computed_panels(
    const ExecutionSpace& exec, const Expression& expression, std::span<const AnySeries> inputs,
    const DesignMatrixOptions& options, std::int64_t budget,
    const std::function<std::int64_t(std::int64_t columns)>& pass_bytes);

}  // namespace synelix::glm
