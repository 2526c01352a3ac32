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

/// Whether this thread does one of these: what Kokkos reports then is not of what is tested.
bool is_using_shared() noexcept;

/// While it lives, `new` of this thread gives memory of the host alone, as in a program of a user.
/// Shared memory hides fences that are left out: Kokkos waits for the whole device wherever it
/// takes some or gives it back.
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
