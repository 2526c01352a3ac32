// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/session.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// The execution spaces of the build. For the public headers, not for users.

namespace synelix::seam {

/// Whether the library is compiled for a space, if Kokkos has it.
template <class>
inline constexpr bool is_supported_space = false;
#ifdef KOKKOS_ENABLE_SERIAL
template <>
inline constexpr bool is_supported_space<Kokkos::Serial> = true;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
inline constexpr bool is_supported_space<Kokkos::OpenMP> = true;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool is_supported_space<Kokkos::Cuda> = true;
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr bool is_supported_space<Kokkos::HIP> = true;
#endif

/// The default instance of a space, for overloads without one. \throws Error if Kokkos is not
/// running, because Kokkos itself would end the program
template <class ExecutionSpace>
ExecutionSpace default_instance(const char* call) {
  require_running(call);
  return ExecutionSpace();
}

}  // namespace synelix::seam
