// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <new>

namespace synelix {

/// Has require_running() refuse from now on: Kokkos lost the memory of its threads.
void note_lost_threads() noexcept;

/// Keeps the threads of an instance from being destroyed, and has require_running() refuse from now
/// on. Kokkos 5.2 frees the scratch of the threads of a host before it allocates more; where that
/// fails, it would free it again, or compute in it.
template <class ExecutionSpace>
void give_up_threads(const ExecutionSpace& exec) noexcept {
  alignas(ExecutionSpace) static std::byte kept[sizeof(ExecutionSpace)];  // nothing is to spare now
  ::new (kept) ExecutionSpace(exec);  // counted as a user of the threads, and never destroyed
  note_lost_threads();
}

}  // namespace synelix
