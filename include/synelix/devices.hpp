// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// \file
/// The devices that this build can compute on, and how a program selects one.

namespace synelix {

/// A device of this machine.
struct DeviceDescription {
  int number = 0;                 ///< counted from 0, as the backend counts them
  std::string name;               ///< the vendor's name; "unknown" if it cannot be read
  std::string architecture;       ///< "sm_90"; of AMD with its features: "gfx90a:sramecc+:xnack-"
  std::int64_t memory_bytes = 0;  ///< all of its memory, used or not
};

/// The devices that the build's CUDA or HIP backend finds; none if the build has no such backend.
/// Needs no running Kokkos.
std::vector<DeviceDescription> devices();

/// What the kernels of this build were compiled for: "sm_90", "gfx942"; empty without a device
/// backend. Needs no running Kokkos.
std::string device_architecture();

/// Selects the device by the local rank of this process, as mpirun or srun set it, modulo the
/// number of devices of the machine.
struct LocalRank {};

/// The wanted device: any, the one with this number among those in KOKKOS_VISIBLE_DEVICES (or all
/// if it is unset), or that of the local rank.
using DeviceWish = std::variant<std::monostate, int, LocalRank>;

}  // namespace synelix
