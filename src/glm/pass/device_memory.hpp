// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/plan_memory.hpp"
#include "launch/start_watched.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// \file
/// What a pass on a device needs of its space: memory that grows, copies, and the start of a sweep.

namespace synelix::glm {

/// Starts sweeps on an execution space. Tests start them on teams without threads.
struct DeviceLaunch {
  template <class ExecutionSpace, class Sweep>
  void operator()(const ExecutionSpace& exec, const std::string& label, const Sweep& sweep,
                  std::int64_t items) const {
    sweep::Workspace workspace;
    workspace.teams = items;
    plan::start_sweep(plan::SweepLaunch<ExecutionSpace>{exec, label, workspace, 1}, sweep, items);
  }
};

/// Memory of a device from a cache line on, that grows and is used again.
template <class ExecutionSpace>
class DeviceMemory {
 public:
  DeviceMemory(const ExecutionSpace& exec, std::string label)
      : m_exec(exec), m_label(std::move(label)) {}

  std::byte* get(std::int64_t bytes) {
    if (bytes > m_bytes) {
      m_memory = {};  // before the new one: both together might not fit the budget
      m_memory =
          plan::workspace_memory<typename ExecutionSpace::memory_space>(m_exec, m_label, bytes);
      m_bytes = bytes;
    }
    return plan::first_line(m_memory.data());
  }

  [[nodiscard]] std::int64_t bytes() const { return m_bytes; }
  void release() {
    m_memory = {};
    m_bytes = 0;
  }

 private:
  ExecutionSpace m_exec;
  std::string m_label;
  plan::OwnedMemory<std::byte, typename ExecutionSpace::memory_space> m_memory;
  std::int64_t m_bytes = 0;
};

template <class Value, class Space>
using LentView = Kokkos::View<Value*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Values of the host to a device. They must stay until the space is fenced.
template <class ExecutionSpace, class Value>
void copy_in(const ExecutionSpace& exec, const std::vector<Value>& from, Value* to) {
  if (from.empty()) return;
  Kokkos::deep_copy(exec, LentView<Value, typename ExecutionSpace::memory_space>(to, from.size()),
                    LentView<const Value, Kokkos::HostSpace>(from.data(), from.size()));
}

/// Values of a device to the host. They are there when it returns.
template <class ExecutionSpace, class Value>
void copy_out(const ExecutionSpace& exec, const Value* from, std::vector<Value>& to) {
  if (!to.empty()) {
    Kokkos::deep_copy(
        exec, LentView<Value, Kokkos::HostSpace>(to.data(), to.size()),
        LentView<const Value, typename ExecutionSpace::memory_space>(from, to.size()));
  }
  exec.fence("synelix::design_matrix: results are read");
}

}  // namespace synelix::glm
