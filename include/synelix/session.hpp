// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// `Session`: Kokkos running, for programs that do not start it themselves.
///
///     int main(int argc, char* argv[]) {
///       const sx::Session session(argc, argv);  // before anything that computes
///       run();
///     }

namespace synelix {

/// How a session starts Kokkos.
struct SessionOptions {
  DeviceWish device;  ///< without one Kokkos takes what its flags and variables say, else the first
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
  /// The same; a device may be named by the options or by Kokkos' flag, not by both.
  Session(int& argc, char* argv[], const SessionOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Whether this session started Kokkos.
  [[nodiscard]] bool owns() const { return m_owns; }

 private:
  bool m_owns = false;
};

/// Throws Error unless Kokkos is running. `call` names the function that needs it.
void require_running(const char* call);

}  // namespace synelix
