// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/devices.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

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

/// A new instance of a space that computes with so many threads, independent of all others: calls
/// on it overlap with calls on other instances from other threads of the host. Keep it for many
/// calls, because Kokkos fences all instances when it makes or ends one.
///
///     const auto two = sx::instance_with_threads<Kokkos::OpenMP>(2);
///     sx::convolve(two, samples, bank, features);
///
/// Results have the same bits for every number of threads.
/// \param threads  1 to the threads that Kokkos was started with. Serial has one.
/// \throws Error for another number, on a device, or where Kokkos is not running
template <class ExecutionSpace = Kokkos::DefaultHostExecutionSpace>
ExecutionSpace instance_with_threads(int threads);

/// Throws StateError unless Kokkos is running. `call` names the function that needs it.
void require_running(const char* call);

}  // namespace synelix
