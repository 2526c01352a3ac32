// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "on_device/shared_memory.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace tests {
namespace {

/// Stored before each piece of memory, with the size of its alignment.
struct Head {
  void* begin;
  std::size_t bytes;
  bool is_shared;
};

thread_local bool is_inside = false;  // Kokkos itself allocates, or HostNew lives
std::atomic<bool> is_over = false;    // Kokkos ends, and the device takes its memory back

// The hook is there before Kokkos has started, because the first `new` of a program may be one that
// Kokkos itself makes while it ends.
const bool has_hook = [] {
  Kokkos::Tools::Experimental::set_init_callback(
      [](int, std::uint64_t, std::uint32_t, Kokkos_Profiling_KokkosPDeviceInfo*) {
        Kokkos::push_finalize_hook([] { is_over = true; });
      });
  return true;
}();

bool may_share() { return !is_inside && !is_over && Kokkos::is_initialized(); }

}  // namespace

bool is_using_shared() noexcept { return is_inside; }

void* take_shared(std::size_t wanted, std::size_t alignment) noexcept {
  const std::size_t lead = std::max<std::size_t>(alignment, 64);
  const std::size_t bytes = lead + wanted;
  void* begin = nullptr;
  const bool is_shared = may_share();
  if (is_shared) {
    is_inside = true;
    try {
      begin = Kokkos::SharedSpace().allocate(bytes);
    } catch (...) {
      begin = nullptr;
    }
    is_inside = false;
  } else {
    begin = std::aligned_alloc(lead, (bytes + lead - 1) / lead * lead);
  }
  if (begin == nullptr) return nullptr;
  auto* const data = static_cast<std::byte*>(begin) + lead;
  new (data - sizeof(Head)) Head{begin, bytes, is_shared};
  return data;
}

HostNew::HostNew() : m_before(std::exchange(is_inside, true)) {}
HostNew::~HostNew() { is_inside = m_before; }

void give_back_shared(void* data) noexcept {
  if (data == nullptr) return;
  const Head head = *reinterpret_cast<Head*>(static_cast<std::byte*>(data) - sizeof(Head));
  if (!head.is_shared) return std::free(head.begin);
  if (is_over) return;
  const HostNew inside;
  Kokkos::SharedSpace().deallocate(head.begin, head.bytes);
}

}  // namespace tests
