// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// Host memory: whether it is accessible, caches, and `HostMemory`, bytes outside of Views. Kokkos
/// fences all instances of a host space before it frees a View, so a short call that frees one
/// would wait for long kernels of other threads.

namespace synelix {

/// Whether the host can access a Kokkos memory space of this name. Without a name, the caller
/// guarantees it.
bool is_reached_by_host(std::string_view memory_space);

/// Bytes of the last-level cache of a core, or 32 MiB if the system does not report it.
std::int64_t last_level_cache_bytes();

/// Uninitialized memory, aligned to a cache line. One owner.
class HostMemory {
 public:
  HostMemory() = default;
  /// \param label  for tools of Kokkos, if any is loaded; like that of a View
  /// \throws BudgetError if the system does not have this memory
  HostMemory(std::int64_t bytes, const std::string& label);
  HostMemory(HostMemory&& other) noexcept { swap(other); }
  HostMemory& operator=(HostMemory&& other) noexcept {
    HostMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory();

  [[nodiscard]] std::byte* data() const { return m_data; }
  [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

 private:
  void swap(HostMemory& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_told, other.m_told);
  }

  std::byte* m_data = nullptr;
  std::int64_t m_bytes = 0;
  std::string m_told;  ///< the label that was passed to a tool, which is also notified of the end
};

}  // namespace synelix
