// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <string_view>

/// \file
/// Whether the host reaches memory, by the name of its Kokkos memory space.

namespace synelix {

/// Without a name, the caller promises that it is reached.
inline bool is_reached_by_host(std::string_view memory_space) {
#ifdef KOKKOS_HAS_SHARED_SPACE
  if (memory_space == Kokkos::SharedSpace::name()) return true;
#endif
  return memory_space.empty() || memory_space == Kokkos::HostSpace::name() ||
         memory_space == Kokkos::SharedHostPinnedSpace::name();
}

}  // namespace synelix
