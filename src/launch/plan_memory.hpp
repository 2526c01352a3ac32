// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/team_memory.hpp"
#include "launch/host_space.hpp"
#include "machine/host_memory.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// The internal memory of a plan: tables, host lists in memory of the kernels, and workspaces. On a
/// host it is outside of Views, because Kokkos fences all instances before it frees a View. Sweeps
/// store full cache lines in a workspace, so it begins at one.

namespace synelix::plan {

/// Uninitialized values in the memory of a space. It has one owner, and may be moved.
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

  /// With the values of a list. On a device the copy is complete on return.
  OwnedMemory(const std::string& label, const std::vector<Value>& values)
      : m_size(static_cast<std::int64_t>(values.size())) {
    if constexpr (is_on_host) {
      m_memory = HostMemory(m_size * static_cast<std::int64_t>(sizeof(Value)), label);
      std::copy(values.begin(), values.end(), data());
    } else {
      m_memory = Memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), values.size());
      const Kokkos::View<Value*, typename Memory::array_layout, Kokkos::HostSpace> host(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, label), values.size());
      std::copy(values.begin(), values.end(), host.data());
      Kokkos::deep_copy(m_memory, host);
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

using index::workspace_alignment;

/// The first cache line at or after `memory`.
inline std::byte* first_line(std::byte* memory) {
  constexpr auto line = static_cast<std::uintptr_t>(workspace_alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return memory + (line - address % line) % line;
}

/// Memory for `bytes` with room for the alignment to a cache line, which `first_line` finds.
template <class MemorySpace, class ExecutionSpace>
OwnedMemory<std::byte, MemorySpace> workspace_memory(const ExecutionSpace& exec,
                                                     const std::string& label, std::int64_t bytes) {
  return {exec, label, bytes + workspace_alignment};
}

/// What the host reads and writes for a list that is wrapped without a label: the list itself, or
/// memory of the host with this label, not filled.
template <class View>
auto host_mirror(const std::string& label, const View& list) {
  using Mirror = decltype(Kokkos::create_mirror_view(list));
  if constexpr (std::is_same_v<typename Mirror::memory_space, typename View::memory_space>) {
    return Kokkos::create_mirror_view(list);  // no copy
  } else {
    return Mirror(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), list.size());
  }
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

/// The memory in which kernels of a space read a list of the host. On a host it is the list itself,
/// which must outlive the kernels, so that no call stores it twice. On a device it is a copy, which
/// `copy` holds.
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
