// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// `Session`: Kokkos running, for programs that do not know Kokkos.

namespace synelix {

/// Initialises Kokkos where nobody has, and finalises it at its end only then. A program that
/// initialises Kokkos itself needs none. Not copyable; the first one of a program is the one that
/// matters, later ones do nothing. Kokkos' own warnings (about thread binding) are switched off.
class Session {
 public:
  /// Starts Kokkos with its defaults and environment variables.
  Session();
  /// Starts Kokkos, which takes its own flags out of the arguments.
  Session(int& argc, char* argv[]);
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
