// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine/budget.hpp"
#include "machine/device_memory.hpp"
#include "machine/host_memory.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace synelix::plan {

/// Whether a space uses the host's tiles. (This differs from whether the host can access its
/// memory, which is so if a device and a host share memory.)
template <class ExecutionSpace>
inline constexpr bool is_host_space =
    std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

/// The resources of a space, and the budget of a call. References both, so it fits in a
/// std::function without allocation.
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

namespace synelix {

/// Results with more bytes than this bypass the caches of a host.
inline std::int64_t streamed_bytes() {
  return static_cast<std::int64_t>(tune::streamed_share *
                                   static_cast<double>(last_level_cache_bytes()));
}

}  // namespace synelix
