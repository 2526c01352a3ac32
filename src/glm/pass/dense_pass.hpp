// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "glm/pass/row_panels.hpp"

#include <cstdint>
#include <memory>

/// \file
/// Passes over rows that are contiguous, on a host or on a device.

namespace synelix::glm {

/// A pass over rows that are contiguous in memory, or that panels bring there. On a device it is a
/// DevicePass.
/// \param budget  of the pass and its panels
/// \throws Error if the budget is too small, or features that must be kept do not fit
template <class ExecutionSpace>
std::shared_ptr<Pass> make_dense_pass(const ExecutionSpace& exec, std::unique_ptr<RowPanels> panels,
                                      const DesignMatrixOptions& options, std::int64_t budget);

/// The least bytes of a dense pass for the gradient of one right-hand side, without its panels.
std::int64_t least_pass_bytes(std::int64_t rows, std::int64_t columns, StoredType type,
                              bool is_in_place);

/// A pass over rows that a device can access or compute, with kernels of that device. Not for
/// hosts.
/// \param budget  bytes of the device for the pass and its panels
/// \throws Error if the budget is too small, or features that must be kept do not fit
template <class ExecutionSpace>
std::shared_ptr<Pass> make_device_pass(const ExecutionSpace& exec,
                                       std::unique_ptr<RowPanels> panels,
                                       const DesignMatrixOptions& options, std::int64_t budget);

/// The least bytes of a pass on a device for the gradient of one right-hand side, without its
/// panels and kept features.
/// \param panel_row_bytes  of a row of a panel that it holds; 0 if rows are in memory
std::int64_t least_device_pass_bytes(std::int64_t rows, std::int64_t columns,
                                     std::int64_t panel_row_bytes);

}  // namespace synelix::glm
