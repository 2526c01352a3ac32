// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace synelix::plan {

/// Whether a space runs on the host's tiles. (Not whether the host reaches its memory, which it
/// does where a device and a host have one.)
template <class ExecutionSpace>
inline constexpr bool is_host_space =
    std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

}  // namespace synelix::plan
