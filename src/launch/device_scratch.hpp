// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace synelix::plan {

/// Bytes of scratch available to a team of a device; 0 on a host, whose sweeps need none. With
/// Kokkos 5.2 on CUDA, a team may have nearly all scratch of a core. But sweeps of float ask for
/// two resident teams (their `Bounds`), and Kokkos refuses a launch that leaves room for one only
/// ("Requested too large team size. ... Maximum: 0"). So teams of float get half. If a team may
/// have at most 64 KiB, two fit on a core of CUDA, and HIP does not require that two fit.
template <class ExecutionSpace, class Scalar>
std::int64_t device_scratch_bytes() {
  if constexpr (is_host_space<ExecutionSpace>) {
    return 0;
  } else {
    const std::int64_t most = Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0);
    const bool is_half = sizeof(Scalar) == 4 && most > std::int64_t{64} * 1024;
    return (is_half ? most / 2 : most) - sweep::scratch_slack;
  }
}

}  // namespace synelix::plan
