// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/row_panels.hpp"

#include <synelix/types/scaled.hpp>

#include <memory>

namespace synelix::glm {

/// The rows of a matrix of the caller's: where they lie if they are float or double with columns
/// side by side, else converted. Values stored as double stay double; others become float.
/// \throws Error where it has not two dimensions, or is out of reach
template <class ExecutionSpace>
std::unique_ptr<RowPanels> stored_panels(const ExecutionSpace& exec, const Operand& features,
                                         const DesignMatrixOptions& options);

}  // namespace synelix::glm
