// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// What Kokkos is started with: which device, and how many threads. Decided and checked before it
/// starts, since it ends the program where it cannot do what it is told. Pure functions: what is
/// asked of the machine is an argument, so that a test may say it.

namespace synelix {

/// What is known of devices before Kokkos starts.
struct DeviceSurroundings {
  std::vector<DeviceDescription> found;  ///< devices(): in order of their numbers
  std::string compiled_for;              ///< device_architecture(); empty: no device backend
  std::string backends;                  ///< Kokkos' names of those of the build
  /// The value of a variable of the environment, where it is set.
  std::function<std::optional<std::string>(const std::string&)> variable;
};

/// Whether kernels that were compiled for one architecture run on a device of another: of CUDA the
/// device is not older, of HIP the names are equal but for features such as ":xnack-".
bool runs_on(const std::string& compiled_for, const std::string& architecture);

/// The number of the device that Kokkos is to be given; nothing where none is asked for, which
/// leaves it to Kokkos. Throws Error where there is no such device, where it needs kernels of
/// another architecture, and where a device is asked for in a build that has none. Without a wish
/// the device that Kokkos will take is checked.
std::optional<int> chosen_device(const DeviceWish& wish, const DeviceSurroundings& surroundings);

/// What surrounds the start of Kokkos.
struct KokkosSurroundings {
  std::string backends;     ///< of this Kokkos, such as "OPENMP SERIAL"
  unsigned processors = 1;  ///< that the machine says it has
  std::vector<std::string> words;
  std::function<std::optional<std::string>(const std::string& name)> variable;
};

/// The most threads that Kokkos' OpenMP backend has room for; it crashes beyond.
inline constexpr int most_openmp_threads = 512;

/// The most threads that a Kokkos with these backends takes.
int most_threads_of(const std::string& backends);

/// Checks the numbers of threads, and the variables that name a device. Returns the number of
/// threads to ask Kokkos for, where nobody has said one and its own would be too many.
/// \throws Error that names the flag or variable
std::optional<int> checked_threads(const KokkosSurroundings& surroundings);

}  // namespace synelix
