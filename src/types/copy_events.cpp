// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/spaces.hpp"
#include "types/events.hpp"

#include <synelix/series.hpp>
#include <synelix/session.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <memory>

namespace synelix {

template <class ExecutionSpace>
Events copy_events(const ExecutionSpace& exec, const Events& events) {
  require_running("synelix::copy_events");
  const Kokkos::Profiling::ScopedRegion region("synelix::copy_events");
  require_on_host(events);
  using MemorySpace = typename ExecutionSpace::memory_space;
  const SeriesShape& shape = events.shape();
  const EventLists lists(shape.channels, shape.events, events.counts() != nullptr);
  const auto size = static_cast<std::size_t>(lists.bytes());
  using Memory = Kokkos::View<std::byte*, MemorySpace>;
  const Memory memory(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "synelix::events::copied_lists"), size);
  const Kokkos::View<const std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> from(
      reinterpret_cast<const std::byte*>(events.begins()), size);
  Kokkos::deep_copy(exec, memory, from);
  exec.fence("synelix::copy_events: the caller may let go of what was copied");
  Events result;
  result.m_shape = shape;
  result.keep(std::make_shared<const Memory>(memory), memory.data(), lists, MemorySpace::name());
  return result;
}

#define SYNELIX_INSTANTIATE(SPACE) template Events copy_events(const SPACE&, const Events&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
