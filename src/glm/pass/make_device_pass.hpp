// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "glm/pass/row_panels.hpp"

#include <cstdint>
#include <memory>

namespace synelix::glm {

/// A pass over rows that a device reaches or computes, by kernels of that device. Not of hosts.
/// \param budget  bytes of the device for the pass and its panels
/// \throws Error where the budget is too small, or features that are to be kept do not fit it
template <class ExecutionSpace>
std::shared_ptr<Pass> make_device_pass(const ExecutionSpace& exec,
                                       std::unique_ptr<RowPanels> panels,
                                       const DesignMatrixOptions& options, std::int64_t budget);

/// The least that a pass on a device needs for the gradient of one right-hand side, beside its
/// panels and kept features.
/// \param panel_row_bytes  of a row of a panel that it holds; 0 where rows lie in memory
std::int64_t least_device_pass_bytes(std::int64_t rows, std::int64_t columns,
                                     std::int64_t panel_row_bytes);

}  // namespace synelix::glm
