// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// \file
/// Lists of the host where the kernels of a space read them.

namespace synelix::plan {

/// A View on the device with the values of a vector.
template <class View, class Value>
View upload(const char* label, const std::vector<Value>& values) {
  View device(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), values.size());
  const auto host = Kokkos::create_mirror_view(device);
  std::copy(values.begin(), values.end(), host.data());
  if (host.data() != device.data()) Kokkos::deep_copy(device, host);
  return device;
}

/// A list in the memory of a space.
template <class ExecutionSpace, class Value>
Kokkos::View<Value*, typename ExecutionSpace::memory_space> uploaded(
    const ExecutionSpace& exec, const std::string& label, const std::vector<Value>& values) {
  using View = Kokkos::View<Value*, typename ExecutionSpace::memory_space>;
  if (values.empty()) return {};
  View view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, view);
  std::copy(values.begin(), values.end(), host.data());
  if (host.data() != view.data()) {
    Kokkos::deep_copy(exec, view, host);
    exec.fence("synelix: tables that leave scope are copied");
  }
  return view;
}

/// Where kernels of a space read a list that the host keeps: on a host the list itself, which has
/// to outlive them, so that no call holds it twice; on a device a copy of it, which `copy` keeps.
template <class ExecutionSpace, class Value>
const Value* reached_list(const ExecutionSpace& exec, const std::string& label,
                          const std::vector<Value>& values,
                          Kokkos::View<Value*, typename ExecutionSpace::memory_space>& copy) {
  if constexpr (is_host_space<ExecutionSpace>) {
    return values.data();
  } else {
    copy = uploaded(exec, label, values);
    return copy.data();
  }
}

}  // namespace synelix::plan
