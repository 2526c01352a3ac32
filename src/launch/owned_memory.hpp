// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/host_memory.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// The memory of a plan that no caller sees: tables and workspaces. On a host it lies outside of
/// Views, because Kokkos fences all instances before it frees one.

namespace synelix::plan {

/// Values in the memory of a space, not initialized. One owner, which may be moved.
template <class Value, class MemorySpace>
class OwnedMemory {
 public:
  OwnedMemory() = default;
  template <class ExecutionSpace>
  OwnedMemory(const ExecutionSpace& exec, const std::string& label, std::int64_t size)
      : m_size(size) {
    if constexpr (is_on_host) {
      m_memory = HostMemory(size * static_cast<std::int64_t>(sizeof(Value)), label);
    } else {
      m_memory = Memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
                        static_cast<std::size_t>(size));
    }
  }

  /// Of the values of a list. On a device they are there when it returns.
  OwnedMemory(const std::string& label, const std::vector<Value>& values)
      : m_size(static_cast<std::int64_t>(values.size())) {
    if constexpr (is_on_host) {
      m_memory = HostMemory(m_size * static_cast<std::int64_t>(sizeof(Value)), label);
      std::copy(values.begin(), values.end(), data());
    } else {
      m_memory = Memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), values.size());
      const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, m_memory);
      std::copy(values.begin(), values.end(), host.data());
      if (host.data() != m_memory.data()) Kokkos::deep_copy(m_memory, host);
    }
  }

  [[nodiscard]] Value* data() const { return reinterpret_cast<Value*>(m_memory.data()); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(m_size); }

 private:
  static constexpr bool is_on_host = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  using Memory = std::conditional_t<is_on_host, HostMemory, Kokkos::View<Value*, MemorySpace>>;

  Memory m_memory;
  std::int64_t m_size = 0;
};

}  // namespace synelix::plan
