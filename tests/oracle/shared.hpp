// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// Views that a test fills and reads on the host, and kernels of any space use.

namespace oracle {

template <class MemorySpace>
inline constexpr bool host_reaches =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;

/// Used instead of the space of a View: the space itself if the host can access its memory,
/// otherwise the space with memory that both can access.
template <class Space>
using SharedWith = std::conditional_t<host_reaches<typename Space::memory_space>, Space,
                                      Kokkos::Device<Space, Kokkos::SharedSpace>>;

/// A View to read on the host: itself if the host can access it, otherwise a copy.
template <class View>
auto on_host(const View& view) {
  if constexpr (host_reaches<typename View::memory_space>) {
    return view;
  } else {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }
}

}  // namespace oracle
