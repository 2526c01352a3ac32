// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace synelix {

/// Instances of a space for work that overlaps: streams of a device. A host has nothing that could
/// overlap, and Kokkos 4.6 aborts where it is parted into more instances than threads.
template <class ExecutionSpace>
std::vector<ExecutionSpace> instances_of(const ExecutionSpace& exec, std::size_t count) {
  if constexpr (std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>) {
    return std::vector<ExecutionSpace>(count, exec);
  } else {
    return Kokkos::Experimental::partition_space(exec, std::vector<int>(count, 1));
  }
}

}  // namespace synelix
