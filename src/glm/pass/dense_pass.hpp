// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "glm/pass/row_panels.hpp"

#include <cstdint>
#include <memory>

namespace synelix::glm {

/// A pass over rows that lie side by side in memory, or are brought there by panels. On a device it
/// is a DevicePass.
/// \param budget  of the pass and its panels
/// \throws Error where the budget is too small, or features that are to be kept do not fit it
template <class ExecutionSpace>
std::shared_ptr<Pass> make_dense_pass(const ExecutionSpace& exec, std::unique_ptr<RowPanels> panels,
                                      const DesignMatrixOptions& options, std::int64_t budget);

/// The least that a dense pass needs for the gradient of one right-hand side, beside its panels.
std::int64_t least_pass_bytes(std::int64_t rows, std::int64_t columns, StoredType type,
                              bool is_in_place);

}  // namespace synelix::glm
