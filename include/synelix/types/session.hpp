// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>

#include <optional>

/// \file
/// What session.hpp declares, without Kokkos, except `instance_with_threads`. Programs include
/// session.hpp.

namespace synelix {

/// How a session starts Kokkos.
struct SessionOptions {
  /// The device. By default Kokkos uses the one of its flags and variables, else the first.
  DeviceWish device = {};
  /// Threads of the host backend, at least 1; absent: the number of Kokkos' flags and variables,
  /// else the backend's choice. Serial always has one thread.
  std::optional<int> threads = {};
};

/// Initializes Kokkos if it is not initialized, and only then finalizes it at its end. A program
/// that initializes Kokkos itself needs no session. Not copyable. Only the first session of a
/// program has an effect. Kokkos' own warnings (about thread binding) are switched off. Before
/// Kokkos starts, an Error is thrown for a device that does not exist or that this build was not
/// compiled for, and for any device if the build has no device backend.
class Session {
 public:
  /// Starts Kokkos with its defaults and environment variables.
  Session();
  /// Starts Kokkos on the given device.
  explicit Session(const SessionOptions& options);
  /// Starts Kokkos, which removes its own flags from the arguments.
  Session(int& argc, char* argv[]);
  /// The same; the options or Kokkos' flag may set a device or a number of threads, but not both.
  Session(int& argc, char* argv[], const SessionOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Whether this session started Kokkos.
  [[nodiscard]] bool owns() const { return m_owns; }

 private:
  bool m_owns = false;
};

/// Throws StateError unless Kokkos is running, and the memory of its threads is allocated. `call`
/// names the function that needs it.
void require_running(const char* call);

}  // namespace synelix
