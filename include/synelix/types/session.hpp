// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>

#include <optional>

/// \file
/// What session.hpp declares, without Kokkos but for `instance_with_threads`. Programs include
/// session.hpp.

namespace synelix {

/// How a session starts Kokkos.
struct SessionOptions {
  /// Without one Kokkos takes what its flags and variables say, else the first.
  DeviceWish device = {};
  /// Threads of the host backend, at least 1; absent: what Kokkos' flags and variables say, else
  /// what the backend chooses. Serial has one thread whatever this says.
  std::optional<int> threads = {};
};

/// Initialises Kokkos where nobody has, and finalises it at its end only then. A program that
/// initialises Kokkos itself needs none. Not copyable; the first one of a program is the one that
/// matters, later ones do nothing. Kokkos' own warnings (about thread binding) are switched off.
/// A device that is not there, or that this build was not compiled for, is an Error before Kokkos
/// starts; so is a wish for a device in a build that has none.
class Session {
 public:
  /// Starts Kokkos with its defaults and environment variables.
  Session();
  /// Starts Kokkos on the device that is asked for.
  explicit Session(const SessionOptions& options);
  /// Starts Kokkos, which takes its own flags out of the arguments.
  Session(int& argc, char* argv[]);
  /// The same; a device or a number of threads may be named by the options or by Kokkos' flag, not
  /// by both.
  Session(int& argc, char* argv[], const SessionOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Whether this session started Kokkos.
  [[nodiscard]] bool owns() const { return m_owns; }

 private:
  bool m_owns = false;
};

/// Throws StateError unless Kokkos is running, and has the memory of its threads. `call` names the
/// function that needs it.
void require_running(const char* call);

}  // namespace synelix
