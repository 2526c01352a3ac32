// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/session.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

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

/// What every plan requires of its template arguments, with a sentence for each.
template <class ExecutionSpace>
constexpr bool runs_on() {
  static_assert(is_supported_space<ExecutionSpace>,
                "synelix runs on the Kokkos spaces Serial, OpenMP, Cuda and HIP");
  return true;
}
template <class Scalar, class ExecutionSpace>
constexpr bool computes() {
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "filters and results must be float or double");
  return runs_on<ExecutionSpace>();
}

/// The default instance of a space, for overloads without one. \throws Error if Kokkos is not
/// running, because Kokkos itself would end the program
template <class ExecutionSpace>
ExecutionSpace default_instance(const char* call) {
  require_running(call);
  return ExecutionSpace();
}

}  // namespace synelix::seam
