// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/dense_pass.hpp"

#include "glm/pass/device_pass.hpp"
#include "launch/host_space.hpp"
#include "machine/spaces.hpp"

#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace synelix::glm {

std::int64_t least_device_pass_bytes(std::int64_t rows, std::int64_t columns,
                                     std::int64_t panel_row_bytes) {
  constexpr auto value = static_cast<std::int64_t>(sizeof(double));
  constexpr std::int64_t arrays = 12;  // each begins at a cache line
  const std::int64_t wave = std::min(rows, sweep::block_rows_of(columns));
  // Predictors, a target, a weight and an offset of each row; sums of a block and of all blocks, in
  // packs of two.
  const std::int64_t of_rows = wave * (panel_row_bytes + 4 * value);
  const std::int64_t sums = 2 * (2 * (columns + 1) + sweep::device_loss_sums) * value;
  return rows + of_rows + sums + (columns + 1) * value + arrays * plan::workspace_alignment;
}

template <class ExecutionSpace>
std::shared_ptr<Pass> make_device_pass(const ExecutionSpace& exec,
                                       std::unique_ptr<RowPanels> panels,
                                       const DesignMatrixOptions& options, std::int64_t budget) {
  if constexpr (plan::is_host_space<ExecutionSpace>) {
    throw Error("exec", std::string(exec.name()) + " is not a space of a device",
                "Use make_dense_pass");
  } else {
    return std::make_shared<DevicePass<ExecutionSpace, DeviceLaunch>>(
        exec, DeviceLaunch(), std::move(panels), options, budget);
  }
}

#define SYNELIX_INSTANTIATE(SPACE)                        \
  template std::shared_ptr<Pass> make_device_pass<SPACE>( \
      const SPACE&, std::unique_ptr<RowPanels>, const DesignMatrixOptions&, std::int64_t);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::glm
