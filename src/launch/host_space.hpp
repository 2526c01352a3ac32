// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/budget.hpp"
#include "vocabulary/device_memory.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace synelix::plan {

/// Whether a space runs on the host's tiles. (Not whether the host reaches its memory, which it
/// does where a device and a host have one.)
template <class ExecutionSpace>
inline constexpr bool is_host_space =
    std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

/// What a space has, and the budget that a call was told. It refers to both, and so fits a
/// std::function that allocates nothing.
template <class ExecutionSpace>
ExecutionResources execution_resources_of(const ExecutionSpace& exec,
                                          const std::optional<std::int64_t>& budget) {
  ExecutionResources resources;
  resources.is_device = !is_host_space<ExecutionSpace>;
  resources.concurrency = exec.concurrency();
  resources.budget = [&exec, &budget](std::int64_t needed) {
    return budget_for(exec, budget, needed);
  };
  return resources;
}

}  // namespace synelix::plan
