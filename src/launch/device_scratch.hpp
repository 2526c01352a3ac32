// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace synelix::plan {

/// Bytes of scratch available to a team of a device; 0 on a host, whose sweeps need none.
template <class ExecutionSpace>
std::int64_t device_scratch_bytes() {
  if constexpr (is_host_space<ExecutionSpace>) {
    return 0;
  } else {
    return Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0) - sweep::scratch_slack;
  }
}

}  // namespace synelix::plan
