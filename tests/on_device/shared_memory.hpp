// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// \file
/// Memory that both the host and the device reach, or from the host where Kokkos is not running.

namespace tests {

/// Null if there is none.
void* take_shared(std::size_t bytes, std::size_t alignment) noexcept;
void give_back_shared(void* data) noexcept;

/// Whether this thread executes one of these functions: reports of Kokkos then do not belong to the
/// tested code.
bool is_using_shared() noexcept;

/// While an object exists, `new` of this thread returns memory of only the host, as in a program of
/// a user. Shared memory hides missing fences: Kokkos waits for the entire device whenever it
/// allocates or frees some.
class HostNew {
 public:
  HostNew();
  HostNew(const HostNew&) = delete;
  HostNew& operator=(const HostNew&) = delete;
  ~HostNew();

 private:
  bool m_before;
};

}  // namespace tests
