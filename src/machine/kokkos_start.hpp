// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The start arguments of Kokkos: the device and the number of threads. They are determined and
/// checked before the start, because Kokkos ends the program if it cannot use them. Pure functions:
/// facts about the machine are arguments, so that tests can set them.

namespace synelix {

/// Facts about devices before the start of Kokkos.
struct DeviceSurroundings {
  std::vector<DeviceDescription> found;  ///< devices(): in order of their numbers
  std::string compiled_for;              ///< device_architecture(); empty: no device backend
  std::string backends;                  ///< Kokkos' names of the build's device backends
  /// The value of an environment variable, if it is set.
  std::function<std::optional<std::string>(const std::string&)> variable;
};

/// Whether kernels compiled for one architecture run on a device of another: for CUDA the device
/// must not be older; for HIP the names must be equal except for features such as ":xnack-".
bool runs_on(const std::string& compiled_for, const std::string& architecture);

/// The number of the device for Kokkos; nothing if no device is requested, so Kokkos chooses.
/// Throws Error if there is no such device, if it needs kernels of another architecture, and if a
/// device is requested in a build without devices. Without a request, it checks the device that
/// Kokkos will choose.
std::optional<int> chosen_device(const DeviceWish& wish, const DeviceSurroundings& surroundings);

/// The environment of the start of Kokkos.
struct KokkosSurroundings {
  std::string backends;     ///< of this Kokkos, such as "OPENMP SERIAL"
  unsigned processors = 1;  ///< as reported by the machine
  std::vector<std::string> words;
  std::function<std::optional<std::string>(const std::string& name)> variable;
};

/// The most threads that Kokkos' OpenMP backend supports; it crashes with more.
inline constexpr int most_openmp_threads = 512;

/// The most threads for a Kokkos with these backends.
int most_threads_of(const std::string& backends);

/// Checks the numbers of threads, and the variables that name a device. Returns the number of
/// threads to request from Kokkos if none is given and its default would be too large.
/// \throws Error that names the flag or variable
std::optional<int> checked_threads(const KokkosSurroundings& surroundings);

}  // namespace synelix
