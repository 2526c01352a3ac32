// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"
#include "launch/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace synelix::plan {

/// Bytes of scratch available to a team that transforms on a device; 0 on a host, whose sweeps need
/// none. As many teams as their `Bounds` ask for must fit on a core (tune/tiles.hpp).
template <class ExecutionSpace, class Scalar>
std::int64_t device_scratch_bytes() {
  if constexpr (is_host_space<ExecutionSpace>) {
    return 0;
  } else {
    const std::int64_t most = Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0);
    const int teams = tune::device_fft_shares(most) ? tune::device_fft_teams(sizeof(Scalar)) : 1;
    return most / teams - sweep::scratch_slack;
  }
}

}  // namespace synelix::plan
