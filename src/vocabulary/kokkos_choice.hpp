// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// What Kokkos is told and what it takes: apart from the process, so that a test may say both.

namespace synelix {

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
