// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace synelix::plan {

/// A list in the memory of a space.
template <class ExecutionSpace, class Value>
Kokkos::View<Value*, typename ExecutionSpace::memory_space> uploaded(
    const ExecutionSpace& exec, const std::string& label, const std::vector<Value>& values) {
  using View = Kokkos::View<Value*, typename ExecutionSpace::memory_space>;
  if (values.empty()) return {};
  View view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
  Kokkos::deep_copy(exec, view,
                    Kokkos::View<const Value*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        values.data(), values.size()));
  exec.fence("synelix: tables that leave scope are copied");
  return view;
}

}  // namespace synelix::plan
