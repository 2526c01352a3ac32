// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// \file
/// The devices that this build can compute on, and how a program asks for one of them.

namespace synelix {

/// A device of this machine.
struct DeviceDescription {
  int number = 0;                 ///< counted from 0, as the backend counts them
  std::string name;               ///< as its vendor calls it; "unknown" where it does not answer
  std::string architecture;       ///< "sm_90"; of AMD with its features: "gfx90a:sramecc+:xnack-"
  std::int64_t memory_bytes = 0;  ///< all of its memory, used or not
};

/// The devices that the build's CUDA or HIP backend finds; none where the build has no such
/// backend. Needs no running Kokkos.
std::vector<DeviceDescription> devices();

/// What the kernels of this build were compiled for: "sm_90", "gfx942"; empty without a device
/// backend. Needs no running Kokkos.
std::string device_architecture();

/// Asks for the device that belongs to this process among those of its machine: its local rank, as
/// mpirun or srun tell it, modulo the number of devices.
struct LocalRank {};

/// Which device is asked for: none in particular, the one of this number among those that
/// KOKKOS_VISIBLE_DEVICES leaves (else all), or that of the local rank.
using DeviceWish = std::variant<std::monostate, int, LocalRank>;

}  // namespace synelix
