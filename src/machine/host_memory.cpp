// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/host_memory.hpp"

#include <synelix/error.hpp>
#include <synelix/seam/strided.hpp>

#include <Kokkos_Core.hpp>

#include <new>
#include <string_view>

namespace synelix {
namespace {

static_assert(std::string_view(Kokkos::HostSpace::name()) == seam::host_memory_name);

constexpr std::align_val_t cache_line{64};

bool a_tool_listens() {
  return Kokkos::is_initialized() && !Kokkos::is_finalized() &&
         Kokkos::Tools::profileLibraryLoaded();
}

}  // namespace

bool is_reached_by_host(std::string_view memory_space) {
#ifdef KOKKOS_HAS_SHARED_SPACE
  if (memory_space == Kokkos::SharedSpace::name()) return true;
#endif
  return memory_space.empty() || memory_space == Kokkos::HostSpace::name() ||
         memory_space == Kokkos::SharedHostPinnedSpace::name();
}

HostMemory::HostMemory(std::int64_t bytes, const std::string& label) {
  if (bytes <= 0) return;
  const auto size = static_cast<std::size_t>(bytes);
  m_data = static_cast<std::byte*>(::operator new(size, cache_line, std::nothrow));
  if (m_data == nullptr) {
    throw BudgetError("memory",
                      "the system refuses " + std::to_string(bytes) + " bytes for " + label,
                      "Give a smaller budget, or free memory");
  }
  m_bytes = bytes;
  if (!a_tool_listens()) return;
  m_told = label;
  Kokkos::Tools::allocateData(Kokkos::Tools::make_space_handle(Kokkos::HostSpace::name()), label,
                              m_data, size);
}

HostMemory::~HostMemory() {
  if (m_data == nullptr) return;
  if (!m_told.empty() && a_tool_listens()) {
    Kokkos::Tools::deallocateData(Kokkos::Tools::make_space_handle(Kokkos::HostSpace::name()),
                                  m_told, m_data, static_cast<std::size_t>(m_bytes));
  }
  ::operator delete(m_data, cache_line);
}

}  // namespace synelix
