// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <new>

namespace synelix {

/// After this call, require_running() throws: Kokkos lost the memory of its threads.
void note_lost_threads() noexcept;

/// Keeps the threads of an instance from being destroyed, and makes require_running() throw from
/// now on. Kokkos 5.2 frees the scratch of a host's threads before it allocates more; if the
/// allocation fails, Kokkos would free the scratch again, or compute in it.
template <class ExecutionSpace>
void give_up_threads(const ExecutionSpace& exec) noexcept {
  alignas(ExecutionSpace) static std::byte kept[sizeof(ExecutionSpace)];  // allocations may fail
  ::new (kept) ExecutionSpace(exec);  // counted as a user of the threads, and never destroyed
  note_lost_threads();
}

}  // namespace synelix
