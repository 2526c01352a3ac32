// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/team_memory.hpp"
#include "launch/owned_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// The memory of a plan's workspace. Sweeps store whole cache lines there, so it begins at one.

namespace synelix::plan {

using index::workspace_alignment;

/// The first cache line at `memory` or behind it.
inline std::byte* first_line(std::byte* memory) {
  constexpr auto line = static_cast<std::uintptr_t>(workspace_alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return memory + (line - address % line) % line;
}

/// Memory for `bytes` from a cache line on, which `first_line` finds.
template <class MemorySpace, class ExecutionSpace>
OwnedMemory<std::byte, MemorySpace> workspace_memory(const ExecutionSpace& exec,
                                                     const std::string& label, std::int64_t bytes) {
  return {exec, label, bytes + workspace_alignment};
}

}  // namespace synelix::plan
